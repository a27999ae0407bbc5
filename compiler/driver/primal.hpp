// The time loop of a plain run.
#pragma once
#include "ir/ir.hpp"

namespace adjoule::driver {

/// (globals…, states…, first: int, last: int) -> states…: steps first … last - 1. States are consumed.
ir::Procedure make_advance(const ir::Program& program);

}  // namespace adjoule::driver
