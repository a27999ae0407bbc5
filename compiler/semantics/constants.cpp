// Values known at compile time, evaluated in f64. What depends on a size (or on something rare that is not evaluated
// here) has no value now: lowering evaluates the expression where it is used.
#include <algorithm>
#include <cmath>

#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

using Value = std::optional<Number>;

Number real_number(double x) { return {real_type(), {x}, {}}; }
Number int_number(int64_t i) {
  return {int_type(), {}, {static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(i)))}};
}
Number bool_number(bool b) { return {bool_type(), {}, {b ? 1 : 0}}; }

Number to_real(const Number& n) {
  if (!n.type.is_int()) return n;
  return real_number(static_cast<double>(n.integers[0]));
}

double component(const Number& n, size_t i) { return n.reals.size() == 1 ? n.reals[0] : n.reals[i]; }

template <class F>
Value elementwise(const Number& a, const Number& b, F f) {
  const Type type = broadcast(a.type, b.type);
  if (type.is_none()) return {};
  Number result{type, std::vector<double>(std::max(a.reals.size(), b.reals.size())), {}};
  for (size_t i = 0; i < result.reals.size(); ++i) result.reals[i] = f(component(a, i), component(b, i));
  return result;
}

size_t entry(const Number& m, size_t row, size_t column) { return row * m.type.size + column; }

Value multiply(const Number& a, const Number& b) {
  if (!a.type.is_matrix() || b.type.is_real()) return elementwise(a, b, [](double x, double y) { return x * y; });
  const size_t n = a.type.size, columns = b.type.is_matrix() ? n : 1;
  Number result{b.type, std::vector<double>(n * columns, 0.0), {}};
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      for (size_t k = 0; k < n; ++k)
        result.reals[i * columns + j] += a.reals[entry(a, i, k)] * b.reals[k * columns + j];
    }
  }
  return result;
}

int64_t int_operation(char sign, int64_t a, int64_t b) { return sign == '+' ? a + b : sign == '-' ? a - b : a * b; }

Value operate(const Number& left, const Number& right, char sign) {
  if (left.type.is_int() && right.type.is_int() && sign != '/') {
    return int_number(int_operation(sign, left.integers[0], right.integers[0]));
  }
  const Number a = to_real(left), b = to_real(right);
  switch (sign) {
    case '+': return elementwise(a, b, [](double x, double y) { return x + y; });
    case '-': return elementwise(a, b, [](double x, double y) { return x - y; });
    case '*': return multiply(a, b);
    default: return elementwise(a, b, [](double x, double y) { return x / y; });
  }
}

Value evaluate_flat(const Checker& c, const Expr& e) {
  Value sum = evaluate(c, e.args[0]);
  for (size_t i = 1; i < e.args.size() && sum; ++i) {
    const Value next = evaluate(c, e.args[i]);
    sum = next ? operate(*sum, *next, e.signs[i]) : Value{};
  }
  return sum;
}

Value evaluate_negative(const Checker& c, const Expr& e) {
  Value value = evaluate(c, e.args[0]);
  if (!value) return value;
  for (double& x : value->reals) x = -x;
  if (value->type.is_int()) return int_number(-value->integers[0]);
  return value;
}

Value compare(const Expr& e, const Number& left, const Number& right) {
  const auto as_double = [](const Number& n) {
    return n.reals.empty() ? static_cast<double>(n.integers[0]) : n.reals[0];
  };
  const double a = as_double(left), b = as_double(right);
  switch (e.op) {
    case syntax::Comparison::equal: return bool_number(a == b);
    case syntax::Comparison::not_equal: return bool_number(a != b);
    case syntax::Comparison::less: return bool_number(a < b);
    case syntax::Comparison::less_equal: return bool_number(a <= b);
    case syntax::Comparison::greater: return bool_number(a > b);
    case syntax::Comparison::greater_equal: return bool_number(a >= b);
  }
  return {};
}

Value evaluate_conditional(const Checker& c, const Expr& e) {
  for (size_t i = 0; i + 1 < e.args.size(); i += 2) {
    const Value condition = evaluate(c, e.args[i]);
    if (!condition) return {};
    if (condition->integers[0] != 0) return evaluate(c, e.args[i + 1]);
  }
  return evaluate(c, e.args.back());
}

