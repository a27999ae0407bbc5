// Numbers that the text alone determines: literals, constants and arithmetic on them.
#pragma once
#include <optional>

#include "lowering/environment.hpp"

namespace adjoule::lowering {

std::optional<double> constant_real(const Context& c, const Expr& e);
std::optional<int64_t> constant_int(const Context& c, const Expr& e);
/// A literal, or a constant whose value is known: costs nothing to evaluate.
bool is_constant(const Context& c, const Expr& e);
/// The value of a declared constant.
Value lower_constant(Context& c, int index);

}  // namespace adjoule::lowering
