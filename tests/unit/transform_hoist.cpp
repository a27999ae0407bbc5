// hoist_invariants: what an inner loop repeats moves in front of it.
#include "transform_support.hpp"

namespace adjoule::transform::testing {
namespace {

using ir::Builder;
using ir::Mode;
using ir::Opcode;
using ir::Value;
using Given = std::span<const Value>;

/// for i in Particle { for j in Particle { … } }, an accumulation written into the loop's own element.
ir::Procedure pairs(const ir::Program& p, const std::function<Value(Builder&, Value x, Value i, Value j, Value sum)>& body) {
  Builder b{p, "pairs"};
  const Value x = b.input(particles(), "x"), y = b.input(particles(), "y");
  b.set_outputs(b.loop({over(particle)}, {y}, {Mode::own}, [&](Given i, Given h) {
    const Value own = i[0], handle = h[0];
    b.store(handle, {own}, b.for_(over(particle), {}, {b.constant(0.0)}, [&](Value j, Given sum) {
      return std::vector<Value>{body(b, x, own, j, sum[0])};
    })[0]);
  }));
  return b.take();
}

/// The operations of the innermost loop.
size_t inner_operations(const ir::Procedure& q) { return q.block(only(q, Opcode::for_).blocks[0]).ops.size(); }

TEST(Hoist, LoadsAndArithmeticOfTheOuterElementMove) {
  const ir::Program p = program();
  const ir::Procedure before = pairs(p, [](Builder& b, Value x, Value i, Value j, Value sum) {
    const Value twice = b.multiply(b.constant(2.0), b.load(x, {i}));
    return b.add(sum, b.multiply(twice, b.load(x, {j})));
  });
  const ir::Procedure after = hoist_invariants(p, before);
  expect_same(p, before, after);
  EXPECT_EQ(inner_operations(after), 3u);   // the load of x[j], the product, the sum
}

TEST(Hoist, NothingMovesOutOfABranch) {
  const ir::Program p = program();
  const ir::Procedure before = pairs(p, [](Builder& b, Value x, Value i, Value j, Value sum) {
    const Value near = b.emit(Opcode::less, {b.load(x, {i}), b.load(x, {j})});
    return b.if_(near, [&] { return std::vector<Value>{b.add(sum, b.divide(b.constant(1.0), b.load(x, {i})))}; },
                 [&] { return std::vector<Value>{sum}; })[0];
  });
  const ir::Procedure after = hoist_invariants(p, before);
  expect_same(p, before, after);
  EXPECT_EQ(inner_operations(after), 3u);   // the load of x[j], the comparison, the `if`
}

TEST(Hoist, ALoadAtAComputedElementStays) {   // its index is proven only where the check stands
  const ir::Program p = program();
  const ir::Procedure before = pairs(p, [](Builder& b, Value x, Value, Value, Value sum) {
    const Value third = b.make_reference(particle, {b.constant(int32_t{3})});
    return b.add(sum, b.load(x, {third}));
  });
  const ir::Procedure after = hoist_invariants(p, before);
  expect_same(p, before, after);
  EXPECT_EQ(inner_operations(after), 2u);   // the load and the sum
}

}  // namespace
}  // namespace adjoule::transform::testing
