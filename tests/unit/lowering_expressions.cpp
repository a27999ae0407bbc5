// Expressions: what they compute, which products are fused, what is evaluated lazily.
#include <cmath>

#include "lowering_support.hpp"

namespace adjoule::lowering::test {
namespace {

// (1 + 2^-30)^2 = 1 + 2^-29 + 2^-60: the last term survives only in a fused sum.
const std::string values =
    "param p: real = 1.000000000931322574615478515625; param q: real = 1.000000000931322574615478515625; param s: real "
    "= -1;";

TEST(LoweringExpressions, NumbersConvertWhereRealsAreWanted) {
  EXPECT_EQ(value_of_expression("7 / 2"), 3.5);
  EXPECT_EQ(value_of_expression("2^3"), 8);
  EXPECT_EQ(value_of_expression("2^-1"), 0.5);
  EXPECT_EQ(value_of_expression("-2^2"), -4);
  EXPECT_EQ(value_of_expression("n / 2", "size n = 5;"), 2.5);
  EXPECT_EQ(value_of_expression("1.5 + n * n", "size n = 3;"), 10.5);
  EXPECT_EQ(value_of_expression("real(div(-7, 2)) + 100 * real(mod(-7, 2))"), 96);
  EXPECT_EQ(value_of_expression("real(int(-2.7))"), -2);
  EXPECT_EQ(value_of_expression("h * 4", "const k = 20; const h = 1 / real(k);"), 0.2);
  EXPECT_EQ(value_of_expression("h * 4", "size k = 20; const h = 1 / real(k);"), 0.2);
}

TEST(LoweringExpressions, BroadcastingAndMatrixProducts) {
  EXPECT_EQ(result_of("vec2", "r = 2 * vec2(1, 2) + 1;"), (Numbers{3, 5}));
  EXPECT_EQ(result_of("vec2", "r = vec2(1, 2) * vec2(3, 4);"), (Numbers{3, 8}));
  EXPECT_EQ(result_of("vec2", "r = mat2(1, 2, 3, 4) * vec2(1, 10);"), (Numbers{21, 43}));
  EXPECT_EQ(result_of("mat2", "r = mat2(1, 2, 3, 4) * mat2(0, 1, 1, 0);"), (Numbers{2, 1, 4, 3}));
  EXPECT_EQ(result_of("mat2", "r = mat2(1, 2, 3, 4) / 2;"), (Numbers{0.5, 1, 1.5, 2}));
  EXPECT_EQ(result_of("vec3", "r = -vec3(1, 2, 3)^2;"), (Numbers{-1, -4, -9}));
  EXPECT_EQ(result_of("mat2", "r = 0; r = identity(2) + r;"), (Numbers{1, 0, 0, 1}));
}

TEST(LoweringExpressions, ProductsAreFusedIntoSums) {
  double a = 1.000000000931322574615478515625, b = a;
  double fused = std::fma(a, b, -1.0), rounded = a * b - 1.0;
  ASSERT_NE(fused, rounded);
  EXPECT_EQ(value_of_expression("p * q + s", values), fused);
  EXPECT_EQ(value_of_expression("s + p * q", values), fused);
  EXPECT_EQ(value_of_expression("p * q - 1", values), fused);
  EXPECT_EQ(value_of_expression("1 - p * q", values), -fused);
  EXPECT_EQ(value_of_expression("(p * q) + s", values), rounded);
  EXPECT_EQ(value_of_expression("fma(p, q, s)", values), fused);
  EXPECT_EQ(result_of("real", "let t = p * q; r = t + s;", values)[0], rounded);
  EXPECT_EQ(result_of("real", "r = s; r += p * q;", values)[0], fused);
  EXPECT_EQ(result_of("real", "r = 1; r -= p * q;", values)[0], -fused);
  EXPECT_EQ(value_of_expression("s * s * p * q + s", values), std::fma(a, b, -1.0));
  // Two products: the first is rounded, the second fused.
  EXPECT_EQ(value_of_expression("s * s + p * q - 2", values), std::fma(a, b, 1.0) - 2);
  EXPECT_EQ(result_of("vec2", "r = p * vec2(q, 1) + s;", values)[0], fused);
}

TEST(LoweringExpressions, MatrixProductsAndIntegersAreNotFused) {
  auto lowered = lower_good(
      "param m: mat2; param v: vec2; size n; state r: vec2; state k: int;\n"
      "init { r = m * v + v; k = n * n + 1; }");
  EXPECT_EQ(count_of(printed(*lowered, lowered->program->init), "fused_multiply_add"), 0u);
}

TEST(LoweringExpressions, BuiltIns) {
  const std::string m3 = "mat3(2, -1, 0.5, 1, 3, -2, 0.25, 1, 4)";
  const std::string m4 = "mat4(2, -1, 0.5, 1, 1, 3, -2, 0.5, 0.25, 1, 4, -1, 1.5, 0, 2, 5)";
  EXPECT_DOUBLE_EQ(value_of_expression("det(mat2(1, 2, 3, 4))"), -2);
  EXPECT_DOUBLE_EQ(value_of_expression("det(" + m3 + ")"), 2 * (12 + 2) + 1 * (4 + 0.5) + 0.5 * (1 - 0.75));
  EXPECT_DOUBLE_EQ(value_of_expression("trace(" + m4 + ")"), 14);
  for (const std::string& m : {std::string("mat2(1, 2, 3, 4)"), m3, m4}) {
    std::string n = m.substr(3, 1), type = "mat" + n;
    Numbers one = result_of(type, "r = inverse(" + m + ") * " + m + ";");
    Numbers determinants = result_of(
        "vec2", "r = vec2(det(" + m + ") * det(inverse(" + m + ")), det(transpose(" + m + ")) - det(" + m + "));");
    auto size = static_cast<size_t>(n[0] - '0');
    for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], i % (size + 1) == 0 ? 1 : 0, 1e-14) << m << " " << i;
    EXPECT_NEAR(determinants[0], 1, 1e-14);
    EXPECT_NEAR(determinants[1], 0, 1e-12);
  }
  EXPECT_EQ(result_of("vec3", "r = cross(vec3(1, 0, 0), vec3(0, 1, 0));"), (Numbers{0, 0, 1}));
  EXPECT_EQ(result_of("mat2", "r = outer(vec2(1, 2), vec2(3, 4));"), (Numbers{3, 4, 6, 8}));
  EXPECT_EQ(result_of("vec2", "r = normalize(vec2(3, 4));"), (Numbers{3 * (1 / 5.0), 4 * (1 / 5.0)}));
  EXPECT_EQ(result_of("vec2", "r = normalize(vec2(0, 0));"), (Numbers{0, 0}));
  EXPECT_EQ(value_of_expression("norm_squared(vec2(3, 4)) + norm(vec2(3, 4)) + dot(vec2(1, 2), vec2(3, 4))"), 41);
  EXPECT_EQ(value_of_expression("min(1, 2) + max(3.0, 4) + abs(-2) + sign(-3.5) + hypot(3, 4)"), 11);
  EXPECT_EQ(value_of_expression("weigh(0, 1 / x)", "param x: real = 0;"), 0);
}

