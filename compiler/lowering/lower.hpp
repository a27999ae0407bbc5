// Checked AST -> IR: calls inlined, names gone, in-place updates turned into versions, jumps into flags.
#pragma once
#include <optional>

#include "base/diagnostics.hpp"
#include "ir/ir.hpp"
#include "semantics/checked.hpp"

namespace adjoule::lowering {

/// Lowers a program that was checked without errors, then checks the access modes of every parallel loop (those are the
/// user's errors that can still be reported here). Nothing when there were errors.
std::optional<ir::Program> lower(const semantics::CheckedProgram& checked, Diagnostics& diagnostics);

}  // namespace adjoule::lowering
