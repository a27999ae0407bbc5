// Constant folding.
#pragma once
#include "transform/local_rules.hpp"

namespace adjoule::transform {

/// Turns a scalar operation on constants into the constant it equals. Whether real is f64 or f32 is not known here, so
/// an operation on reals is folded only when the result is right for both: computed in f64 and rounded, it is what f32
/// gives.
void fold_constant(const RuleSite& site, ir::Op& op, const Type& type);

}  // namespace adjoule::transform