TEST(LoweringExpressions, SmoothStandIns) {
  EXPECT_NEAR(value_of_expression("softplus(0.3, 5)"), std::log1p(std::exp(1.5)) / 5, 1e-15);
  EXPECT_EQ(value_of_expression("softplus(1000, 5)"), 1000);
  EXPECT_EQ(value_of_expression("softplus(-1000, 5)"), 0);
  EXPECT_NEAR(value_of_expression("smooth_max(1, 2, 3)"), std::log(std::exp(3) + std::exp(6)) / 3, 1e-15);
  EXPECT_NEAR(value_of_expression("smooth_min(1, 2, 3)"), -std::log(std::exp(-3) + std::exp(-6)) / 3, 1e-15);
  EXPECT_NEAR(value_of_expression("sigmoid(0.7)"), 1 / (1 + std::exp(-0.7)), 1e-16);
  EXPECT_EQ(value_of_expression("sigmoid(-1000)"), 0);
  EXPECT_EQ(value_of_expression("sigmoid(1000)"), 1);
  EXPECT_EQ(value_of_expression("smoothstep(1, 3, 2) + smoothstep(1, 3, 9) + smoothstep(1, 3, 0)"), 1.5);
  EXPECT_EQ(value_of_expression("huber(-1, 2)"), 0.5);
  EXPECT_EQ(value_of_expression("huber(-3, 2)"), 4);
  EXPECT_EQ(value_of_expression("relu(-3) + relu(2)"), 2);
  EXPECT_EQ(result_of("vec2", "r = sigmoid(vec2(0, -1000)) + relu(vec2(-1, 1));"), (Numbers{0.5, 1}));
}

