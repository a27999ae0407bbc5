// Comparisons, lazy logic and the lazy conditional: what is not wanted is not evaluated, unless it costs and risks
// nothing.
#include "lowering/constants.hpp"
#include "lowering/expressions.hpp"

namespace adjoule::lowering {
namespace {

using ir::Opcode;
using semantics::CalleeKind;
using syntax::Comparison;
using syntax::ExprKind;

bool all_cheap(const Context& c, std::span<const Expr> args) {
  for (const Expr& arg : args) {
    if (!is_cheap(c, arg)) return false;
  }
  return true;
}

bool cheap_call(const Context& c, const Expr& e) {
  const semantics::ExprInfo& info = c.info(e);
  std::span<const Expr> args = std::span(e.args).subspan(1);
  if (info.callee == CalleeKind::conversion || info.callee == CalleeKind::constructor) return all_cheap(c, args);
  if (info.callee != CalleeKind::builtin) return false;
  for (const char* name : {"abs", "min", "max", "sign", "index", "coords", "floor", "ceil", "dot"}) {
    if (info.builtin == name) return all_cheap(c, args);
  }
  return false;
}

/// Indices that need no check: references, and constants into arrays.
bool cheap_indices(const Context& c, const Expr& e) {
  for (const Expr& index : std::span(e.args).subspan(1)) {
    bool safe = c.info(index).type.is_reference() ? is_cheap(c, index) : constant_int(c, index).has_value();
    if (!safe) return false;
  }
  return true;
}

bool cheap_sum(const Context& c, const Expr& e) {
  const Type& type = c.info(e.args[0]).type;
  if (!type.is_reference()) return all_cheap(c, e.args);
  SpaceId space = actual_space(c, type.space);  // an offset in a plain space is checked
  if (space < 0 || static_cast<size_t>(space) >= c.program.spaces.size()) return false;
  if (!c.program.spaces[static_cast<size_t>(space)].grid) return false;
  for (size_t i = 1; i < e.args.size(); ++i) {
    const Expr& arg = e.args[i];
    if (arg.kind == ExprKind::tuple ? !all_cheap(c, arg.args) : !is_cheap(c, arg)) return false;
  }
  return true;
}

/// A value that stands already: nothing is evaluated to have it.
bool is_computed(const Context& c, const Expr& e) {
  if (is_constant(c, e)) return true;
  if (e.kind == ExprKind::negative) return is_computed(c, e.args[0]);
  if (e.kind != ExprKind::name) return false;
  BindingKind kind = lookup(c, c.info(e).symbol).kind;
  return kind == BindingKind::value || kind == BindingKind::variable;
}

/// The conditional from condition number `at` on.
Value conditional_from(Context& c, const Expr& e, size_t at, const Type& type) {
  if (at + 1 == e.args.size()) return lower_as(c, e.args[at], type);
  Nesting nesting(c, e.span);
  if (nesting.too_deep()) return c.ir().zero(type);
  Value condition = lower_expression(c, e.args[at]);
  const Expr& yes = e.args[at + 1];
  const Expr& no = e.args[at + 2];
  if (at + 3 == e.args.size() && is_computed(c, yes) && is_computed(c, no)) {
    Value a = lower_as(c, yes, type), b = lower_as(c, no, type);
    return c.ir().emit(Opcode::select, {condition, a, b});
  }
  auto then = [&] { return std::vector<Value>{lower_as(c, yes, type)}; };
  auto otherwise = [&] { return std::vector<Value>{conditional_from(c, e, at + 2, type)}; };
  return c.ir().if_(condition, then, otherwise).front();
}

/// The type that all values of a conditional are converted to.
Type conditional_type(Context& c, const Expr& e) {
  Type type = actual_type(c, c.info(e).type);
  return c.info(e).converts_to_real && type.is_int() ? real_type() : type;
}

}  // namespace

bool is_cheap(const Context& c, const Expr& e) {
  switch (e.kind) {
    case ExprKind::integer:
    case ExprKind::real:
    case ExprKind::boolean:
    case ExprKind::name: return true;
    case ExprKind::negation:
    case ExprKind::negative:
    case ExprKind::comparison:
    case ExprKind::any_of:
    case ExprKind::all_of:
    case ExprKind::array: return all_cheap(c, e.args);
    case ExprKind::member: return c.info(e).member == semantics::MemberKind::count || all_cheap(c, e.args);
    case ExprKind::sum: return cheap_sum(c, e);
    case ExprKind::product: return e.signs.find('/') == std::string::npos && all_cheap(c, e.args);
    case ExprKind::power: {
      std::optional<int64_t> n = constant_int(c, e.args[1]);
      return n && *n >= 0 && *n <= 4 && is_cheap(c, e.args[0]);
    }
    case ExprKind::call: return cheap_call(c, e);
    case ExprKind::index: return is_cheap(c, e.args[0]) && cheap_indices(c, e);
    default: return false;
  }
}

Value lower_comparison(Context& c, const Expr& e) {
  Value a = lower_expression(c, e.args[0]);
  Value b = lower_expression(c, e.args[1]);
  if (c.type(a).is_reference()) {
    Value same = c.ir().emit(Opcode::reference_equal, {a, b});
    return e.op == Comparison::equal ? same : c.ir().emit(Opcode::logical_not, {same});
  }
  unify(c, a, b);
  switch (e.op) {
    case Comparison::equal: return c.ir().emit(Opcode::equal, {a, b});
    case Comparison::not_equal: return c.ir().emit(Opcode::not_equal, {a, b});
    case Comparison::less: return c.ir().emit(Opcode::less, {a, b});
    case Comparison::less_equal: return c.ir().emit(Opcode::less_equal, {a, b});
    case Comparison::greater: return c.ir().emit(Opcode::less, {b, a});
    case Comparison::greater_equal: return c.ir().emit(Opcode::less_equal, {b, a});
  }
  return a;
}

Value lower_logic(Context& c, const Expr& e) {
  bool all = e.kind == ExprKind::all_of;
  Value known = lower_expression(c, e.args[0]);
  for (const Expr& arg : std::span(e.args).subspan(1)) {
    if (is_cheap(c, arg)) {
      known = c.ir().emit(all ? Opcode::logical_and : Opcode::logical_or, {known, lower_expression(c, arg)});
      continue;
    }
    auto evaluate = [&] { return std::vector<Value>{lower_expression(c, arg)}; };
    auto decided = [&] { return std::vector<Value>{c.ir().constant(!all)}; };
    known = all ? c.ir().if_(known, evaluate, decided).front() : c.ir().if_(known, decided, evaluate).front();
  }
  return known;
}

Value lower_conditional(Context& c, const Expr& e) { return conditional_from(c, e, 0, conditional_type(c, e)); }

}  // namespace adjoule::lowering
