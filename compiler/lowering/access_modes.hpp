// The access modes of parallel loops: while a loop is built, each access to a field that it updates is recorded with
// the index values of the IR (calls inlined, lets resolved); at its end the record is checked against the modes.
#pragma once
#include <string>
#include <vector>

#include "base/diagnostics.hpp"
#include "ir/ir.hpp"

namespace adjoule::lowering {

enum class AccessKind : uint8_t { read, write, reduce };

struct Access {
  ir::Value handle = ir::no_value;
  AccessKind kind = AccessKind::read;
  std::string operation;           // as written: "=", "+=", "min=", …; empty for reads
  std::vector<ir::Value> indices;  // empty: the whole field, or a scalar
  Span span;
};

/// One parallel loop under construction.
struct ParallelLoop {
  std::vector<ir::Value> indices;  // the loop's own index values
  std::vector<std::string> index_names;
  std::vector<ir::Value> handles;
  std::vector<std::string> names;  // of the fields, one a handle
  std::vector<ir::Mode> modes;
  std::vector<Access> accesses;
};

void check_access_modes(const ir::Program& program, const ir::Procedure& procedure, const ParallelLoop& loop,
                        Diagnostics& diagnostics);

}  // namespace adjoule::lowering
