// Text -> AST.
#pragma once
#include <optional>

#include "base/diagnostics.hpp"
#include "base/source.hpp"
#include "syntax/ast.hpp"

namespace adjoule::syntax {

/// Parses one file of the map. Reports up to 20 mistakes and then returns nothing; never throws (std::bad_alloc aside).
std::optional<Program> parse(SourceMap& sources, int32_t file, Diagnostics& diagnostics);

}  // namespace adjoule::syntax
