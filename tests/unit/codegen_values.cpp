// Every pure operation, machine code against interpreter, on special values and random ones, in f64 and f32.
#include "codegen_support.hpp"

namespace adjoule::codegen_test {
namespace {

class Precision : public testing::TestWithParam<bool> {
 protected:
  World world;
  void SetUp() override { world.environment.single = GetParam(); }
};

const std::vector<double>& special_reals() {
  static const std::vector<double> list = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 3.0, 1e-3, -7.25, 100.0,
                                           1e10, -1e10, 2147483647.0, -2147483649.0, 1e300, 1e-300, 5e-324, INFINITY, -INFINITY, NAN};
  return list;
}

/// Inputs a, b, c over a table and random numbers; `build` gives the outputs. All results in one field over a space.
void over_reals(World& world, const std::function<Values(Builder&, Value, Value, Value)>& build) {
  std::vector<std::array<double, 3>> rows;
  for (double a : special_reals()) {
    for (double b : special_reals()) rows.push_back({a, b, a - b});
  }
  std::mt19937 generator(7);
  std::normal_distribution<double> normal(0, 3);
  for (int i = 0; i < 437; ++i) rows.push_back({normal(generator), normal(generator), normal(generator)});
  SpaceId s = world.space("Row", static_cast<int32_t>(rows.size()));
  Type field = field_of(real_type(), {s});
  Builder b(world.program, "rows");
  Value inputs[3];
  std::vector<Datum> data(3);
  for (size_t k = 0; k < 3; ++k) {
    inputs[k] = b.input(field, "in");
    data[k].field = std::make_shared<ir::FieldData>();
    for (const auto& row : rows) data[k].field->reals.push_back(world.environment.single ? static_cast<double>(static_cast<float>(row[k])) : row[k]);
  }
  // Once to learn the types of the results.
  Builder trial(world.program, "trial");
  Values shapes = build(trial, trial.input(real_type(), "a"), trial.input(real_type(), "b"), trial.input(real_type(), "c"));
  Values updated;
  std::vector<Mode> modes;
  for (Value v : shapes) {
    updated.push_back(b.zero(field_of(trial.type(v), {s})));
    modes.push_back(Mode::own);
  }
  b.set_outputs(b.loop({world.over(s)}, updated, modes, [&](std::span<const Value> i, std::span<const Value> handles) {
    Values results = build(b, b.load(inputs[0], {i[0]}), b.load(inputs[1], {i[0]}), b.load(inputs[2], {i[0]}));
    for (size_t k = 0; k < results.size(); ++k) b.store(handles[k], {i[0]}, results[k]);
  }));
  compare(world, b.take(), data);
}

TEST_P(Precision, Arithmetic) {
  over_reals(world, [](Builder& b, Value x, Value y, Value z) {
    return Values{b.add(x, y), b.subtract(x, y), b.multiply(x, y), b.divide(x, y), b.negate(x), b.emit(Opcode::absolute, {x}),
                  b.emit(Opcode::sign, {x}), b.emit(Opcode::minimum, {x, y}), b.emit(Opcode::maximum, {x, y}),
                  b.emit(Opcode::fused_multiply_add, {x, y, z}), b.emit(Opcode::weigh, {x, y}), b.emit(Opcode::square_root, {x}),
                  b.emit(Opcode::floor, {x}), b.emit(Opcode::ceiling, {x}), b.emit(Opcode::round, {x}),
                  b.emit(Opcode::reciprocal_or_zero, {x}), b.emit(Opcode::detach, {x}),
                  b.add(b.multiply(x, y), b.multiply(y, z)), b.multiply(x, y)};
  });
}

TEST_P(Precision, Comparisons) {
  over_reals(world, [](Builder& b, Value x, Value y, Value) {
    Value less = b.emit(Opcode::less, {x, y}), equal = b.emit(Opcode::equal, {x, y});
    return Values{less, equal, b.emit(Opcode::not_equal, {x, y}), b.emit(Opcode::less_equal, {x, y}),
                  b.emit(Opcode::logical_and, {less, equal}), b.emit(Opcode::logical_or, {less, equal}),
                  b.emit(Opcode::logical_not, {less}), b.emit(Opcode::select, {less, x, y}), b.emit(Opcode::real_to_int, {x}),
                  b.emit(Opcode::int_to_real, {b.emit(Opcode::real_to_int, {y})})};
  });
}

TEST_P(Precision, ConstantPowers) {
  over_reals(world, [](Builder& b, Value x, Value, Value) {
    Values results;
    for (double e : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 15.0, 16.0, 0.5, 1.5, 2.5, -0.5, -1.0, -2.0, -3.5, 15.5, 17.0, 0.3, -20.0}) {
      results.push_back(b.power_constant(x, e));
    }
    return results;
  });
}

