// The built-in functions: one table of names, shapes of arguments, and what each shape gives.
#include <algorithm>
#include <array>

#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

enum class Shape : uint8_t {
  numbers,      // reals or vectors, elementwise; scalars broadcast
  numbers_int,  // the same, and ints
  any_numbers,  // reals, vectors, matrices (what adjoints print)
  ints,         // div, mod
  dot,
  norm,
  cross,
  outer,
  matrix_to_matrix,
  matrix_to_real,
  identity,
  detach,
  index,
  coords,
  conversion,
  vector,
  matrix,
  later,  // known, but not yet supported
};

struct Builtin {
  const char* name;
  Shape shape;
  size_t arguments;
  const char* form;  // for messages
};

constexpr std::array builtins = {
    Builtin{"sqrt", Shape::numbers, 1, "sqrt(x)"},
    Builtin{"floor", Shape::numbers, 1, "floor(x)"},
    Builtin{"ceil", Shape::numbers, 1, "ceil(x)"},
    Builtin{"round", Shape::numbers, 1, "round(x)"},
    Builtin{"exp", Shape::numbers, 1, "exp(x)"},
    Builtin{"log", Shape::numbers, 1, "log(x)"},
    Builtin{"sin", Shape::numbers, 1, "sin(x)"},
    Builtin{"cos", Shape::numbers, 1, "cos(x)"},
    Builtin{"tan", Shape::numbers, 1, "tan(x)"},
    Builtin{"asin", Shape::numbers, 1, "asin(x)"},
    Builtin{"acos", Shape::numbers, 1, "acos(x)"},
    Builtin{"atan", Shape::numbers, 1, "atan(x)"},
    Builtin{"sinh", Shape::numbers, 1, "sinh(x)"},
    Builtin{"cosh", Shape::numbers, 1, "cosh(x)"},
    Builtin{"tanh", Shape::numbers, 1, "tanh(x)"},
    Builtin{"pow", Shape::numbers, 2, "pow(x, y)"},
    Builtin{"atan2", Shape::numbers, 2, "atan2(y, x)"},
    Builtin{"hypot", Shape::numbers, 2, "hypot(x, y)"},
    Builtin{"softplus", Shape::numbers, 2, "softplus(x, k)"},
    Builtin{"smooth_max", Shape::numbers, 3, "smooth_max(a, b, k)"},
    Builtin{"smooth_min", Shape::numbers, 3, "smooth_min(a, b, k)"},
    Builtin{"sigmoid", Shape::numbers, 1, "sigmoid(x)"},
    Builtin{"smoothstep", Shape::numbers, 3, "smoothstep(low, high, x)"},
    Builtin{"huber", Shape::numbers, 2, "huber(x, d)"},
    Builtin{"relu", Shape::numbers, 1, "relu(x)"},
    Builtin{"abs", Shape::numbers_int, 1, "abs(x)"},
    Builtin{"sign", Shape::numbers_int, 1, "sign(x)"},
    Builtin{"min", Shape::numbers_int, 2, "min(a, b)"},
    Builtin{"max", Shape::numbers_int, 2, "max(a, b)"},
    Builtin{"fma", Shape::any_numbers, 3, "fma(a, b, c)"},
    Builtin{"weigh", Shape::any_numbers, 2, "weigh(a, d)"},
    Builtin{"reciprocal_or_zero", Shape::any_numbers, 1, "reciprocal_or_zero(x)"},
    Builtin{"log_or_zero", Shape::any_numbers, 1, "log_or_zero(x)"},
    Builtin{"div", Shape::ints, 2, "div(a, b)"},
    Builtin{"mod", Shape::ints, 2, "mod(a, b)"},
    Builtin{"dot", Shape::dot, 2, "dot(a, b)"},
    Builtin{"norm", Shape::norm, 1, "norm(v)"},
    Builtin{"norm_squared", Shape::norm, 1, "norm_squared(v)"},
    Builtin{"normalize", Shape::norm, 1, "normalize(v)"},
    Builtin{"cross", Shape::cross, 2, "cross(a, b)"},
    Builtin{"outer", Shape::outer, 2, "outer(a, b)"},
    Builtin{"transpose", Shape::matrix_to_matrix, 1, "transpose(m)"},
    Builtin{"inverse", Shape::matrix_to_matrix, 1, "inverse(m)"},
    Builtin{"det", Shape::matrix_to_real, 1, "det(m)"},
    Builtin{"trace", Shape::matrix_to_real, 1, "trace(m)"},
    Builtin{"identity", Shape::identity, 1, "identity(2)"},
    Builtin{"detach", Shape::detach, 1, "detach(x)"},
    Builtin{"index", Shape::index, 1, "index(p)"},
    Builtin{"coords", Shape::coords, 1, "coords(c)"},
    Builtin{"real", Shape::conversion, 1, "real(i)"},
    Builtin{"int", Shape::conversion, 1, "int(x)"},
    Builtin{"vec2", Shape::vector, 2, "vec2(x, y)"},
    Builtin{"vec3", Shape::vector, 3, "vec3(x, y, z)"},
    Builtin{"vec4", Shape::vector, 4, "vec4(x, y, z, w)"},
    Builtin{"mat2", Shape::matrix, 4, "mat2(m00, m01, m10, m11), row by row"},
    Builtin{"mat3", Shape::matrix, 9, "mat3(…) with 9 entries, row by row"},
    Builtin{"mat4", Shape::matrix, 16, "mat4(…) with 16 entries, row by row"},
    Builtin{"random", Shape::later, 2, "random(key, i)"},
    Builtin{"polar", Shape::later, 1, "polar(m)"},
    Builtin{"svd", Shape::later, 1, "svd(m)"},
    Builtin{"eig_sym", Shape::later, 1, "eig_sym(m)"},
};

