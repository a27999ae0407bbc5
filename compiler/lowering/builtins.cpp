// Built-in functions: one operation each, or composed from operations so that their derivatives follow.
#include <array>
#include <map>
#include <string_view>

#include "lowering/constants.hpp"
#include "lowering/expressions.hpp"

namespace adjoule::lowering {
namespace {

using ir::Opcode;

using Values = std::vector<Value>;

/// Built-ins that are one elementwise operation. `real`: ints are converted first.
struct Direct {
  std::string_view name;
  Opcode code;
  bool real;
};

constexpr std::array direct = {
    Direct{"sqrt", Opcode::square_root, true},
    Direct{"abs", Opcode::absolute, false},
    Direct{"sign", Opcode::sign, false},
    Direct{"min", Opcode::minimum, false},
    Direct{"max", Opcode::maximum, false},
    Direct{"floor", Opcode::floor, true},
    Direct{"ceil", Opcode::ceiling, true},
    Direct{"round", Opcode::round, true},
    Direct{"exp", Opcode::exponential, true},
    Direct{"log", Opcode::logarithm, true},
    Direct{"sin", Opcode::sine, true},
    Direct{"cos", Opcode::cosine, true},
    Direct{"tan", Opcode::tangent, true},
    Direct{"asin", Opcode::arc_sine, true},
    Direct{"acos", Opcode::arc_cosine, true},
    Direct{"atan", Opcode::arc_tangent, true},
    Direct{"atan2", Opcode::arc_tangent2, true},
    Direct{"sinh", Opcode::hyperbolic_sine, true},
    Direct{"cosh", Opcode::hyperbolic_cosine, true},
    Direct{"tanh", Opcode::hyperbolic_tangent, true},
    Direct{"hypot", Opcode::hypotenuse, true},
    Direct{"fma", Opcode::fused_multiply_add, true},
    Direct{"weigh", Opcode::weigh, true},
    Direct{"detach", Opcode::detach, false},
    Direct{"reciprocal_or_zero", Opcode::reciprocal_or_zero, true},
    Direct{"log_or_zero", Opcode::logarithm_or_zero, true},
};

Value plus(Context& c, Value a, Value b) { return add_values(c, a, '+', b); }
Value minus(Context& c, Value a, Value b) { return add_values(c, a, '-', b); }
Value times(Context& c, Value a, Value b) { return multiply_values(c, a, '*', b); }
Value over(Context& c, Value a, Value b) { return multiply_values(c, a, '/', b); }
Value real(Context& c, double r) { return c.ir().constant(r); }
Value exponential(Context& c, Value a) { return c.ir().emit(Opcode::exponential, {a}); }

// --- vectors and matrices

Value norm_squared(Context& c, Value v) {
  return c.type(v).is_real() ? times(c, v, v) : c.ir().emit(Opcode::dot, {v, v});
}

Value norm(Context& c, Value v) { return c.ir().emit(c.type(v).is_real() ? Opcode::absolute : Opcode::norm, {v}); }

Value normalize(Context& c, Value v) { return times(c, v, c.ir().emit(Opcode::reciprocal_or_zero, {norm(c, v)})); }

Value entry(Context& c, Value m, int row, int column) { return c.ir().extract(m, row * c.type(m).size + column); }

Value trace(Context& c, Value m) {
  Value sum = entry(c, m, 0, 0);
  for (int i = 1; i < c.type(m).size; ++i) sum = plus(c, sum, entry(c, m, i, i));
  return sum;
}

Value identity(Context& c, int n) {
  Values entries;
  for (int i = 0; i < n * n; ++i) entries.push_back(real(c, i % (n + 1) == 0 ? 1 : 0));
  return c.ir().emit(Opcode::pack, entries, matrix_type(n));
}

/// The minor of rows i, j and columns k, l.
Value minor(Context& c, Value m, int i, int j, int k, int l) {
  return minus(c, times(c, entry(c, m, i, k), entry(c, m, j, l)), times(c, entry(c, m, i, l), entry(c, m, j, k)));
}

/// a x - b y + d z.
Value alternating(Context& c, Value a, Value x, Value b, Value y, Value d, Value z) {
  return plus(c, minus(c, times(c, a, x), times(c, b, y)), times(c, d, z));
}

/// The transposed cofactors of a matrix, row-major: its inverse times its determinant.
Values adjugate2(Context& c, Value m) {
  return {entry(c, m, 1, 1), negate_value(c, entry(c, m, 0, 1)), negate_value(c, entry(c, m, 1, 0)), entry(c, m, 0, 0)};
}

Values adjugate3(Context& c, Value m) {
  Values result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {  // the cofactor of entry (j, i): cyclic rows and columns need no sign
      result.push_back(minor(c, m, (j + 1) % 3, (j + 2) % 3, (i + 1) % 3, (i + 2) % 3));
    }
  }
  return result;
}

/// The minors of rows 0 and 1, and of rows 2 and 3, of a mat4, by pairs of columns.
struct Halves {
  Values upper, lower;  // columns 01 02 03 12 13 23
};

Halves halves_of(Context& c, Value m) {
  Halves halves;
  for (int k = 0; k < 4; ++k) {
    for (int l = k + 1; l < 4; ++l) {
      halves.upper.push_back(minor(c, m, 0, 1, k, l));
      halves.lower.push_back(minor(c, m, 2, 3, k, l));
    }
  }
  return halves;
}

/// Row by row: the signed cofactor of entry (row, column) of the transposed matrix, from the minors of the other half.
Values adjugate4(Context& c, Value m) {
  Halves halves = halves_of(c, m);
  Values result(16);
  for (int row = 0; row < 4; ++row) {
    const Values& minors = row < 2 ? halves.lower : halves.upper;
    int partner = row ^ 1;  // the other row of the same half
    for (int column = 0; column < 4; ++column) {
      std::array<int, 3> k{};
      for (int i = 0, next = 0; i < 4; ++i) {
        if (i != column) k[static_cast<size_t>(next++)] = i;
      }
      auto pair = [&](int a, int b) { return minors[static_cast<size_t>(a == 0 ? b - 1 : a + b)]; };
      Value cofactor = alternating(c, entry(c, m, partner, k[0]), pair(k[1], k[2]), entry(c, m, partner, k[1]),
                                   pair(k[0], k[2]), entry(c, m, partner, k[2]), pair(k[0], k[1]));
      bool negative = (row + column) % 2 == 1;
      result[static_cast<size_t>(column * 4 + row)] = negative ? negate_value(c, cofactor) : cofactor;
    }
  }
  return result;
}

Values adjugate(Context& c, Value m) {
  switch (c.type(m).size) {
    case 2: return adjugate2(c, m);
    case 3: return adjugate3(c, m);
    default: return adjugate4(c, m);
  }
}

/// The determinant, expanded along the first row with cofactors that are at hand.
Value determinant_from(Context& c, Value m, const Values& adjugate) {
  int n = c.type(m).size;
  Value sum = times(c, entry(c, m, 0, 0), adjugate[0]);
  for (int i = 1; i < n; ++i) sum = plus(c, sum, times(c, entry(c, m, 0, i), adjugate[static_cast<size_t>(i * n)]));
  return sum;
}

Value determinant(Context& c, Value m) {
  int n = c.type(m).size;
  if (n == 2) return minor(c, m, 0, 1, 0, 1);
  if (n == 3) {
    return alternating(c, entry(c, m, 0, 0), minor(c, m, 1, 2, 1, 2), entry(c, m, 0, 1), minor(c, m, 1, 2, 0, 2),
                       entry(c, m, 0, 2), minor(c, m, 1, 2, 0, 1));
  }
  auto [u, l] = halves_of(c, m);
  Value front = alternating(c, u[0], l[5], u[1], l[4], u[2], l[3]);
  Value back = alternating(c, u[3], l[2], u[4], l[1], u[5], l[0]);
  return plus(c, front, back);
}

Value inverse(Context& c, Value m) {
  Type type = c.type(m);
  Values entries = adjugate(c, m);
  Value d = determinant_from(c, m, entries);
  return over(c, c.ir().emit(Opcode::pack, entries, type), d);
}

// --- smooth stand-ins for contact and switching

/// max(x, 0) + log(1 + exp(-k |x|)) / k: never overflows.
Value softplus(Context& c, Value x, Value k) {
  Value distance = c.ir().emit(Opcode::absolute, {x});
  Value tail = exponential(c, negate_value(c, times(c, k, distance)));
  Value log_tail = c.ir().emit(Opcode::logarithm, {plus(c, tail, real(c, 1))});
  return plus(c, elementwise(c, Opcode::maximum, {x, real(c, 0)}), over(c, log_tail, k));
}

/// The greater one plus the softplus tail of the distance: a tie gives max + log(2) / k.
Value smooth_extreme(Context& c, Value a, Value b, Value k, bool greatest) {
  Value distance = c.ir().emit(Opcode::absolute, {minus(c, a, b)});
  Value tail = exponential(c, negate_value(c, times(c, k, distance)));
  Value log_tail = over(c, c.ir().emit(Opcode::logarithm, {plus(c, tail, real(c, 1))}), k);
  Value extreme = elementwise(c, greatest ? Opcode::maximum : Opcode::minimum, {a, b});
  return greatest ? plus(c, extreme, log_tail) : minus(c, extreme, log_tail);
}

/// 1 / (1 + exp(-x)), by the exponential that cannot overflow.
Value sigmoid_of_real(Context& c, Value x) {
  Value negative = c.ir().emit(Opcode::less, {x, real(c, 0)});
  auto below = [&] {
    Value e = exponential(c, x);
    return Values{over(c, e, plus(c, e, real(c, 1)))};
  };
  auto above = [&] { return Values{over(c, real(c, 1), plus(c, exponential(c, negate_value(c, x)), real(c, 1)))}; };
  return c.ir().if_(negative, below, above).front();
}

Value sigmoid(Context& c, Value x) {
  Type type = c.type(x);
  if (type.is_real()) return sigmoid_of_real(c, x);
  Values components;
  for (int32_t i = 0; i < type.element_scalars(); ++i) components.push_back(sigmoid_of_real(c, c.ir().extract(x, i)));
  return c.ir().emit(Opcode::pack, components, type);
}

Value smoothstep(Context& c, Value low, Value high, Value x) {
  Value t = over(c, minus(c, x, low), minus(c, high, low));
  t = elementwise(c, Opcode::minimum, {elementwise(c, Opcode::maximum, {t, real(c, 0)}), real(c, 1)});
  return times(c, times(c, t, t), minus(c, real(c, 3), times(c, real(c, 2), t)));
}

/// x^2 / 2 up to |x| = d, then a straight line: m (|x| - m / 2) with m = min(|x|, d).
Value huber(Context& c, Value x, Value d) {
  Value size = c.ir().emit(Opcode::absolute, {x});
  Value m = elementwise(c, Opcode::minimum, {size, d});
  return times(c, m, minus(c, size, times(c, real(c, 0.5), m)));
}

// --- references and integers

Value coordinates(Context& c, const Expr& e, Value reference) {
  int dims = c.program.spaces[static_cast<size_t>(c.type(reference).space)].dims;
  if (c.info(e).type.is_int()) return c.ir().coordinate(reference, 0);
  Values axes;
  for (int axis = 0; axis < dims; ++axis) axes.push_back(c.ir().coordinate(reference, axis));
  return c.ir().emit(Opcode::pack, axes, array_of(int_type(), dims));
}

Value floored(Context& c, const Expr& e, Opcode code, const Values& args) {
  std::optional<int64_t> divisor = constant_int(c, e.args[2]);
  if (!divisor || *divisor == 0) c.ir().effect(Opcode::check_nonzero, {args[1]});
  return c.ir().emit(code, {args[0], args[1]});
}

/// dot and outer of anything but vectors and matrices: plain products.
Value bilinear(Context& c, Opcode code, Value a, Value b) {
  unify(c, a, b);
  return c.type(a).is_real() ? times(c, a, b) : c.ir().emit(code, {a, b});
}

using Compose = Value (*)(Context&, const Expr&, const Values&);

const std::map<std::string_view, Compose>& composed() {
  static const std::map<std::string_view, Compose> table = {
      {"dot", [](Context& c, const Expr&, const Values& a) { return bilinear(c, Opcode::dot, a[0], a[1]); }},
      {"cross", [](Context& c, const Expr&, const Values& a) { return c.ir().emit(Opcode::cross, {a[0], a[1]}); }},
      {"outer", [](Context& c, const Expr&, const Values& a) { return bilinear(c, Opcode::outer, a[0], a[1]); }},
      {"norm", [](Context& c, const Expr&, const Values& a) { return norm(c, a[0]); }},
      {"norm_squared", [](Context& c, const Expr&, const Values& a) { return norm_squared(c, a[0]); }},
      {"normalize", [](Context& c, const Expr&, const Values& a) { return normalize(c, a[0]); }},
      {"transpose", [](Context& c, const Expr&, const Values& a) { return c.ir().emit(Opcode::transpose, {a[0]}); }},
      {"trace", [](Context& c, const Expr&, const Values& a) { return trace(c, a[0]); }},
      {"det", [](Context& c, const Expr&, const Values& a) { return determinant(c, a[0]); }},
      {"inverse", [](Context& c, const Expr&, const Values& a) { return inverse(c, a[0]); }},
      {"softplus", [](Context& c, const Expr&, const Values& a) { return softplus(c, a[0], a[1]); }},
      {"smooth_max",
       [](Context& c, const Expr&, const Values& a) { return smooth_extreme(c, a[0], a[1], a[2], true); }},
      {"smooth_min",
       [](Context& c, const Expr&, const Values& a) { return smooth_extreme(c, a[0], a[1], a[2], false); }},
      {"sigmoid", [](Context& c, const Expr&, const Values& a) { return sigmoid(c, a[0]); }},
      {"smoothstep", [](Context& c, const Expr&, const Values& a) { return smoothstep(c, a[0], a[1], a[2]); }},
      {"huber", [](Context& c, const Expr&, const Values& a) { return huber(c, a[0], a[1]); }},
      {"relu",
       [](Context& c, const Expr&, const Values& a) { return elementwise(c, Opcode::maximum, {a[0], real(c, 0)}); }},
  };
  return table;
}

Value lower_direct(Context& c, const Direct& row, Values args) {
  if (row.real) {
    for (Value& v : args) v = to_real(c, v);
  }
  return elementwise(c, row.code, std::move(args));
}

Values lower_arguments(Context& c, const Expr& e) {
  Values args;
  for (const Expr& arg : std::span(e.args).subspan(1)) args.push_back(lower_expression(c, arg));
  return args;
}

}  // namespace

Value lower_builtin(Context& c, const Expr& e, const std::string& name) {
  if (name == "pow") return power_values(c, lower_expression(c, e.args[1]), e.args[2]);
  if (name == "identity") return identity(c, c.info(e).type.size);
  Values args = lower_arguments(c, e);
  if (name == "index") return c.ir().emit(Opcode::index, {args[0]});
  if (name == "coords") return coordinates(c, e, args[0]);
  if (name == "div") return floored(c, e, Opcode::floor_divide, args);
  if (name == "mod") return floored(c, e, Opcode::floor_modulo, args);
  for (const Direct& row : direct) {
    if (row.name == name) return lower_direct(c, row, std::move(args));
  }
  if (auto found = composed().find(name); found != composed().end()) {
    for (Value& v : args) v = to_real(c, v);
    return found->second(c, e, args);
  }
  return unsupported(c, e.span, "`" + name + "` is not supported yet", c.info(e).type);
}

}  // namespace adjoule::lowering
