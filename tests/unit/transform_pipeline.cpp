// The passes together, on kernels as programs have them.
#include "transform_support.hpp"

namespace adjoule::transform::testing {
namespace {

using ir::Builder;
using ir::Mode;
using ir::Opcode;
using ir::Value;
using Values = std::vector<Value>;
using Given = std::span<const Value>;

/// Runs every pass in the order of the compiler; the last is the plan.
ir::Procedure all_passes(const ir::Program& p, const ir::Procedure& before) {
  const ir::Procedure prepared = prepare(p, before), finished = finish(p, prepared),
                      planned = plan_buffers(p, finished);
  expect_same(p, before, prepared);
  expect_same(p, before, finished);
  expect_plan(p, before, planned);
  return planned;
}

Values explicit_euler(Builder& b, Value x, Value v, Value dt) {
  const Value f = b.loop({over(particle)}, {b.emit(Opcode::fill, {b.constant(0.0)}, particles())}, {Mode::reduce_add},
                         [&](Given i, Given h) {
                           const Value at = b.load(x, {i[0]});
                           b.for_({.space = particle}, {}, {}, [&](Value q, Given) -> Values {
                             b.reduce(h[0], {q}, b.subtract(at, b.load(x, {q})));
                             return {};
                           });
                         })[0];
  return b.loop({over(particle)}, {x, v}, {Mode::own, Mode::own}, [&](Given i, Given h) {
    b.store(h[1], {i[0]}, b.add(b.load(h[1], {i[0]}), b.multiply(dt, b.load(f, {i[0]}))));
    b.store(h[0], {i[0]}, b.add(b.load(h[0], {i[0]}), b.multiply(dt, b.load(h[1], {i[0]}))));
  });
}

TEST(Pipeline, ParticlesAdvanceInPlace) {
  const ir::Program p = program();
  Builder b(p, "step");
  const Value x = b.input(particles(), "x"), v = b.input(particles(), "v"), dt = b.input(real_type(), "dt");
  b.procedure().consumed = {true, true, false};
  b.set_outputs(b.for_({}, {b.constant(0), b.emit(Opcode::steps, {})}, {x, v},
                       [&](Value, Given c) { return explicit_euler(b, c[0], c[1], dt); }));
  const ir::Procedure planned = all_passes(p, b.take());
  EXPECT_EQ(count(planned, Opcode::copy), 0);
  EXPECT_EQ(count(planned, Opcode::drop), 1);  // the forces
  EXPECT_EQ(count(planned, Opcode::store), 2);
}

TEST(Pipeline, StencilsNeedTheOldVersion) {
  const ir::Program p = program();
  Builder b(p, "step");
  const Value u = b.input(field_of(real_type(), {cell}), "u");
  b.procedure().consumed = {true};
  b.set_outputs(b.loop({over(cell)}, {u}, {Mode::own}, [&](Given c, Given h) {
    const Value west = b.emit(Opcode::offset, {c[0], b.constant(-1), b.constant(0)});
    const Value east = b.emit(Opcode::offset, {c[0], b.constant(1), b.constant(0)});
    b.store(h[0], {c[0]}, b.add(b.load(u, {west}), b.load(u, {east})));
  }));
  const ir::Procedure planned = all_passes(p, b.take());
  EXPECT_EQ(count(planned, Opcode::copy), 1);
  EXPECT_EQ(count(planned, Opcode::drop), 1);
}

TEST(Pipeline, AReversedLoopPopsWhatItPushed) {
  const ir::Program p = program();
  Builder b(p, "adjoint");
  const Value x = b.input(particles(), "x"), bar = b.input(particles(), "bar");
  b.procedure().consumed = {false, true};
  const Value kept = b.stack_new(particles()), flags = b.stack_new(bool_type());
  const auto square = [&](Value from, Value into) {
    return b.loop({over(particle)}, {into}, {Mode::own}, [&](Given i, Given h) {
      b.store(h[0], {i[0]}, b.multiply(b.load(h[0], {i[0]}), b.load(from, {i[0]})));
    })[0];
  };
  b.for_({}, {b.constant(0), b.constant(4)}, {x}, [&](Value i, Given c) -> Values {
    b.push(kept, c[0]);
    b.push(flags, b.emit(Opcode::less, {i, b.constant(2)}));
    return {square(c[0], c[0])};
  });
  b.set_outputs(b.for_({.reversed = true}, {b.constant(0), b.constant(4)}, {bar}, [&](Value, Given c) -> Values {
    const Value before = b.pop(kept), flag = b.pop(flags);
    return b.if_(flag, [&]() -> Values { return {square(before, c[0])}; }, [&]() -> Values { return {c[0]}; });
  }));
  const ir::Procedure planned = all_passes(p, b.take());
  EXPECT_EQ(count(planned, Opcode::copy), 2);  // of x at the start, and of each version for the stack
}

}  // namespace
}  // namespace adjoule::transform::testing
