// Compile-time numbers (constants.hpp).
#include "lowering/constants.hpp"

#include <algorithm>
#include <cmath>

#include "lowering/expressions.hpp"

namespace adjoule::lowering {
namespace {

using semantics::SymbolKind;
using syntax::ExprKind;

const semantics::Constant* known_constant(const Context& c, const Expr& e) {
  SymbolId symbol = c.info(e).symbol;
  if (e.kind != ExprKind::name || symbol < 0 || c.symbol(symbol).kind != SymbolKind::constant) return nullptr;
  int index = c.symbol(symbol).index;
  if (index < 0 || static_cast<size_t>(index) >= c.checked.constants.size()) return nullptr;
  const semantics::Constant& constant = c.checked.constants[static_cast<size_t>(index)];
  return constant.known ? &constant : nullptr;
}

std::optional<double> named_real(const Context& c, const Expr& e) {
  const semantics::Constant* constant = known_constant(c, e);
  if (!constant || !constant->type.plain()) return std::nullopt;
  if (constant->type.is_real() && !constant->reals.empty()) return constant->reals[0];
  if (constant->type.is_int() && !constant->integers.empty()) return static_cast<double>(constant->integers[0]);
  return std::nullopt;
}

/// Folds the arguments of a flat sum or product from left to right.
template <class Number, class Evaluate, class Combine>
std::optional<Number> fold(const Expr& e, Evaluate evaluate, Combine combine) {
  std::optional<Number> total;
  for (size_t i = 0; i < e.args.size(); ++i) {
    std::optional<Number> term = evaluate(e.args[i]);
    if (!term) return std::nullopt;
    total = total ? combine(*total, e.signs[i], *term) : term;
    if (!total) return std::nullopt;
  }
  return total;
}

std::optional<int64_t> combine_int(int64_t a, char sign, int64_t b) {
  switch (sign) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    default: return std::nullopt;  // '/' gives a real
  }
}

std::optional<double> combine_real(double a, char sign, double b) {
  switch (sign) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    default: return a / b;
  }
}

/// A constant of any value type from its components, which it consumes from `next` on.
Value pack_constant(Context& c, const semantics::Constant& constant, const Type& type, size_t& next) {
  if (type.is_array()) {
    std::vector<Value> elements;
    for (int32_t i = 0; i < type.array[0]; ++i) {
      elements.push_back(pack_constant(c, constant, array_element(type), next));
    }
    return c.ir().emit(ir::Opcode::pack, elements, type);
  }
  if (type.is_bool()) return c.ir().constant(constant.integers[next++] != 0);
  if (type.is_int()) return int_constant(c, constant.integers[next++]);
  if (type.is_real()) return c.ir().constant(constant.reals[next++]);
  std::vector<Value> components;
  for (int32_t i = 0; i < type.element_scalars(); ++i) components.push_back(c.ir().constant(constant.reals[next++]));
  return c.ir().emit(ir::Opcode::pack, components, type);
}

}  // namespace

std::optional<double> constant_real(const Context& c, const Expr& e) {
  auto evaluate = [&](const Expr& arg) { return constant_real(c, arg); };
  switch (e.kind) {
    case ExprKind::integer: return static_cast<double>(e.integer);
    case ExprKind::real: return e.real;
    case ExprKind::name: return named_real(c, e);
    case ExprKind::negative:
      if (auto a = constant_real(c, e.args[0])) return -*a;
      return std::nullopt;
    case ExprKind::sum:
    case ExprKind::product: return fold<double>(e, evaluate, combine_real);
    case ExprKind::call: {
      if (c.info(e).callee != semantics::CalleeKind::conversion || !c.info(e).type.is_real()) return std::nullopt;
      return e.args.size() == 2 ? constant_real(c, e.args[1]) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

std::optional<int64_t> constant_int(const Context& c, const Expr& e) {
  auto evaluate = [&](const Expr& arg) { return constant_int(c, arg); };
  switch (e.kind) {
    case ExprKind::integer: return e.integer;
    case ExprKind::name: {
      const semantics::Constant* constant = known_constant(c, e);
      if (!constant || !constant->type.is_int() || constant->integers.empty()) return std::nullopt;
      return constant->integers[0];
    }
    case ExprKind::negative:
      if (auto a = constant_int(c, e.args[0])) return -*a;
      return std::nullopt;
    case ExprKind::sum:
    case ExprKind::product: {
      std::optional<int64_t> folded = fold<int64_t>(e, evaluate, combine_int);
      // Run-time int arithmetic wraps: what does not fit is left to it.
      return folded && *folded == static_cast<int32_t>(*folded) ? folded : std::nullopt;
    }
    default: return std::nullopt;
  }
}

bool is_constant(const Context& c, const Expr& e) {
  switch (e.kind) {
    case ExprKind::integer:
    case ExprKind::real:
    case ExprKind::boolean: return true;
    case ExprKind::name: return known_constant(c, e) != nullptr;
    case ExprKind::negative: return is_constant(c, e.args[0]);
    default: return false;
  }
}

Value lower_constant(Context& c, int index) {
  const semantics::Constant& constant = c.checked.constants[static_cast<size_t>(index)];
  if (!constant.known) {
    Frame frame;
    Swap inside(c.frame, &frame);
    return coerce(c, lower_expression(c, c.ast().consts[static_cast<size_t>(index)].value), constant.type);
  }
  size_t next = 0;
  if (constant.type.differentiable() && !constant.type.is_real()) {
    bool all_zero =
        std::all_of(constant.reals.begin(), constant.reals.end(), [](double r) { return r == 0 && !std::signbit(r); });
    if (all_zero) return c.ir().zero(constant.type);
  }
  Value v = pack_constant(c, constant, constant.type, next);
  give_name(c, v, constant.name);
  return v;
}

}  // namespace adjoule::lowering
