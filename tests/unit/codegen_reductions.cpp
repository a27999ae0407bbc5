// Reductions of parallel loops: the fixed order, whatever the shape of the loop and wherever the statements stand.
#include "codegen_support.hpp"

namespace adjoule::codegen_test {
namespace {

class Reductions : public testing::TestWithParam<bool> {
 protected:
  World world;
  void SetUp() override { world.environment.single = GetParam(); }
};

Value moved(Builder& b, Value reference, std::vector<int32_t> by) {
  Values operands{reference};
  for (int32_t o : by) operands.push_back(b.constant(o));
  return b.emit(Opcode::offset, operands);
}

TEST_P(Reductions, ScalarSums) {
  for (int32_t n : {0, 1, 15, 16, 17, 1023, 1024, 1025, 5000}) {
    SpaceId s = world.space("S", n, n % 2 == 1);
    Type field = field_of(vector_type(2), {s});
    Builder b(world.program, "sums");
    Value u = b.input(field, "u"), start = b.input(real_type(), "start");
    Value v = b.emit(Opcode::pack, {start, b.constant(0.25)}, vector_type(2));
    std::vector<Mode> modes(3, Mode::reduce_add);
    b.set_outputs(b.loop({world.over(s)}, {v, start, b.constant(int32_t{5})}, modes, [&](std::span<const Value> i, std::span<const Value> h) {
      Value x = b.load(u, {i[0]});
      b.reduce(h[0], {}, b.multiply(x, x));
      b.reduce(h[1], {}, b.emit(Opcode::sine, {b.extract(x, 0)}));
      b.reduce(h[1], {}, b.extract(x, 1));   // a second statement into the same scalar
      b.reduce(h[2], {}, b.emit(Opcode::index, {i[0]}));
    }));
    compare(world, b.take(), {random_field(world, field), real(0.5)});
  }
}

TEST_P(Reductions, ScalarSumsOverGridsAndRegions) {
  for (ir::Region region : {ir::Region::whole, ir::Region::interior, ir::Region::boundary}) {
    SpaceId g = world.grid("G", {45, 77}, {Boundary::clamp, Boundary::clamp});
    Type field = field_of(real_type(), {g});
    Builder b(world.program, "sums");
    Value u = b.input(field, "u");
    Domain d{.space = g, .region = region, .width = region == ir::Region::whole ? 0 : 2};
    b.set_outputs(b.loop({d}, {b.constant(0.0), b.zero(field)}, {Mode::reduce_add, Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
      Value x = b.load(u, {i[0]});
      Value slope = b.subtract(b.load(u, {moved(b, i[0], {1, 1})}), x);
      b.if_(b.emit(Opcode::less, {x, b.constant(0.5)}), [&] {
        b.reduce(h[0], {}, b.multiply(slope, slope));
        return Values{};
      }, [] { return Values{}; });
      b.store(h[1], {i[0]}, slope);
    }));
    compare(world, b.take(), {random_field(world, field)});
  }
}

TEST_P(Reductions, ScalarSumsFromInnerLoops) {
  SpaceId s = world.space("S", 2100);
  Type field = field_of(real_type(), {s});
  Builder b(world.program, "nested");
  Value u = b.input(field, "u");
  b.set_outputs(b.loop({world.over(s)}, {b.constant(0.1), b.constant(-9.0)}, {Mode::reduce_add, Mode::reduce_maximum}, [&](std::span<const Value> i, std::span<const Value> h) {
    Value x = b.load(u, {i[0]});
    Value turns = b.emit(Opcode::floor_modulo, {b.emit(Opcode::index, {i[0]}), b.constant(int32_t{4})});
    b.for_({}, {b.constant(int32_t{0}), turns}, {}, [&](Value k, std::span<const Value>) {
      Value y = b.multiply(x, b.emit(Opcode::int_to_real, {k}));
      b.reduce(h[0], {}, y);
      b.reduce(h[1], {}, y, ir::Reduction::maximum);
      return Values{};
    });
    b.reduce(h[0], {}, x);
  }));
  compare(world, b.take(), {random_field(world, field)});
}

TEST_P(Reductions, ExtremesAndInts) {
  SpaceId s = world.space("S", 3001);
  Type field = field_of(real_type(), {s}), ints = field_of(int_type(), {s});
  Builder b(world.program, "extremes");
  Value u = b.input(field, "u"), k = b.input(ints, "k");
  b.set_outputs(b.loop({world.over(s)}, {b.constant(0.0), b.constant(1.0), b.constant(int32_t{3}), b.constant(int32_t{0})},
                       {Mode::reduce_minimum, Mode::reduce_maximum, Mode::reduce_minimum, Mode::reduce_add}, [&](std::span<const Value> i, std::span<const Value> h) {
    Value x = b.load(u, {i[0]}), n = b.load(k, {i[0]});
    b.reduce(h[0], {}, x, ir::Reduction::minimum);
    b.reduce(h[0], {}, b.negate(x), ir::Reduction::minimum);
    b.if_(b.emit(Opcode::less, {n, b.constant(int32_t{50})}), [&] {
      b.reduce(h[1], {}, x, ir::Reduction::maximum);
      b.reduce(h[2], {}, n, ir::Reduction::minimum);
      b.reduce(h[3], {}, n);
      return Values{};
    }, [] { return Values{}; });
  }));
  compare(world, b.take(), {random_field(world, field), random_field(world, ints, 2, 100)});
}

// The spring lattice: two statements scatter into one field, whose order is statement by statement.
TEST_P(Reductions, ScatterStatementByStatement) {
  SpaceId particles = world.space("Particle", 40), springs = world.space("Spring", 2500, true);
  Type x_type = field_of(vector_type(2), {particles}), ends_type = field_of(array_of(reference_type(particles), 2), {springs});
  Builder b(world.program, "springs");
  Value x = b.input(x_type, "x"), ends = b.input(ends_type, "ends"), f = b.input(x_type, "f");
  b.set_outputs(b.loop({world.over(springs)}, {f, b.emit(Opcode::fill, {b.constant(0.3)}, field_of(real_type(), {particles}))},
                       {Mode::reduce_add, Mode::reduce_minimum}, [&](std::span<const Value> i, std::span<const Value> h) {
    Value pair = b.load(ends, {i[0]});
    Value p = b.extract(pair, 0), q = b.extract(pair, 1);
    Value d = b.subtract(b.load(x, {q}), b.load(x, {p}));
    Value length = b.emit(Opcode::norm, {d});
    Value pull = b.multiply(d, b.splat(b.subtract(length, b.constant(1.0)), vector_type(2)));
    b.reduce(h[0], {p}, pull);
    b.if_(b.emit(Opcode::less, {length, b.constant(2.0)}), [&] {
      b.reduce(h[0], {q}, b.negate(pull));
      b.reduce(h[1], {q}, length, ir::Reduction::minimum);
      return Values{};
    }, [] { return Values{}; });
    b.reduce(h[0], {p}, d);
  }));
  compare(world, b.take(), {random_field(world, x_type), random_field(world, ends_type, 2, 40), random_field(world, x_type, 3)});
}

// Scatter by constant offsets at every kind of rim, with an own store beside it.
TEST_P(Reductions, ScatterToNeighbours) {
  for (Boundary rule : {Boundary::zero, Boundary::periodic, Boundary::clamp}) {
    for (ir::Region region : {ir::Region::whole, ir::Region::interior, ir::Region::boundary}) {
      SpaceId g = world.grid("G", {12, 33}, {rule, Boundary::periodic});
      Type field = field_of(real_type(), {g});
      Builder b(world.program, "neighbours");
      Value u = b.input(field, "u");
      Domain d{.space = g, .region = region, .width = region == ir::Region::whole ? 0 : 1};
      b.set_outputs(b.loop({d}, {b.zero(field), b.zero(field)}, {Mode::reduce_add, Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
        Value x = b.load(u, {i[0]});
        b.reduce(h[0], {moved(b, i[0], {0, 1})}, x);
        b.reduce(h[0], {moved(b, i[0], {-1, 0})}, b.multiply(x, x));
        b.reduce(h[0], {i[0]}, b.negate(x));
        b.store(h[1], {i[0]}, b.load(u, {moved(b, i[0], {2, -1})}));
      }));
      compare(world, b.take(), {random_field(world, field)});
    }
  }
}

// The scatter of mpm: inside inner loops, one statement a field; and two into one field, where the loop runs twice.
TEST_P(Reductions, ScatterFromInnerLoops) {
  SpaceId particles = world.space("Particle", 200), g = world.grid("G", {8, 8}, {Boundary::zero, Boundary::clamp});
  Type x_type = field_of(vector_type(2), {particles}), mass = field_of(real_type(), {g}), momentum = field_of(vector_type(2), {g});
  Builder b(world.program, "scatter");
  Value x = b.input(x_type, "x");
  Values outputs;
  for (bool twice : {false, true}) {
    Values results = b.loop({world.over(particles)}, {b.zero(mass), b.zero(momentum)}, {Mode::reduce_add, Mode::reduce_add}, [&](std::span<const Value> i, std::span<const Value> h) {
      Value at = b.load(x, {i[0]});
      auto cell = [&](int axis) {
        return b.emit(Opcode::real_to_int, {b.emit(Opcode::floor, {b.multiply(b.add(b.extract(at, axis), b.constant(2.0)), b.constant(2.0))})});
      };
      Value base = b.make_reference(g, {cell(0), cell(1)});
      b.for_({}, {b.constant(int32_t{-1}), b.constant(int32_t{2})}, {}, [&](Value p, std::span<const Value>) {
        b.for_({}, {b.constant(int32_t{-1}), b.constant(int32_t{2})}, {}, [&](Value q, std::span<const Value>) {
          Value to = b.emit(Opcode::offset, {base, p, q});
          Value weight = b.multiply(b.extract(at, 0), b.emit(Opcode::int_to_real, {b.add(p, q)}));
          b.reduce(h[0], {to}, weight);
          b.reduce(h[1], {to}, b.multiply(at, b.splat(weight, vector_type(2))));
          if (twice) b.reduce(h[1], {base}, at);
          return Values{};
        });
        return Values{};
      });
    });
    outputs.insert(outputs.end(), results.begin(), results.end());
  }
  b.set_outputs(outputs);
  compare(world, b.take(), {random_field(world, x_type)});
}

// The adjoint of nbody: two statements into one field from an inner loop, beside own elements that are read and written.
// The loop runs twice, and the first run must leave the own elements alone.
TEST_P(Reductions, RepeatedLoopsKeepOwnElements) {
  SpaceId s = world.space("Body", 23);
  Type field = field_of(real_type(), {s});
  Builder b(world.program, "pairs");
  Value x = b.input(field, "x"), v = b.input(field, "v"), w = b.input(field, "w"), bar = b.input(field, "bar");
  b.set_outputs(b.loop({world.over(s)}, {bar, v, w, v}, {Mode::reduce_add, Mode::own, Mode::own, Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
    Value here = b.multiply(b.load(h[1], {i[0]}), b.constant(0.9));
    b.store(h[1], {i[0]}, here);
    b.store(h[2], {i[0]}, b.multiply(here, here));
    b.for_({.space = s}, {}, {}, [&](Value j, std::span<const Value>) {
      Value d = b.subtract(b.load(x, {j}), b.multiply(b.load(x, {i[0]}), b.load(h[1], {i[0]})));
      b.reduce(h[0], {i[0]}, b.negate(d));
      b.reduce(h[0], {j}, d);
      b.reduce(h[3], {i[0]}, d);
      return Values{};
    });
  }));
  compare(world, b.take(), {random_field(world, field), random_field(world, field, 2), random_field(world, field, 3), random_field(world, field, 4)});
}

TEST_P(Reductions, OwnElements) {
  SpaceId g = world.grid("G", {6, 50}, {Boundary::periodic, Boundary::periodic}), s = world.space("S", 5);
  Type field = field_of(vector_type(2), {g, s});
  Builder b(world.program, "own");
  Value u = b.input(field, "u");
  b.set_outputs(b.loop({world.over(g)}, {u, u}, {Mode::reduce_add, Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
    b.for_({.space = s, .reversed = true}, {}, {}, [&](Value k, std::span<const Value>) {
      b.reduce(h[0], {i[0], k}, b.load(u, {i[0], k}));
      b.reduce(h[1], {i[0], k}, b.load(u, {moved(b, i[0], {1, 0}), k}));
      b.store(h[1], {i[0], k}, b.negate(b.load(h[1], {i[0], k})));
      return Values{};
    });
  }));
  compare(world, b.take(), {random_field(world, field)});
}

INSTANTIATE_TEST_SUITE_P(Real, Reductions, testing::Bool(), [](const auto& info) { return info.param ? "f32" : "f64"; });

}  // namespace
}  // namespace adjoule::codegen_test
