// The seventeen programs of tests/programs against their reference values, against their adjoints derived by hand and run by
// the same compiler, against the adjoints that `emit --stage adjoint` prints, and against the reference interpreter.
#include "driver/compilation.hpp"
#include "gradients/support.hpp"
#include "lifting/lift.hpp"
#include "transform/transform.hpp"

namespace gradients {
namespace {

const std::vector<std::string> all_programs{"nbody", "spring", "wave", "heat",  "mpm",   "implicit", "newton", "jumps", "shortest",
                                            "relax", "sweep",  "arrays", "lines", "smoke", "billiards", "lynx", "robot"};

std::vector<std::string> gradient_fields(const Case& c) {
  std::vector<std::string> fields;
  for (const auto& g : c.json["gradients"])
    for (const auto& field : g["wrt"])
      if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
  return fields;
}

/// The numbers of a square grid without its outermost ring.
std::vector<double> interior(const Array& a) {
  auto n = static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(a.reals.size()))));
  std::vector<double> inside;
  for (size_t i = 1; i + 1 < n; ++i)
    for (size_t j = 1; j + 1 < n; ++j) inside.push_back(a.reals[i * n + j]);
  return inside;
}

void compare_with_references(const Case& c, const Gradient& g) {
  double loss = c.json["loss"]["value"], tolerance = c.json["loss"]["tolerance"];
  EXPECT_LE(std::fabs(g.loss - loss), tolerance * std::fabs(loss)) << "loss " << g.loss;
  for (const auto& expected : c.json["gradients"]) {
    std::vector<double> numbers;
    for (const auto& field : expected["wrt"]) {
      const Array& a = g.of.at(field);
      std::vector<double> part = expected["region"] == "interior" ? interior(a) : a.reals;
      numbers.insert(numbers.end(), part.begin(), part.end());
    }
    double reference = expected["norm"], relative = expected["tolerance"];
    EXPECT_LE(std::fabs(norm(numbers) - reference), relative * reference) << expected.dump() << " got norm " << norm(numbers);
    if (!expected.contains("sum")) continue;
    double sum = 0;
    for (double x : numbers) sum += x;
    EXPECT_LE(std::fabs(sum - expected["sum"].get<double>()), relative * reference) << expected.dump() << " got sum " << sum;
    for (size_t k = 0; k < expected["first"].size(); ++k)
      EXPECT_LE(std::fabs(numbers[k] - expected["first"][k].get<double>()), relative * reference) << expected.dump();
  }
}

class Programs : public testing::TestWithParam<std::string> {};

TEST_P(Programs, MatchReferenceValues) {
  Case c = read_case(GetParam());
  Program program = Program::from_file(c.path);
  Instance i = instance(program, c.bindings, {.sizes = c.sizes});
  compare_with_references(c, i.gradient(c.steps, gradient_fields(c)));
}

/// The program's own adjoint, written by hand: the same numbers, as states named x_bar.
TEST_P(Programs, AgreeWithTheAdjointsDerivedByHand) {
  if (GetParam() == "lines" || GetParam() == "heat") GTEST_SKIP() << "has no adjoint derived by hand";
  Case c = read_case(GetParam());
  Gradient ours = instance(Program::from_file(c.path), c.bindings, {.sizes = c.sizes}).gradient(c.steps, gradient_fields(c));
  std::string by_hand = std::string(ADJOULE_PROGRAMS_DIR) + "/" + GetParam() + "_adj.adj";
  Instance hand = instance(Program::from_file(by_hand), c.bindings, {.sizes = c.sizes});
  hand.run(c.steps);
  size_t compared = 0;
  for (const adjoule::FieldDescription& field : hand.fields()) {
    if (field.role != adjoule::Role::state) continue;
    std::string of = field.name.substr(0, field.name.size() - 4);
    if (!ours.of.count(of)) continue;
    ++compared;
    EXPECT_LE(relative_error(ours.of.at(of).reals, hand.state(field.name).reals), 1e-10) << field.name;
  }
  EXPECT_GT(compared, 0u);
}

/// The printed adjoint passes the checker, and gives the gradient.
TEST_P(Programs, PrintTheirAdjointAsALegalProgram) {
  Case c = read_case(GetParam());
  Program program = Program::from_file(c.path);
  Gradient ours = instance(program, c.bindings, {.sizes = c.sizes}).gradient(c.steps, gradient_fields(c));
  const adjoule::driver::Compilation& compilation = program.compilation();
  std::vector<int> wrt;
  for (const std::string& name : gradient_fields(c))
    for (size_t k = 0; k < compilation.prepared->fields.size(); ++k)
      if (compilation.prepared->fields[k].name == name) wrt.push_back(static_cast<int>(k));
  adjoule::adjoint::GradientPlan plan = adjoule::adjoint::plan_gradient(*compilation.prepared, 0, wrt);
  std::string text = adjoule::lifting::adjoint_source(*compilation.ast, *compilation.prepared, plan);
  SCOPED_TRACE(text);
  Instance printed = instance(Program::from_string(text, GetParam() + "_printed.adj"), c.bindings, {.sizes = c.sizes});
  printed.run(c.steps);
  for (const std::string& name : gradient_fields(c))
    EXPECT_LE(relative_error(printed.state(name + "_bar").reals, ours.of.at(name).reals), 1e-13) << name;
}

