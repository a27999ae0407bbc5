// From text to gradients through the public interface: the small things around a run that hosts rely on.
#include <gtest/gtest.h>

#include <cmath>

#include "adjoule/compile.hpp"
#include "driver/gradient_check.hpp"
#include "instance.hpp"
#include "npy.hpp"

namespace adjoule {
namespace {

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << "it says: " << (text)

template <typename F>
std::string failure_of(Failure kind, F&& action) {
  try {
    action();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, kind) << e.what();
    return e.what();
  }
  return "no failure";
}

constexpr const char* oscillator = R"(
size n = 3;
space Mass(n);
const dt = 0.01;
param k[Mass]: real;
param x0: real = 1;
param idle: real = 7;
state x[Mass]: real;
state v[Mass]: real;
init { for p in Mass { x[p] = x0; v[p] = 0; } }
step {
  for p in Mass {
    v[p] -= dt * k[p] * x[p];
    x[p] += dt * v[p];
  }
}
loss {
  var s: real = 0;
  for p in Mass { s += x[p]^2; }
  return s;
}
)";

const std::vector<double> stiffness{1, 2, 3};

/// The same in plain C++.
double loss_by_hand(const std::vector<double>& k, double x0, int steps) {
  double sum = 0;
  for (double kp : k) {
    double x = x0, v = 0;
    for (int t = 0; t < steps; ++t) {
      v -= 0.01 * kp * x;
      x += 0.01 * v;
    }
    sum += x * x;
  }
  return sum;
}

Instance oscillators(Options options = {}) {
  Instance i = Program::from_string(oscillator, "oscillator.adj").instantiate(options);
  i.bind("k", std::span<const double>(stiffness), {3});
  return i;
}

/// Natively and by the interpreter.
class BothWays : public ::testing::TestWithParam<bool> {
 protected:
  Options options() const {
    Options o;
    o.interpreted = GetParam();
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Program, BothWays, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "interpreted" : "native"; });

TEST_P(BothWays, RunAndGradient) {
  Instance i = oscillators(options());
  i.run(50);
  EXPECT_NEAR(i.loss(), loss_by_hand(stiffness, 1, 50), 1e-14);
  Gradient g = i.gradient(50, {"k", "x0"});
  EXPECT_EQ(g.loss, i.loss());
  EXPECT_EQ(g.of.at("k").shape, std::vector<int64_t>{3});
  double h = 1e-5;
  EXPECT_NEAR(g.of.at("x0").reals[0],
              (loss_by_hand(stiffness, 1 + h, 50) - loss_by_hand(stiffness, 1 - h, 50)) / (2 * h), 1e-8);
  EXPECT_NEAR(g.of.at("k").reals[1],
              (loss_by_hand({1, 2 + h, 3}, 1, 50) - loss_by_hand({1, 2 - h, 3}, 1, 50)) / (2 * h), 1e-8);
  Tangent t = i.tangent(50, {{"k", Array::of_reals({1, -2, 0.5}, {3})}});
  const auto& gk = g.of.at("k").reals;
  EXPECT_NEAR(t.derivative, gk[0] - 2 * gk[1] + 0.5 * gk[2], 1e-13);
  EXPECT_EQ(t.loss, g.loss);
}

TEST_P(BothWays, SchedulesGiveTheSameBits) {
  for (int64_t steps : {0, 1, 2, 3, 7, 20}) {
    Options two = options();
    two.schedule = ScheduleKind::two_snapshots;
    Instance a = oscillators(options()), b = oscillators(two);
    Gradient ga = a.gradient(steps), gb = b.gradient(steps);
    EXPECT_EQ(ga.loss, gb.loss);
    EXPECT_EQ(ga.of.at("k").reals, gb.of.at("k").reals) << steps;
    EXPECT_EQ(ga.of.at("x0").reals, gb.of.at("x0").reals);
    EXPECT_EQ(a.state("x").reals, b.state("x").reals);
    EXPECT_EQ(a.statistics().steps_advanced, steps);
    EXPECT_EQ(b.statistics().steps_redone > 0, steps > 1) << steps;
  }
}

TEST_P(BothWays, AnInstanceForgetsNothingAndKeepsNothing) {
  Instance i = oscillators(options());
  i.run(20);
  double before = i.loss();
  Gradient first = i.gradient(20), second = i.gradient(20);
  EXPECT_EQ(first.of.at("k").reals, second.of.at("k").reals);  // nothing accumulates
  EXPECT_EQ(i.loss(), before);
  EXPECT_EQ(i.value("k").reals, stiffness);  // what was bound is unchanged
  i.bind("x0", 2.0);
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { i.loss(); }), "run the program again");
  Gradient changed = i.gradient(20);
  Instance fresh = oscillators(options());
  fresh.bind("x0", 2.0);
  EXPECT_EQ(changed.of.at("k").reals, fresh.gradient(20).of.at("k").reals);
}