// The loop vectorises these through SLEEF's 4-lane versions and leaves a scalar rest.
TEST_P(Precision, ElementaryFunctions) {
  over_reals(world, [](Builder& b, Value x, Value y, Value) {
    Values results;
    for (Opcode code : {Opcode::exponential, Opcode::logarithm, Opcode::sine, Opcode::cosine, Opcode::tangent, Opcode::arc_sine,
                        Opcode::arc_cosine, Opcode::arc_tangent, Opcode::hyperbolic_sine, Opcode::hyperbolic_cosine,
                        Opcode::hyperbolic_tangent, Opcode::logarithm_or_zero}) {
      results.push_back(b.emit(code, {x}));
    }
    for (Opcode code : {Opcode::power, Opcode::arc_tangent2, Opcode::hypotenuse}) results.push_back(b.emit(code, {x, y}));
    return results;
  });
}

TEST(Codegen, ElementaryFunctionsVectorise) {
  World world;
  SpaceId s = world.space("S", 1000);
  Type field = field_of(real_type(), {s});
  Builder b(world.program, "waves");
  Value x = b.input(field, "x");
  b.set_outputs(b.loop({world.over(s)}, {b.zero(field)}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
    b.store(h[0], {i[0]}, b.emit(Opcode::sine, {b.load(x, {i[0]})}));
  }));
  ir::Procedure procedure = transform::plan_buffers(world.program, b.take());
  std::string text = codegen::emit_llvm(world.program, {&procedure}, options_of(world));
  if (text.find("+avx2") == std::string::npos) GTEST_SKIP() << "no AVX2 here";
  size_t first = text.find("call <");
  EXPECT_NE(text.find("@Sleef_finz_sind", first == std::string::npos ? text.size() : first), std::string::npos) << text;
  EXPECT_NE(codegen::emit_assembly(world.program, {&procedure}, options_of(world)).find("Sleef_finz_sind"), std::string::npos);
}

TEST_P(Precision, Vectors) {
  over_reals(world, [](Builder& b, Value x, Value y, Value z) {
    Value v2 = b.emit(Opcode::pack, {x, y}, vector_type(2)), w2 = b.emit(Opcode::pack, {z, x}, vector_type(2));
    Value v3 = b.emit(Opcode::pack, {x, y, z}, vector_type(3)), w3 = b.emit(Opcode::pack, {y, z, x}, vector_type(3));
    Value m2 = b.emit(Opcode::pack, {x, y, z, y}, matrix_type(2)), n2 = b.emit(Opcode::pack, {z, x, y, x}, matrix_type(2));
    Value m3 = b.emit(Opcode::outer, {v3, w3});
    return Values{b.add(v3, w3), b.multiply(v2, w2), b.emit(Opcode::dot, {v3, w3}), b.emit(Opcode::dot, {m2, n2}), b.emit(Opcode::norm, {v3}),
                  b.emit(Opcode::cross, {v3, w3}), m3, b.emit(Opcode::matrix_multiply, {m2, n2}), b.emit(Opcode::matrix_multiply, {m3, v3}),
                  b.emit(Opcode::transpose, {m3}), b.splat(x, vector_type(4)), b.splat(y, matrix_type(2)), b.extract(v3, 1),
                  b.extract(m2, 2), b.insert(v3, 2, x), b.emit(Opcode::sine, {v2}), b.emit(Opcode::minimum, {m2, n2}), b.negate(m3),
                  b.power_constant(v3, 3), b.emit(Opcode::weigh, {v3, w3})};
  });
}

