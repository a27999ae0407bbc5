// The value of each pure operation, with its edge values.
#include "ir/evaluate.hpp"

#include <cmath>

#include "ir/op_table.hpp"
#include "ir_support.hpp"

namespace adjoule::ir::test {
namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<int32_t>;

/// One operation on real, vector or matrix operands of the given types.
Numbers reals_of(Opcode code, std::vector<std::pair<Type, Numbers>> operands, bool single = false) {
  std::vector<Datum> inputs;
  for (auto& [type, numbers] : operands) inputs.push_back({.reals = numbers});
  return run(
             [&](Builder& b) {
               std::vector<Value> values;
               for (auto& [type, numbers] : operands) values.push_back(b.input(type, "x"));
               return std::vector{b.emit(code, values)};
             },
             inputs, single)[0]
      .reals;
}

double real_of(Opcode code, Numbers operands, bool single = false) {
  std::vector<std::pair<Type, Numbers>> typed;
  for (double r : operands) typed.push_back({real_type(), {r}});
  return reals_of(code, typed, single).at(0);
}

int32_t integer_of(Opcode code, Integers operands) {
  std::vector<Datum> inputs;
  for (int32_t i : operands) inputs.push_back(integer(i));
  return run(
             [&](Builder& b) {
               std::vector<Value> values;
               for (size_t i = 0; i < operands.size(); ++i) values.push_back(b.input(int_type(), "i"));
               return std::vector{b.emit(code, values)};
             },
             inputs)[0]
      .integers.at(0);
}

int32_t comparison_of(Opcode code, double a, double c) {
  return run(
             [&](Builder& b) {
               Value x = b.input(real_type(), "x"), y = b.input(real_type(), "y");
               return std::vector{b.emit(code, {x, y})};
             },
             {real(a), real(c)})[0]
      .integers.at(0);
}

double power_of(double x, double e, bool single = false) {
  return run([&](Builder& b) { return std::vector{b.power_constant(b.input(real_type(), "x"), e)}; }, {real(x)},
             single)[0]
      .reals.at(0);
}

constexpr int32_t lowest = std::numeric_limits<int32_t>::min(), highest = std::numeric_limits<int32_t>::max();

TEST(Evaluate, ArithmeticIsIeee) {
  EXPECT_EQ(real_of(Opcode::add, {0.1, 0.2}), 0.1 + 0.2);
  EXPECT_EQ(real_of(Opcode::subtract, {0.1, 0.3}), 0.1 - 0.3);
  EXPECT_EQ(real_of(Opcode::multiply, {0.1, 0.3}), 0.1 * 0.3);
  EXPECT_EQ(real_of(Opcode::divide, {1, 0}), inf);
  EXPECT_EQ(real_of(Opcode::divide, {1, 3}), 1.0 / 3);
  EXPECT_TRUE(std::signbit(real_of(Opcode::negate, {0.0})));
  EXPECT_EQ(real_of(Opcode::fused_multiply_add, {0.1, 10, -1}), std::fma(0.1, 10.0, -1.0));
  EXPECT_NE(real_of(Opcode::fused_multiply_add, {0.1, 10, -1}), 0.0);
  EXPECT_EQ(real_of(Opcode::detach, {2.5}), 2.5);
}

TEST(Evaluate, ElementwiseOnVectorsMatricesAndArrays) {
  EXPECT_EQ(reals_of(Opcode::add, {{vector_type(2), {1, 2}}, {vector_type(2), {10, 20}}}), (Numbers{11, 22}));
  EXPECT_EQ(reals_of(Opcode::multiply, {{matrix_type(2), {1, 2, 3, 4}}, {matrix_type(2), {2, 2, 2, 2}}}),
            (Numbers{2, 4, 6, 8}));
  Type array = array_of(vector_type(2), 2);
  EXPECT_EQ(reals_of(Opcode::add, {{array, {1, 2, 3, 4}}, {array, {1, 1, 1, 1}}}), (Numbers{2, 3, 4, 5}));
}

TEST(Evaluate, SignAbsoluteAndRounding) {
  EXPECT_EQ(real_of(Opcode::sign, {-3}), -1);
  EXPECT_EQ(real_of(Opcode::sign, {0}), 0);
  EXPECT_FALSE(std::signbit(real_of(Opcode::sign, {-0.0})));
  EXPECT_EQ(real_of(Opcode::sign, {nan}), 0);
  EXPECT_EQ(real_of(Opcode::absolute, {-inf}), inf);
  EXPECT_FALSE(std::signbit(real_of(Opcode::absolute, {-0.0})));
  EXPECT_EQ(real_of(Opcode::round, {2.5}), 3);
  EXPECT_EQ(real_of(Opcode::round, {-2.5}), -3);
  EXPECT_EQ(real_of(Opcode::round, {0.49999999999999994}), 0);
  EXPECT_EQ(real_of(Opcode::floor, {-0.5}), -1);
  EXPECT_TRUE(std::signbit(real_of(Opcode::ceiling, {-0.5})));
}

TEST(Evaluate, MinimumAndMaximumWithNanAndZeros) {
  // min(a, b) = b < a ? b : a: with NaN, or equal, the first
  EXPECT_EQ(real_of(Opcode::minimum, {1, nan}), 1);
  EXPECT_TRUE(std::isnan(real_of(Opcode::minimum, {nan, 1})));
  EXPECT_TRUE(std::signbit(real_of(Opcode::minimum, {-0.0, 0.0})));
  EXPECT_FALSE(std::signbit(real_of(Opcode::minimum, {0.0, -0.0})));
  EXPECT_EQ(real_of(Opcode::maximum, {1, nan}), 1);
  EXPECT_TRUE(std::isnan(real_of(Opcode::maximum, {nan, 1})));
  EXPECT_FALSE(std::signbit(real_of(Opcode::maximum, {0.0, -0.0})));
  EXPECT_EQ(integer_of(Opcode::minimum, {3, -3}), -3);
  EXPECT_EQ(integer_of(Opcode::maximum, {3, -3}), 3);
}

TEST(Evaluate, GuardedOperations) {
  EXPECT_EQ(real_of(Opcode::weigh, {0, inf}), 0);
  EXPECT_EQ(real_of(Opcode::weigh, {-0.0, nan}), 0);
  EXPECT_EQ(real_of(Opcode::weigh, {2, 3}), 6);
  EXPECT_TRUE(std::isnan(real_of(Opcode::weigh, {nan, 1})));
  EXPECT_EQ(real_of(Opcode::reciprocal_or_zero, {0}), 0);
  EXPECT_EQ(real_of(Opcode::reciprocal_or_zero, {-0.0}), 0);
  EXPECT_EQ(real_of(Opcode::reciprocal_or_zero, {4}), 0.25);
  EXPECT_EQ(real_of(Opcode::logarithm_or_zero, {0}), 0);
  EXPECT_EQ(real_of(Opcode::logarithm_or_zero, {-1}), 0);
  EXPECT_EQ(real_of(Opcode::logarithm_or_zero, {nan}), 0);
  EXPECT_EQ(real_of(Opcode::logarithm_or_zero, {2}), real_of(Opcode::logarithm, {2}));
}

TEST(Evaluate, ElementaryFunctionsAreAccurate) {
  struct Case {
    Opcode code;
    double (*reference)(double);
    double x;
  };
  for (const Case& c : std::initializer_list<Case>{{Opcode::square_root, std::sqrt, 2},
                                                   {Opcode::exponential, std::exp, 0.7},
                                                   {Opcode::logarithm, std::log, 0.7},
                                                   {Opcode::sine, std::sin, 0.7},
                                                   {Opcode::cosine, std::cos, 0.7},
                                                   {Opcode::tangent, std::tan, 0.7},
                                                   {Opcode::arc_sine, std::asin, 0.7},
                                                   {Opcode::arc_cosine, std::acos, 0.7},
                                                   {Opcode::arc_tangent, std::atan, 0.7},
                                                   {Opcode::hyperbolic_sine, std::sinh, 0.7},
                                                   {Opcode::hyperbolic_cosine, std::cosh, 0.7},
                                                   {Opcode::hyperbolic_tangent, std::tanh, 0.7}}) {
    double exact = c.reference(c.x);
    EXPECT_NEAR(real_of(c.code, {c.x}), exact, 3e-16 * std::fabs(exact)) << row(c.code).name;
    auto x = static_cast<double>(static_cast<float>(c.x));
    double narrow = real_of(c.code, {c.x}, true);
    EXPECT_NEAR(narrow, c.reference(x), 1.5e-7 * std::fabs(exact)) << row(c.code).name;
    EXPECT_EQ(narrow, static_cast<float>(narrow)) << row(c.code).name;
  }
  EXPECT_NEAR(real_of(Opcode::power, {1.7, 2.3}), std::pow(1.7, 2.3), 1e-15);
  EXPECT_NEAR(real_of(Opcode::arc_tangent2, {1, -2}), std::atan2(1.0, -2.0), 1e-15);
  EXPECT_NEAR(real_of(Opcode::hypotenuse, {3, 4}), 5, 0);
  EXPECT_EQ(real_of(Opcode::exponential, {-inf}), 0);
  EXPECT_EQ(real_of(Opcode::logarithm, {0}), -inf);
}

TEST(Evaluate, PowerConstantIsAFixedSequence) {
  double x = 1.1;
  EXPECT_EQ(power_of(x, 0), 1);
  EXPECT_EQ(power_of(nan, 0), 1);
  EXPECT_EQ(power_of(x, 1), x);
  EXPECT_EQ(power_of(x, 2), x * x);
  EXPECT_EQ(power_of(x, 3), x * (x * x));
  EXPECT_EQ(power_of(x, 5), x * ((x * x) * (x * x)));
  EXPECT_EQ(power_of(x, 6), (x * x) * ((x * x) * (x * x)));
  EXPECT_EQ(power_of(x, 0.5), std::sqrt(x));
  EXPECT_EQ(power_of(x, 1.5), x * std::sqrt(x));
  EXPECT_EQ(power_of(x, -2), 1 / (x * x));
  EXPECT_EQ(power_of(x, -1.5), 1 / (x * std::sqrt(x)));
  EXPECT_EQ(power_of(x, 17), real_of(Opcode::power, {x, 17}));
  EXPECT_EQ(power_of(x, 0.3), real_of(Opcode::power, {x, 0.3}));
  EXPECT_EQ(power_of(-2, 3), -8);
  EXPECT_EQ(power_of(0, -1), inf);
  auto f = static_cast<float>(x);
  EXPECT_EQ(power_of(x, 3, true), static_cast<double>(f * (f * f)));
}

TEST(Evaluate, IntegersWrap) {
  EXPECT_EQ(integer_of(Opcode::add, {highest, 1}), lowest);
  EXPECT_EQ(integer_of(Opcode::subtract, {lowest, 1}), highest);
  EXPECT_EQ(integer_of(Opcode::multiply, {1 << 20, 1 << 20}), 0);
  EXPECT_EQ(integer_of(Opcode::negate, {lowest}), lowest);
  EXPECT_EQ(integer_of(Opcode::absolute, {lowest}), lowest);
  EXPECT_EQ(integer_of(Opcode::absolute, {-5}), 5);
  EXPECT_EQ(integer_of(Opcode::sign, {-5}), -1);
}

TEST(Evaluate, DivisionIsFloored) {
  EXPECT_EQ(integer_of(Opcode::floor_divide, {7, 2}), 3);
  EXPECT_EQ(integer_of(Opcode::floor_divide, {-7, 2}), -4);
  EXPECT_EQ(integer_of(Opcode::floor_divide, {7, -2}), -4);
  EXPECT_EQ(integer_of(Opcode::floor_divide, {-8, 2}), -4);
  EXPECT_EQ(integer_of(Opcode::floor_divide, {lowest, -1}), lowest);
  EXPECT_EQ(integer_of(Opcode::floor_divide, {7, 0}), 0);
  EXPECT_EQ(integer_of(Opcode::floor_modulo, {-7, 3}), 2);
  EXPECT_EQ(integer_of(Opcode::floor_modulo, {7, -3}), -2);
  EXPECT_EQ(integer_of(Opcode::floor_modulo, {lowest, -1}), 0);
  EXPECT_EQ(integer_of(Opcode::floor_modulo, {7, 0}), 0);
}

TEST(Evaluate, ComparisonsWithNan) {
  EXPECT_EQ(comparison_of(Opcode::equal, nan, nan), 0);
  EXPECT_EQ(comparison_of(Opcode::not_equal, nan, nan), 1);
  EXPECT_EQ(comparison_of(Opcode::less, nan, 1), 0);
  EXPECT_EQ(comparison_of(Opcode::less_equal, 1, 1), 1);
  EXPECT_EQ(comparison_of(Opcode::equal, 0.0, -0.0), 1);
  EXPECT_EQ(integer_of(Opcode::less, {1, 2}), 1);
  EXPECT_EQ(integer_of(Opcode::less_equal, {3, 2}), 0);
}

TEST(Evaluate, LogicAndSelect) {
  auto out = run([](Builder& b) {
    Value t = b.constant(true), f = b.constant(false);
    return std::vector{b.emit(Opcode::logical_and, {t, f}), b.emit(Opcode::logical_or, {t, f}),
                       b.emit(Opcode::logical_not, {f}), b.emit(Opcode::equal, {t, f}),
                       b.emit(Opcode::select, {f, b.constant(1.0), b.constant(2.0)})};
  });
  EXPECT_EQ(out[0].integers[0], 0);
  EXPECT_EQ(out[1].integers[0], 1);
  EXPECT_EQ(out[2].integers[0], 1);
  EXPECT_EQ(out[3].integers[0], 0);
  EXPECT_EQ(out[4].reals[0], 2);
}

TEST(Evaluate, Conversions) {
  auto to_int = [](double r) {
    return run([](Builder& b) { return std::vector{b.emit(Opcode::real_to_int, {b.input(real_type(), "x")})}; },
               {real(r)})[0]
        .integers[0];
  };
  EXPECT_EQ(to_int(-2.9), -2);
  EXPECT_EQ(to_int(1e300), highest);
  EXPECT_EQ(to_int(-inf), lowest);
  EXPECT_EQ(to_int(2147483647.5), highest);
  EXPECT_EQ(to_int(nan), 0);
  auto to_real = [](int32_t i, bool single) {
    return run([](Builder& b) { return std::vector{b.emit(Opcode::int_to_real, {b.input(int_type(), "i")})}; },
               {integer(i)}, single)[0]
        .reals[0];
  };
  EXPECT_EQ(to_real(16777217, false), 16777217);
  EXPECT_EQ(to_real(16777217, true), 16777216);
}

TEST(Evaluate, ComponentsOfVectorsAndArrays) {
  auto out = run([](Builder& b) {
    Value v = b.emit(Opcode::pack, {b.constant(1.0), b.constant(2.0)}, vector_type(2));
    Value w = b.insert(v, 1, b.constant(5.0));
    Value array = b.emit(Opcode::pack, {v, w}, array_of(vector_type(2), 2));
    Value i = b.constant(1);
    Value changed = b.emit(Opcode::insert_at, {array, b.constant(0), w});
    return std::vector{b.extract(w, 1),
                       b.extract(array, 0),
                       b.emit(Opcode::extract_at, {array, i}),
                       changed,
                       b.splat(b.constant(3.0), matrix_type(2)),
                       b.zero(array_of(vector_type(2), 2)),
                       b.like(v, 4.0)};
  });
  EXPECT_EQ(out[0].reals, (Numbers{5}));
  EXPECT_EQ(out[1].reals, (Numbers{1, 2}));
  EXPECT_EQ(out[2].reals, (Numbers{1, 5}));
  EXPECT_EQ(out[3].reals, (Numbers{1, 5, 1, 5}));
  EXPECT_EQ(out[4].reals, (Numbers{3, 3, 3, 3}));
  EXPECT_EQ(out[5].reals, (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(out[6].reals, (Numbers{4, 4}));
}

TEST(Evaluate, ProductsInTheirOrder) {
  Numbers a{0.1, 0.2, 0.3}, c{0.7, 0.11, 0.13};
  double dot = std::fma(a[2], c[2], std::fma(a[1], c[1], a[0] * c[0]));
  std::pair<Type, Numbers> u{vector_type(3), a}, v{vector_type(3), c};
  EXPECT_EQ(reals_of(Opcode::dot, {u, v}), (Numbers{dot}));
  EXPECT_EQ(reals_of(Opcode::norm, {{vector_type(2), {3, 4}}}), (Numbers{5}));
  Numbers cross{std::fma(a[1], c[2], -(a[2] * c[1])), std::fma(a[2], c[0], -(a[0] * c[2])),
                std::fma(a[0], c[1], -(a[1] * c[0]))};
  EXPECT_EQ(reals_of(Opcode::cross, {u, v}), cross);
  EXPECT_EQ(reals_of(Opcode::outer, {{vector_type(2), {1, 2}}, {vector_type(2), {3, 4}}}), (Numbers{3, 4, 6, 8}));
  std::pair<Type, Numbers> m{matrix_type(2), {1, 2, 3, 4}}, n{matrix_type(2), {5, 6, 7, 8}};
  EXPECT_EQ(reals_of(Opcode::matrix_multiply, {m, n}), (Numbers{19, 22, 43, 50}));
  EXPECT_EQ(reals_of(Opcode::matrix_multiply, {m, {vector_type(2), {5, 6}}}), (Numbers{17, 39}));
  EXPECT_EQ(reals_of(Opcode::transpose, {m}), (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(reals_of(Opcode::dot, {m, n}), (Numbers{70}));
}

TEST(Evaluate, SinglePrecisionRoundsEveryResult) {
  float a = 0.1F, c = 0.7F;
  EXPECT_EQ(real_of(Opcode::add, {0.1, 0.7}, true), static_cast<double>(a + c));
  EXPECT_EQ(real_of(Opcode::multiply, {0.1, 0.7}, true), static_cast<double>(a * c));
  EXPECT_EQ(real_of(Opcode::fused_multiply_add, {0.1, 0.7, 0.1}, true), static_cast<double>(std::fma(a, c, a)));
  EXPECT_EQ(reals_of(Opcode::dot, {{vector_type(2), {0.1, 0.7}}, {vector_type(2), {0.7, 0.1}}}, true)[0],
            static_cast<double>(std::fma(c, a, a * c)));
  EXPECT_EQ(run([](Builder& b) { return std::vector{b.constant(0.1)}; }, {}, true)[0].reals[0],
            static_cast<double>(0.1F));
}

TEST(Evaluate, RefusesWhatIsNotOfValuesAlone) {
  Program program = small_program();
  Builder b(program, "test");
  Value n = b.extent(particle);
  Value v = b.zero(vector_type(2));
  Value e = b.emit(Opcode::extract_at, {v, n});
  b.set_outputs({e});
  Procedure p = b.take();
  int32_t out = 0;
  EXPECT_FALSE(evaluate(p, p.ops[0], {}, {{}, std::span(&out, 1)}, false));
  Numbers vector{1, 2}, result{0};
  Integers outside{2};
  std::vector<Components> operands{{vector, {}}, {{}, outside}};
  EXPECT_FALSE(evaluate(p, p.ops[2], operands, {result, {}}, false));
  outside[0] = 1;
  EXPECT_TRUE(evaluate(p, p.ops[2], operands, {result, {}}, false));
  EXPECT_EQ(result[0], 2);
}

TEST(OpTable, RowsTellNamesKindsAndTypes) {
  EXPECT_EQ(row(Opcode::fused_multiply_add).name, "fused_multiply_add");
  EXPECT_EQ(row(Opcode::floor).derivative, Derivative::none);
  EXPECT_EQ(row(Opcode::select).derivative, Derivative::linear);
  EXPECT_EQ(row(Opcode::loop).derivative, Derivative::structural);
  Program program = small_program();
  Builder b(program, "test");
  Value field = b.input(field_of(vector_type(2), {particle}), "x");
  Value p = b.make_reference(particle, {b.constant(0)});
  Value v = b.load(field, {p});
  EXPECT_EQ(b.type(p), reference_type(particle));
  EXPECT_EQ(b.type(v), vector_type(2));
  EXPECT_EQ(b.type(b.emit(Opcode::outer, {v, v})), matrix_type(2));
  EXPECT_TRUE(is_pure(b.procedure(), b.procedure().ops.back()));
  EXPECT_EQ(b.type(b.emit(Opcode::dot, {v, v})), real_type());
  EXPECT_EQ(b.type(b.zero(field_of(real_type(), {particle}))), field_of(real_type(), {particle}));
}

}  // namespace
}  // namespace adjoule::ir::test
