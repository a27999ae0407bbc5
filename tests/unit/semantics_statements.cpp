// Statements and levels: what may be changed where, loops, stacks, jumps.
#include "semantics_support.hpp"

namespace adjoule::semantics {
namespace {

TEST(Levels, WholeFieldsAtStepLevel) {
  good_step("u = w; let old = u; var t[P]: real = 0; t = old; u = t; var s = u; s = w; u = s;");
  bad_step("u = v;", "this is a whole field vec2[P], but `u` is a whole field real[P]", "v");
  bad_step("u += w;", "`+=` does not work on a whole field", "u", "for p in P");
  bad_step("u = 2 * w;", "`w` is a whole field real[P] where one value is needed", "w", "loop over P");
  bad_step("u = vec2(1, 2);", "a real is wanted for every element of `u`", "vec2(1, 2)");
  bad_loop("u = w;", "`w` is a whole field");
  bad_loop("u = 0;", "`u` is a whole field: inside of a parallel loop only its elements change", "u");
  bad_loop("let old = u; u[p] = old[p];", "`u` is a whole field", "u");
  bad_loop("var t[P]: real = 0; u[p] = t[p];", "a temporary field cannot be declared inside of a parallel loop", "t");
  bad_step("var t[P] = 0; u = t;", "the field `t` needs a type", "t");
  bad_step("a = u;", "`u` is a whole field", "u");
  good_step("u[P(0)] = 2; a = u[P(1)]; v[P(0)].x = a; a += 1;");
}

TEST(Assign, WhatCannotChange) {
  bad_step("k = 2;", "`k` is a param: the host gives it", "k", "make it a state");
  bad_loop("w[p] += 1;", "`w` is a param", "w");
  bad_step("let x = 1.0; x = 2;", "`x` is a `let` and keeps its value", "x", "`var`");
  bad_loop("p = P(0);", "`p` is a loop index and cannot be changed", "p");
  bad_step("half = 2;", "`half` is a constant and cannot be changed", "half");
  bad_step("n = 2;", "`n` is a size and cannot be changed", "n");
  bad_step("steps = 2;", "cannot be changed", "steps");
  bad_step("sin(1.0) = 2;", "this cannot be assigned to", "sin(1.0)");
  bad_step("let old = u; old[P(0)] = 1;", "`old` is a `let`", "old");
}

TEST(Assign, Operators) {
  good_loop("v[p] += 1; v[p] *= 2; v[p] *= v[p]; v[p] /= u[p]; m[p] *= m[p]; m[p] *= 2; m[p] -= identity(2);");
  good_loop("var i = 1; i += 2; i *= i; i min= 3; var h: real[2]; h += [1, 2]; h[i] -= 1; u[p] = h[0] / 2; u[p] /= i;");
  good_loop(
      "var x = u[p]; x min= 0; x max= w[p]; u[p] = x; u[p] max= 2; v[p].y min= 0; m[p][0, 1] = 2; var q = p; q = P(0); "
      "u[q] = 1;");
  bad_loop("u[p] += v[p];", "this is a vec2, but a real is wanted for `u[p]`", "v[p]");
  bad_loop("v[p] *= m[p];", "this is a mat2, but a vec2 is wanted", "m[p]");
  bad_loop("var i = 1; i /= 2; u[p] = real(i);", "an int cannot take `/=`", "2", "div(i, n)");
  bad_loop("v[p] min= v[p];", "a vec2 cannot take `min=`", "v[p]", "component");
  bad_loop("var b = true; b += true; if b { u[p] = 1; }", "a bool cannot take `+=`", "true");
  bad_loop("var h: real[2]; h -= [1, 2]; u[p] = h[0];", "cannot take `-=`");
}

TEST(Assign, SharedScalarsAreReduced) {
  const std::string s = "var e: real = 0; var z: vec2 = 0; for p in P { ";
  expect_good(in_step(s + "e += u[p]; e -= 1; z += v[p]; z.x += 1; a max= u[p]; } a = e + z.x;"));
  expect_error(in_step(s + "e = u[p]; } a = e + z.x;"), "`e` is shared by all iterations", "e", "`serial for`");
  expect_error(in_step(s + "z.x = u[p]; } a = e + z.x;"), "`z` is shared by all iterations", "z");
  expect_error(in_step(s + "a *= u[p]; } a = e + z.x;"), "`a` is shared by all iterations", "a", "+=");
  expect_good(in_step("var e: real = 0; serial for p in P { e = 0.5 * e + u[p]; a *= e; }"));
}

TEST(Loops, Heads) {
  good_step("for p in P, q in Q { u[p] += 1; }");
  good_step(
      "for c in G.interior(1) { g[c] = 1; } for c in G.boundary(1) { g[c] = 1; } for c in G.boundary(c, y_high) { g[c] "
      "= 2; }");
  good_step(
      "serial for p in reversed(P) { u[p] = 1; } for i in reversed(0..n) { a += real(i); } serial for p in P, q in Q { "
      "u[p] = 1; }");
  good_loop("for q in Q { u[p] += 1; } for q in reversed(Q) { u[p] += 1; } for i in 0..3 { u[p] += i == 2 ? 1 : 0; }");
  bad_step("for p in reversed(P) { u[p] = 1; }", "a parallel loop has no order", "p in reversed(P)", "serial for");
  bad_step("serial for i in 0..3 { a += 1; }", "a loop over a range runs in order anyway");
  bad_step("for i in 0..3, j in 0..3 { a += 1; }", "a loop over a range has one index");
  bad_step("for i in 0..3, p in P { u[p] += 1; }", "a range and a space cannot share one loop", "p in P");
  bad_loop("serial for q in Q { u[p] += 1; }", "inside of a parallel loop every loop runs in order");
  bad_loop("for q in Q, r in Q { u[p] += 1; }", "a loop inside of a parallel loop has one index", "r in Q", "nest");
  bad_step("for i in n { a += 1; }", "`n` is a size, not a space", "n", "0..n");
  bad_step("for p in u { a += 1; }", "`u` is a field, not a space", "u", "for p in P");
  bad_step("for p in R { a += 1; }", "there is no space `R`", "R");
  bad_step("for i in 0..n / 2 { a += 1; }", "an int is wanted as a bound of a loop", "n / 2", "div");
  bad_step("for i in 3 { a += 1; }", "a loop runs over a space", "3", "0..3");
}

TEST(Loops, Regions) {
  bad_step("for p in P.interior(1) { u[p] = 1; }", "`P` is a plain space: it has no interior", "P.interior(1)");
  bad_step("for c in G.inside(1) { g[c] = 1; }", "a space has no region `inside`");
  bad_step("for c in G.interior() { g[c] = 1; }", "`interior` takes a width");
  bad_step("for c in G.interior(n) { g[c] = 1; }", "fixed in the text", "n");
  bad_step("for c in G.boundary(1, left) { g[c] = 1; }", "a side of a grid is wanted here", "left", "x_low");
  bad_step("for c in G.boundary(1, z_low) { g[c] = 1; }", "has no side `z_low`", "z_low");
  bad_step("a = real(G.interior(1));", "stands in the head of a loop only", "G.interior");
  expect_error("grid G(4) boundary periodic; state g[G]: real; step { for c in G.boundary(1, x_low) { g[c] = 1; } }",
               "is periodic along this axis", "x_low");
}

TEST(Jumps, WhereTheyStand) {
  good_step(
      "for i in 0..3 { if i == 1 { continue; } if i == 2 { break; } } while a > 1 { a /= 2; break; } serial for p in P "
      "{ if u[p] > 1 { break; } }");
  good_loop("if u[p] > 1 { continue; } for q in Q { break; } while true { break; }");
  bad_loop("break;", "`break` cannot stop the others", "break;", "serial for");
  bad_step("break;", "`break` stands outside of any loop", "break;");
  bad_step("if a > 1 { continue; }", "`continue` stands outside of any loop");
  bad_loop("return 1;", "`return` stands in functions and losses only");
  bad_step("while a { a -= 1; }", "as a condition of `while`", "a");
}

TEST(Stacks, Use) {
  good_loop(
      "var s: stack<vec2>; s.push(v[p]); s.push(0); let t = s.pop(); var r = s.pop(); r = s.pop(); r += s.pop(); v[p] "
      "= t + r;");
  good_step(
      "var s: stack<real[P]>; s.push(u); u = s.pop(); let old = s.pop(); u = old; var i: stack<int>; "
      "i.push(index(P(0)));");
  good_step(
      "var s: stack<real>; serial for p in P { s.push(u[p]); } serial for p in reversed(P) { let x = s.pop(); u[p] = "
      "x; }");
  good_step("var s: stack<vec2[3]>; s.push([0, 0, vec2(1, 1)]); var z: stack<P>; z.push(P(0));");
  bad_step("var s: stack<real>; for p in P { s.push(u[p]); }",
           "the stack `s` is shared by all iterations of this parallel loop", "s", "serial for");
  bad_loop("var s: stack<real>; s.push(1); u[p] = 1 + s.pop();", "pop stands alone on the right side", "s.pop()");
  bad_loop("var s: stack<real>; s.pop();", "pop stands alone on the right side");
  bad_loop("var s: stack<real>; s.push(v[p]);", "this is a vec2, but a real is wanted for this stack", "v[p]");
  bad_loop("var s: stack<real>; s.add(1);", "a stack has no `add`", "s.add");
  bad_loop("var s: stack<real>; let t = s; u[p] = t;", "`s` is a stack, not a value", "s", "pop()");
  bad_loop("var s: stack<real>; var t: stack<real>; s = t;", "a stack cannot be assigned", "s");
  bad_loop("let s: stack<real> = 0; u[p] = 1;", "a stack starts empty");
  bad_loop("var s: stack<real[P]>; u[p] = 1;", "a stack of whole fields cannot be declared inside", "s");
  bad_step("var s: stack<stack<real>>; a = 1;", "a stack of stacks");
}

TEST(Variables, TypesAndValues) {
  good_step(
      "var e: real; var h: real[4]; var q: P; var z: mat3; h[1] = e + z[0, 0]; u[q] = h[0]; let b: bool = true; if b { "
      "a = h[1]; }");
  bad_step("var x; a = x;", "`x` needs a type or a value", "x");
  bad_step("let x: real = u; a = x;", "this is a whole field real[P], but `x` is a real", "u");
  good_step("let x = 1.0; let y = x * 2; a = y; { let y2 = y; a = y2; }");
  bad_step("{ let y2 = 1.0; a = y2; } a = y2;", "there is no name `y2`", "y2");
}

TEST(Time, NowAndRows) {
  expect_good(
      "param f[time]: real; param o[time, P]: vec2; space P; state x[P]: vec2; state z: real; init { z = f[now]; }\n"
      "step { z += f[now + 1] + f[time(0)]; for p in P { x[p] += o[now, p] * real(step_index); } for t in 0..steps { z "
      "+= f[time(t)]; } for t in time { z += f[t]; } }");
  expect_error("param f[time]: real; state z: real; step { z = f[step_index]; }",
               "a reference to `time` is wanted here", "step_index", "time(step_index)");
}

}  // namespace
}  // namespace adjoule::semantics