Value evaluate_logic(const Checker& c, const Expr& e) {
  const bool any = e.kind == ExprKind::any_of;
  for (const Expr& x : e.args) {
    const Value value = evaluate(c, x);
    if (!value) return {};
    if ((value->integers[0] != 0) == any) return bool_number(any);
  }
  return bool_number(!any);
}

using Unary = double (*)(double);
using Binary = double (*)(double, double);

const std::map<std::string, Unary> unary = {
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"ceil", [](double x) { return std::ceil(x); }},
    {"round", [](double x) { return std::round(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},
    {"cosh", [](double x) { return std::cosh(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"abs", [](double x) { return std::abs(x); }},
    {"sign", [](double x) { return x > 0   ? 1.0
                                   : x < 0 ? -1.0
                                           : 0.0; }},
    {"detach", [](double x) { return x; }},
    {"reciprocal_or_zero", [](double x) { return x == 0 ? 0.0 : 1 / x; }},
};

const std::map<std::string, Binary> binary = {
    {"min", [](double a, double b) { return b < a ? b : a; }},
    {"max", [](double a, double b) { return a < b ? b : a; }},
    {"pow", [](double a, double b) { return std::pow(a, b); }},
    {"atan2", [](double a, double b) { return std::atan2(a, b); }},
    {"hypot", [](double a, double b) { return std::hypot(a, b); }},
};

int64_t floor_divide(int64_t a, int64_t b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

Value int_builtin(const std::string& name, const std::vector<Number>& arguments) {
  const int64_t a = arguments[0].integers[0];
  if (name == "abs") return int_number(a < 0 ? -a : a);
  if (name == "sign") return int_number(a > 0 ? 1 : a < 0 ? -1 : 0);
  if (arguments.size() != 2) return {};
  const int64_t b = arguments[1].integers[0];
  if (name == "min") return int_number(std::min(a, b));
  if (name == "max") return int_number(std::max(a, b));
  if (b != 0 && name == "div") return int_number(floor_divide(a, b));
  if (b != 0 && name == "mod") return int_number(a - b * floor_divide(a, b));
  return {};
}

double dot(const Number& a, const Number& b) {
  double sum = 0;
  for (size_t i = 0; i < std::min(a.reals.size(), b.reals.size()); ++i) sum += a.reals[i] * b.reals[i];
  return sum;
}

Value identity(const Number& size) {
  const auto n = static_cast<size_t>(size.integers[0]);
  Number result{matrix_type(static_cast<int>(n)), std::vector<double>(n * n, 0.0), {}};
  for (size_t i = 0; i < n; ++i) result.reals[i * n + i] = 1;
  return result;
}

Value linear_builtin(const std::string& name, const std::vector<Number>& arguments) {
  const Number& a = arguments[0];
  if (name == "identity") return identity(a);
  if (name == "dot") return real_number(dot(a, arguments[1]));
  if (name == "norm_squared") return real_number(dot(a, a));
  if (name == "norm") return real_number(std::sqrt(dot(a, a)));
  if (name == "normalize") {
    const double length = std::sqrt(dot(a, a));
    return elementwise(a, real_number(length), [](double x, double n) { return n == 0 ? 0.0 : x / n; });
  }
  return {};
}

Value builtin(const std::string& name, const std::vector<Number>& arguments) {
  const bool ints = std::all_of(arguments.begin(), arguments.end(), [](const Number& n) { return n.type.is_int(); });
  if (Value linear = linear_builtin(name, arguments)) return linear;
  if (ints) return int_builtin(name, arguments);
  if (const auto f = unary.find(name); f != unary.end() && arguments.size() == 1) {
    Number result = arguments[0];
    for (double& x : result.reals) x = f->second(x);
    return result;
  }
  if (const auto f = binary.find(name); f != binary.end() && arguments.size() == 2)
    return elementwise(arguments[0], arguments[1], f->second);
  return {};
}

Number to_int(const Number& n) {
  if (!n.type.is_real()) return n;
  const double x = n.reals[0];
  if (std::isnan(x)) return int_number(0);
  return int_number(static_cast<int64_t>(std::clamp(std::trunc(x), -2147483648.0, 2147483647.0)));
}

Value evaluate_call(const Checker& c, const Expr& e) {
  std::vector<Number> arguments;
  for (size_t i = 1; i < e.args.size(); ++i) {
    Value argument = evaluate(c, e.args[i]);
    if (!argument) return {};
    arguments.push_back(std::move(*argument));
  }
  if (arguments.empty()) return {};
  const ExprInfo& info = c.info(e);
  switch (info.callee) {
    case CalleeKind::conversion: return info.builtin == "int" ? to_int(arguments[0]) : to_real(arguments[0]);
    case CalleeKind::builtin: return builtin(info.builtin, arguments);
    case CalleeKind::constructor: {
      Number result{info.type, {}, {}};
      for (const Number& x : arguments) {
        const std::vector<double> parts = to_real(x).reals;
        result.reals.insert(result.reals.end(), parts.begin(), parts.end());
      }
      if (result.reals.size() == 1) result.type = real_type();  // one number for all: the caller widens it
      const auto wanted = static_cast<size_t>(info.type.element_scalars());
      return result.reals.size() == 1 || result.reals.size() == wanted ? Value(result) : Value{};
    }
    default: return {};
  }
}

Value evaluate_name(const Checker& c, const Expr& e) {
  const SymbolId id = c.info(e).symbol;
  if (id == no_symbol || c.symbol(id).kind != SymbolKind::constant) return {};
  const Constant& constant = c.out.constants[static_cast<size_t>(c.symbol(id).index)];
  if (!constant.known || constant.type.is_none() || constant.type.is_array()) return {};
  return Number{constant.type, constant.reals, constant.integers};
}

Value evaluate_component(const Checker& c, const Expr& e) {
  const Value base = evaluate(c, e.args[0]);
  if (!base) return {};
  if (e.kind == ExprKind::member) {
    if (c.info(e).member != MemberKind::component) return {};
    return real_number(base->reals[static_cast<size_t>(c.info(e).component)]);
  }
  int64_t number = 0;
  for (size_t i = 1; i < e.args.size(); ++i) {
    const std::optional<int64_t> index = evaluate_int(c, e.args[i]);
    if (!index) return {};
    number = number * base->type.size + *index;
  }
  if (number < 0 || static_cast<size_t>(number) >= base->reals.size()) return {};
  return real_number(base->reals[static_cast<size_t>(number)]);
}

Value evaluate_kind(const Checker& c, const Expr& e) {
  switch (e.kind) {
    case ExprKind::integer: return int_number(e.integer);
    case ExprKind::real: return real_number(e.real);
    case ExprKind::boolean: return bool_number(e.integer != 0);
    case ExprKind::name: return evaluate_name(c, e);
    case ExprKind::sum:
    case ExprKind::product: return evaluate_flat(c, e);
    case ExprKind::negative: return evaluate_negative(c, e);
    case ExprKind::call: return evaluate_call(c, e);
    case ExprKind::conditional: return evaluate_conditional(c, e);
    case ExprKind::any_of:
    case ExprKind::all_of: return evaluate_logic(c, e);
    case ExprKind::negation: {
      const Value value = evaluate(c, e.args[0]);
      return value ? bool_number(value->integers[0] == 0) : Value{};
    }
    case ExprKind::comparison: {
      const Value a = evaluate(c, e.args[0]), b = evaluate(c, e.args[1]);
      return a && b ? compare(e, *a, *b) : Value{};
    }
    case ExprKind::power: {
      const Value a = evaluate(c, e.args[0]), b = evaluate(c, e.args[1]);
      return a && b ? elementwise(to_real(*a), to_real(*b), [](double x, double y) { return std::pow(x, y); })
                    : Value{};
    }
    case ExprKind::member:
    case ExprKind::index: return evaluate_component(c, e);
    default: return {};
  }
}

}  // namespace

void widen(Number& number, const Type& wanted) {
  if (number.reals.size() != 1 || !(wanted.is_vector() || wanted.is_matrix())) return;
  number.reals.assign(static_cast<size_t>(wanted.element_scalars()), number.reals[0]);
  number.type = wanted;
}

std::optional<Number> evaluate(const Checker& c, const Expr& e) {
  if (c.info(e).type.is_none() || c.info(e).type.is_array()) return {};
  Value value = evaluate_kind(c, e);
  if (value && c.info(e).converts_to_real) value = to_real(*value);
  if (value) widen(*value, c.info(e).type);
  return value;
}

std::optional<int64_t> evaluate_int(const Checker& c, const Expr& e) {
  const Value value = evaluate(c, e);
  if (!value || !value->type.is_int()) return {};
  return value->integers[0];
}

}  // namespace adjoule::semantics
