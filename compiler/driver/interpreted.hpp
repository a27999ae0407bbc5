// The reference interpreter behind the calling convention of compiled code, so that the same runtime drives both.
#pragma once
#include <memory>
#include <vector>

#include "driver/compilation.hpp"
#include "driver/facts.hpp"
#include "manifest.hpp"

namespace adjoule::driver {

runtime::Procedure interpreted(std::shared_ptr<const Compilation> compilation, ir::Procedure procedure, Facts facts,
                               bool single);

}  // namespace adjoule::driver
