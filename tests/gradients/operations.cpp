// Every operation's derivative against central differences, at several points, in scalars, vectors and matrices; and the
// documented finite choices where a derivative does not exist.
#include "gradients/support.hpp"

namespace gradients {
namespace {

/// An expression in `a` and `b` (reals, or what `type` says), reduced to a real by `loss`.
struct Operation {
  std::string name, type, expression, loss;
  std::vector<std::pair<std::vector<double>, std::vector<double>>> points;
};

void PrintTo(const Operation& o, std::ostream* out) { *out << o.name; }

using Points = std::vector<std::pair<std::vector<double>, std::vector<double>>>;

const Points anywhere{{{0.3}, {0.7}}, {{-0.6}, {0.4}}, {{0.8}, {-0.5}}};
const Points positive{{{0.3}, {0.7}}, {{1.6}, {0.4}}, {{2.8}, {1.5}}};
const Points vectors{{{0.3, -0.7, 0.2}, {0.5, 0.4, -0.6}}, {{1.3, 0.7, -0.2}, {-0.5, 1.4, 0.6}}};
const Points matrices{{{1.3, -0.7, 0.2, 0.9}, {0.5, 0.4, -0.6, 1.1}}};

std::vector<Operation> scalars() {
  std::vector<Operation> list;
  auto add = [&](const char* name, const char* expression, const Points& points) {
    list.push_back({name, "real", expression, "r", points});
  };
  add("add", "a + b", anywhere);
  add("subtract", "a - b", anywhere);
  add("multiply", "a * b", anywhere);
  add("divide", "a / b", anywhere);
  add("negate", "-a", anywhere);
  add("fma", "fma(a, b, a)", anywhere);
  add("fused_sum", "a * b + b * b - a", anywhere);
  add("absolute", "abs(a) * b", anywhere);
  add("sign", "sign(a) * b", anywhere);
  add("minimum", "min(a, b) * a", anywhere);
  add("maximum", "max(a, b) * a", anywhere);
  add("weigh", "weigh(a, b)", anywhere);
  add("square_root", "sqrt(a) * b", positive);
  add("floor", "floor(a) * b", anywhere);
  add("ceiling", "ceil(a) * b", anywhere);
  add("round", "round(a) * b", anywhere);
  add("exponential", "exp(a) * b", anywhere);
  add("logarithm", "log(a) * b", positive);
  add("power", "pow(a, b)", positive);
  add("power_operator", "a ^ b", positive);
  add("square", "a^2 * b", anywhere);
  add("cube", "a^3 * b", anywhere);
  add("inverse", "a^-1 * b", anywhere);
  add("power_minus_one_and_a_half", "a^-1.5 * b", positive);
  add("power_one_third", "a^0.3333 * b", positive);
  add("sine", "sin(a) * b", anywhere);
  add("cosine", "cos(a) * b", anywhere);
  add("tangent", "tan(a) * b", anywhere);
  add("arc_sine", "asin(a) * b", anywhere);
  add("arc_cosine", "acos(a) * b", anywhere);
  add("arc_tangent", "atan(a) * b", anywhere);
  add("arc_tangent2", "atan2(a, b)", anywhere);
  add("hyperbolic_sine", "sinh(a) * b", anywhere);
  add("hyperbolic_cosine", "cosh(a) * b", anywhere);
  add("hyperbolic_tangent", "tanh(a) * b", anywhere);
  add("hypotenuse", "hypot(a, b)", anywhere);
  add("reciprocal_or_zero", "reciprocal_or_zero(a) * b", anywhere);
  add("conditional", "a < b ? a * b : a / b", anywhere);
  add("softplus", "softplus(a, 3.0) * b", anywhere);
  add("smooth_max", "smooth_max(a, b, 0.3)", anywhere);
  add("smooth_min", "smooth_min(a, b, 0.3)", anywhere);
  add("sigmoid", "sigmoid(a) * b", anywhere);
  add("relu", "relu(a) * b", anywhere);
  return list;
}

std::vector<Operation> wholes() {
  return {
      {"vector_sum", "vec3", "2 * a + b * 3 - a / 4", "dot(r, b)", vectors},
      {"vector_product", "vec3", "a * b", "dot(r, r)", vectors},
      {"vector_sine", "vec3", "sin(a) * b", "dot(r, a)", vectors},
      {"vector_minimum", "vec3", "min(a, b)", "dot(r, a)", vectors},
      {"vector_square", "vec3", "a^2", "dot(r, b)", vectors},
      {"scalar_times_vector", "vec3", "dot(a, b) * a", "norm_squared(r)", vectors},
      {"cross", "vec3", "cross(a, b)", "dot(r, a + vec3(1, 2, 3))", vectors},
      {"norm", "vec3", "norm(a) * b", "dot(r, a)", vectors},
      {"normalize", "vec3", "normalize(a)", "dot(r, b)", vectors},
      {"components", "vec3", "vec3(a.y * b.x, a.z, b.y * a.x)", "dot(r, b)", vectors},
      {"outer", "vec3", "outer(a, b) * a", "dot(r, b)", vectors},
      {"matrix_product", "mat2", "a * b", "dot(r, r)", matrices},
      {"matrix_transpose", "mat2", "transpose(a) * b", "dot(r, a)", matrices},
      {"matrix_determinant", "mat2", "det(a) * b", "dot(r, a)", matrices},
      {"matrix_inverse", "mat2", "inverse(a) * b", "dot(r, a)", matrices},
      {"matrix_trace", "mat2", "trace(a) * b", "dot(r, a)", matrices},
      {"matrix_scaled", "mat2", "2 * a - b / 3", "dot(r, b)", matrices},
      {"matrix_entries", "mat2", "mat2(a[0, 1], b[1, 0], a[0, 0] * b[1, 1], a[1, 1])", "dot(r, b)", matrices},
  };
}

class Operations : public testing::TestWithParam<Operation> {};

TEST_P(Operations, AgreeWithCentralDifferences) {
  const Operation& o = GetParam();
  std::string text = "param a: " + o.type + "; param b: " + o.type + "; loss { let r = " + o.expression + "; return " + o.loss + "; }";
  Program program = Program::from_string(text, o.name);
  for (const auto& [a, b] : o.points) {
    auto shaped = [&](const std::vector<double>& v) {
      if (o.type == "real") return number(v[0]);
      return o.type == "vec3" ? reals(v, {3}) : reals(v, {2, 2});
    };
    Bindings bindings{{"a", shaped(a)}, {"b", shaped(b)}};
    for (bool interpreted : {true, false}) {
      Instance i = instance(program, bindings, {.interpreted = interpreted});
      Gradient g = i.gradient(0, {"a", "b"});
      for (const char* wrt : {"a", "b"}) {
        std::vector<double> differences = central_differences(program, bindings, {.interpreted = interpreted}, 0, wrt);
        const std::vector<double>& got = g.of.at(wrt).reals;
        Array direction = g.of.at(wrt);
        double along = 0;
        for (size_t k = 0; k < got.size(); ++k) {
          EXPECT_NEAR(got[k], differences[k], 1e-8 * std::max(1.0, std::fabs(differences[k]))) << wrt << "[" << k << "] of " << o.expression;
          direction.reals[k] = 1 + 0.5 * static_cast<double>(k);
          along += direction.reals[k] * got[k];
        }
        EXPECT_NEAR(i.tangent(0, {{wrt, direction}}).derivative, along, 1e-12 * std::max(1.0, std::fabs(along))) << "tangent in " << wrt;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scalars, Operations, testing::ValuesIn(scalars()), [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Wholes, Operations, testing::ValuesIn(wholes()), [](const auto& info) { return info.param.name; });

/// Where a derivative does not exist: the choices of the language reference.
TEST(FiniteChoices, AreAsDocumented) {
  struct Choice {
    const char *expression;
    double a, b, in_a, in_b;
  };
  const std::vector<Choice> choices{
      {"abs(a) + b", 0, 1, 0, 1},  {"sqrt(a) + b", 0, 1, 0, 1},      {"hypot(a, b)", 0, 0, 0, 0},  {"atan2(a, b)", 0, 0, 0, 0},
      {"max(a, b)", 2, 2, 0.5, 0.5}, {"min(a, b)", 2, 2, 0.5, 0.5}, {"norm(vec2(a, b))", 0, 0, 0, 0}, {"pow(a, b)", 0, 1, 1, 0},
      {"reciprocal_or_zero(a) + b", 0, 1, 0, 1}, {"a * b", 0, 3, 3, 0}, {"detach(a) * b", 2, 3, 0, 2},
  };
  for (const Choice& c : choices) {
    Program program = Program::from_string(std::string("param a: real; param b: real; loss { return ") + c.expression + "; }");
    for (bool interpreted : {true, false}) {
      Gradient g = instance(program, {{"a", number(c.a)}, {"b", number(c.b)}}, {.interpreted = interpreted}).gradient(0, {"a", "b"});
      EXPECT_EQ(g.of.at("a").reals[0], c.in_a) << c.expression;
      EXPECT_EQ(g.of.at("b").reals[0], c.in_b) << c.expression;
    }
  }
}

}  // namespace
}  // namespace gradients
