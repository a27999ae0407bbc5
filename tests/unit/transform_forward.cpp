// forward_own_elements: elements that an iteration owns become values.
#include "transform_support.hpp"

namespace adjoule::transform::testing {
namespace {

using ir::Builder;
using ir::Mode;
using ir::Opcode;
using ir::Value;
using Values = std::vector<Value>;
using Given = std::span<const Value>;

class Forward : public ::testing::Test {
 protected:
  const ir::Program p = program();
  Builder b{p, "f"};

  ir::Procedure forwarded() {
    const ir::Procedure before = b.take();
    const ir::Procedure after = forward_own_elements(p, before);
    expect_same(p, before, after);
    const ir::Procedure clean = eliminate_dead_code(p, after);
    expect_same(p, before, clean);
    return clean;
  }
  static int loads_from_handles(const ir::Procedure& q, ir::BlockId block) {
    int n = 0;
    for (ir::OpId o : q.block(block).ops) {
      const ir::Op& op = q.op(o);
      n += op.code == Opcode::load && q.values[static_cast<size_t>(op.operands[0])].handle;
      for (ir::BlockId inner : op.blocks) n += loads_from_handles(q, inner);
    }
    return n;
  }
  void update(const std::function<void(Value index, Value handle)>& body, Type element = real_type()) {
    const Value x = b.input(particles(std::move(element)), "x");
    b.set_outputs(b.loop({over(particle)}, {x}, {Mode::own}, [&](Given i, Given h) { body(i[0], h[0]); }));
  }
};

TEST_F(Forward, ReadAndWriteOnce) {
  update([&](Value i, Value h) {
    const Value e = b.load(h, {i});
    b.store(h, {i}, b.add(e, e));
    b.store(h, {i}, b.negate(b.load(h, {i})));
  });
  const ir::Procedure after = forwarded();
  EXPECT_EQ(count(after, Opcode::store), 1);
  EXPECT_EQ(only(after, Opcode::load).operands[0], after.inputs()[0]);
}

TEST_F(Forward, WrittenBeforeReadNeedsNoLoad) {
  update([&](Value i, Value h) {
    b.store(h, {i}, b.constant(2.0));
    b.store(h, {i}, b.multiply(b.load(h, {i}), b.load(h, {i})));
  });
  EXPECT_EQ(count(forwarded(), Opcode::load), 0);
}

TEST_F(Forward, OnlyReadLeavesNoHandle) {
  const Value x = b.input(particles(), "x");
  const Values r = b.loop({over(particle)}, {x, b.constant(0.0)}, {Mode::own, Mode::reduce_add},
                          [&](Given i, Given h) { b.reduce(h[1], {}, b.load(h[0], {i[0]})); });
  b.set_outputs({r[1]});
  EXPECT_EQ(only(forwarded(), Opcode::loop).operands.size(), 1u);
}

TEST_F(Forward, StoresUnderConditionsAndInLoops) {
  update([&](Value i, Value h) {
    const Value c = b.emit(Opcode::less, {b.load(h, {i}), b.constant(0.5)});
    b.if_(
        c,
        [&]() -> Values {
          b.for_({}, {b.constant(0), b.constant(3)}, {}, [&](Value k, Given) -> Values {
            b.store(h, {i}, b.add(b.load(h, {i}), b.emit(Opcode::int_to_real, {k})));
            return {};
          });
          return {};
        },
        [&]() -> Values { return {}; });
    b.while_(
        {b.constant(0)},
        [&](Given n) {
          const Value small = b.emit(Opcode::less, {b.load(h, {i}), b.constant(9.0)});
          return b.emit(Opcode::logical_and, {small, b.emit(Opcode::less, {n[0], b.constant(4)})});
        },
        [&](Given n) -> Values {
          b.store(h, {i}, b.multiply(b.load(h, {i}), b.constant(1.5)));
          return {b.add(n[0], b.constant(1))};
        });
  });
  const ir::Procedure after = forwarded();
  EXPECT_EQ(loads_from_handles(after, after.body), 0);
  EXPECT_EQ(count(after, Opcode::store), 1);
  EXPECT_EQ(only(after, Opcode::while_).results.size(), 2u);
}

TEST_F(Forward, DifferentIndicesStay) {
  const Value m = b.input(field_of(real_type(), {time_space, particle}), "m");
  const Value first = b.make_reference(time_space, {b.constant(0)}),
              second = b.make_reference(time_space, {b.constant(1)});
  b.set_outputs(b.loop({over(particle)}, {m}, {Mode::own},
                       [&](Given i, Given h) { b.store(h[0], {second, i[0]}, b.load(h[0], {first, i[0]})); }));
  EXPECT_EQ(count(forwarded(), Opcode::store), 1);
}

TEST_F(Forward, AFreePositionBesideTheOwnOne) {
  const Value m = b.input(field_of(real_type(), {time_space, particle}), "m");
  const Value row = b.make_reference(time_space, {b.constant(3)});
  b.set_outputs(b.loop({over(particle)}, {m}, {Mode::own}, [&](Given i, Given h) {
    b.store(h[0], {row, i[0]}, b.constant(1.0));
    b.store(h[0], {row, i[0]}, b.negate(b.load(h[0], {row, i[0]})));
  }));
  EXPECT_EQ(count(forwarded(), Opcode::load), 0);
}

TEST_F(Forward, OutsideOfAZeroGridStays) {
  const Value m = b.input(field_of(real_type(), {rim, particle}), "m");
  const Value outside = b.make_reference(rim, {b.constant(-1)});
  b.set_outputs(b.loop({over(particle)}, {m}, {Mode::own}, [&](Given i, Given h) {
    b.store(h[0], {outside, i[0]}, b.constant(1.0));                // dropped
    b.store(h[0], {outside, i[0]}, b.load(h[0], {outside, i[0]}));  // reads 0
  }));
  EXPECT_EQ(count(forwarded(), Opcode::load), 1);
}

TEST_F(Forward, ReferencesAreNormalisedOnTheirWay) {
  const Value out = b.input(particles(int_type()), "out");
  const Value x = b.input(particles(reference_type(cell)), "x");
  const Values r = b.loop({over(particle)}, {x, out}, {Mode::own, Mode::own}, [&](Given i, Given h) {
    b.store(h[0], {i[0]}, b.make_reference(cell, {b.constant(-1), b.constant(5)}));
    b.store(h[1], {i[0]}, b.coordinate(b.load(h[0], {i[0]}), 0));
  });
  b.set_outputs(r);
  const ir::Procedure after = forwarded();
  EXPECT_EQ(count(after, Opcode::load), 0);
  EXPECT_EQ(count(after, Opcode::normalise), 1);
}

TEST_F(Forward, ReductionsIntoOwnElements) {
  update([&](Value i, Value h) {
    b.reduce(h, {i}, b.constant(1.0));
    b.reduce(h, {i}, b.constant(0.25), ir::Reduction::minimum);
  });
  const ir::Procedure after = forwarded();
  EXPECT_EQ(count(after, Opcode::reduce), 0);
  EXPECT_EQ(count(after, Opcode::minimum), 1);
}

TEST_F(Forward, OtherHandlesAreLeftAlone) {
  const Value x = b.input(particles(), "x"), f = b.input(particles(), "f");
  b.set_outputs(b.loop({over(particle)}, {x, f}, {Mode::own, Mode::reduce_add}, [&](Given i, Given h) {
    b.store(h[0], {i[0]}, b.add(b.load(h[0], {i[0]}), b.load(h[0], {i[0]})));
    b.reduce(h[1], {i[0]}, b.load(h[0], {i[0]}));
  }));
  const ir::Procedure after = forwarded();
  EXPECT_EQ(count(after, Opcode::load), 1);
  EXPECT_EQ(count(after, Opcode::reduce), 1);
}

}  // namespace
}  // namespace adjoule::transform::testing
