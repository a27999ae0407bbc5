// Types as the user writes them.
#include <gtest/gtest.h>

#include "base/type.hpp"

namespace adjoule {
namespace {

TEST(Type, Names) {
  const std::vector<std::string> spaces{"time", "Cell", "Particle"};
  EXPECT_EQ(to_string(bool_type(), spaces), "bool");
  EXPECT_EQ(to_string(int_type(), spaces), "int");
  EXPECT_EQ(to_string(real_type(), spaces), "real");
  EXPECT_EQ(to_string(vector_type(3), spaces), "vec3");
  EXPECT_EQ(to_string(matrix_type(2), spaces), "mat2");
  EXPECT_EQ(to_string(reference_type(2), spaces), "Particle");
  EXPECT_EQ(to_string(reference_type(9), spaces), "space#9");
  EXPECT_EQ(to_string(Type{}, spaces), "nothing");
}

TEST(Type, ArraysFieldsAndStacks) {
  const std::vector<std::string> spaces{"time", "Cell", "Particle"};
  EXPECT_EQ(to_string(array_of(vector_type(2), 3), spaces), "vec2[3]");
  EXPECT_EQ(to_string(array_of(array_of(real_type(), 3), 2), spaces), "real[2, 3]");
  EXPECT_EQ(to_string(field_of(real_type(), {1}), spaces), "real[Cell]");
  EXPECT_EQ(to_string(field_of(array_of(reference_type(2), 2), {0, 1}), spaces), "Particle[2][time, Cell]");
  EXPECT_EQ(to_string(stack_of(vector_type(2)), spaces), "stack<vec2>");
  EXPECT_EQ(to_string(stack_of(field_of(real_type(), {1})), spaces), "stack<real[Cell]>");
}

}  // namespace
}  // namespace adjoule