const Builtin* find(const std::string& name) {
  const auto found = std::find_if(builtins.begin(), builtins.end(), [&](const Builtin& b) { return name == b.name; });
  return found == builtins.end() ? nullptr : &*found;
}

void report_argument(Checker& c, const Expr& argument, const Builtin& b, const std::string& wanted,
                     const std::string& help = "") {
  c.diagnostics.error(argument.span, quoted(b.name) + " takes " + wanted + ", not " + a_type(c, c.info(argument).type),
                      help);
}

std::string elementwise_help(const Builtin& b, const Type& type) {
  if (type.is_matrix()) return "apply it to the entries: m[i, j]";
  if (type.is_array()) return "apply it to the elements: a[i]";
  if (type.is_bool()) return "write (… ? 1.0 : 0.0)";
  return std::string("write ") + b.form;
}

bool takes(const Builtin& b, const Type& type) {
  return type.is_int() || type.is_real() || type.is_vector() || (type.is_matrix() && b.shape == Shape::any_numbers);
}

/// Ints beside reals (or where only reals are known) must be ones that convert; `pow` takes any, as `^` does.
bool convert_ints(Checker& c, const Expr& e, const Builtin& b) {
  bool good = true;
  for (size_t i = 1; i < e.args.size(); ++i) {
    const Expr& argument = e.args[i];
    if (!c.info(argument).type.is_int()) continue;
    if (std::string_view(b.name) == "pow" || is_fluid(c, argument)) {
      make_real(c, argument);
    } else {
      report_argument(c, argument, b, b.shape == Shape::numbers_int ? "ints or reals, all alike" : "a real",
                      "write real(" + short_text(argument) + ")");
      good = false;
    }
  }
  return good;
}

Type check_elementwise(Checker& c, const Expr& e, const Builtin& b) {
  bool ints = true, fluid = true, good = true;
  for (size_t i = 1; i < e.args.size(); ++i) {
    const Type& type = c.info(e.args[i]).type;
    if (type.is_none()) return {};
    ints = ints && type.is_int();
    fluid = fluid && is_fluid(c, e.args[i]);
    if (takes(b, type)) continue;
    report_argument(c, e.args[i], b, "numbers", elementwise_help(b, type));
    good = false;
  }
  if (!good) return {};
  if (ints && b.shape == Shape::numbers_int) {
    c.fluid[e.id] = fluid;
    return int_type();
  }
  if (!convert_ints(c, e, b)) return {};
  Type together = real_type();
  for (size_t i = 1; i < e.args.size(); ++i) {
    const Type& type = c.info(e.args[i]).type;
    const Type next = broadcast(together, type.is_int() ? real_type() : type);
    if (next.is_none()) {
      c.diagnostics.error(e.args[i].span,
                          quoted(b.name) + " works component by component: " + a_type(c, type) + " does not go with " +
                              a_type(c, together),
                          "all vectors must have the same number of components");
      return {};
    }
    together = next;
  }
  return together;
}