TEST_P(Precision, Arrays) {
  over_reals(world, [](Builder& b, Value x, Value y, Value z) {
    Type two = array_of(vector_type(2), 3);
    Value p = b.emit(Opcode::pack, {x, y}, vector_type(2)), q = b.emit(Opcode::pack, {y, z}, vector_type(2));
    Value a = b.emit(Opcode::pack, {p, q, b.add(p, q)}, two);
    Value third = b.emit(Opcode::real_to_int, {b.emit(Opcode::absolute, {b.emit(Opcode::sine, {x})})});
    Value i = b.emit(Opcode::floor_modulo, {b.add(b.emit(Opcode::real_to_int, {y}), third), b.constant(int32_t{3})});
    return Values{a, b.extract(a, 1), b.emit(Opcode::extract_at, {a, i}), b.emit(Opcode::insert_at, {a, i, p}), b.insert(a, 2, q),
                  b.emit(Opcode::zero, {}, two), b.emit(Opcode::extract_at, {p, b.emit(Opcode::floor_modulo, {i, b.constant(int32_t{2})})})};
  });
}

TEST(Codegen, Integers) {
  World world;
  const std::vector<int32_t> list = {0, 1, -1, 2, -2, 7, -7, 100, INT32_MAX, INT32_MIN, INT32_MAX - 1, 3, 65536, -65535};
  SpaceId s = world.space("Pair", static_cast<int32_t>(list.size() * list.size()));
  Type field = field_of(int_type(), {s});
  Builder b(world.program, "ints");
  Value x = b.input(field, "x"), y = b.input(field, "y");
  std::vector<Datum> data(2);
  for (Datum& d : data) d.field = std::make_shared<ir::FieldData>();
  for (int32_t p : list) {
    for (int32_t q : list) data[0].field->integers.push_back(p), data[1].field->integers.push_back(q);
  }
  const std::vector<Opcode> two = {Opcode::add, Opcode::subtract, Opcode::multiply, Opcode::minimum, Opcode::maximum, Opcode::floor_divide,
                                   Opcode::floor_modulo, Opcode::weigh};
  const std::vector<Opcode> one = {Opcode::negate, Opcode::absolute, Opcode::sign, Opcode::detach};
  const std::vector<Opcode> tests = {Opcode::equal, Opcode::not_equal, Opcode::less, Opcode::less_equal};
  Values updated;
  for (size_t k = 0; k < two.size() + one.size(); ++k) updated.push_back(b.zero(field));
  for (size_t k = 0; k < tests.size(); ++k) updated.push_back(b.zero(field_of(bool_type(), {s})));
  b.set_outputs(b.loop({world.over(s)}, updated, std::vector<Mode>(updated.size(), Mode::own), [&](std::span<const Value> i, std::span<const Value> h) {
    Value p = b.load(x, {i[0]}), q = b.load(y, {i[0]});
    size_t k = 0;
    for (Opcode code : two) b.store(h[k++], {i[0]}, b.emit(code, {p, q}));
    for (Opcode code : one) b.store(h[k++], {i[0]}, b.emit(code, {p}));
    for (Opcode code : tests) b.store(h[k++], {i[0]}, b.emit(code, {p, q}));
  }));
  compare(world, b.take(), data);
}

TEST(Codegen, InstanceFacts) {
  World world;
  world.program.sizes.push_back({.name = "n"});
  world.environment.sizes = {42};
  SpaceId open = world.space("Open", 17, true);
  SpaceId grid = world.grid("G", {3, 5}, {Boundary::zero, Boundary::clamp});
  Builder b(world.program, "facts");
  b.set_outputs({b.emit(Opcode::size, {}, int_type()), b.extent(open, -1), b.extent(open, 0), b.extent(grid, 1), b.extent(grid, -1),
                 b.extent(time_space, -1), b.emit(Opcode::steps, {}, int_type()), b.constant(true)});
  compare(world, b.take(), {});
}

INSTANTIATE_TEST_SUITE_P(Real, Precision, testing::Bool(), [](const auto& info) { return info.param ? "f32" : "f64"; });

}  // namespace
}  // namespace adjoule::codegen_test
