// Sizes, spaces, grids, constants, fields, functions, procs, entry points: what they may say and what is reported.
#include "semantics_support.hpp"

namespace adjoule::semantics {
namespace {

const Constant& constant(const Checked& c, const std::string& name) {
  for (const Constant& k : c.checked.constants) {
    if (k.name == name) return k;
  }
  throw std::runtime_error("no constant " + name);
}

TEST(Spaces, EntriesInOrder) {
  const auto c = check_text("size n = 3; space P; space Q(n * 2); grid G(n, n - 1) boundary (periodic, clamp);");
  ASSERT_EQ(count_errors(*c), 0u) << c->messages();
  ASSERT_EQ(c->checked.spaces.size(), 4u);
  EXPECT_EQ(c->checked.spaces[0].name, "time");
  EXPECT_TRUE(c->checked.spaces[0].open);
  EXPECT_TRUE(c->checked.spaces[1].open);
  EXPECT_FALSE(c->checked.spaces[2].open);
  EXPECT_EQ(c->checked.spaces[3].dims, 2);
  EXPECT_EQ(c->checked.spaces[3].boundary[0], Boundary::periodic);
  EXPECT_EQ(c->checked.spaces[3].boundary[1], Boundary::clamp);
}

TEST(Spaces, BoundaryRules) {
  expect_good("grid G(2, 3, 4) boundary zero; grid H(2) boundary clamp;");
  expect_warning("grid G(4, 4);", "does not say what lies outside");
  expect_error("grid G(4) boundary periodc;", "no boundary rule `periodc`", "periodc", "did you mean `periodic`?");
  expect_error("grid G(4, 4, 4) boundary (zero, clamp);", "3 axes but 2 boundary rules", "zero, clamp");
  expect_error("grid G(1, 2, 3, 4) boundary zero;", "has 4 axes", "G");
}

TEST(Spaces, Extents) {
  expect_good("size n; const m = 3; space P(n * m + div(n, 2)); grid G(max(n, m), m) boundary zero;");
  expect_error("size n; space P(n / 2);", "an int is wanted as an extent", "n / 2", "div(a, b)");
  expect_error("space P(2.5);", "an int is wanted", "2.5");
  expect_error("space P(1 - 3);", "an extent cannot be negative: this is -2", "1 - 3");
  expect_error("param k: int; space P(k);", "not known yet where an extent is fixed", "k",
               "numbers, constants and sizes");
  expect_error("space P(steps);", "not known yet", "steps");
}

TEST(Sizes, Defaults) {
  expect_good("const m = 2; size n = 16; size k = 4 * m;");
  expect_error("size n = 1.5;", "an int is wanted for the size `n`", "1.5");
  expect_error("size n = 2; size m = n;", "`n` is a size and not known yet", "n", "only numbers and constants");
}

TEST(Constants, AreEvaluated) {
  const auto c = check_text(
      "size n = 4; const a = 3 * 2 - 1; const b = a / 2; const v = vec2(0.5, -1) * 2; const t = a > 4 and not false;\n"
      "const r = 1 / real(a); const m = mat2(1, 2, 3, 4) * mat2(0, 1, 1, 0); const q = pi * 2; const z: vec2 = 0; "
      "const s = n + 1;\n"
      "const d = div(-7, 2); const w = v.y; const u = sqrt(2.0)^2; const f: real = 3;\n"
      "const fill = vec3(2); const parts = vec3(vec2(1, 2), 3); const h: real[2] = 0; const y = (a > 0 ? 0 : vec2(1, "
      "2)).y;");
  ASSERT_EQ(count_errors(*c), 0u) << c->messages();
  EXPECT_EQ(constant(*c, "a").integers, std::vector<int64_t>{5});
  EXPECT_EQ(constant(*c, "b").reals, std::vector<double>{2.5});
  EXPECT_EQ(constant(*c, "v").reals, (std::vector<double>{1, -2}));
  EXPECT_EQ(constant(*c, "t").integers, std::vector<int64_t>{1});
  EXPECT_EQ(constant(*c, "r").reals, std::vector<double>{0.2});
  EXPECT_EQ(constant(*c, "m").reals, (std::vector<double>{2, 1, 4, 3}));
  EXPECT_DOUBLE_EQ(constant(*c, "q").reals[0], 6.283185307179586);
  EXPECT_EQ(constant(*c, "z").reals, (std::vector<double>{0, 0}));
  EXPECT_FALSE(constant(*c, "s").known);
  EXPECT_TRUE(constant(*c, "s").type.is_int());
  EXPECT_EQ(constant(*c, "d").integers, std::vector<int64_t>{-4});
  EXPECT_EQ(constant(*c, "w").reals, std::vector<double>{-2});
  EXPECT_EQ(constant(*c, "f").reals, std::vector<double>{3});
  EXPECT_EQ(constant(*c, "fill").reals, (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(constant(*c, "parts").reals, (std::vector<double>{1, 2, 3}));
  EXPECT_FALSE(constant(*c, "h").known);
  EXPECT_EQ(constant(*c, "y").reals, std::vector<double>{0});
}

TEST(Constants, AnyOrderButNoCycle) {
  expect_good("const a = b + 1; const b = 2; space P(a);");
  expect_error("const a = b; const b = a;", "`a` is defined by itself: a → b → a", "a");
  expect_good("const pi = 3.14; loss { return pi; }");
  expect_error("param k: real; const a = 2 * k;", "`k` is a param and not known yet where a constant is fixed", "k");
  expect_error("space P(2); const a = P(0);", "spaces are not laid out yet where a constant is fixed", "P(0)");
  expect_error("space P(2); space Q(P.count);", "not laid out yet", "P.count");
}

TEST(Constants, LongChainsAreRefused) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "const a" + std::to_string(i) + " = a" + std::to_string(i + 1) + ";\n";
  const auto c = check_text(text + "const a300 = 1;");
  EXPECT_GE(count_errors(*c), 1u);
}

TEST(Names, OneNamespace) {
  const auto c = check_text("space P;\nparam P: real;");
  ASSERT_EQ(count_errors(*c), 1u) << c->messages();
  EXPECT_EQ(c->diagnostics.list[0].message, "`P` is declared twice");
  EXPECT_EQ(c->sources.position(c->diagnostics.list[0].span).line, 2u);
  ASSERT_EQ(c->diagnostics.list[0].notes.size(), 1u);
  EXPECT_EQ(c->sources.position(c->diagnostics.list[0].notes[0].span).line, 1u);
  expect_error("state b: int; step { let a = 1; let a = 2; b = a; }", "`a` is declared twice", "a");
  expect_good("param min: real; state div: real; loss { return min + div; }");
}

TEST(Names, ShadowingWarns) {
  expect_warning(in_step("let k = 2.0; a = k;"), "`k` hides a param of the same name");
  expect_warning(in_loop("let x = 1.0; if x > 0 { let x = 2.0; u[p] = x; }"), "`x` hides a `let`");
  const auto c = check_text(in_loop("var div = 1.0; u[p] = div;"));
  EXPECT_TRUE(c->diagnostics.list.empty()) << c->messages();
}

TEST(Names, UnusedWarns) {
  expect_warning(in_loop("let x = 1.0;"), "`x` is never used");
  expect_warning(in_loop("var x = 1.0; x = 2.0;"), "`x` is never used");
  const auto c = check_text(in_loop("let _x = 1.0;"));
  EXPECT_TRUE(c->diagnostics.list.empty()) << c->messages();
}

TEST(Fields, TypesAndDefaults) {
  const auto c = check_text(
      "space P; space S; param k[S]: real = 1e3; param v: vec2 = vec2(1, 0); state x[P]: vec2 = 0;\n"
      "input ends[S]: P[2]; input series[time, P]: mat2; state flag: bool = true; state i: int = 3; param r: real = "
      "2;");
  ASSERT_EQ(count_errors(*c), 0u) << c->messages();
  EXPECT_EQ(c->checked.field_types[0], field_of(real_type(), {2}));
  EXPECT_EQ(c->checked.field_types[1], vector_type(2));
  EXPECT_EQ(c->checked.field_types[3], field_of(array_of(reference_type(1), 2), {2}));
  EXPECT_EQ(c->checked.field_types[4], field_of(matrix_type(2), {0, 1}));
  expect_error("space P; input x[Q]: real;", "no space `Q`", "Q");
  expect_error("space Particle; input x[Partcle]: real;", "no space `Partcle`", "Partcle", "did you mean `Particle`?");
  expect_error("size n; input x[n]: real;", "`n` is a size, not a space", "n", "space P(n)");
  expect_error("param x: float;", "no type `float`", "float", "the type is real");
  expect_error("param x: vec2 = 1.5;", "a vec2 is wanted for `x`", "1.5");
  expect_error("param x: real = vec2(1, 2);", "this is a vec2, but a real is wanted for `x`");
  expect_error("param b: real; param x: real = 2 * b;", "not known yet where a default is fixed", "b");
  expect_error("space P; input p: P = P(0);", "not laid out yet");
  expect_error("state s: stack<real>;", "a stack lives inside of one entry point only");
  expect_error("space P; state x: real[P];", "a type is not over a space", "P", "name[P]: real");
  expect_error("size n; state x: real[n];", "a size and not known yet");
  expect_error("state x: real[0];", "an array has 1 to 4096 elements");
}

TEST(NotYet, IsSaidAtItsPlace) {
  expect_error("import \"a.adj\"; loss { return helper(1.0); }", "not yet supported: import");
  expect_error("struct Body { x: vec2; v: vec2; } loss { let b = Body(vec2(0, 0), vec2(1, 1)); return b.x.x; }",
               "not yet supported: struct");
  expect_error("struct Body { x: vec2; } state b: Body;", "not yet supported: struct");
  expect_error("fn f(x: real) -> real { return x; } adjoint f(x: real, b: real) -> real { return b; }",
               "not yet supported: own derivatives", "f");
  expect_error("loss { return random(1, 2); }", "not yet supported: `random`", "random(1, 2)");
  expect_error("param m: mat2; loss { let s = svd(m); return s.x; }", "not yet supported: `svd`");
  expect_error("fn f(x: real) -> real { return x; } fn f(x: vec2) -> real { return x.x; }",
               "not yet supported: two functions named `f`");
  expect_error("space P; state x[P]: real; step { solve d[P]: real by cg(max = 3) { } x = d; }",
               "not yet supported: `solve`");
}

TEST(Entries, OncePerProgram) {
  expect_error("init { } init { }", "two `init` blocks", "init");
  expect_error("step { } step { }", "two `step` blocks", "step");
  expect_error("loss { return 1; } loss { return 2; }", "two losses without a name", "loss");
  expect_error("loss a { return 1; } loss a { return 2; }", "two losses named `a`", "a");
  expect_good("loss a { return 1; } loss b { return 2.5; }");
  expect_good("");
}

TEST(Losses, ReturnAReal) {
  expect_error("loss { }", "the loss does not return a value on every path", "loss");
  expect_error("param k: real; loss far { if k > 0 { return 1; } }", "the loss `far` does not return", "far");
  expect_good("param k: real; loss { if k > 0 { return 1; } else if k < -1 { return 2; } else { return k; } }");
  expect_good("param k: real; loss { for i in 0..3 { if k > real(i) { return k; } } return 0; }");
  expect_error("loss { return vec2(0, 1); }", "this is a vec2, but a real is wanted as the result of a loss",
               "vec2(0, 1)");
  expect_error("space P; param u[P]: real; loss { for p in P { return u[p]; } return 0; }",
               "`return` cannot leave a parallel loop");
  expect_error("step { return 1; }", "`return` stands in functions and losses only");
  expect_warning("state z: real; loss { z = 2; return z; }", "ends with the loss");
}

}  // namespace
}  // namespace adjoule::semantics
