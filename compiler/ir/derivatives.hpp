// The derivative rules, one an operation, written once for reverse and forward mode.
//   elementwise  result_k depends on operand_k alone: `partial_of` gives d result / d operand, elementwise;
//                reverse: operand_bar += partial * bar,   forward: result_dot = sum partial * operand_dot
//   linear       `pullback_of` gives what one operand receives from the adjoint of the result; forward mode applies the
//                operation itself to the tangents (one operand at a time where it is linear in each)
#pragma once
#include <array>

#include "ir/builder.hpp"
#include "ir/ir.hpp"

namespace adjoule::ir {

/// What is known of an operation's operands, so that a product with a partial derivative need not guard against Inf and NaN.
struct OperandFacts {
  std::array<bool, 3> finite{};     // cannot be Inf or NaN unless the inputs or an overflow made it so
  std::array<bool, 3> positive{};   // bounded away from 0, so that dividing by it is finite
};

struct Partial {
  enum class Kind : uint8_t { zero, one, minus_one, value };
  Kind kind = Kind::zero;
  Value value = no_value;
  bool finite = false;   // else multiply with `weigh`, so that a zero adjoint times Inf or NaN is zero
};

/// `op` has its operands and results mapped into the builder's procedure.
Partial partial_of(Builder& builder, const Op& op, int which, const OperandFacts& facts);

/// factor * partial as the rules above mean it; no_value when it is identically zero.
Value apply_partial(Builder& builder, const Partial& partial, Value factor);

/// The adjoint that operand `which` of a linear operation receives; no_value when none.
Value pullback_of(Builder& builder, const Op& op, int which, Value bar);

}  // namespace adjoule::ir