TEST(LoweringExpressions, LogicAndConditionalsAreLazy) {
  EXPECT_EQ(value_of_expression("x > 0 and 1 / x > 0 ? 1 : 2", "param x: real = 0;"), 2);
  // Q(3) would be out of range.
  std::string declarations = "space Q(2); param k: int = 3; param w[Q]: real = 7;";
  EXPECT_EQ(value_of_expression("k < 2 and w[Q(k)] > 0 ? 1 : 2", declarations), 2);
  EXPECT_EQ(value_of_expression("k >= 2 or w[Q(k)] > 0 ? 1 : 2", declarations), 1);
  EXPECT_EQ(value_of_expression("k < 2 ? w[Q(k)] : -1", declarations), -1);
  EXPECT_EQ(value_of_expression("k < 2 ? w[Q(k)] : k == 3 ? 5 : w[Q(k)]", declarations), 5);
  EXPECT_EQ(value_of_expression("not (k == 3) ? 1 : 0", declarations), 0);
  EXPECT_EQ(value_of_expression("(k > 1 ? 1 : 0) / 2", declarations), 0.5);
}

TEST(LoweringExpressions, ConditionalsOfPlainValuesAreSelects) {
  auto lowered = lower_good("param x: real; state r: real; init { r = x < 0 ? x : 2; r = x < 0 ? r : 0.5 * x; }");
  std::string init = printed(*lowered, lowered->program->init);
  EXPECT_EQ(count_of(init, "select"), 1u) << init;
  EXPECT_EQ(count_of(init, "= if "), 1u) << init;
}

TEST(LoweringExpressions, References) {
  std::string declarations =
      "grid C(3, 4) boundary periodic; grid L(4) boundary zero; space P(5); param u[C]: int; param w[L]: real = 1;";
  EXPECT_EQ(result_of("int", "r = index(C(1, 2) + (3, -1) - (0, 4));", declarations)[0], 5);
  EXPECT_EQ(result_of("int", "let c = C(1, 2) + (3, -5); r = 100 * coords(c)[0] + coords(c)[1];", declarations)[0],
            397);
  EXPECT_EQ(result_of("int", "let i = L(3); r = index(i + 1) * 10 + coords(i - 7)[0];", declarations)[0], -14);
  EXPECT_EQ(value_of_expression("w[L(3)] + w[L(3) + 1]", declarations), 1);
  EXPECT_EQ(result_of("bool", "r = C(0, 1) == C(3, 5) and C(0, 1) != C(0, 2);", declarations)[0], 1);
  EXPECT_EQ(result_of("int", "r = P.count * 100 + C.count + index(P(4));", declarations)[0], 516);
}

TEST(LoweringExpressions, IndicesOutOfRangeAreFaults) {
  auto fault = [](const std::string& statements) {
    Instance run("space P(3); param k: int = 3; param w[P]: real; state r: real; init { " + statements + " }", {});
    EXPECT_TRUE(run.fault()) << statements;
    return run.fault() ? std::string(run.lowered().sources.text(run.fault()->span)) : "";
  };
  EXPECT_EQ(fault("r = w[P(k)];"), "P(k)");
  EXPECT_EQ(fault("r = w[P(-1)];"), "P(-1)");
  fault("let h = [1.0, 2.0]; r = h[k];");
  fault("var h: real[2]; h[k] = 1; r = h[0];");
  fault("r = real(mod(k, k - 3));");
  fault("let m = identity(2); r = m[0, k];");
}

TEST(LoweringExpressions, Time) {
  Instance run(
      "input f[time]: real; state a: real; state b: real; state k: int;\n"
      "init { a = f[now]; } step { b += f[now + 1] * 10 + f[time(step_index)]; k = step_index; }\n"
      "loss { return f[now] + real(steps); }",
      {.fields = {{"f", {1, 2, 3, 4}}}, .steps = 3});
  EXPECT_EQ(run.state("a")[0], 1);
  EXPECT_EQ(run.state("b")[0], 90 + 6);
  EXPECT_EQ(run.state("k")[0], 2);
  EXPECT_EQ(run.loss(), 7);
}

}  // namespace
}  // namespace adjoule::lowering::test
