// Whole simulations with independently known losses and gradients, at full size.
#include "gradients/support.hpp"

namespace gradients {
namespace {

Program simulation(const std::string& name) {
  return Program::from_file(std::string(ADJOULE_SOURCE_DIR) + "/tests/gradients/simulations/" + name + ".adj");
}

TEST(Simulations, MpmDrop) {
  Program program = simulation("mpm_drop");
  Gradient g = instance(program, {}).gradient(1023, {"v0"});
  EXPECT_NEAR(g.loss, 0.0504664907, 1e-10);
  EXPECT_NEAR(g.of.at("v0").reals[0], -0.01369874, 1e-8);
  EXPECT_NEAR(g.of.at("v0").reals[1], 0.03125752, 1e-8);
}

TEST(Simulations, TriangleOfSprings) {
  Program program = simulation("triangle");
  double diagonal = std::sqrt(0.1 * 0.1 + 0.1 * 0.1);
  Bindings b{{"x0", reals({0.3, 0.5, 0.3, 0.4, 0.4, 0.4}, {3, 2})}, {"ends", ints({0, 1, 1, 2, 2, 0}, {3, 2})}, {"rest", reals({0.1, 0.1, diagonal})}};
  Instance i = instance(program, b);
  Gradient g = i.gradient(1023, {"rest"});
  EXPECT_NEAR(g.loss, 0.00902640198, 1e-11);
  const std::vector<double> expected{-0.00565966, -0.00565966, -0.00269581};
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(g.of.at("rest").reals[k], expected[k], 1e-8);
  Array direction = reals({1, -2, 0.5});
  double along = 0;
  for (size_t k = 0; k < 3; ++k) along += direction.reals[k] * g.of.at("rest").reals[k];
  EXPECT_NEAR(i.tangent(1023, {{"rest", direction}}).derivative, along, 1e-14);
}

TEST(Simulations, BouncingBall) {
  Gradient g = instance(simulation("bouncing_ball"), {}).gradient(203);
  EXPECT_NEAR(g.loss, 0.512, 1e-13);
  EXPECT_EQ(g.of.at("y0").reals[0], -1);
}

}  // namespace
}  // namespace gradients
