// The derivative of each operation (derivatives.hpp). Where a derivative does not exist, the choice is finite and documented
// in the row's `why` (op_table.cpp): norm, sqrt, abs, hypot at 0: 0; min and max at a tie: half each.
#include "ir/derivatives.hpp"

namespace adjoule::ir {
namespace {

using Kind = Partial::Kind;

Partial one() { return {Kind::one, no_value, true}; }
Partial minus_one() { return {Kind::minus_one, no_value, true}; }
Partial zero() { return {}; }
Partial finite(Value v) { return {Kind::value, v, true}; }
Partial guarded(Value v, bool is_finite = false) { return {Kind::value, v, is_finite}; }

/// 1 where a < b, 1/2 where a == b, 0 where a > b, elementwise.
Value less_weight(Builder& b, Value a, Value c) {
  Value half = b.like(a, 0.5);
  return b.add(half, b.multiply(half, b.emit(Opcode::sign, {b.subtract(c, a)})));
}

/// 1 - x * x
Value one_minus_square(Builder& b, Value x) {
  return b.emit(Opcode::fused_multiply_add, {b.negate(x), x, b.like(x, 1.0)});
}

/// 1 + x * x
Value one_plus_square(Builder& b, Value x) { return b.emit(Opcode::fused_multiply_add, {x, x, b.like(x, 1.0)}); }

Partial power_constant_partial(Builder& b, const Op& op, const OperandFacts& facts) {
  double e = op.real;
  Value x = op.operands[0];
  if (e == 0) return zero();
  if (e == 1) return one();
  Value factor = b.like(x, e);
  if (e == 2) return guarded(b.multiply(factor, x), facts.finite[0]);
  bool regular = e >= 1 ? facts.finite[0] : facts.positive[0] && facts.finite[0];
  return guarded(b.multiply(factor, b.power_constant(x, e - 1)), regular);
}

Partial power_partial(Builder& b, const Op& op, int which) {
  Value x = op.operands[0], y = op.operands[1];
  if (which == 0) return guarded(b.multiply(y, b.emit(Opcode::power, {x, b.subtract(y, b.like(y, 1.0))})));
  return guarded(b.multiply(op.results[0], b.emit(Opcode::logarithm_or_zero, {x})));
}

Partial divide_partial(Builder& b, const Op& op, int which, const OperandFacts& facts) {
  Value d = op.operands[1];
  if (which == 0) return guarded(b.divide(b.like(d, 1.0), d), facts.positive[1]);
  return guarded(b.negate(b.divide(op.results[0], d)), facts.positive[1] && facts.finite[0]);
}

/// u / (x² + y²), 0 at the origin.
Value over_square(Builder& b, Value u, Value x, Value y) {
  Value square = b.emit(Opcode::fused_multiply_add, {x, x, b.multiply(y, y)});
  return b.multiply(u, b.emit(Opcode::reciprocal_or_zero, {square}));
}

Partial trigonometric_partial(Builder& b, const Op& op) {
  Value x = op.operands[0], y = op.results[0];
  switch (op.code) {
    case Opcode::sine: return finite(b.emit(Opcode::cosine, {x}));
    case Opcode::cosine: return finite(b.negate(b.emit(Opcode::sine, {x})));
    case Opcode::tangent: return guarded(one_plus_square(b, y));
    case Opcode::arc_sine:
      return guarded(b.emit(Opcode::reciprocal_or_zero, {b.emit(Opcode::square_root, {one_minus_square(b, x)})}));
    case Opcode::arc_cosine:
      return guarded(b.negate(b.emit(Opcode::reciprocal_or_zero, {b.emit(Opcode::square_root, {one_minus_square(b, x)})})));
    case Opcode::arc_tangent: return finite(b.divide(b.like(x, 1.0), one_plus_square(b, x)));
    case Opcode::hyperbolic_sine: return guarded(b.emit(Opcode::hyperbolic_cosine, {x}));
    case Opcode::hyperbolic_cosine: return guarded(b.emit(Opcode::hyperbolic_sine, {x}));
    case Opcode::hyperbolic_tangent: return finite(one_minus_square(b, y));
    default: return zero();
  }
}

/// The components of a value with components or array elements.
int component_count(const Type& type) {
  if (type.is_array()) return type.array.front();
  return type.element == Element::matrix ? type.size * type.size : type.size;
}

Value sum_of_components(Builder& b, Value v) {
  Value sum = b.extract(v, 0);
  for (int i = 1; i < component_count(b.type(v)); ++i) sum = b.add(sum, b.extract(v, i));
  return sum;
}

Value matrix_multiply_pullback(Builder& b, const Op& op, int which, Value bar) {
  Value left = op.operands[0], right = op.operands[1];
  bool vector = b.type(right).is_vector();
  if (which == 1) return b.emit(Opcode::matrix_multiply, {b.emit(Opcode::transpose, {left}), bar});
  if (vector) return b.emit(Opcode::outer, {bar, right});
  return b.emit(Opcode::matrix_multiply, {bar, b.emit(Opcode::transpose, {right})});
}

Value insert_pullback(Builder& b, const Op& op, int which, Value bar) {
  bool dynamic = op.code == Opcode::insert_at;
  int component = dynamic ? 2 : 1;
  if (which == component) {
    if (!dynamic) return b.extract(bar, op.integer);
    Value c = op.operands[2];
    return b.emit(Opcode::extract_at, {bar, op.operands[1]}, b.type(c));
  }
  if (which != 0) return no_value;
  Value nothing = b.zero(b.type(op.operands[static_cast<size_t>(component)]));
  if (!dynamic) return b.insert(bar, op.integer, nothing);
  return b.emit(Opcode::insert_at, {bar, op.operands[1], nothing}, b.type(bar));
}

Value norm_pullback(Builder& b, const Op& op, Value bar) {
  Value v = op.operands[0];
  Value scale = b.emit(Opcode::weigh, {bar, b.emit(Opcode::reciprocal_or_zero, {op.results[0]})});
  return b.multiply(b.splat(scale, b.type(v)), v);
}

}  // namespace

Partial partial_of(Builder& b, const Op& op, int which, const OperandFacts& facts) {
  auto operand = [&](int i) { return op.operands[static_cast<size_t>(i)]; };
  switch (op.code) {
    case Opcode::add: return one();
    case Opcode::subtract: return which == 0 ? one() : minus_one();
    case Opcode::negate: return minus_one();
    case Opcode::multiply: return guarded(operand(1 - which), facts.finite[static_cast<size_t>(1 - which)]);
    case Opcode::fused_multiply_add:
      return which == 2 ? one() : guarded(operand(1 - which), facts.finite[static_cast<size_t>(1 - which)]);
    case Opcode::weigh:
      return which == 0 ? guarded(operand(1), facts.finite[1]) : guarded(operand(0), facts.finite[0]);
    case Opcode::divide: return divide_partial(b, op, which, facts);
    case Opcode::absolute: return finite(b.emit(Opcode::sign, {operand(0)}));
    case Opcode::minimum: return finite(less_weight(b, operand(which), operand(1 - which)));
    case Opcode::maximum: return finite(less_weight(b, operand(1 - which), operand(which)));
    case Opcode::square_root:
      return guarded(b.multiply(b.like(operand(0), 0.5), b.emit(Opcode::reciprocal_or_zero, {op.results[0]})),
                     facts.positive[0]);
    case Opcode::exponential: return guarded(op.results[0]);
    case Opcode::logarithm: return guarded(b.divide(b.like(operand(0), 1.0), operand(0)), facts.positive[0]);
    case Opcode::logarithm_or_zero: return guarded(b.emit(Opcode::reciprocal_or_zero, {b.emit(Opcode::maximum, {operand(0), b.like(operand(0), 0.0)})}));
    case Opcode::reciprocal_or_zero: return guarded(b.negate(b.multiply(op.results[0], op.results[0])));
    case Opcode::power: return power_partial(b, op, which);
    case Opcode::power_constant: return power_constant_partial(b, op, facts);
    case Opcode::arc_tangent2:
      return which == 0 ? guarded(over_square(b, operand(1), operand(0), operand(1)))
                        : guarded(b.negate(over_square(b, operand(0), operand(0), operand(1))));
    case Opcode::hypotenuse:
      return guarded(b.multiply(operand(which), b.emit(Opcode::reciprocal_or_zero, {op.results[0]})));
    default: return trigonometric_partial(b, op);
  }
}

Value apply_partial(Builder& b, const Partial& partial, Value factor) {
  switch (partial.kind) {
    case Kind::zero: return no_value;
    case Kind::one: return factor;
    case Kind::minus_one: return b.negate(factor);
    case Kind::value: break;
  }
  return b.emit(partial.finite ? Opcode::multiply : Opcode::weigh, {factor, partial.value});
}

Value pullback_of(Builder& b, const Op& op, int which, Value bar) {
  auto operand = [&](int i) { return op.operands[static_cast<size_t>(i)]; };
  auto times = [&](Value scalar, Value v) { return b.multiply(b.splat(scalar, b.type(v)), v); };
  switch (op.code) {
    case Opcode::splat: return b.type(bar).is_real() ? bar : sum_of_components(b, bar);
    case Opcode::pack: return b.extract(bar, which);
    case Opcode::extract: return b.insert(b.zero(b.type(operand(0))), op.integer, bar);
    case Opcode::extract_at:
      if (which != 0) return no_value;
      return b.emit(Opcode::insert_at, {b.zero(b.type(operand(0))), operand(1), bar}, b.type(operand(0)));
    case Opcode::insert:
    case Opcode::insert_at: return insert_pullback(b, op, which, bar);
    case Opcode::dot: return times(bar, operand(1 - which));
    case Opcode::norm: return norm_pullback(b, op, bar);
    case Opcode::cross:   // d (a × b) · w = a · (b × w) = b · (w × a)
      return which == 0 ? b.emit(Opcode::cross, {operand(1), bar}) : b.emit(Opcode::cross, {bar, operand(0)});
    case Opcode::outer:
      if (which == 0) return b.emit(Opcode::matrix_multiply, {bar, operand(1)});
      return b.emit(Opcode::matrix_multiply, {b.emit(Opcode::transpose, {bar}), operand(0)});
    case Opcode::matrix_multiply: return matrix_multiply_pullback(b, op, which, bar);
    case Opcode::transpose: return b.emit(Opcode::transpose, {bar});
    case Opcode::select: {
      Value nothing = b.zero(b.type(bar));
      if (which == 1) return b.emit(Opcode::select, {operand(0), bar, nothing});
      if (which == 2) return b.emit(Opcode::select, {operand(0), nothing, bar});
      return no_value;
    }
    default: return no_value;
  }
}

}  // namespace adjoule::ir
