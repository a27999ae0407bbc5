// What becomes known when a program is instantiated: sizes, extents of closed spaces, defaults; and the runtime's
// manifest.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "adjoule/adjoule.hpp"
#include "driver/compilation.hpp"
#include "manifest.hpp"

namespace adjoule::driver {

struct Facts {
  std::vector<int32_t> sizes;                   // by size index
  std::vector<std::array<int32_t, 3>> extents;  // by space; open spaces {-1, 1, 1}
};

/// Throws Error (wrong_use): a size that is missing (all are listed), unknown, too large, or leads to an impossible
/// extent.
Facts find_facts(const Compilation& compilation, const Options& options);

runtime::Manifest make_manifest(const Compilation& compilation, const Facts& facts, const Options& options);

/// By field: where a field over `time` is certainly read at its last instant (row `steps`), as file:line:column; else
/// "".
std::vector<std::string> certain_last_rows(const Compilation& compilation);

/// By field: why no derivative of the loss can reach it, as far as it can be told; "" when it cannot.
std::string independence_reason(const Compilation& compilation, int loss, int field);

}  // namespace adjoule::driver