TEST(Program, MemoryStaysFlat) {
  Instance i = oscillators();
  i.gradient(10);
  int64_t peak = i.statistics().peak_bytes;
  for (int k = 0; k < 1000; ++k) i.gradient(10);
  EXPECT_EQ(i.statistics().peak_bytes, peak);
}

TEST(Program, NativeAndInterpretedAgreeToTheBit) {
  Options o;
  o.interpreted = true;
  Instance a = oscillators(), b = oscillators(o);
  Gradient ga = a.gradient(40), gb = b.gradient(40);
  EXPECT_EQ(ga.loss, gb.loss);
  EXPECT_EQ(ga.of.at("k").reals, gb.of.at("k").reals);
}

TEST(Program, GradientInAStateIsThatAfterInit) {
  Instance i = oscillators();
  Gradient g = i.gradient(5, {"x", "x0"});
  double sum = 0;
  for (double d : g.of.at("x").reals) sum += d;
  EXPECT_NEAR(sum, g.of.at("x0").reals[0], 1e-14);
  EXPECT_NEAR(i.tangent(5, {{"x", Array::of_reals({1, 1, 1}, {3})}}).derivative, sum, 1e-14);
}

TEST(Program, WhatTheLossDoesNotDependOn) {
  Gradient g = oscillators().gradient(5, {"idle", "k"});
  EXPECT_EQ(g.of.at("idle").reals, std::vector<double>{0});
  ASSERT_EQ(g.warnings.size(), 1u);
  EXPECT_SAYS(g.warnings[0], "the loss does not depend on idle, so this gradient is 0: idle is never used");
}

TEST(Program, SinglePrecision) {
  Options o;
  o.real = Real::f32;
  Instance i = oscillators(o);
  i.run(50);
  EXPECT_NEAR(i.loss(), loss_by_hand(stiffness, 1, 50), 1e-5);
  EXPECT_NE(i.loss(), loss_by_hand(stiffness, 1, 50));
}

TEST(Program, SizesAreFixedWhenInstantiated) {
  Options o;
  o.sizes["n"] = 5;
  Instance i = Program::from_string(oscillator).instantiate(o);
  EXPECT_EQ(i.sizes().at("n"), 5);
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { i.bind("k", std::span<const double>(stiffness), {3}); }),
              "wants the shape (5,)");
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { i.bind("n", 4.0); }), "'n' is a size");
  o.sizes["m"] = 1;
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { Program::from_string(oscillator).instantiate(o); }), "no size 'm'");
  o.sizes = {{"n", -1}};
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { Program::from_string(oscillator).instantiate(o); }),
              "the extent of Mass is -1");
}

TEST(Program, MissingThings) {
  EXPECT_SAYS(
      failure_of(Failure::wrong_use,
                 [] { Program::from_string("size n; size m; space P(n * m); state x[P]: real = 0;").instantiate(); }),
      "the sizes n, m have no value");
  Instance i = Program::from_string(oscillator).instantiate();
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { i.run(1); }), "k (real) has no value: bind it");
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { i.bind("kk", 1.0); }), "there is no param, input or state 'kk'");
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { i.run(-1); }), "cannot be negative (-1)");
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { i.loss("energy"); }), "there is no loss 'energy'");
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { Program::from_file("/none/such.adj"); }), "cannot read");
}

TEST(Program, MistakesComeAsAList) {
  try {
    Program::from_string("state x: real = 0;\nstep { x = y; x = z; }\n", "wrong.adj");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, Failure::wrong_program);
    ASSERT_EQ(e.messages.size(), 2u) << e.what();
    EXPECT_EQ(e.messages[0].line, 2u);
    EXPECT_EQ(e.messages[0].file, "wrong.adj");
    EXPECT_SAYS(std::string(e.what()), "wrong.adj:2:");
  }
}

TEST(Program, TooMuchMemoryIsRefused) {
  Options o;
  o.memory_bytes = 1000;
  Instance i = oscillators(o);
  std::string text = failure_of(Failure::wrong_use, [&] { i.gradient(100000); });
  EXPECT_SAYS(text, "the gradient of 100000 steps would keep");
  EXPECT_SAYS(text, "1000 bytes of memory are allowed");
}

