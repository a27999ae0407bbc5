// Sums, products and powers: broadcasting, matrix products, and the fusing of products into sums by a fixed local rule.
//   a * b + c, c + a * b   ->   fma(a, b, c)          c - a * b   ->   fma(-a, b, c)
// Within one sum, from left to right: a product of reals that stands as a term (not in parentheses) is fused into what
// was summed before it; a first term that is a product is fused with the second when that is none. So the bits of an
// expression depend on its text alone, never on what surrounds it.
#include "lowering/constants.hpp"
#include "lowering/expressions.hpp"

namespace adjoule::lowering {
namespace {

using ir::Opcode;
using syntax::ExprKind;

bool is_matrix_product(const Type& a, const Type& b) { return a.is_matrix() && (b.is_matrix() || b.is_vector()); }

/// A term of a sum: its value, or the two factors of a product that can be fused.
struct Term {
  bool product = false;
  Value value = ir::no_value;
  Value left = ir::no_value, right = ir::no_value;
};

Value product_of(Context& c, const Expr& e, size_t count) {
  Value v = lower_expression(c, e.args[0]);
  for (size_t i = 1; i < count; ++i) v = multiply_values(c, v, e.signs[i], lower_expression(c, e.args[i]));
  return v;
}

Term lower_term(Context& c, const Expr& e) {
  if (e.kind != ExprKind::product || e.parenthesised || e.signs.back() != '*') return {.value = lower_expression(c, e)};
  SpanScope at(c, e.span);
  Value left = product_of(c, e, e.args.size() - 1);
  Value right = lower_expression(c, e.args.back());
  Type a = c.type(left), b = c.type(right);
  bool integers = a.is_int() && b.is_int();
  if (integers || is_matrix_product(a, b) || !a.plain() || !b.plain()) {
    Value v = multiply_values(c, left, '*', right);
    return {.value = c.info(e).converts_to_real ? to_real(c, v) : v};
  }
  return {.product = true, .left = left, .right = right};
}

Value plain(Context& c, const Term& term) {
  return term.product ? multiply_values(c, term.left, '*', term.right) : term.value;
}

/// a ± left * right, rounded once.
Value fuse(Context& c, Value left, Value right, char sign, Value a) {
  if (sign == '-') left = negate_value(c, left);
  return elementwise(c, Opcode::fused_multiply_add, {left, right, a});
}

Value add_term(Context& c, Value a, char sign, const Term& term) {
  if (!term.product) return add_values(c, a, sign, term.value);
  return fuse(c, term.left, term.right, sign, a);
}

/// reference ± (i, j), one after the other.
Value lower_offsets(Context& c, const Expr& e, Value reference) {
  bool from_now =
      e.args[0].kind == ExprKind::name && c.symbol(c.info(e.args[0]).symbol).kind == semantics::SymbolKind::now;
  for (size_t i = 1; i < e.args.size(); ++i) {
    const Expr& arg = e.args[i];
    std::vector<Value> operands{reference};
    std::span<const Expr> parts = arg.kind == ExprKind::tuple ? std::span<const Expr>(arg.args) : std::span(&arg, 1);
    for (const Expr& part : parts) {
      Value v = lower_expression(c, part);
      operands.push_back(e.signs[i] == '-' ? negate_value(c, v) : v);
    }
    SpaceId space = c.type(reference).space;
    if (c.program.spaces[static_cast<size_t>(space)].grid) {
      reference = c.ir().emit(Opcode::offset, std::move(operands));
      continue;
    }
    // A plain space has no boundary rule: the number must be in range. now + 1 always is, within a step.
    Value number = add_values(c, c.ir().coordinate(reference, 0), '+', operands.back());
    std::optional<int64_t> amount = constant_int(c, arg);
    bool certain =
        from_now && c.step_entry && e.args.size() == 2 && e.signs[i] == '+' && amount && (*amount == 0 || *amount == 1);
    if (!certain) check_index(c, number, space);
    reference = c.ir().make_reference(space, {number});
  }
  return reference;
}

template <class Combine>
Value combine_arrays(Context& c, Value a, Value b, Combine combine) {
  Type type = c.type(a);
  std::vector<Value> elements;
  for (int32_t i = 0; i < type.array[0]; ++i) elements.push_back(combine(c.ir().extract(a, i), c.ir().extract(b, i)));
  return c.ir().emit(Opcode::pack, std::move(elements), type);
}

}  // namespace

Value elementwise(Context& c, Opcode code, std::vector<Value> operands) {
  for (size_t i = 1; i < operands.size(); ++i) unify(c, operands[0], operands[i]);
  for (size_t i = 1; i < operands.size(); ++i) unify(c, operands[0], operands[i]);  // the first may have widened since
  return c.ir().emit(code, std::move(operands));
}

Value add_values(Context& c, Value a, char sign, Value b) {
  if (c.type(a).is_array() && c.type(b).is_array()) {
    return combine_arrays(c, a, b, [&](Value x, Value y) { return add_values(c, x, sign, y); });
  }
  return elementwise(c, sign == '-' ? Opcode::subtract : Opcode::add, {a, b});
}

Value multiply_values(Context& c, Value a, char sign, Value b) {
  if (sign == '/') return elementwise(c, Opcode::divide, {to_real(c, a), to_real(c, b)});
  if (is_matrix_product(c.type(a), c.type(b))) return c.ir().emit(Opcode::matrix_multiply, {a, b});
  return elementwise(c, Opcode::multiply, {a, b});
}

Value negate_value(Context& c, Value a) {
  if (auto found = c.integers.find(a); found != c.integers.end()) return int_constant(c, -int64_t{found->second});
  return c.ir().negate(a);
}

Value lower_sum(Context& c, const Expr& e) {
  Term first = lower_term(c, e.args[0]);
  if (!first.product && c.type(first.value).is_reference()) return lower_offsets(c, e, first.value);
  size_t next = 1;
  Value total = ir::no_value;
  if (first.product && e.args.size() > 1) {
    Term second = lower_term(c, e.args[1]);
    next = 2;
    if (second.product) {
      total = fuse(c, second.left, second.right, e.signs[1], plain(c, first));
    } else {
      Value addend = e.signs[1] == '-' ? negate_value(c, second.value) : second.value;
      total = fuse(c, first.left, first.right, '+', addend);
    }
  } else {
    total = plain(c, first);
  }
  for (; next < e.args.size(); ++next) total = add_term(c, total, e.signs[next], lower_term(c, e.args[next]));
  return total;
}

Value lower_product(Context& c, const Expr& e) { return product_of(c, e, e.args.size()); }

Value power_values(Context& c, Value base, const Expr& exponent) {
  base = to_real(c, base);
  if (std::optional<double> n = constant_real(c, exponent)) return c.ir().power_constant(base, *n);
  return elementwise(c, Opcode::power, {base, to_real(c, lower_expression(c, exponent))});
}

Value lower_power(Context& c, const Expr& e) { return power_values(c, lower_expression(c, e.args[0]), e.args[1]); }

Value accumulate(Context& c, Value a, char sign, const Expr& e) { return add_term(c, a, sign, lower_term(c, e)); }

}  // namespace adjoule::lowering