Type check_ints(Checker& c, const Expr& e, const Builtin& b) {
  bool fluid = true, good = true;
  for (size_t i = 1; i < e.args.size(); ++i) {
    const Type& type = c.info(e.args[i]).type;
    fluid = fluid && is_fluid(c, e.args[i]);
    if (type.is_none() || type.is_int()) continue;
    good = false;
    report_argument(
        c, e.args[i], b, "ints",
        std::string_view(b.name) == "mod" ? "for reals write x - y * floor(x / y)" : "for reals write floor(x / y)");
  }
  if (const std::optional<int64_t> divisor = evaluate_int(c, e.args[2]); divisor && *divisor == 0) {
    c.diagnostics.error(e.args[2].span, "this divides by 0");
  }
  c.fluid[e.id] = fluid;
  return good ? int_type() : Type{};
}

Type check_dot(Checker& c, const Expr& e, const Builtin& b) {
  const Type& x = c.info(e.args[1]).type;
  const Type& y = c.info(e.args[2]).type;
  if (x.is_none() || y.is_none()) return real_type();
  if (x != y || !(x.is_vector() || x.is_matrix())) {
    c.diagnostics.error(
        e.span,
        quoted(b.name) + " takes two vectors or two matrices of one size, not " + a_type(c, x) + " and " + a_type(c, y),
        x.is_real() && y.is_real() ? "numbers are multiplied with *" : "");
  }
  return real_type();
}

Type check_norm(Checker& c, const Expr& e, const Builtin& b) {
  const Type type = c.info(e.args[1]).type;
  const bool direction = std::string_view(b.name) == "normalize";
  if (type.is_none()) return direction ? Type{} : real_type();
  if (type.is_vector()) return direction ? type : real_type();
  std::string help;
  if (type.is_real() || type.is_int())
    help = std::string_view(b.name) == "norm" ? "the size of a number is abs(x)" : direction ? "sign(x)" : "x^2";
  if (type.is_matrix()) help = "for a matrix write sqrt(dot(m, m))";
  report_argument(c, e.args[1], b, "a vector", help);
  return direction ? Type{} : real_type();
}

Type check_cross(Checker& c, const Expr& e, const Builtin& b) {
  for (size_t i = 1; i < e.args.size(); ++i) {
    const Type& type = c.info(e.args[i]).type;
    if (type.is_none() || type == vector_type(3)) continue;
    report_argument(c, e.args[i], b, "two vec3",
                    type == vector_type(2) ? "in the plane write a.x * b.y - a.y * b.x" : "");
    break;
  }
  return vector_type(3);
}

Type check_outer(Checker& c, const Expr& e, const Builtin& b) {
  const Type& x = c.info(e.args[1]).type;
  const Type& y = c.info(e.args[2]).type;
  if (x.is_none() || y.is_none()) return {};
  if (x.is_vector() && x == y) return matrix_type(x.size);
  c.diagnostics.error(e.span,
                      quoted(b.name) + " takes two vectors of one size, not " + a_type(c, x) + " and " + a_type(c, y));
  return {};
}

Type check_matrix_function(Checker& c, const Expr& e, const Builtin& b) {
  const Type type = c.info(e.args[1]).type;
  const bool gives_real = b.shape == Shape::matrix_to_real;
  if (type.is_none()) return gives_real ? real_type() : Type{};
  if (!type.is_matrix()) {
    report_argument(c, e.args[1], b, "a matrix");
    return gives_real ? real_type() : Type{};
  }
  return gives_real ? real_type() : type;
}

Type check_identity(Checker& c, const Expr& e, const Builtin& b) {
  const Expr& size = e.args[1];
  if (c.info(size).type.is_none()) return {};
  const std::optional<int64_t> n = c.info(size).type.is_int() ? evaluate_int(c, size) : std::nullopt;
  if (n && *n >= 2 && *n <= 4) return matrix_type(static_cast<int>(*n));
  c.diagnostics.error(size.span, quoted(b.name) + " takes 2, 3 or 4, fixed in the text", "write identity(2)");
  return {};
}