TEST_P(BothWays, AFaultHasItsPlaceAndLeavesTheInstanceUsable) {
  Instance i = Program::from_string(R"(space P(4);
state x[P]: real = 1;
input at: int = 2;
step { x[P(at)] = 2; }
loss { return x[P(0)]; }
)",
                                    "fault.adj")
                   .instantiate(options());
  i.run(2);
  EXPECT_EQ(i.loss(), 1);
  const int64_t nine = 9;
  i.bind("at", std::span<const int64_t>(&nine, 1), {});
  std::string text = failure_of(Failure::failed_run, [&] { i.run(2); });
  EXPECT_SAYS(text, "fault.adj:4:");
  EXPECT_SAYS(text, "9");
  EXPECT_SAYS(text, "4");
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { i.loss(); }), "run the program before");
  const int64_t zero = 0;
  i.bind("at", std::span<const int64_t>(&zero, 1), {});
  i.run(1);
  EXPECT_EQ(i.loss(), 2);
}

TEST_P(BothWays, RowsOverTime) {
  Instance i = Program::from_string(R"(param push[time]: real;
input seen[time]: real;
state x: real = 0;
state misfit: real = 0;
step { x += push[now]; misfit += (x - seen[now + 1])^2; }
loss { return misfit; }
)",
                                    "time.adj")
                   .instantiate(options());
  std::vector<double> push{1, 2, 3}, seen{0, 1, 2, 3};
  i.bind("push", std::span<const double>(push), {3});
  i.bind("seen", std::span<const double>(seen), {4});
  Gradient g = i.gradient(3, {"push"});
  EXPECT_EQ(g.loss, 0 + 1 + 9);
  EXPECT_EQ(g.of.at("push").shape, std::vector<int64_t>{3});
  EXPECT_EQ(g.of.at("push").reals, (std::vector<double>{8, 8, 6}));
  i.bind("seen", std::span<const double>(push), {3});
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { i.run(3); }), "time.adj:5:");
  EXPECT_SAYS(failure_of(Failure::wrong_use, [&] { i.run(7); }), "has 3 rows over time, but 7 steps need 8");
}

TEST(Program, TheFirstNaNIsFound) {
  Instance i = Program::from_string(
                   "space P(3);\nstate x[P]: real = 0.5;\nstep { for p in P { x[p] = sqrt(x[p] - 0.3 * real(index(p))) "
                   "- 0.1; } }\n"
                   "loss { return x[P(0)] + x[P(2)]; }",
                   "nan.adj")
                   .instantiate();
  i.run(5);
  EXPECT_TRUE(std::isnan(i.loss()));
  auto where = i.implementation().first_nan(5);
  ASSERT_TRUE(where.has_value());
  EXPECT_SAYS(*where, "x[2] became NaN in step 1 of 5");
}

TEST(Program, ZeroStepsAndNoStep) {
  Instance i = oscillators();
  i.run(0);
  EXPECT_EQ(i.loss(), 3);
  EXPECT_EQ(i.gradient(0, {"x0"}).of.at("x0").reals, std::vector<double>{6});
  Instance still = Program::from_string("param a: real = 3;\nloss { return a^2 * real(steps); }").instantiate();
  EXPECT_EQ(still.gradient(4).of.at("a").reals, std::vector<double>{24});
}

double norm_of(const std::vector<const Array*>& arrays) {
  double sum = 0;
  for (const Array* a : arrays) {
    for (double x : a->reals) sum += x * x;
  }
  return std::sqrt(sum);
}

/// The reference of bench/peers, from a program of tests/programs.
TEST(Program, NBodyAgainstHandWrittenAdjoint) {
  Options o;
  o.sizes["n"] = 64;
  Instance i = Program::from_file(ADJOULE_PROGRAMS_DIR "/nbody.adj").instantiate(o);
  for (const char* name : {"x0", "v0", "mass"}) {
    std::string path = std::string(ADJOULE_INPUTS_DIR "/nbody/") + name + ".npy";
    i.bind(name, runtime::read_npy(path), path);
  }
  Gradient g = i.gradient(200);
  EXPECT_NEAR(g.loss, 1.2563186160277127, 1e-12);
  EXPECT_NEAR(norm_of({&g.of.at("x0"), &g.of.at("v0")}), 2.32742381135171, 2e-9);
  EXPECT_NEAR(norm_of({&g.of.at("mass")}), 0.544813199474740, 5e-10);
}

TEST(Program, GradientsAreCheckedAgainstDifferencesAndTangents) {
  Instance i = oscillators();
  runtime::Instance& inner = i.implementation();
  driver::CheckSettings settings{.steps = 30, .loss = 0, .wrt = inner.differentiable({"k", "x0", "v", "idle"})};
  std::vector<std::string> warnings;
  auto checks = driver::check_gradient(inner, inner, settings, warnings);
  ASSERT_EQ(checks.size(), 4u);
  for (const driver::ParameterCheck& c : checks) {
    EXPECT_TRUE(c.passed) << c.name << " " << c.difference_error << " " << c.tangent_error;
    EXPECT_EQ(c.directions, c.numbers);
  }
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_EQ(i.value("k").reals, stiffness);
}

}  // namespace
}  // namespace adjoule
