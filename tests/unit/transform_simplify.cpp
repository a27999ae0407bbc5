// simplify: what folds, what merges, and what must keep its bits.
#include "transform_support.hpp"

namespace adjoule::transform::testing {
namespace {

using ir::Builder;
using ir::Mode;
using ir::Opcode;
using ir::Value;
using Values = std::vector<Value>;
using Given = std::span<const Value>;

class Simplify : public ::testing::Test {
 protected:
  const ir::Program p = program();
  Builder b{p, "f"};
  const Value x = b.input(real_type(), "x"), n = b.input(int_type(), "n"), c = b.input(bool_type(), "c");

  ir::Procedure simple(Values outputs) {
    b.set_outputs(std::move(outputs));
    const ir::Procedure before = b.take();
    const ir::Procedure after = simplify(p, before);
    expect_same(p, before, after);
    const ir::Procedure clean = eliminate_dead_code(p, after);
    expect_same(p, before, clean);
    return clean;
  }
  static size_t size(const ir::Procedure& q) { return q.block(q.body).ops.size(); }
};

TEST_F(Simplify, NeutralElements) {
  const Value one = b.constant(1.0), v = b.splat(x, vector_type(3));
  const Value same = b.add(b.divide(b.multiply(one, b.multiply(x, one)), one), b.constant(-0.0));
  const Value less = b.subtract(same, b.constant(0.0));
  const Value vector = b.multiply(v, b.splat(one, vector_type(3)));
  const Value whole = b.multiply(b.add(n, b.constant(0)), b.constant(1));
  const ir::Procedure after = simple({less, vector, whole});
  EXPECT_EQ(size(after), 1u);  // the splat
  EXPECT_EQ(after.outputs()[0], after.inputs()[0]);
}

TEST_F(Simplify, WhatWouldChangeBitsStays) {
  const Value zero = b.constant(0.0);
  EXPECT_EQ(size(simple({b.add(x, zero), b.multiply(x, zero), b.subtract(x, x), b.emit(Opcode::equal, {x, x}),
                         b.subtract(x, b.constant(-0.0))})),
            7u);
}

TEST_F(Simplify, IntegersAreExact) {
  const Value nothing = b.add(b.multiply(n, b.constant(0)), b.subtract(n, n));
  const ir::Procedure after = simple({nothing, b.emit(Opcode::less_equal, {n, n})});
  EXPECT_EQ(size(after), 2u);
  EXPECT_EQ(count(after, Opcode::constant), 2);
}

TEST_F(Simplify, ConstantsFoldWhereBothPrecisionsAgree) {
  const Value third = b.divide(b.constant(1.0), b.constant(3.0));
  const Value whole = b.multiply(b.constant(6.0), b.add(b.constant(3.0), b.constant(4.0)));
  const Value tiny = b.subtract(b.add(b.constant(1.0), b.constant(1e-9)), b.constant(1.0));  // 0 in f32
  const Value wraps = b.multiply(b.constant(1 << 30), b.constant(4));
  const ir::Procedure after = simple({third, whole, tiny, wraps});
  EXPECT_EQ(count(after, Opcode::multiply), 0);
  EXPECT_EQ(count(after, Opcode::subtract), 1);
}

TEST_F(Simplify, EqualOperationsMerge) {
  const Value s = b.emit(Opcode::sine, {x}), t = b.emit(Opcode::sine, {x});
  const Values r = b.if_(
      c, [&]() -> Values { return {b.add(b.emit(Opcode::sine, {x}), b.emit(Opcode::cosine, {x}))}; },
      [&]() -> Values { return {b.emit(Opcode::cosine, {x})}; });
  const ir::Procedure after = simple({b.add(s, t), b.add(b.add(x, s), b.add(s, x)), r[0]});
  EXPECT_EQ(count(after, Opcode::sine), 1);
  EXPECT_EQ(count(after, Opcode::cosine), 2);  // one branch does not see the other
  EXPECT_EQ(count(after, Opcode::add), 4);
}

TEST_F(Simplify, ConstantsOfDifferentBitsOrTypesStayApart) {
  EXPECT_EQ(count(simple({b.constant(0.0), b.constant(-0.0), b.constant(0), b.constant(false), b.constant(0.0)}),
                  Opcode::constant),
            4);
}

TEST_F(Simplify, LoadsFromVersionsMergeLoadsFromHandlesDoNot) {
  const Value f = b.input(particles(), "f");
  const Values r = b.loop({over(particle)}, {f}, {Mode::own}, [&](Given i, Given h) {
    const Value old = b.add(b.load(f, {i[0]}), b.load(f, {i[0]}));
    b.store(h[0], {i[0]}, b.add(old, b.load(h[0], {i[0]})));
    b.store(h[0], {i[0]}, b.add(old, b.load(h[0], {i[0]})));
  });
  EXPECT_EQ(count(simple(r), Opcode::load), 3);
}

TEST_F(Simplify, ConstantConditions) {
  const Value yes = b.emit(Opcode::less, {b.constant(1), b.constant(2)});
  const Values r = b.if_(yes, [&]() -> Values { return {b.emit(Opcode::sine, {x})}; }, [&]() -> Values { return {x}; });
  const Value s = b.emit(Opcode::select, {b.emit(Opcode::logical_not, {yes}), r[0], x});
  const Value both = b.emit(Opcode::logical_and, {yes, c});
  const ir::Procedure after = simple({r[0], s, both});
  EXPECT_EQ(size(after), 1u);
  EXPECT_EQ(after.outputs()[2], after.inputs()[2]);
}

TEST_F(Simplify, BranchesThatAgreeAndCarriedThatNeverChange) {
  const Value f = b.input(particles(), "f");
  const Values r = b.if_(
      c, [&]() -> Values { return {b.add(x, b.constant(0.5)), f}; },
      [&]() -> Values { return {b.emit(Opcode::sine, {x}), f}; });
  const Values k = b.for_({}, {b.constant(0), n}, {r[0], r[1], x},
                          [&](Value, Given v) -> Values { return {v[0], v[1], b.add(v[2], v[0])}; });
  const ir::Procedure after = simple({k[0], k[1], k[2]});
  EXPECT_EQ(after.outputs()[1], after.inputs()[3]);
  EXPECT_EQ(only(after, Opcode::if_).results.size(), 1u);
  EXPECT_EQ(only(after, Opcode::for_).results.size(), 1u);
}

TEST_F(Simplify, Negations) {
  const Value m = b.negate(x), y = b.emit(Opcode::sine, {x});
  const ir::Procedure after = simple({b.negate(m), b.add(y, m), b.subtract(y, m)});
  EXPECT_EQ(count(after, Opcode::negate), 0);
  EXPECT_EQ(count(after, Opcode::add) + count(after, Opcode::subtract), 2);
}

TEST_F(Simplify, FusedProducts) {
  const Value y = b.emit(Opcode::sine, {x});
  const Value sum = b.emit(Opcode::fused_multiply_add, {b.constant(1.0), y, x});
  const Value product = b.emit(Opcode::fused_multiply_add, {x, y, b.constant(-0.0)});
  EXPECT_EQ(count(simple({sum, product}), Opcode::fused_multiply_add), 0);
}

TEST_F(Simplify, Components) {
  const Value v = b.emit(Opcode::pack, {x, b.constant(2.0), x}, vector_type(3));
  const Value w = b.insert(v, 1, b.constant(5.0));
  const Value a = b.input(array_of(real_type(), 4), "a");
  const Value changed = b.emit(Opcode::insert_at, {a, b.constant(2), x});
  const Value again = b.insert(a, 3, b.extract(a, 3));
  const Value whole = b.emit(Opcode::pack, {b.extract(w, 0), b.extract(w, 1), b.extract(w, 2)}, vector_type(3));
  const Value none = b.extract(b.zero(vector_type(2)), 1);
  const ir::Procedure after =
      simple({b.extract(w, 2), b.extract(w, 1), b.extract(b.splat(x, vector_type(2)), 1), none,
              b.emit(Opcode::extract_at, {changed, b.constant(2)}), b.extract(changed, 1), again, whole});
  EXPECT_EQ(count(after, Opcode::extract), 1);
  EXPECT_EQ(after.outputs()[4], after.inputs()[0]);
  EXPECT_EQ(after.outputs()[6], after.inputs()[3]);
}

TEST_F(Simplify, IndexOutOfAnArrayStays) {
  const Value a = b.input(array_of(real_type(), 4), "a");
  const Values r = b.if_(
      c, [&]() -> Values { return {x}; },
      [&]() -> Values {
        b.append({.code = Opcode::check_index, .operands = {b.constant(9)}, .integer = 4}, {});
        return {b.emit(Opcode::extract_at, {a, b.constant(9)})};
      });
  const ir::Procedure after = simple(r);
  EXPECT_EQ(count(after, Opcode::check_index), 1);
  EXPECT_EQ(count(after, Opcode::extract_at), 1);
}

TEST_F(Simplify, References) {
  const Value u = b.input(field_of(real_type(), {cell}), "u");
  const Value r = b.make_reference(cell, {n, b.constant(2)});
  const Value there = b.emit(Opcode::offset, {r, b.constant(1), b.constant(-1)});
  const Value back = b.emit(Opcode::offset, {there, b.constant(-1), b.constant(1)});
  const Value still = b.emit(Opcode::offset, {r, b.constant(0), b.constant(0)});
  const Value same = b.make_reference(cell, {b.coordinate(back, 0), b.coordinate(back, 1)});
  const ir::Procedure after = simple({b.load(u, {back}), b.load(u, {still}), b.load(u, {same}), b.coordinate(r, 0),
                                      b.emit(Opcode::reference_equal, {r, still})});
  EXPECT_EQ(count(after, Opcode::load), 1);
  EXPECT_EQ(count(after, Opcode::make_reference), 1);
  EXPECT_EQ(count(after, Opcode::offset), 0);
  EXPECT_EQ(after.outputs()[3], after.inputs()[1]);
}

TEST_F(Simplify, IndexOfAGridFollowsItsBoundary) {
  const Value outside = b.make_reference(rim, {b.constant(-1)}), part = b.make_reference(particle, {n});
  const ir::Procedure after = simple({b.emit(Opcode::index, {outside}), b.emit(Opcode::index, {part})});
  EXPECT_EQ(count(after, Opcode::index), 1);
  EXPECT_EQ(after.outputs()[1], after.inputs()[1]);
}

TEST_F(Simplify, ChecksOnceEach) {
  const auto check = [&](Value v, int64_t bound) {
    b.append({.code = Opcode::check_index, .operands = {v}, .integer = bound}, {});
  };
  check(n, 10);
  check(n, 10);
  check(n, 8);
  check(b.constant(3), 4);
  b.append({.code = Opcode::check_nonzero, .operands = {b.constant(3)}}, {});
  b.if_(
      c,
      [&]() -> Values {
        check(n, 8);
        return {};
      },
      [&]() -> Values { return {}; });
  const ir::Procedure after = simple({x});
  EXPECT_EQ(count(after, Opcode::check_index), 2);
  EXPECT_EQ(count(after, Opcode::check_nonzero), 0);
  EXPECT_EQ(count(after, Opcode::if_), 0);
}

TEST_F(Simplify, LongProgramsAreFast) {
  Value v = x, w = x;
  for (int i = 0; i < 30000; ++i) {
    v = b.add(v, i % 3 ? x : b.constant(1.0));
    w = i % 2 ? b.multiply(w, v) : w;
  }
  b.set_outputs({v, w});
  const ir::Procedure after = plan_buffers(p, finish(p, prepare(p, b.take())));
  EXPECT_EQ(count(after, Opcode::add), 30000);
}

}  // namespace
}  // namespace adjoule::transform::testing