Type check_detach(Checker& c, const Expr& e, const Builtin& b) {
  const Type type = c.info(e.args[1]).type;
  if (type.is_none() || type.differentiable()) return type;
  if (type.is_int() && is_fluid(c, e.args[1])) {
    make_real(c, e.args[1]);
    return real_type();
  }
  report_argument(c, e.args[1], b, "reals, vectors or matrices", "only real values have a gradient to stop");
  return type;
}

Type check_place(Checker& c, const Expr& e, const Builtin& b) {
  const Type type = c.info(e.args[1]).type;
  const Type number = b.shape == Shape::index ? int_type() : Type{};
  if (type.is_none()) return number;
  if (!type.is_reference()) {
    report_argument(c, e.args[1], b, "a reference (a loop index, or an element of a space)",
                    type.is_int() ? "an int is its own number" : "");
    return number;
  }
  if (b.shape == Shape::index) return int_type();
  if (is_abstract(type.space)) c.abstract_spaces[static_cast<size_t>(type.space - first_abstract_space)].grid = true;
  const int dims = dims_of(c, type.space);
  if (dims > 0) return array_of(int_type(), dims);
  c.diagnostics.error(
      e.span, "how many axes " + quoted(space_name(c, type.space)) + " has is not known here",
      "use an offset before, or put a grid of the program in the place of " + quoted(space_name(c, type.space)));
  return {};
}

Type check_conversion(Checker& c, const Expr& e, const Builtin& b) {
  const Type& type = c.info(e.args[1]).type;
  const bool to_int = std::string_view(b.name) == "int";
  const Type wanted = to_int ? int_type() : real_type();
  c.info(e).callee = CalleeKind::conversion;
  if (type.is_none() || type.is_int() || type.is_real()) return wanted;
  std::string help;
  if (type.is_bool()) help = to_int ? "write (b ? 1 : 0)" : "write (b ? 1.0 : 0.0)";
  if (type.is_reference()) help = to_int ? "write index(p)" : "write real(index(p))";
  if (type.is_vector()) help = "convert its components: " + std::string(b.name) + "(v.x)";
  report_argument(c, e.args[1], b, "an int or a real", help);
  return wanted;
}

/// vecN of N components: numbers, shorter vectors taken apart, or one number for all. matN of its entries, row by row.
Type check_constructor(Checker& c, const Expr& e, const Builtin& b) {
  c.info(e).callee = CalleeKind::constructor;
  const int size = b.name[3] - '0';
  const bool vector = b.shape == Shape::vector;
  const Type result = vector ? vector_type(size) : matrix_type(size);
  size_t components = 0;
  for (size_t i = 1; i < e.args.size(); ++i) {
    const Type& type = c.info(e.args[i]).type;
    if (type.is_none()) return result;
    components += static_cast<size_t>(type.element_scalars());
    if (type.is_int()) make_real(c, e.args[i]);
    if (type.is_int() || type.is_real() || (vector && type.is_vector())) continue;
    report_argument(c, e.args[i], b, "numbers", type.is_vector() ? "take its components one by one" : "");
    return result;
  }
  const bool fills = vector && components == 1 && e.args.size() == 2;
  if (fills || components == b.arguments) return result;
  c.diagnostics.error(
      e.span, quoted(b.name) + " takes " + counted(b.arguments, "number") + ", not " + std::to_string(components),
      std::string("write ") + b.form);
  return result;
}

/// What a call with the wrong number of arguments would have given.
Type usual_result(const Builtin& b) {
  switch (b.shape) {
    case Shape::dot:
    case Shape::matrix_to_real: return real_type();
    case Shape::ints:
    case Shape::index: return int_type();
    case Shape::conversion: return std::string_view(b.name) == "int" ? int_type() : real_type();
    default: return {};
  }
}

std::string count_help(const Builtin& b, size_t given) {
  if ((std::string_view(b.name) == "min" || std::string_view(b.name) == "max") && given > 2) {
    return std::string("nest them: ") + b.name + "(a, " + b.name + "(b, c))";
  }
  return std::string("write ") + b.form;
}

