// plan_buffers: where copies and drops stand, and that every plan holds.
#include "transform_support.hpp"

namespace adjoule::transform::testing {
namespace {

using ir::Builder;
using ir::Mode;
using ir::Opcode;
using ir::Value;
using Values = std::vector<Value>;
using Given = std::span<const Value>;

class Plan : public ::testing::Test {
 protected:
  const ir::Program p = program();
  Builder b{p, "f"};

  ir::Procedure planned() { return planned(b.take()); }
  ir::Procedure planned(const ir::Procedure& before) {
    ir::Procedure after = plan_buffers(p, before);
    expect_plan(p, before, after);
    return after;
  }
  Value field(const char* name, bool consumed = false) {
    const Value v = b.input(particles(), name);
    b.procedure().consumed.resize(b.procedure().inputs().size(), false);
    b.procedure().consumed.back() = consumed;
    return v;
  }
  /// x[p] = x[p] + x[p], with the load from the version or from the handle.
  Value doubled(Value x, bool from_version = false) {
    return b.loop({over(particle)}, {x}, {Mode::own}, [&](Given i, Given h) {
      const Value e = b.load(from_version ? x : h[0], {i[0]});
      b.store(h[0], {i[0]}, b.add(e, e));
    })[0];
  }
  Value element(Value x) { return b.load(x, {b.make_reference(particle, {b.constant(2)})}); }
};

TEST_F(Plan, BorrowedInputsAreCopied) {
  b.set_outputs({doubled(field("x"))});
  EXPECT_EQ(count(planned(), Opcode::copy), 1);
}

TEST_F(Plan, ConsumedInputsAreUpdatedInPlace) {
  b.set_outputs({doubled(doubled(field("x", true)), true)});
  const ir::Procedure after = planned();
  EXPECT_EQ(count(after, Opcode::copy) + count(after, Opcode::drop), 0);
}

TEST_F(Plan, AVersionThatIsNeededLaterIsCopied) {
  const Value x = field("x", true), y = doubled(x);
  b.set_outputs({y, b.add(element(x), element(y))});
  const ir::Procedure after = planned();
  EXPECT_EQ(count(after, Opcode::copy), 1);
  EXPECT_EQ(only(after, Opcode::drop).operands[0], after.inputs()[0]);
}

TEST_F(Plan, AnotherElementOfTheVersionBeingUpdated) {
  const Value x = field("x", true);
  b.set_outputs(
      b.loop({over(particle)}, {x}, {Mode::own}, [&](Given i, Given h) { b.store(h[0], {i[0]}, element(x)); }));
  const ir::Procedure after = planned();
  EXPECT_EQ(count(after, Opcode::copy), 1);
  EXPECT_EQ(count(after, Opcode::drop), 1);
}

TEST_F(Plan, OwnElementReadAfterItsStore) {
  const Value x = field("x", true), y = field("y", true);
  b.set_outputs(b.loop({over(particle)}, {x, y}, {Mode::own, Mode::own}, [&](Given i, Given h) {
    b.store(h[0], {i[0]}, b.constant(1.0));
    b.store(h[1], {i[0]}, b.load(x, {i[0]}));
  }));
  EXPECT_EQ(count(planned(), Opcode::copy), 1);
}

TEST_F(Plan, OneVersionUpdatedTwiceInOneLoop) {
  const Value x = field("x", true);
  b.set_outputs(b.loop({over(particle)}, {x, x}, {Mode::own, Mode::own}, [&](Given i, Given h) {
    b.store(h[0], {i[0]}, b.constant(1.0));
    b.store(h[1], {i[0]}, b.constant(2.0));
  }));
  EXPECT_EQ(count(planned(), Opcode::copy), 1);
}

TEST_F(Plan, OutputsAreOwnedAndDistinct) {
  const Value x = field("x"), y = field("y", true);
  b.set_outputs({x, y, y});
  EXPECT_EQ(count(planned(), Opcode::copy), 2);
}

TEST_F(Plan, UnusedInputsAndResultsAreDropped) {
  const Value x = field("x", true);
  field("y", true);
  doubled(x);
  b.set_outputs({});
  const ir::Procedure after = planned();
  EXPECT_EQ(count(after, Opcode::copy), 0);
  EXPECT_EQ(count(after, Opcode::drop), 2);
}

TEST_F(Plan, SequentialLoopsCarryBuffersAndMaySwapThem) {
  const Value x = field("x", true), y = field("y", true), z = field("z", true);
  b.set_outputs(b.for_({}, {b.constant(0), b.constant(3)}, {x, y}, [&](Value, Given c) -> Values {
    return {c[1], b.emit(Opcode::add_fields, {doubled(c[0]), z})};  // z is captured: never consumed inside
  }));
  const ir::Procedure after = planned();
  EXPECT_EQ(count(after, Opcode::copy), 0);
  EXPECT_EQ(only(after, Opcode::drop).operands[0], after.inputs()[2]);
}

TEST_F(Plan, ACapturedVersionIsCopiedInEachTurn) {
  const Value x = field("x", true), y = field("y", true);
  b.set_outputs(b.for_({}, {b.constant(0), b.constant(3)}, {x}, [&](Value, Given) -> Values { return {doubled(y)}; }));
  const ir::Procedure after = planned();
  EXPECT_EQ(count(after, Opcode::copy), 1);
  EXPECT_EQ(count(after, Opcode::drop), 2);  // the carried one in each turn, and y at the end
}

TEST_F(Plan, InitialValueThatTheBodyCapturesToo) {
  const Value x = field("x", true);
  b.set_outputs(b.for_({}, {b.constant(0), b.constant(3)}, {x},
                       [&](Value, Given c) -> Values { return {b.emit(Opcode::add_fields, {doubled(c[0]), x})}; }));
  EXPECT_EQ(count(planned(), Opcode::copy), 1);
}

TEST_F(Plan, WhileConditionsOnlyLook) {
  const Value x = field("x", true);
  b.set_outputs(b.while_(
      {x, b.constant(0)},
      [&](Given c) {
        const Value small = b.emit(Opcode::less, {element(doubled(c[0])), b.constant(40.0)});
        return b.emit(Opcode::logical_and, {small, b.emit(Opcode::less, {c[1], b.constant(5)})});
      },
      [&](Given c) -> Values { return {doubled(c[0]), b.add(c[1], b.constant(1))}; }));
  const ir::Procedure after = planned();
  EXPECT_EQ(count(after, Opcode::copy), 1);
  EXPECT_EQ(count(after, Opcode::drop), 1);
}

TEST_F(Plan, BranchesThatConsumeAndBranchesThatDoNot) {
  const Value x = field("x", true), y = field("y", true), k = field("k"), c = b.input(bool_type(), "c");
  const Values r = b.if_(
      c, [&]() -> Values { return {doubled(x)}; },
      [&]() -> Values { return {b.if_(c, [&]() -> Values { return {y}; }, [&]() -> Values { return {k}; })[0]}; });
  b.set_outputs({r[0]});
  const ir::Procedure after = planned();
  EXPECT_EQ(count(after, Opcode::copy), 1);  // of the borrowed k
  EXPECT_EQ(count(after, Opcode::drop), 3);  // y, x, y
}

TEST_F(Plan, ABranchMustNotConsumeWhatIsNeededAfterTheIf) {
  const Value x = field("x", true), c = b.input(bool_type(), "c");
  const Values r = b.if_(c, [&]() -> Values { return {doubled(x)}; }, [&]() -> Values { return {x}; });
  b.set_outputs({r[0], element(x)});
  EXPECT_EQ(count(planned(), Opcode::copy), 2);
}

TEST_F(Plan, SumsTakeWhicheverBufferIsFree) {
  const Value x = field("x"), y = field("y", true);
  const Value sum = b.emit(Opcode::add_fields, {x, y});
  b.set_outputs({b.emit(Opcode::add_fields, {sum, sum})});
  const ir::Procedure after = planned();
  EXPECT_EQ(count(after, Opcode::copy), 1);
  EXPECT_EQ(count(after, Opcode::drop), 1);
}

TEST_F(Plan, SerialLoopsReadWhatTheyWrite) {
  const Value x = field("x", true);
  b.set_outputs({b.serial({over(particle)}, {}, {x}, {b.constant(0.0)}, [&](Given i, Given h, Given c) -> Values {
    b.store(h[0], {i[0]}, b.add(c[0], b.load(x, {i[0]})));
    return {b.load(h[0], {i[0]})};
  })[0]});
  EXPECT_EQ(count(planned(), Opcode::copy), 1);
}

TEST_F(Plan, StacksOfFieldsAndTheirEnd) {
  const Value x = field("x", true);
  const Value s = b.stack_new(particles());
  const Values end = b.for_({}, {b.constant(0), b.constant(3)}, {x}, [&](Value, Given c) -> Values {
    b.push(s, c[0]);
    return {doubled(c[0])};
  });
  b.set_outputs(b.for_({}, {b.constant(0), b.constant(3)}, {end[0]},
                       [&](Value, Given c) -> Values { return {b.emit(Opcode::add_fields, {c[0], b.pop(s)})}; }));
  const ir::Procedure after = planned();
  EXPECT_EQ(count(after, Opcode::copy), 1);
  EXPECT_EQ(count(after, Opcode::drop), 2);  // what was popped, and the stack
}

TEST_F(Plan, StacksOfOneIteration) {
  const Value x = field("x", true);
  b.set_outputs(b.loop({over(particle)}, {x}, {Mode::own}, [&](Given i, Given h) {
    const Value s = b.stack_new(real_type());
    b.push(s, b.load(h[0], {i[0]}));
    b.store(h[0], {i[0]}, b.pop(s));
  }));
  EXPECT_EQ(count(planned(), Opcode::drop), 1);
}

TEST_F(Plan, PlanningAgainChangesNothing) {
  const Value x = field("x", true), y = doubled(x);
  b.set_outputs({y, b.add(element(x), element(y))});
  const ir::Procedure once = planned();
  EXPECT_EQ(ir::print(p, planned(once)), ir::print(p, once));
}

TEST_F(Plan, WhatIsOverwrittenWhollyNeedsNoContents) {
  const Value x = field("x", true), fresh = b.emit(Opcode::fill, {b.constant(0.0)}, particles());
  const auto from_x = [&](Given i, Given h) { b.store(h[0], {i[0]}, element(x)); };
  const Value y = b.loop({over(particle)}, {fresh}, {Mode::own}, from_x)[0];
  b.set_outputs({b.loop({over(particle)}, {x}, {Mode::own}, from_x)[0], y});
  const ir::Procedure after = planned();
  EXPECT_EQ(only(after, Opcode::copy).integer, 1);
  EXPECT_EQ(only(after, Opcode::fill).integer, 1);
}

TEST_F(Plan, WhatIsOverwrittenInPartKeepsItsContents) {
  const Value x = field("x"), u = b.input(field_of(real_type(), {cell}), "u"), c = b.input(bool_type(), "c");
  const Value fresh = b.emit(Opcode::fill, {b.constant(0.0)}, particles());
  const Value some = b.loop({over(particle)}, {x, fresh}, {Mode::own, Mode::own}, [&](Given i, Given h) {
    b.if_(
        c,
        [&]() -> Values {
          b.store(h[0], {i[0]}, b.constant(1.0));
          return {};
        },
        [&]() -> Values { return {}; });
    b.store(h[1], {i[0]}, b.constant(1.0));
    b.load(h[1], {i[0]});
  })[0];
  const ir::Domain inner{.space = rim, .region = ir::Region::interior, .width = 1};
  const Value grid = b.loop({inner}, {b.emit(Opcode::fill, {b.constant(0.0)}, field_of(real_type(), {rim}))},
                            {Mode::own}, [&](Given i, Given h) { b.store(h[0], {i[0]}, b.constant(1.0)); })[0];
  b.set_outputs({some, grid, u});
  const ir::Procedure after = planned();
  for (const ir::Op& op : after.ops)
    EXPECT_FALSE((op.code == Opcode::copy || op.code == Opcode::fill) && op.integer != 0);
}

// The walk itself must see mistakes.
TEST_F(Plan, TheWalkFindsUseAfterDrop) {
  const Value x = field("x", true);
  b.effect(Opcode::drop, {x});
  b.set_outputs({element(x)});
  EXPECT_EQ(plan_errors(b.take()).size(), 1u);
}

TEST_F(Plan, TheWalkFindsLeaksAndForeignBuffers) {
  const Value x = field("x"), c = b.input(bool_type(), "c");
  const Value y = b.emit(Opcode::fill, {b.constant(1.0)}, particles());
  b.if_(
      c,
      [&]() -> Values {
        b.effect(Opcode::drop, {y});
        return {};
      },
      [&]() -> Values { return {}; });
  b.set_outputs({x});
  EXPECT_EQ(plan_errors(b.take()).size(), 2u);
}

}  // namespace
}  // namespace adjoule::transform::testing
