// The printed form of the IR.
#include "ir/print.hpp"

#include "ir_support.hpp"

namespace adjoule::ir::test {
namespace {

using Yields = Builder::Yields;

TEST(Print, OperationsBlocksAndNames) {
  Program program = small_program();
  Type field = field_of(vector_type(2), {particle});
  Procedure p = build(program, [&](Builder& b) {
    Value x = b.input(field, "x"), h = b.input(real_type(), "dt");
    auto out = b.loop({{.space = particle}}, {x, b.constant(0.0)}, {Mode::own, Mode::reduce_add}, [&](auto i, auto u) {
      b.name(i[0], "p");
      b.name(u[0], "x");
      Value old = b.load(u[0], {i[0]});
      b.store(u[0], {i[0]}, b.multiply(old, b.splat(h, vector_type(2))));
      b.reduce(u[1], {}, b.power_constant(b.extract(old, 1), 1.5));
    });
    b.name(out[1], "sum");
    return out;
  });
  EXPECT_EQ(print(program, p),
            "procedure test(%0.x : vec2[Particle], %1.dt : real) -> (vec2[Particle], real) {\n"
            "  %2 : real = constant 0.0\n"
            "  %11 : vec2[Particle], %12.sum : real = loop (%3.p : Particle in Particle) "
            "updating (own %4.x : vec2[Particle] = %0.x, += %5 : real = %2) {\n"
            "    %6 : vec2 = load %4.x [%3.p]\n"
            "    %7 : vec2 = splat %1.dt\n"
            "    %8 : vec2 = multiply %6, %7\n"
            "    store %4.x [%3.p] = %8\n"
            "    %9 : real = extract %6 at 1\n"
            "    %10 : real = power_constant %9, 1.5\n"
            "    reduce %5 += %10\n"
            "  }\n"
            "  return %11, %12.sum\n"
            "}\n");
}

TEST(Print, ControlFlow) {
  Program program = small_program();
  Procedure p = build(program, [&](Builder& b) {
    Value n = b.constant(3);
    auto a =
        b.for_({.reversed = true}, {b.constant(0), n}, {n}, [&](Value i, auto c) { return Yields{b.add(i, c[0])}; });
    auto w =
        b.while_({a[0]}, [&](auto c) { return b.emit(Opcode::less, {c[0], n}); }, [&](auto c) { return Yields{c[0]}; });
    return b.if_(b.constant(true), [&] { return Yields{w[0]}; }, [&] { return Yields{n}; });
  });
  EXPECT_EQ(print(program, p),
            "procedure test() -> (int) {\n"
            "  %0 : int = constant 3\n"
            "  %1 : int = constant 0\n"
            "  %5 : int = for (%2 : int in reversed(%1..%0)) carrying (%3 : int = %0) {\n"
            "    %4 : int = add %2, %3\n"
            "    yield %4\n"
            "  }\n"
            "  %9 : int = while carrying (%6 : int = %5) {\n"
            "    %7 : bool = less %6, %0\n"
            "    yield %7\n"
            "  } do (%8 : int) {\n"
            "    yield %8\n"
            "  }\n"
            "  %10 : bool = constant true\n"
            "  %11 : int = if %10 {\n"
            "    yield %9\n"
            "  } else {\n"
            "    yield %0\n"
            "  }\n"
            "  return %11\n"
            "}\n");
}

TEST(Print, RegionsReferencesAndSerialLoops) {
  Program program = small_program();
  Type field = field_of(real_type(), {plate});
  std::string text =
      print(program, build(program, [&](Builder& b) {
              Value u = b.zero(field);
              Domain side{.space = plate, .region = Region::boundary, .width = 1, .side = {1, true}, .reversed = true};
              return b.serial({side}, {}, {u}, {b.extent(plate, 0)}, [&](auto c, auto h, auto carried) {
                Value i = b.coordinate(c[0], 1);
                b.append({.code = Opcode::check_index, .operands = {i}, .space = particle}, {});
                Value r = b.emit(Opcode::offset, {b.make_reference(plate, {i, i}), i, carried[0]});
                b.reduce(h[0], {r}, b.constant(1e-9), Reduction::maximum);
                return Yields{i};
              });
            }));
  for (const char* part :
       {"fill %0", "extent Plate axis 0",
        "serial (%3 : Plate in reversed(Plate.boundary(1, y_high))) updating (any %4 : real[Plate] = %1) "
        "carrying (%5 : int = %2) {",
        "coordinate %3 axis 1", "check_index %6 < Particle", "make_reference Plate (%6, %6)", "offset %7 + (%6, %5)",
        "reduce %4 [%8] max= %9", "constant 1e-09"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Print, Programs) {
  Program program = small_program();
  program.fields.push_back({.name = "x", .role = FieldRole::state, .type = field_of(vector_type(2), {particle})});
  program.init.name = "init";
  std::string text = print(program);
  EXPECT_NE(text.find("size n\n"), std::string::npos);
  EXPECT_NE(text.find("grid Mixed boundary (periodic, zero)\n"), std::string::npos);
  EXPECT_NE(text.find("state x : vec2[Particle]\n"), std::string::npos);
}

}  // namespace
}  // namespace adjoule::ir::test