Type check_shape(Checker& c, const Expr& e, const Builtin& b) {
  switch (b.shape) {
    case Shape::numbers:
    case Shape::numbers_int:
    case Shape::any_numbers: return check_elementwise(c, e, b);
    case Shape::ints: return check_ints(c, e, b);
    case Shape::dot: return check_dot(c, e, b);
    case Shape::norm: return check_norm(c, e, b);
    case Shape::cross: return check_cross(c, e, b);
    case Shape::outer: return check_outer(c, e, b);
    case Shape::matrix_to_matrix:
    case Shape::matrix_to_real: return check_matrix_function(c, e, b);
    case Shape::identity: return check_identity(c, e, b);
    case Shape::detach: return check_detach(c, e, b);
    case Shape::index:
    case Shape::coords: return check_place(c, e, b);
    case Shape::conversion: return check_conversion(c, e, b);
    case Shape::vector:
    case Shape::matrix: return check_constructor(c, e, b);
    case Shape::later: break;
  }
  return {};
}

/// Names of other languages, and what they are called here.
const std::map<std::string, std::string> elsewhere = {
    {"length", "the length of a vector is norm(v)"},
    {"magnitude", "the length of a vector is norm(v)"},
    {"len", "the length of a vector is norm(v); the extent of a space is Space.count"},
    {"ln", "the natural logarithm is log(x)"},
    {"log10", "write log(x) / log(10.0)"},
    {"log2", "write log(x) / log(2.0)"},
    {"fabs", "write abs(x)"},
    {"fmin", "write min(a, b)"},
    {"fmax", "write max(a, b)"},
    {"arcsin", "write asin(x)"},
    {"arccos", "write acos(x)"},
    {"arctan", "write atan(x)"},
    {"arctan2", "write atan2(y, x)"},
    {"clamp", "write min(max(x, low), high)"},
    {"clip", "write min(max(x, low), high)"},
    {"lerp", "write a + t * (b - a)"},
    {"mix", "write a + t * (b - a)"},
    {"float", "the type is real"},
    {"double", "the type is real"},
    {"f64", "the type is real"},
    {"f32", "the type is real"},
    {"i32", "the type is int"},
    {"integer", "the type is int"},
    {"boolean", "the type is bool"},
    {"eye", "write identity(2)"},
    {"inv", "write inverse(m)"},
    {"square", "write x^2"},
    {"sqr", "write x^2"},
    {"PI", "write pi"},
    {"True", "write true"},
    {"False", "write false"},
    {"sum", "add in a loop: for p in Space { s += …; }"},
    {"determinant", "write det(m)"},
    {"normalise", "write normalize(v)"},
    {"cbrt", "write x^(1 / 3)"},
    {"stop_gradient", "write detach(x)"},
    {"trunc", "write real(int(x))"},
    {"fract", "write x - floor(x)"},
    {"heaviside", "write (x > 0 ? 1.0 : 0.0)"},
};

}  // namespace

bool is_builtin(const std::string& name) { return find(name) != nullptr; }

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const Builtin& b : builtins) names.emplace_back(b.name);
  return names;
}

std::string other_name(const std::string& name) {
  const auto found = elsewhere.find(name);
  return found == elsewhere.end() ? "" : found->second;
}

Type check_builtin(Checker& c, const Expr& e, const std::string& name) {
  const Builtin& b = *find(name);
  c.info(e).callee = CalleeKind::builtin;
  c.info(e).builtin = name;
  for (size_t i = 1; i < e.args.size(); ++i) check_value(c, e.args[i]);
  if (b.shape == Shape::later) {
    not_yet(c, e.span, quoted(name));
    return name == "random" ? real_type() : Type{};
  }
  const bool constructs = b.shape == Shape::vector || b.shape == Shape::matrix;
  if (e.args.size() - 1 != b.arguments && !constructs) {
    c.diagnostics.error(
        e.span,
        quoted(name) + " takes " + counted(b.arguments, "argument") + ", not " + std::to_string(e.args.size() - 1),
        count_help(b, e.args.size() - 1));
    return usual_result(b);
  }
  return check_shape(c, e, b);
}

}  // namespace adjoule::semantics