/// Fewer steps than the whole run where a test repeats it, but all of them where rows over time are bound for just that many.
int64_t fewer_steps(const Case& c, int64_t most) {
  for (const adjoule::FieldDescription& field : Program::from_file(c.path).instantiate({.sizes = c.sizes}).fields())
    if (!field.spaces.empty() && field.spaces[0] == "time") return c.steps;
  return std::min(c.steps, most);
}

/// Native code and the interpreter: the same bits, loss and gradient.
TEST_P(Programs, GiveTheInterpretersBits) {
  Case c = read_case(GetParam());
  int64_t steps = fewer_steps(c, 3);
  Program program = Program::from_file(c.path);
  Gradient native = instance(program, c.bindings, {.sizes = c.sizes}).gradient(steps, gradient_fields(c));
  Gradient oracle = instance(program, c.bindings, {.sizes = c.sizes, .interpreted = true}).gradient(steps, gradient_fields(c));
  EXPECT_EQ(native.loss, oracle.loss);
  for (const std::string& name : gradient_fields(c)) EXPECT_EQ(native.of.at(name).reals, oracle.of.at(name).reals) << name;
}

/// Running twice, and under the schedule with two snapshots: the same bits.
TEST_P(Programs, GiveTheSameBitsUnderEverySchedule) {
  Case c = read_case(GetParam());
  int64_t steps = fewer_steps(c, 17);
  Program program = Program::from_file(c.path);
  Instance kept = instance(program, c.bindings, {.sizes = c.sizes});
  Gradient once = kept.gradient(steps, gradient_fields(c));
  Gradient again = kept.gradient(steps, gradient_fields(c));
  Options two{.sizes = c.sizes, .schedule = adjoule::ScheduleKind::two_snapshots};
  Gradient redone = instance(program, c.bindings, two).gradient(steps, gradient_fields(c));
  EXPECT_EQ(once.loss, again.loss);
  EXPECT_EQ(once.loss, redone.loss);
  for (const std::string& name : gradient_fields(c)) {
    EXPECT_EQ(once.of.at(name).reals, again.of.at(name).reals) << name;
    EXPECT_EQ(once.of.at(name).reals, redone.of.at(name).reals) << name;
  }
}

/// The dot-product test: derivative in a direction by the tangent = gradient · direction.
TEST_P(Programs, HaveATangentThatAgreesWithTheAdjoint) {
  Case c = read_case(GetParam());
  Program program = Program::from_file(c.path);
  Instance i = instance(program, c.bindings, {.sizes = c.sizes});
  Gradient g = i.gradient(c.steps, gradient_fields(c));
  for (const std::string& name : gradient_fields(c)) {
    Array direction = g.of.at(name);
    double expected = 0, scale = 0;
    for (size_t k = 0; k < direction.reals.size(); ++k) {
      direction.reals[k] = std::sin(1.0 + 1.7 * static_cast<double>(k));
      expected += direction.reals[k] * g.of.at(name).reals[k];
      scale += std::fabs(direction.reals[k] * g.of.at(name).reals[k]);
    }
    adjoule::Tangent t = i.tangent(c.steps, {{name, direction}});
    EXPECT_LE(std::fabs(t.derivative - expected), 1e-12 * scale) << name << ": " << t.derivative << " and " << expected;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Programs, testing::ValuesIn(all_programs), [](const auto& info) { return info.param; });

/// The adjoint of an adjoint, derived by hand: a Hessian-vector product. Ours is the gradient of newton_adj's gradients, seeded.
/// Twice on one instance: nothing is left over from the first time (case 55).
TEST(SecondOrder, NewtonAgreesWithTheSecondAdjointDerivedByHand) {
  Case c = read_case("newton");
  std::vector<double> seed, seed2;
  for (size_t k = 0; k < c.bindings.at("a").reals.size(); ++k) {
    seed.push_back(std::sin(1 + 1.7 * static_cast<double>(k)));
    seed2.push_back(std::cos(0.3 * static_cast<double>(k)));
  }
  Bindings bindings = c.bindings;
  bindings["seed"] = reals(seed);
  bindings["seed2"] = reals(seed2);
  const std::string folder = std::string(ADJOULE_PROGRAMS_DIR) + "/";
  std::string seeded = read_text(folder + "newton_adj.adj") +
      "input seed[P]: real; input seed2[P]: real;"
      "loss { var e: real = 0; for p in P { e += seed[p] * a_bar[p] + seed2[p] * y0_bar[p]; } return e; }";
  Instance ours = instance(Program::from_string(seeded, "newton_adj_seeded.adj"), bindings);
  Gradient first = ours.gradient(c.steps, {"a", "y0"}), again = ours.gradient(c.steps, {"a", "y0"});
  Instance hand = instance(Program::from_file(folder + "newton_adj_adj.adj"), bindings);
  hand.run(c.steps);
  for (const char* name : {"a", "y0"}) {
    EXPECT_LE(relative_error(first.of.at(name).reals, hand.state(std::string(name) + "_bar2").reals), 1e-12) << name;
    EXPECT_EQ(first.of.at(name).reals, again.of.at(name).reals) << name;
  }
}

}  // namespace
}  // namespace gradients
