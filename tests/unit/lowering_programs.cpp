// Every program of tests/programs lowers to IR that verifies.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lowering_support.hpp"

namespace adjoule::lowering::test {
namespace {

std::string read(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(LoweringPrograms, AllLowerAndVerify) {
  size_t programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ADJOULE_PROGRAMS_DIR)) {
    if (entry.path().extension() != ".adj") continue;
    SCOPED_TRACE(entry.path().filename().string());
    lower_good(read(entry.path()));
    ++programs;
  }
  EXPECT_GE(programs, 33u);
}

TEST(LoweringPrograms, RenamingVersionsIsNoOperation) {
  auto wave = lower_good(read(std::filesystem::path(ADJOULE_PROGRAMS_DIR) / "wave.adj"));
  const ir::Program& program = *wave->program;
  EXPECT_TRUE(program.init.block(program.init.body).ops.empty());
  // u_prev = u; u = next: the state u goes out as u_prev untouched.
  EXPECT_EQ(program.step.outputs()[1], program.step.inputs()[3]);
}

TEST(LoweringPrograms, BackSubstitutionIsOneSerialLoop) {
  auto implicit = lower_good(read(std::filesystem::path(ADJOULE_PROGRAMS_DIR) / "implicit.adj"));
  std::string step = printed(*implicit, implicit->program->step);
  EXPECT_EQ(count_of(step, "= serial ("), 2u) << step;
  EXPECT_EQ(count_of(step, "set_element"), 0u) << step;
}

TEST(LoweringPrograms, TablesAndSignatures) {
  Instance run(
      "size n = 3; size m = 4; space P(n * 2); grid G(n, m) boundary (periodic, clamp);\n"
      "param a[P]: real = 2; input b: vec2 = vec2(1, n); state x[P]: real; state y: real = 5; state z: int;\n"
      "init { x = a; } step { y += 1; } loss first { return y; } loss { return x[P(0)]; }",
      {.steps = 3});
  const ir::Program& program = run.program();
  ASSERT_EQ(program.sizes.size(), 2u);
  EXPECT_EQ(program.size_defaults.outputs().size(), 2u);
  EXPECT_EQ(program.extents.outputs().size(), 3u);
  EXPECT_EQ(program.init.inputs().size(), 6u);
  EXPECT_EQ(program.step.outputs().size(), 3u);
  EXPECT_EQ(program.losses[0].name, "first");
  EXPECT_EQ(program.losses[1].name, "loss");
  EXPECT_EQ(program.set_by_init, (std::vector<bool>{false, false, true, false, false}));
  EXPECT_EQ(run.state("x"), (Numbers{2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(run.loss(0), 8);
  EXPECT_EQ(run.loss(1), 2);
}

}  // namespace
}  // namespace adjoule::lowering::test
