// Statements: assignments to places inside of values, control flow, jumps, calls.
#include <cmath>

#include "lowering_support.hpp"

namespace adjoule::lowering::test {
namespace {

TEST(LoweringStatements, ComponentsEntriesAndElements) {
  EXPECT_EQ(result_of("vec3", "var v = vec3(1, 1, 1); v.x = 2; v.z -= 5; v.y *= 3; r = v;"), (Numbers{2, 3, -4}));
  EXPECT_EQ(result_of("mat2", "var m: mat2; m[0, 1] = 2; m[1, 0] += 3; for k in 0..2 { m[k, k] = 7; } r = m;"),
            (Numbers{7, 2, 3, 7}));
  EXPECT_EQ(result_of("vec2", "var h: vec2[3]; h[1].y = 4; for k in 0..3 { h[k].x += real(k); } r = h[1] + h[2];"),
            (Numbers{3, 4}));
  EXPECT_EQ(result_of("real", "let h = [1, 2.5, 3]; var k = 2; r = h[k] - h[1];")[0], 0.5);
  EXPECT_EQ(result_of("real[2]", "r[1] = 3; r[0] -= 1;"), (Numbers{-1, 3}));
}

TEST(LoweringStatements, MinimumAndMaximumKeepTheFirst) {
  EXPECT_EQ(value_of_body("var x = 3.0; x min= 5; x min= 2; x max= 2.5; return x;"), 2.5);
  auto lowered = lower_good("param a: real; state r: real; init { r min= a; }");
  std::string init = printed(*lowered, lowered->program->init);
  EXPECT_EQ(count_of(init, "select"), 1u) << init;
}

TEST(LoweringStatements, BranchesCarryWhatTheyAssign) {
  const std::string body =
      "var x = 1.0; var y = 2.0; if k == 0 { x = 10; } else if k == 1 { y = 20; x += y; } else { y = x; } r = 100 * x "
      "+ y;";
  for (int k : {0, 1, 2}) {
    double expected[] = {1002, 2120, 101};
    EXPECT_EQ(result_of("real", body, "param k: int = " + std::to_string(k) + ";")[0], expected[k]);
  }
}

TEST(LoweringStatements, LoopsCarryWhatTheyAssign) {
  EXPECT_EQ(value_of_body("var s = 0.0; for i in 1..4 { for j in 0..i { s += real(10 * i + j); } } return s;"), 144);
  EXPECT_EQ(value_of_body("var s = 0.0; for i in reversed(1..4) { s = 10 * s + real(i); } return s;"), 321);
  EXPECT_EQ(value_of_body("var s = 1.0; while s < 100 { s *= 3; } return s;"), 243);
  EXPECT_EQ(value_of_body("var a = 0.0; var b = 1.0; for i in 0..10 { let t = a + b; a = b; b = t; } return a;"), 55);
}

TEST(LoweringStatements, BreakAndContinue) {
  EXPECT_EQ(value_of_body(
                "var s = 0.0; for i in 0..10 { if i == 3 { continue; } if i == 6 { break; } s += real(i); } return s;"),
            12);
  EXPECT_EQ(value_of_body("var s = 0.0; for i in reversed(0..10) { if i == 6 { break; } s += real(i); } return s;"),
            24);
  EXPECT_EQ(
      value_of_body("var s = 0.0; for i in 0..4 { for j in 0..4 { if j > i { break; } s += 1; } s += 100; } return s;"),
      410);
  // A jump from deep inside, with statements after it on every level: needs the flag.
  EXPECT_EQ(
      value_of_body(
          "var s = 0.0; for i in 0..6 { if i > 1 { if i == 3 { s += 1000; continue; } s += 1; } s += 10; } return s;"),
      1053);
  EXPECT_EQ(
      value_of_body(
          "var s = 0.0; for i in 0..6 { if i > 1 { if i == 3 { s += 1000; break; } s += 1; } s += 10; } return s;"),
      1031);
  EXPECT_EQ(value_of_body("var n = 0; while true { n += 1; if n > 4 { break; } } return real(n);"), 5);
  EXPECT_EQ(
      value_of_body(
          "var n = 0; var s = 0.0; while n < 6 { n += 1; if mod(n, 2) == 0 { continue; } s += real(n); } return s;"),
      9);
  EXPECT_EQ(value_of_body("var s = 0.0; for i in 0..5 { if i == 2 { continue; } else if i == 4 { break; } else { s += "
                          "1; } s += 10; } return s;"),
            33);
  EXPECT_EQ(value_of_body("var s = 1.0; for i in 0..5 { s += 1; break; } return s;"), 2);
}

TEST(LoweringStatements, BreakLeavesSpaceLoops) {
  std::string declarations = "space P(6); grid G(2, 3) boundary zero; param w[P]: real = 1;";
  EXPECT_EQ(value_of_body("var s = 0.0; for p in P { if index(p) == 4 { break; } s += w[p]; } return s;", declarations),
            4);
  EXPECT_EQ(value_of_body("var s = 0.0; for c in G { if index(c) == 5 { break; } s = 100 * s + real(10 * coords(c)[0] "
                          "+ coords(c)[1]); } return s;",
                          declarations),
            1021011);
  EXPECT_EQ(
      value_of_body(
          "var s = 0.0; for p in reversed(P) { if index(p) == 1 { break; } s = 10 * s + real(index(p)); } return s;",
          declarations),
      5432);
  EXPECT_EQ(value_of_body("var s = 0.0; for c in G.interior(0) { if index(c) == 3 { break; } s += 1; } return s;",
                          declarations),
            3);
}

TEST(LoweringStatements, EarlyReturns) {
  auto f = [](const std::string& body, double x) {
    return value_of_expression("f(" + std::to_string(x) + ")", "fn f(x: real) -> real {\n" + body + "\n}\n");
  };
  const std::string guard = "if x < 0 { return -1; } if x < 1 { return x; } else if x < 2 { return 10 * x; } return 5;";
  EXPECT_EQ(f(guard, -3), -1);
  EXPECT_EQ(f(guard, 0.5), 0.5);
  EXPECT_EQ(f(guard, 1.5), 15);
  EXPECT_EQ(f(guard, 7), 5);
  const std::string search =
      "for i in 0..10 { for j in 0..10 { if real(i * j) > x { return real(100 * i + j); } } if x > 50 { return -2; } } "
      "return -1;";
  EXPECT_EQ(f(search, 11), 206);
  EXPECT_EQ(f(search, 100), -2);
  EXPECT_EQ(f("if x < 2 { var s = 0.0; while true { s += 1; if s > 4 { return s; } } } return 7;", 1), 5);
  EXPECT_EQ(f("if x < 2 { if x > 0 { return 1; } } let y = x * x; return y;", -3), 9);
  EXPECT_EQ(f("if x < 2 { if x > 0 { return 1; } } let y = x * x; return y;", 1), 1);
}

TEST(LoweringStatements, CallsAreInlinedInFramesOfTheirOwn) {
  const std::string functions =
      "fn square(x: real) -> real { let y = x * x; return y; }\n"
      "fn twice(x: real) -> real { let y = square(x); var z = square(y + 1); z += y; return z; }\n";
  EXPECT_EQ(value_of_expression("twice(2) + twice(3)", functions), 25 + 4 + 100 + 9);
}

TEST(LoweringStatements, FieldParametersBindSpaces) {
  const std::string declarations =
      "grid A(4) boundary zero; grid B(3) boundary periodic; param a[A]: real = 2; param b[B]: real = 3;\n"
      "fn laplace(u[G]: real, c: G) -> real { return u[c - 1] + u[c + 1] - 2 * u[c]; }\n"
      "fn total(u[G]: real) -> real { var s = 0.0; for q in G { s += u[q]; } return s + real(G.count); }\n";
  EXPECT_EQ(value_of_expression("laplace(a, A(0)) + 10 * laplace(b, B(0))", declarations), -2);
  EXPECT_EQ(value_of_expression("total(a) + 100 * total(b)", declarations), 12 + 1200);
}

TEST(LoweringStatements, ProcsChangeTheirFields) {
  Instance run(
      "space P(3); state x[P]: real = 1; state y[P]: real = 2;\n"
      "fn double(a: real) -> real { return 2 * a; }\n"
      "proc apply(f, h: real, u[G]: real) { for p in G { u[p] = f(u[p]) + h; } }\n"
      "proc both(h: real, u[G]: real, w[G]: real) { apply(double, h, u); for k in 0..2 { apply(double, 0, w); } "
      "w[G(0)] += u[G(1)]; }\n"
      "init { both(1, x, y); apply(double, 0.5, x); }",
      {});
  EXPECT_EQ(run.state("x"), (Numbers{6.5, 6.5, 6.5}));
  EXPECT_EQ(run.state("y"), (Numbers{11, 8, 8}));
}

TEST(LoweringStatements, Stacks) {
  EXPECT_EQ(value_of_body("var s: stack<real>; for i in 0..5 { s.push(real(i)); } var t = 0.0;\n"
                          "for i in 0..5 { let x = s.pop(); t = 10 * t + x; } return t;"),
            43210);
  Instance run(
      "space P(2); state x[P]: real = 1; init { var h: stack<real[P]>;\n"
      "for k in 0..3 { h.push(x); for p in P { x[p] = 2 * x[p]; } } x = h.pop(); x = h.pop(); }",
      {});
  EXPECT_EQ(run.state("x"), (Numbers{2, 2}));
}

TEST(LoweringStatements, LossesReturnEarly) {
  Instance run(
      "space P(2); param k: int = 1; state x[P]: real = 3;\n"
      "loss { if k == 1 { return 5; } var s: real = 0; for p in P { s += x[p]; } return s; }\n"
      "loss late { var s: real = 0; for p in P { s += x[p]; } if s > 10 { return 0; } return s; }",
      {});
  EXPECT_EQ(run.loss(0), 5);
  EXPECT_EQ(run.loss(1), 6);
}

TEST(LoweringStatements, TooDeepNestingIsAnError) {
  std::string body;
  for (int i = 0; i < 2000; ++i) body += "if x > " + std::to_string(i) + " { return " + std::to_string(i) + "; }\n";
  auto lowered =
      lower_text("param p: real; state r: real; fn f(x: real) -> real {\n" + body + "return 0; }\ninit { r = f(p); }");
  EXPECT_FALSE(lowered->program);
  ASSERT_EQ(lowered->diagnostics.list.size(), 1u) << lowered->messages();
  EXPECT_NE(lowered->diagnostics.list[0].message.find("blocks stand inside one another"), std::string::npos);
}

}  // namespace
}  // namespace adjoule::lowering::test
