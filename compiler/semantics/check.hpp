// Names, types, shapes and levels: AST -> checked AST.
#pragma once
#include <optional>

#include "base/diagnostics.hpp"
#include "semantics/checked.hpp"

namespace adjoule::semantics {

/// Checks the whole program and reports every mistake it finds (several in one run; follow-up errors are suppressed).
/// `program` must outlive the result. The result is complete only when no errors were reported.
CheckedProgram check(const syntax::Program& program, Diagnostics& diagnostics);

}  // namespace adjoule::semantics
