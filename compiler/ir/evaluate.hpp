// Evaluates one pure operation on values: what the interpreter and constant folding share, and what generated code must
// equal bit for bit. The definitions, for real = f64; for f32 read every step as f32 arithmetic, each result rounded:
//
//   add subtract multiply divide     IEEE, one rounding each; nothing is contracted
//   fused_multiply_add               one rounding (std::fma)
//   square_root                      IEEE
//   absolute, negate                 act on the sign bit, NaN too
//   sign                             1, 0 or -1; 0 for both zeros and for NaN
//   minimum(a, b)                    b < a ? b : a            maximum(a, b)   a < b ? b : a
//   round                            half away from zero; floor, ceiling: IEEE
//   weigh(a, d)                      a == 0 ? 0 : a * d
//   reciprocal_or_zero(a)            a == 0 ? 0 : 1 / a
//   logarithm_or_zero(a)             a > 0 ? log(a) : 0
//   exp log pow sin cos tan asin acos atan atan2 sinh cosh tanh
//                                    SLEEF, Sleef_finz_*d1_u10purecfma (f32: *f1_u10purecfma)
//   hypotenuse                       Sleef_finz_hypotd1_u05purecfma (f32: hypotf1)
//   power                            SLEEF's pow, as above
//   power_constant(x; e)             e == 0: 1. For 2 e whole and |e| <= 16, with n = floor(|e|):
//                                      base = x, no product yet; for each bit of n from the lowest: where it is set,
//                                      product = product ? product * base : base; then base = base * base if bits remain;
//                                      for a half: product = product ? product * sqrt(x) : sqrt(x);
//                                      for e < 0: 1 / product.
//                                    Any other e: pow(x, e)
//   dot(a, b)                        acc = a0 * b0; then acc = fma(ai, bi, acc), left to right (matrices: row-major)
//   norm(v)                          sqrt(dot(v, v))
//   matrix_multiply                  each entry as dot over the inner index
//   cross                            a1 b2 - a2 b1 as fma(a1, b2, -(a2 * b1)), and cyclically
//   outer                            plain products
//   int arithmetic                   32 bits, wraps; absolute(-2^31) = -2^31
//   floor_divide, floor_modulo       floored; by 0: 0 (a check has stopped the program before); -2^31 by -1: -2^31 and 0
//   real_to_int                      truncates, saturates; NaN: 0
//   int_to_real                      rounded to nearest
//   comparisons                      IEEE: all false with NaN, except not_equal: true
#pragma once
#include <span>

#include "ir/ir.hpp"

namespace adjoule::ir {

/// The components of a value: reals of real, vector, matrix and arrays of them; else integers (bool: 0 or 1; reference:
/// its raw coordinates). Arrays are flat, outermost element first.
struct Components {
  std::span<const double> reals;
  std::span<const int32_t> integers;
};

/// Room for a result; it must not overlap an operand.
struct ResultComponents {
  std::span<double> reals;
  std::span<int32_t> integers;
};

/// Computes `op` (its operands and result are values of `procedure`; only their types are looked at). `single`: f32.
/// False, with nothing computed, when the operation is none of values alone (fields, stacks, control flow), depends on the
/// instance (size, extent, steps, the boundary rule of a space), or indexes an array out of its range.
bool evaluate(const Procedure& procedure, const Op& op, std::span<const Components> operands, ResultComponents result,
              bool single);

}  // namespace adjoule::ir
