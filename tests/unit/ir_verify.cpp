// What the verifier finds.
#include "ir/verify.hpp"

#include "ir_support.hpp"

namespace adjoule::ir::test {
namespace {

using Yields = Builder::Yields;
const Type field = field_of(real_type(), {ring});

/// The findings in a procedure, one a line.
std::string findings(const std::function<std::vector<Value>(Builder&)>& fill,
                     const std::function<void(Procedure&)>& spoil = {}) {
  Program program = small_program();
  Builder b(program, "test");
  b.set_outputs(fill(b));
  Procedure p = b.take();
  if (spoil) spoil(p);
  std::string text;
  for (const std::string& f : verify(program, p)) text += f + "\n";
  return text;
}

TEST(Verify, OperandTypes) {
  EXPECT_EQ(findings([](Builder& b) { return std::vector{b.add(b.constant(1.0), b.constant(1))}; }),
            "test: %2 = add: operand 1 is int, not real\n");
  EXPECT_EQ(findings([](Builder& b) { return std::vector{b.emit(Opcode::sine, {b.constant(1)})}; }),
            "test: %1 = sine: operand 0 is int, not a real number\n");
  EXPECT_EQ(findings([](Builder& b) { return std::vector{b.emit(Opcode::sine, {}, real_type())}; }),
            "test: %0 = sine: takes 1 operands, has 0\n");
  EXPECT_EQ(findings([](Builder& b) {
              return std::vector{b.emit(Opcode::less, {b.constant(1), b.constant(2)}, int_type())};
            }),
            "test: %2 = less: gives bool, not int\n");
  EXPECT_EQ(findings([](Builder& b) { return std::vector{b.extract(b.zero(vector_type(2)), 2)}; }),
            "test: %1 = extract: component 2 of vec2\n");
  EXPECT_EQ(findings([](Builder& b) { return std::vector{b.emit(Opcode::pack, {b.constant(1.0)}, vector_type(2))}; }),
            "test: %1 = pack: takes 2 operands, has 1\n");
  EXPECT_EQ(findings([](Builder& b) { return std::vector{b.make_reference(mixed, {b.constant(1)})}; }),
            "test: %1 = make_reference: takes 2 operands, has 1\n");
  EXPECT_EQ(findings([](Builder& b) { return std::vector{b.load(b.zero(field), {b.constant(1)})}; }),
            "test: %3 = load: operand 1 is int, not Ring\n");
}

TEST(Verify, Visibility) {
  EXPECT_EQ(findings([](Builder& b) {
              Value inner = no_value;
              b.if_(
                  b.constant(true),
                  [&] {
                    inner = b.constant(1.0);
                    return Yields{};
                  },
                  [] { return Yields{}; });
              return std::vector{b.negate(inner)};
            }),
            "test: %2 = negate: uses %1, which is not visible there\n");
  EXPECT_EQ(findings([](Builder& b) { return std::vector{b.constant(1.0)}; },
                     [](Procedure& p) { p.blocks[0].ops.push_back(0); }),
            "test: %0 is defined twice\n");
  EXPECT_EQ(findings([](Builder&) { return std::vector<Value>{7}; }), "test: yields %7?, which is not visible there\n");
}

TEST(Verify, BlocksAgreeWithTheirOperation) {
  EXPECT_EQ(findings([](Builder& b) {
              return b.if_(
                  b.constant(true), [&] { return Yields{b.constant(1.0)}; }, [&] { return Yields{b.constant(1)}; });
            }),
            "test: %3 = if: yields 0 is int, not real\n");
  EXPECT_EQ(findings([](Builder& b) {
              return b.for_({}, {b.constant(0), b.constant(1)}, {b.constant(1.0)},
                            [&](Value, auto) { return Yields{}; });
            }),
            "test: %5 = for: 0 yields where 1 are wanted\n");
  EXPECT_EQ(findings([](Builder& b) {
              return b.while_({b.constant(0)}, [&](auto c) { return c[0]; }, [&](auto c) { return Yields{c[0]}; });
            }),
            "test: %3 = while: yields of the condition 0 is int, not bool\n");
  EXPECT_EQ(findings([](Builder& b) {
              b.for_({.space = ring, .region = Region::interior, .width = 1}, {}, {},
                     [&](Value, auto) { return Yields{}; });
              b.for_({.space = particle, .region = Region::interior, .width = 1}, {}, {},
                     [&](Value, auto) { return Yields{}; });
              return std::vector<Value>{};
            }),
            "test: for: a region of Particle, which is no grid\n");
}

TEST(Verify, AccessModes) {
  auto loop = [](Mode mode, const std::function<void(Builder&, Value, Value)>& body) {
    return findings([&](Builder& b) {
      return b.loop({{.space = ring}}, {b.zero(field)}, {mode}, [&](auto c, auto h) { body(b, c[0], h[0]); });
    });
  };
  EXPECT_EQ(loop(Mode::reduce_add, [](Builder& b, Value c, Value h) { b.load(h, {c}); }),
            "test: %4 = load: %3 is only reduced in this loop\n");
  EXPECT_EQ(loop(Mode::reduce_add,
                 [](Builder& b, Value c, Value h) { b.reduce(h, {c}, b.constant(1.0), Reduction::minimum); }),
            "test: reduce: %3 is reduced by another operator in this loop\n");
  EXPECT_EQ(
      loop(Mode::own, [](Builder& b, Value c, Value h) { b.load(h, {b.emit(Opcode::offset, {c, b.constant(1)})}); }),
      "test: %6 = load: %3 is own, but accessed at another element than %2\n");
  EXPECT_EQ(loop(Mode::any, [](Builder&, Value, Value) {}),
            "test: %4 = loop: a parallel loop has a field in mode any\n");
  EXPECT_EQ(loop(Mode::own, [](Builder& b, Value c, Value h) { b.effect(Opcode::store, {b.zero(real_type()), c, h}); }),
            "test: store: operand 2 is a handle\n");
}

TEST(Verify, OwnPositionsAreTheSameInAllAccesses) {
  Type matrix = field_of(real_type(), {ring, ring});
  auto accesses = [&](bool swapped) {
    return findings([&](Builder& b) {
      return b.loop({{.space = ring}, {.space = ring}}, {b.zero(matrix)}, {Mode::own}, [&](auto c, auto h) {
        Value v = swapped ? b.load(h[0], {c[1], c[0]}) : b.load(h[0], {c[0], c[1]});
        b.store(h[0], {c[0], c[1]}, v);
      });
    });
  };
  EXPECT_EQ(accesses(false), "");
  EXPECT_EQ(accesses(true),
            "test: store: %4 is own, but accessed at another element than %2\n"
            "test: store: %4 is own, but accessed at another element than %3\n");
}

TEST(Verify, LevelsAndStacks) {
  EXPECT_EQ(findings([](Builder& b) {
              Value s = b.stack_new(real_type());
              return b.loop({{.space = ring}}, {b.zero(field)}, {Mode::own},
                            [&](auto c, auto h) { b.store(h[0], {c[0]}, b.pop(s)); });
            }),
            "test: %5 = pop: a parallel loop uses %0, a stack made outside of it\n");
  EXPECT_EQ(findings([](Builder& b) {
              return b.loop({{.space = ring}}, {b.zero(field)}, {Mode::own}, [&](auto, auto) { b.zero(field); });
            }),
            "test: %5 = fill: stands inside a kernel\n");
  EXPECT_EQ(findings([](Builder& b) {
              Value s = b.stack_new(real_type());
              b.push(s, b.constant(1));
              return std::vector<Value>{};
            }),
            "test: push: operand 1 is int, not real\n");
}

TEST(Verify, ProgramSignatures) {
  Program program = small_program();
  for (SpaceInfo& space : program.spaces) space.open = true;
  program.fields = {{.name = "k", .role = FieldRole::param, .type = real_type()},
                    {.name = "u", .role = FieldRole::state, .type = field}};
  auto procedure = [&](bool good) {
    Builder b(program, "init");
    b.input(real_type(), "k");
    Value u = b.input(field, "u");
    Value now = b.input(int_type(), "now");
    b.set_outputs({good ? u : now});
    return b.take();
  };
  program.init = procedure(true);
  EXPECT_EQ(verify(program), std::vector<std::string>{});
  program.init = procedure(false);
  EXPECT_EQ(verify(program), std::vector<std::string>{"init: output 0 is int, not real[Ring]"});
  program.has_step = true;
  EXPECT_EQ(verify(program).back(), ": has no body");
}

}  // namespace
}  // namespace adjoule::ir::test
