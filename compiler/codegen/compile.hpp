// IR -> native code on this machine's CPU: procedures (after transform::plan_buffers) to functions of runtime/native.hpp.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/ir.hpp"
#include "native.hpp"

namespace adjoule::codegen {

struct CompileOptions {
  bool single = false;                              // real is f32
  int optimisation = 3;                             // 0 … 3
  std::vector<int32_t> sizes;                       // baked in, by size index
  std::vector<std::array<int32_t, 3>> extents;      // by space: closed spaces are baked in; open ones are read at run time
  bool cache = true;
  std::string cache_directory;                      // empty: $ADJOULE_CACHE_DIR, else $XDG_CACHE_HOME/adjoule, else ~/.cache/adjoule
};

/// Where a fault can happen: what check_index, check_nonzero or pop guards.
struct FaultSite {
  Span span;
  ir::Opcode code = ir::Opcode::check_index;
  std::string space;                                // its name, "" for arrays
};

struct Module {
  std::vector<FaultSite> fault_sites;
  bool from_cache = false;
  double seconds = 0;                               // spent here
  std::shared_ptr<void> code;                       // keeps the machine code alive
  std::vector<runtime::NativeFunction> functions;   // parallel to the procedures given
};

/// Compiles the procedures into one module. A failure inside LLVM is a compiler bug, told in `error`.
std::optional<Module> compile(const ir::Program& program, const std::vector<const ir::Procedure*>& procedures,
                              const CompileOptions& options, std::string& error);

/// The optimised LLVM IR, or the assembly, of the same module as text (emit --stage llvm | asm).
std::string emit_llvm(const ir::Program& program, const std::vector<const ir::Procedure*>& procedures,
                      const CompileOptions& options);
std::string emit_assembly(const ir::Program& program, const std::vector<const ir::Procedure*>& procedures,
                          const CompileOptions& options);

}  // namespace adjoule::codegen
