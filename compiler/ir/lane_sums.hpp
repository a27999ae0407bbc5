// Sums carried by inner loops over a whole space (language.md, Order): a real value that the body only adds to is not summed
// one after the other but in 16 lanes, so that the loop can be vectorised with the same bits everywhere:
//   iteration i works on lane i mod 16 of its block of 1024 iterations (lanes start at +0); the lanes of a block combine by a
//   fixed tree, l + (l + 8) for l < 8, then 4, 2, 1; block sums add up in f64; the result is the initial value + that total.
// Interpreter and code generation both ask here which carried values these are.
#pragma once
#include <vector>

#include "ir/ir.hpp"

namespace adjoule::ir {

constexpr int64_t sum_lanes = 16;
constexpr int64_t sum_block = 1024;   // iterations

/// By carried value of a for_: is it such a sum? Its yield is add(argument, …), subtract(argument, …) or
/// fused_multiply_add(…, …, argument), made in the body itself, and the argument has no other use.
std::vector<bool> lane_sums(const Procedure& procedure, const Op& loop);

}  // namespace adjoule::ir
