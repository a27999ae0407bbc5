// Text -> checked IR: the first half of the pipeline, everything that needs no sizes. Mistakes are values in
// `diagnostics`.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adjoule/adjoule.hpp"
#include "base/diagnostics.hpp"
#include "ir/ir.hpp"
#include "semantics/checked.hpp"
#include "syntax/ast.hpp"

namespace adjoule::driver {

struct StageTime {
  std::string name;
  double seconds = 0;
};

struct Compilation {
  SourceMap sources;
  std::optional<syntax::Program> ast;
  semantics::CheckedProgram checked;    // refers to `ast`
  std::optional<ir::Program> program;   // as lowered; nothing when there were errors
  std::optional<ir::Program> prepared;  // init, step and losses simplified: what is differentiated and compiled
  Diagnostics diagnostics;
  std::vector<StageTime> stages;

  bool ok() const { return program.has_value(); }
  double seconds() const;
  std::vector<Message> messages() const;  // the diagnostics, for hosts
  std::string text() const;               // the diagnostics, for a terminal
};

/// Runs the stages as far as they go.
std::shared_ptr<const Compilation> compile_text(std::string name, std::string text);
/// The same from a file. Throws Error (wrong_use) when it cannot be read.
std::shared_ptr<const Compilation> compile_file(const std::string& path);

/// Throws Error (failed_run) that asks for a bug report when the IR breaks its own rules after a pass.
void verify_or_report(const ir::Program& program, const ir::Procedure& procedure, const std::string& after);

[[noreturn]] void internal_error(const std::string& what);

}  // namespace adjoule::driver
