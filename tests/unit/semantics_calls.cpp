// Functions and procs: parameters, abstract spaces, recursion, what a proc may change.
#include "semantics_support.hpp"

namespace adjoule::semantics {
namespace {

const std::string spaces =
    "space P(3); space Q(2); grid G(4, 4) boundary zero; grid L(4) boundary zero; state u[P]: real; state w[P]: real; "
    "state q[Q]: real; state g[G]: real; state l[L]: real; state a: real; param k[P]: real;\n";

TEST(Functions, Values) {
  expect_good("fn f(x: real, v: vec2) -> vec2 { return x * v; } loss { let r = f(2, 0); return r.x; }");
  expect_good(
      "fn f(x: real) -> real { if x > 0 { return 1; } return x; } fn g(x: real) -> real { return f(x) + f(2); } loss { "
      "return g(1); }");
  expect_good("fn w(f: vec2) -> vec2[3] { return [0.5 * f, 0, f^2]; } loss { return w(vec2(1, 2))[2].x; }");
  expect_error("fn f(x: real) -> real { return x; } loss { return f(1, 2); }", "`f` takes 1 argument, not 2", "f(1, 2)",
               "they are: x");
  expect_error("fn f(x: real) -> real { return x; } loss { return f(vec2(1, 2)); }", "a real is wanted for `x` of `f`",
               "vec2(1, 2)");
  expect_error("fn f(x: real) -> real { let y = x; }", "`f` does not return a value on every path", "f");
  expect_error("fn f(x: real) -> real { return vec2(x, x); }", "a real is wanted as the result of the function `f`",
               "vec2(x, x)");
  expect_error("fn f(x: real) -> real { x = 2; return x; }", "`x` is a parameter and is given by value", "x",
               "var a = x");
  expect_error("state z: real; fn f(x: real) -> real { z = x; return x; }",
               "a function changes nothing outside of itself", "z");
  expect_error("fn f(x) -> real { return 1; }", "the parameter `x` needs a type", "x");
  expect_error("fn f(s: stack<real>) -> real { return 1; }", "a stack cannot be given");
  expect_error("fn f(x: real) -> real { return x; } step { f(1); }", "this statement does nothing");
  expect_error("fn f(x: real) -> real { return x; } loss { return f; }", "`f` is a function, not a value", "f", "f(…)");
  expect_error("fn f(x: real) -> real { return x; } const a = f(2);", "cannot be called where a constant is fixed");
}

TEST(Functions, NoRecursion) {
  expect_error("fn f(x: real) -> real { return g(x); } fn g(x: real) -> real { return f(x); }",
               "`f` calls itself: f → g → f", "f(x)", "use a loop");
  expect_error("fn f(x: real) -> real { return x > 0 ? f(x - 1) : 0; } loss { return f(3); }", "f → f");
}

TEST(Functions, FieldParameters) {
  expect_good(spaces +
              "fn total(x[S]: real) -> real { var e: real = 0; for s in S { e += x[s]; } return e; } loss { return "
              "total(u) + total(q) + total(k); }");
  expect_good(spaces +
              "fn lap(x[S]: real, c: S) -> real { return x[c + (1, 0)] - 2 * x[c] + x[c - (1, 0)]; } step { for c in G "
              "{ g[c] = lap(g, c); } }");
  expect_good(spaces + "fn at(c: S, x[S]: real) -> real { return x[c]; } step { for p in P { w[p] = at(p, u); } }");
  expect_good(spaces + "fn first(x[P]: real) -> real { return x[P(0)]; } loss { return first(u); }");
  expect_good(
      spaces +
      "fn next(c: S, x[S]: real) -> S { return x[c] > 0 ? c : S(0); } step { for p in P { w[p] = u[next(p, u)]; } }");
  expect_error(
      spaces + "fn lap(x[S]: real, c: S) -> real { return x[c + (1, 0)]; } step { for p in P { w[p] = lap(u, p); } }",
      "`lap` uses `S` as a grid of 2 axes, but `P` is none", "lap(u, p)");
  expect_error(
      spaces + "fn lap(x[S]: real, c: S) -> real { return x[c + (1, 0)]; } step { for c in L { l[c] = lap(l, c); } }",
      "`L` is none");
  expect_error(spaces + "fn at(x[S]: real, c: S) -> real { return x[c]; } step { for p in P { w[p] = at(q, p); } }",
               "this is a reference to `P`, but a reference to `Q` is wanted for `c` of `at`", "p");
  expect_error(spaces + "fn both(x[S]: real, y[S]: real) -> real { return 1; } loss { return both(u, q); }",
               "this is a whole field real[Q]", "q");
  expect_error(spaces + "fn at(x[S]: vec2) -> real { return 1; } loss { return at(u); }",
               "this is a whole field real[P]", "u");
  expect_error(spaces + "fn at(x[S]: real) -> real { return 1; } step { for p in P { w[p] = at(u[p]); } }",
               "this is a real", "u[p]", "give the whole field: u");
  expect_error(spaces + "fn at(x[S]: real) -> real { for s in S { x[s] = 1; } return 1; }",
               "a function, which changes nothing", "x");
  expect_good(spaces +
              "fn inner(x[S]: real, c: S) -> real { return x[c + 1]; } fn outer_one(x[R]: real, c: R) -> real { return "
              "inner(x, c); } step { for c in L { l[c] = outer_one(l, c); } }");
  expect_error(spaces +
                   "fn inner(x[S]: real, c: S) -> real { return x[c + 1]; } fn outer_one(x[R]: real, c: R) -> real { "
                   "return inner(x, c); } step { for p in P { u[p] = outer_one(w, p); } }",
               "`outer_one` uses `R` as a grid of 1 axis");
}

TEST(Procs, ChangeTheirFields) {
  const std::string grow = "proc grow(h: real, x[S]: real) { for s in S { x[s] += h; } let old = x; x = old; }\n";
  expect_good(spaces + grow + "step { grow(0.1, u); grow(2, q); for i in 0..3 { grow(a, w); } }");
  expect_error(spaces + grow + "step { grow(1, k); }", "`grow` changes `x`, but `k` is a param and stays as it is", "k",
               "copy it first");
  expect_error(spaces + grow + "step { let old = u; grow(1, old); }", "`old` is a `let`", "old");
  expect_error(spaces + grow + "step { for p in P { grow(1, u); } }", "a proc is step-level code", "grow(1, u)");
  expect_error(spaces + grow + "step { a = grow(1, u); }", "`grow` is a proc: it gives no value", "grow(1, u)");
  expect_error(spaces + grow + "step { grow(1); }", "`grow` takes 2 arguments, not 1", "grow(1)");
  expect_error(spaces + grow + "step { grwo(1, u); }", "there is no proc `grwo`", "grwo", "did you mean `grow`?");
  expect_error(spaces + "proc mix(x[S]: real, y[S]: real) { x = y; } step { mix(u, u); }",
               "`u` is given twice, and `mix` changes it as `x`", "u", "let old = u");
  expect_good(spaces + "proc mix(x[S]: real, y[S]: real) { x = y; } step { mix(u, w); }");
  expect_error(spaces + grow + "proc twice(x[S]: real) { grow(1, x); grow(1, x); } step { twice(k); }",
               "`twice` changes `x`", "k");
  expect_error(spaces + "proc p1() { p2(); } proc p2() { p1(); }", "`p1` calls itself: p1 → p2 → p1");
  expect_error(spaces + "proc bad(h: real) { h = 2; }", "`h` is a parameter and is given by value", "h");
  expect_error(spaces + "proc bad() { return 1; }", "`return` stands in functions and losses only");
}

TEST(Procs, TakeFunctions) {
  const std::string heun =
      "proc advance(h: real, f, x[S]: real) { for s in S { let a1 = f(x[s]); x[s] += h * 0.5 * (a1 + f(x[s] + h * "
      "a1)); } }\n"
      "fn decay(y: real) -> real { return -y; } fn grow(y: real) -> real { return y; } fn two(y: vec2) -> vec2 { "
      "return y; }\n";
  expect_good(spaces + heun + "step { advance(0.1, decay, u); advance(0.1, grow, q); }");
  expect_error(spaces + heun + "step { advance(0.1, decay, u); advance(0.1, two, q); }",
               "not yet supported: one proc with functions of different types", "two");
  expect_error(spaces + heun + "step { advance(0.1, u, u); }", "the name of a function is wanted for `f`", "u");
  expect_error(spaces + heun + "step { advance(0.1, decai, u); }", "there is no name `decai`", "decai",
               "did you mean `decay`?");
  expect_warning(spaces + heun, "`advance` is never called");
  expect_good(spaces + heun + "proc outer_one(f, x[S]: real) { advance(0.2, f, x); } step { outer_one(decay, u); }");
}

TEST(Functions, LongChainsAreRefused) {
  std::string text = "fn f300(x: real) -> real { return x; }\n";
  for (int i = 0; i < 300; ++i)
    text += "fn f" + std::to_string(i) + "(x: real) -> real { return f" + std::to_string(i + 1) + "(x); }\n";
  EXPECT_GE(count_errors(*check_text(text)), 1u);
}

}  // namespace
}  // namespace adjoule::semantics
