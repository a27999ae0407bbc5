// eliminate_dead_code: what goes, and what must stay.
#include "transform_support.hpp"

namespace adjoule::transform::testing {
namespace {

using ir::Builder;
using ir::Mode;
using ir::Opcode;
using ir::Value;
using Values = std::vector<Value>;
using Given = std::span<const Value>;

class DeadCode : public ::testing::Test {
 protected:
  const ir::Program p = program();
  Builder b{p, "f"};

  ir::Procedure swept(bool drop_checks = false) {
    before = b.take();
    ir::Procedure after = eliminate_dead_code(p, before, drop_checks);
    expect_same(p, before, after);
    return after;
  }
  ir::Procedure before;
};

TEST_F(DeadCode, PureOperationsThatNobodyUses) {
  const Value x = b.input(real_type(), "x");
  const Value unused = b.multiply(x, x);
  b.negate(unused);
  b.set_outputs({b.add(x, x)});
  EXPECT_EQ(swept().block(0).ops.size(), 1u);
}

TEST_F(DeadCode, CarriedValuesThatFeedNothing) {
  const Value x = b.input(real_type(), "x");
  const Values r = b.for_({}, {b.constant(0), b.constant(5)}, {x, x, x}, [&](Value, Given c) -> Values {
    return {b.multiply(c[0], c[2]), b.add(c[1], c[0]), b.negate(c[2])};  // the second is needed by nobody
  });
  b.set_outputs({r[0]});
  const ir::Procedure after = swept();
  EXPECT_EQ(only(after, Opcode::for_).results.size(), 2u);
  EXPECT_EQ(count(after, Opcode::add), 0);
}

TEST_F(DeadCode, CyclesOfCarriedValues) {
  const Value x = b.input(real_type(), "x");
  b.for_({}, {b.constant(0), b.constant(5)}, {x, x}, [&](Value, Given c) -> Values { return {c[1], c[0]}; });
  b.set_outputs({x});
  EXPECT_TRUE(swept().block(0).ops.empty());
}

TEST_F(DeadCode, WhileKeepsWhatItsConditionReads) {
  const Value x = b.input(real_type(), "x");
  const Values r = b.while_(
      {b.constant(0), x, x}, [&](Given c) { return b.emit(Opcode::less, {c[0], b.constant(3)}); },
      [&](Given c) -> Values { return {b.add(c[0], b.constant(1)), b.add(c[1], c[1]), b.negate(c[2])}; });
  b.set_outputs({r[1]});
  const ir::Procedure after = swept();
  EXPECT_EQ(only(after, Opcode::while_).results.size(), 2u);
  EXPECT_EQ(count(after, Opcode::negate), 0);
}

TEST_F(DeadCode, ResultsOfIf) {
  const Value x = b.input(real_type(), "x");
  const Value c = b.emit(Opcode::less, {x, b.constant(0.0)});
  const Values r = b.if_(
      c, [&]() -> Values { return {b.emit(Opcode::sine, {x}), b.negate(x)}; }, [&]() -> Values { return {x, x}; });
  b.if_(c, [&]() -> Values { return {b.negate(x)}; }, [&]() -> Values { return {x}; });
  b.set_outputs({r[0]});
  const ir::Procedure after = swept();
  EXPECT_EQ(only(after, Opcode::if_).results.size(), 1u);
  EXPECT_EQ(count(after, Opcode::negate), 0);
}

TEST_F(DeadCode, HandlesOfLoops) {
  const Value x = b.input(particles(), "x"), y = b.input(particles(), "y"), s = b.constant(0.0);
  const Values r = b.loop({over(particle)}, {x, y, s, s}, {Mode::own, Mode::own, Mode::reduce_add, Mode::reduce_add},
                          [&](Given i, Given h) {
                            const Value e = b.load(h[0], {i[0]});
                            b.store(h[0], {i[0]}, b.add(e, e));
                            b.store(h[1], {i[0]}, b.negate(e));  // y is not used afterwards: goes
                            b.reduce(h[2], {}, b.multiply(e, e));
                            b.reduce(h[3], {}, b.load(h[0], {i[0]}));  // keeps x and its stores, not its result
                          });
  b.set_outputs({r[3]});
  const ir::Procedure after = swept();
  const ir::Op& loop = only(after, Opcode::loop);
  EXPECT_EQ(loop.modes, (std::vector<Mode>{Mode::own, Mode::reduce_add}));
  EXPECT_EQ(count(after, Opcode::store), 1);
  EXPECT_EQ(count(after, Opcode::negate) + count(after, Opcode::multiply), 0);
}

TEST_F(DeadCode, WholeLoops) {
  const Value x = b.input(particles(), "x");
  b.loop({over(particle)}, {x}, {Mode::own}, [&](Given i, Given h) { b.store(h[0], {i[0]}, b.constant(1.0)); });
  b.serial({over(particle)}, {}, {x}, {b.constant(0.0)}, [&](Given i, Given h, Given c) -> Values {
    b.store(h[0], {i[0]}, c[0]);
    return {b.load(h[0], {i[0]})};
  });
  b.set_outputs({x});
  EXPECT_TRUE(swept().block(0).ops.empty());
}

TEST_F(DeadCode, SerialKeepsCarriedThatItsFieldNeeds) {
  const Value x = b.input(particles(), "x");
  const Values r = b.serial({over(particle)}, {}, {x, x}, {b.constant(0.0), b.constant(1.0)},
                            [&](Given i, Given h, Given c) -> Values {
                              b.store(h[0], {i[0]}, c[0]);
                              b.store(h[1], {i[0]}, c[1]);
                              return {b.add(c[0], b.load(x, {i[0]})), b.add(c[1], c[1])};
                            });
  b.set_outputs({r[0]});
  const ir::Op& serial = only(before = swept(), Opcode::serial);
  EXPECT_EQ(serial.results.size(), 2u);
  EXPECT_EQ(serial.modes.size(), 1u);
}

TEST_F(DeadCode, ChecksStayWithTheirLoopUnlessDropped) {
  const Value x = b.input(particles(), "x"), n = b.input(int_type(), "n");
  b.loop({over(particle)}, {x}, {Mode::own}, [&](Given i, Given h) {
    b.append({.code = Opcode::check_index, .operands = {n}, .integer = 100}, {});
    b.store(h[0], {i[0]}, b.constant(1.0));
  });
  b.set_outputs({x});
  const ir::Procedure kept = swept();
  EXPECT_EQ(count(kept, Opcode::check_index), 1);
  EXPECT_EQ(count(kept, Opcode::store), 0);
  EXPECT_TRUE(eliminate_dead_code(p, before, true).block(0).ops.empty());
}

TEST_F(DeadCode, StacksThatNobodyPopsForUse) {
  const Value x = b.input(real_type(), "x");
  const Value dead = b.stack_new(real_type()), live = b.stack_new(real_type());
  b.for_({}, {b.constant(0), b.constant(5)}, {}, [&](Value i, Given) -> Values {
    b.push(dead, b.emit(Opcode::sine, {x}));
    b.push(live, b.emit(Opcode::int_to_real, {i}));
    return {};
  });
  b.pop(live);  // unused, but it moves the top
  b.pop(dead);
  b.set_outputs({b.pop(live)});
  const ir::Procedure after = swept();
  EXPECT_EQ(count(after, Opcode::push), 1);
  EXPECT_EQ(count(after, Opcode::pop), 2);
  EXPECT_EQ(count(after, Opcode::stack_new), 1);
  EXPECT_EQ(count(after, Opcode::sine), 0);
}

TEST_F(DeadCode, StacksThatComeInAreEffects) {
  const Value s = b.input(stack_of(real_type()), "s"), x = b.input(real_type(), "x");
  b.pop(s);
  b.push(s, b.negate(x));
  b.set_outputs({x});
  const ir::Procedure after = swept();
  EXPECT_EQ(count(after, Opcode::pop) + count(after, Opcode::push), 2);
}

TEST_F(DeadCode, StackThatOnlyAnotherDeadStackReads) {
  const Value x = b.input(real_type(), "x");
  const Value first = b.stack_new(real_type()), second = b.stack_new(real_type());
  b.push(first, x);
  b.push(second, b.pop(first));
  b.pop(second);
  b.set_outputs({x});
  EXPECT_TRUE(swept().block(0).ops.empty());
}

TEST_F(DeadCode, LongProgramsAreFast) {
  Value v = b.input(real_type(), "x"), w = v;
  for (int i = 0; i < 30000; ++i) (i % 2 ? v : w) = b.add(i % 2 ? v : w, v);
  b.set_outputs({v});
  const ir::Procedure procedure = b.take();
  EXPECT_EQ(count(eliminate_dead_code(p, procedure), Opcode::add), 15000);
}

}  // namespace
}  // namespace adjoule::transform::testing
