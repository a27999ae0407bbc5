// The dispatch over kinds of expressions, names, and conversions (expressions.hpp).
#include "lowering/expressions.hpp"

#include "lowering/constants.hpp"

namespace adjoule::lowering {
namespace {

using ir::Opcode;
using semantics::SymbolKind;
using syntax::ExprKind;

Value emit_size(Context& c, int index) {
  ir::Op op{.code = Opcode::size, .integer = index};
  Type type = int_type();
  ir::OpId id = c.ir().append(std::move(op), std::span(&type, 1));
  Value v = c.ir().procedure().op(id).results.front();
  give_name(c, v, c.program.sizes[static_cast<size_t>(index)].name);
  return v;
}

Value lower_variable(Context& c, const Expr& e, VariableId id) {
  if (c.variable(id).handle && !c.variable(id).type.field) {
    // A scalar that this parallel loop reduces: reported when the loop's modes were decided.
    return c.ir().zero(c.variable(id).type);
  }
  if (c.variable(id).handle)
    return unsupported(c, e.span, "the whole field `" + e.text + "` is used inside of a loop", Type{});
  return current(c, id);
}

Value lower_name(Context& c, const Expr& e) {
  SymbolId id = c.info(e).symbol;
  Binding binding = lookup(c, id);
  if (binding.kind == BindingKind::value) return binding.value;
  if (binding.kind == BindingKind::variable) return lower_variable(c, e, binding.variable);
  const semantics::Symbol& symbol = c.symbol(id);
  switch (symbol.kind) {
    case SymbolKind::size: return emit_size(c, symbol.index);
    case SymbolKind::constant: return lower_constant(c, symbol.index);
    case SymbolKind::now: return c.ir().make_reference(time_space, {c.now});
    case SymbolKind::steps: return c.ir().emit(Opcode::steps, {});
    case SymbolKind::step_index: return c.now;
    default: return unsupported(c, e.span, "`" + e.text + "` cannot be used as a value here", c.info(e).type);
  }
}

Value lower_array(Context& c, const Expr& e) {
  Type type = actual_type(c, c.info(e).type);
  std::vector<Value> elements;
  for (const Expr& arg : e.args) elements.push_back(lower_as(c, arg, array_element(type)));
  return c.ir().emit(Opcode::pack, std::move(elements), type);
}

Value lower_negative(Context& c, const Expr& e) {
  const Expr& arg = e.args[0];
  if (arg.kind == ExprKind::integer) {
    if (!c.info(arg).converts_to_real) return int_constant(c, -arg.integer);
    return c.ir().constant(-static_cast<double>(arg.integer));
  }
  if (arg.kind == ExprKind::real) return c.ir().constant(-arg.real);
  return negate_value(c, lower_expression(c, arg));
}

Value lower_any(Context& c, const Expr& e) {
  switch (e.kind) {
    case ExprKind::integer:
      if (c.info(e).converts_to_real) return c.ir().constant(static_cast<double>(e.integer));
      return int_constant(c, e.integer);
    case ExprKind::real: return c.ir().constant(e.real);
    case ExprKind::boolean: return c.ir().constant(e.integer != 0);
    case ExprKind::name: return lower_name(c, e);
    case ExprKind::conditional: return lower_conditional(c, e);
    case ExprKind::any_of:
    case ExprKind::all_of: return lower_logic(c, e);
    case ExprKind::negation: return c.ir().emit(Opcode::logical_not, {lower_expression(c, e.args[0])});
    case ExprKind::comparison: return lower_comparison(c, e);
    case ExprKind::sum: return lower_sum(c, e);
    case ExprKind::product: return lower_product(c, e);
    case ExprKind::negative: return lower_negative(c, e);
    case ExprKind::power: return lower_power(c, e);
    case ExprKind::call: return lower_call(c, e);
    case ExprKind::index: return lower_index(c, e);
    case ExprKind::member: return lower_member(c, e);
    case ExprKind::array: return lower_array(c, e);
    case ExprKind::tuple: break;
  }
  return unsupported(c, e.span, "a list in parentheses stands where a value is wanted", c.info(e).type);
}

/// Applies `convert` to each outermost element of an array.
template <class Convert>
Value map_array(Context& c, Value v, const Type& want, Convert convert) {
  std::vector<Value> elements;
  for (int32_t i = 0; i < want.array[0]; ++i) elements.push_back(convert(c.ir().extract(v, i)));
  return c.ir().emit(Opcode::pack, std::move(elements), want);
}

bool is_zero_literal(const Context& c, Value v) {
  auto found = c.integers.find(v);
  return found != c.integers.end() && found->second == 0;
}

int width_rank(const Type& type) {
  if (type.is_int()) return 0;
  return type.is_real() ? 1 : 2;
}

}  // namespace

Value lower_expression(Context& c, const Expr& e) {
  SpanScope at(c, e.span);
  Value v = lower_any(c, e);
  return c.info(e).converts_to_real ? to_real(c, v) : v;
}

Value lower_as(Context& c, const Expr& e, const Type& want) {
  SpanScope at(c, e.span);
  bool zero = (e.kind == ExprKind::integer && e.integer == 0) || (e.kind == ExprKind::real && e.real == 0);
  if (zero && want.is_value() && (want.differentiable() || want.is_array())) return c.ir().zero(want);
  return coerce(c, lower_expression(c, e), want);
}

Value int_constant(Context& c, int64_t i) {
  Value v = c.ir().constant(static_cast<int32_t>(i));
  c.integers[v] = static_cast<int32_t>(i);
  return v;
}

Value to_real(Context& c, Value v) {
  if (!c.type(v).is_int()) return v;
  auto found = c.integers.find(v);
  if (found != c.integers.end()) return c.ir().constant(static_cast<double>(found->second));
  return c.ir().emit(Opcode::int_to_real, {v});
}

Value coerce(Context& c, Value v, const Type& want) {
  Type have = c.type(v);
  if (have == want || !want.is_value() || want.is_none() || have.field) return v;
  if (want.is_array()) {
    Type element = array_element(want);
    if (have.is_array()) return map_array(c, v, want, [&](Value item) { return coerce(c, item, element); });
    if (is_zero_literal(c, v)) return c.ir().zero(want);
    Value item = coerce(c, v, element);
    return c.ir().emit(Opcode::pack, std::vector<Value>(static_cast<size_t>(want.array[0]), item), want);
  }
  if (!want.differentiable() || !(have.is_int() || have.is_real())) return v;
  if (!want.is_real() && is_zero_literal(c, v)) return c.ir().zero(want);
  return c.ir().splat(to_real(c, v), want);
}

void unify(Context& c, Value& a, Value& b) {
  Type left = c.type(a), right = c.type(b);
  if (left == right || !left.plain() || !right.plain()) return;
  if (width_rank(left) < width_rank(right))
    a = coerce(c, a, right);
  else
    b = coerce(c, b, left);
}

Value for_storage(Context& c, Value v) {
  Type type = c.type(v);
  if (type.element != Element::reference || type.field) return v;
  if (!c.program.spaces[static_cast<size_t>(type.space)].grid) return v;
  if (type.is_array()) return map_array(c, v, type, [&](Value item) { return for_storage(c, item); });
  return c.ir().emit(Opcode::normalise, {v});
}

}  // namespace adjoule::lowering
