// Types of expressions, conversions of ints, built-ins, indexing.
#include "semantics_support.hpp"

namespace adjoule::semantics {
namespace {

TEST(Types, OfArithmetic) {
  EXPECT_EQ(type_in_loop("1 + 2"), int_type());
  EXPECT_EQ(type_in_loop("1 / 2"), real_type());
  EXPECT_EQ(type_in_loop("2 ^ 3"), real_type());
  EXPECT_EQ(type_in_loop("index(p) / 2"), real_type());
  EXPECT_EQ(type_in_loop("index(p) * index(p) / n"), real_type());
  EXPECT_EQ(type_in_loop("2 * n * u[p]"), real_type());
  EXPECT_EQ(type_in_loop("k * v[p] - 1"), vector_type(2));
  EXPECT_EQ(type_in_loop("v[p] * v[p]"), vector_type(2));
  EXPECT_EQ(type_in_loop("1 / v[p]"), vector_type(2));
  EXPECT_EQ(type_in_loop("2 * m[p] * m[p] * v[p]"), vector_type(2));
  EXPECT_EQ(type_in_loop("m[p] / 2 + 1"), matrix_type(2));
  EXPECT_EQ(type_in_loop("v[p]^2"), vector_type(2));
  EXPECT_EQ(type_in_loop("u[p]^-2"), real_type());
  EXPECT_EQ(type_in_loop("-v[p]"), vector_type(2));
  EXPECT_EQ(type_in_loop("u[p] > 0 ? 1 : 0"), int_type());
  EXPECT_EQ(type_in_loop("u[p] > 0 ? u[p] : u[p] < -1 ? 0 : n"), real_type());
  EXPECT_EQ(type_in_loop("u[p] > 0 ? v[p] : 0"), vector_type(2));
  EXPECT_EQ(type_in_loop("[1, 2.5]"), array_of(real_type(), 2));
  EXPECT_EQ(type_in_loop("[v[p], 0, vec2(1, 2)]"), array_of(vector_type(2), 3));
  EXPECT_EQ(type_in_loop("[1, 2] + [3, 4]"), array_of(int_type(), 2));
  EXPECT_EQ(type_in_loop("-2147483648"), int_type());
  EXPECT_EQ(type_in_loop("[[1, 2], [3, 4]][1][0]"), int_type());
}

TEST(Types, OfNamesAndPlaces) {
  EXPECT_EQ(type_in_loop("P.count"), int_type());
  EXPECT_EQ(type_in_loop("steps"), int_type());
  EXPECT_EQ(type_in_loop("step_index + 1"), int_type());
  EXPECT_EQ(type_in_loop("now + 1"), reference_type(time_space));
  EXPECT_EQ(type_in_loop("time(3)"), reference_type(time_space));
  EXPECT_EQ(type_in_loop("P(index(p) - 1)"), reference_type(1));
  EXPECT_EQ(type_in_loop("ends[Q(0)]"), array_of(reference_type(1), 2));
  EXPECT_EQ(type_in_loop("ends[Q(0)][1]"), reference_type(1));
  EXPECT_EQ(type_in_loop("coords(G(1, 2))"), array_of(int_type(), 2));
  EXPECT_EQ(type_in_loop("coords(G(1, 2))[0]"), int_type());
  EXPECT_EQ(type_in_loop("g[G(1, 2) + (1, 0) - (0, index(p))]"), real_type());
  EXPECT_EQ(type_in_loop("l[L(2) - 1]"), real_type());
  EXPECT_EQ(type_in_loop("v[p].y"), real_type());
  EXPECT_EQ(type_in_loop("v[p][1]"), real_type());
  EXPECT_EQ(type_in_loop("m[p][0, 1]"), real_type());
  EXPECT_EQ(type_in_loop("p == P(0) or p != P(1)"), bool_type());
  EXPECT_EQ(type_in_loop("true == (u[p] > 2)"), bool_type());
}

TEST(Types, OfBuiltins) {
  EXPECT_EQ(type_in_loop("sin(2)"), real_type());
  EXPECT_EQ(type_in_loop("log(v[p])"), vector_type(2));
  EXPECT_EQ(type_in_loop("min(1, index(p))"), int_type());
  EXPECT_EQ(type_in_loop("max(0, u[p])"), real_type());
  EXPECT_EQ(type_in_loop("max(0, v[p])"), vector_type(2));
  EXPECT_EQ(type_in_loop("abs(-3) + sign(index(p))"), int_type());
  EXPECT_EQ(type_in_loop("dot(m[p], m[p])"), real_type());
  EXPECT_EQ(type_in_loop("outer(v[p], v[p])"), matrix_type(2));
  EXPECT_EQ(type_in_loop("cross(vec3(1, 0, 0), vec3(0, 1, 0))"), vector_type(3));
  EXPECT_EQ(type_in_loop("transpose(m[p]) * inverse(m[p]) + identity(2)"), matrix_type(2));
  EXPECT_EQ(type_in_loop("det(m[p]) + trace(m[p])"), real_type());
  EXPECT_EQ(type_in_loop("fma(2, u[p], v[p])"), vector_type(2));
  EXPECT_EQ(type_in_loop("weigh(m[p], 2.0)"), matrix_type(2));
  EXPECT_EQ(type_in_loop("detach(v[p])"), vector_type(2));
  EXPECT_EQ(type_in_loop("reciprocal_or_zero(v[p])"), vector_type(2));
  EXPECT_EQ(type_in_loop("smooth_max(u[p], 0, 10) + softplus(u[p], 2) + smoothstep(0, 1, u[p]) + huber(u[p], 1) + "
                         "relu(u[p]) + sigmoid(1)"),
            real_type());
  EXPECT_EQ(type_in_loop("vec3(index(p), 1, 0.5)"), vector_type(3));
  EXPECT_EQ(type_in_loop("vec3(1)"), vector_type(3));
  EXPECT_EQ(type_in_loop("vec4(v[p], index(p), 0)"), vector_type(4));
  EXPECT_EQ(type_in_loop("normalize(v[p])"), vector_type(2));
  EXPECT_EQ(type_in_loop("div(7, 2) + mod(index(p), 3) + int(2.5)"), int_type());
  EXPECT_EQ(type_in_loop("real(index(p)) * norm_squared(v[p]) + atan2(1, u[p]) + hypot(3, 4)"), real_type());
}

const ExprInfo& info_of(const Checked& c, const syntax::Expr& e) { return c.checked.expressions[e.id]; }

TEST(Conversions, AreMarkedOnTheOutermostExpression) {
  const auto c = check_text("size n = 2; param k: real; loss { let x = k * (n * n); return x + 2 * n * k; }");
  ASSERT_EQ(count_errors(*c), 0u) << c->messages();
  const syntax::Expr& product = *c->program->losses[0].body[0].value;
  EXPECT_TRUE(info_of(*c, product.args[1]).converts_to_real);
  EXPECT_TRUE(info_of(*c, product.args[1]).type.is_int());
  EXPECT_FALSE(info_of(*c, product.args[1].args[0]).converts_to_real);
  const syntax::Expr& flat = c->program->losses[0].body[1].value->args[1];
  EXPECT_TRUE(info_of(*c, flat.args[0]).converts_to_real);
  EXPECT_TRUE(info_of(*c, flat.args[1]).converts_to_real);
  EXPECT_TRUE(info_of(*c, flat).type.is_real());
}

TEST(Conversions, OtherIntsDoNot) {
  bad_loop("u[p] = index(p) * u[p];", "this is an int beside a real", "index(p)", "real(index(p))");
  bad_loop("u[p] = u[p] + index(p);", "this is an int beside a real", "index(p)");
  bad_loop("u[p] = index(p);", "this is an int, but a real is wanted for `u[p]`", "index(p)", "real(index(p))");
  bad_loop("let i = 2; u[p] = i * u[p];", "this is an int beside a real", "i", "real(i)");
  bad_loop("u[p] = sin(index(p));", "`sin` takes a real, not an int", "index(p)");
  bad_loop("u[p] = max(index(p), 0.5);", "ints or reals, all alike", "index(p)");
  bad_loop("if index(p) < 0.5 { u[p] = 1; }", "this is an int beside a real", "index(p)");
  bad_loop("let i: int = 2.5; u[p] = real(i);", "this is a real, but an int is wanted for `i`", "2.5",
           "cuts the fraction off");
  bad_loop("u[p] = u[P(n / 2)];", "an int is wanted", "n / 2", "div(a, b)");
  bad_loop("u[p] = 3000000000;", "does not fit in an int", "3000000000");
  good_loop("var turns = 0; turns += 1; u[p] = real(turns);");
  good_loop("var e: real = 0; e += n; e -= 2 * c; u[p] = n - 1; u[p] = e;");
}

TEST(Conversions, ZeroFitsVectorsMatricesAndArrays) {
  good_loop("var h: real[4] = 0; var z: vec2[2] = 0.0; var i: int[2] = 0; h = 0; u[p] = h[i[0]] + z[0].x;");
  bad_loop("var h: real[4] = 1; u[p] = h[0];", "this is an int, but an array real[4] is wanted", "1");
  bad_loop("var b: bool[2] = 0; u[p] = b[0] ? 1 : 0;", "an array bool[2] is wanted", "0");
  good_loop("v[p] = 0; m[p] = 0.0; var t: vec3 = 0; t += 1; v[p] = vec2(t.x, t.y);");
  bad_loop("v[p] = 1;", "this is an int, but a vec2 is wanted", "1");
  bad_loop("v[p] = 2.5;", "this is a real, but a vec2 is wanted", "2.5", "a value for every component");
  bad_loop("u[p] = v[p];", "this is a vec2, but a real is wanted for `u[p]`", "v[p]", "norm");
  good_step("v = 0; v = vec2(1, 0); u = half; g = n;");
}

TEST(Arithmetic, WhatDoesNotGoTogether) {
  bad_loop("let x = v[p] + vec3(1, 2, 3); u[p] = x.x;", "a vec2 and a vec3 cannot be added", "v[p] + vec3(1, 2, 3)");
  bad_loop("let x = v[p] * m[p]; u[p] = x.x;", "a vec2 and a mat2 cannot be multiplied", "v[p] * m[p]", "transpose");
  bad_loop("let x = v[p] / m[p]; u[p] = x.x;", "a vec2 cannot be divided by a mat2", "v[p] / m[p]", "inverse");
  bad_loop("let x = m[p]^2; m[p] = x;", "a mat2 cannot be raised to a real", "m[p]^2", "M * M");
  bad_loop("let x = true + 1; u[p] = x;", "a bool and an int cannot be added", "true + 1");
  bad_loop("let x = -true; u[p] = x;", "a bool has no negative", "-true");
  bad_loop("let x = [1, 2] - [3, 4]; u[p] = x[0];", "cannot be subtracted");
  bad_loop("if v[p] < vec2(0, 0) { u[p] = 1; }", "cannot be compared by size", "v[p] < vec2(0, 0)", "components");
  bad_loop("if v[p] == v[p] { u[p] = 1; }", "cannot be compared");
  bad_loop("if p < P(1) { u[p] = 1; }", "cannot be compared by size", "p < P(1)", "index(p)");
  bad_loop("if p == Q(1) { u[p] = 1; }", "cannot be compared");
  bad_loop("if u[p] { u[p] = 1; }", "this is a real, but a bool is wanted as a condition of `if`", "u[p]", "u[p] != 0");
  bad_loop("u[p] = not u[p] ? 1 : 2;", "as a condition of `not`");
  bad_loop("u[p] = u[p] > 0 ? v[p] : u[p];", "both sides of `? :` must have one type", "u[p]");
  bad_loop("let x = [1, true]; u[p] = 1;", "the elements of an array must have one type");
  bad_loop("u[p] = (1, 2);", "parentheses is no value", "(1, 2)", "vec2");
}

TEST(Indexing, OfFields) {
  bad_loop("u[p] = u[0];", "this is an int, but a reference to `P` is wanted here", "0", "write P(0)");
  bad_loop("let q = Q(0); u[p] = u[q];", "this is a reference to `Q`, but a reference to `P` is wanted here", "q");
  bad_loop("u[p] = g[1, 2];", "it takes 1 index, not 2", "g[1, 2]", "g[G(i, j)]");
  bad_loop("u[p] = u;", "`u` is a whole field real[P] where one value is needed", "u", "u[…]");
  bad_loop("u[p] = k[p];", "`k` is a real and has no elements to index", "k", "k[Space]");
  bad_loop("u[p] = u[P];", "`P` is a whole space, not one of its elements", "P");
  bad_loop("u[p] = P[0];", "made with round brackets", "P[0]");
  bad_loop("u[p] = v.x;", "has no `x`", "v.x", "take an element first");
}

TEST(Indexing, OfValues) {
  bad_loop("u[p] = v[p].z;", "a vec2 has no component `z`: it has x and y", "v[p].z");
  bad_loop("u[p] = v[p].xy;", "has no component `xy`", "v[p].xy", "one by one");
  bad_loop("u[p] = m[p][0];", "a mat2 takes 2 indices, not 1", "m[p][0]", "m[row, column]");
  bad_loop("u[p] = v[p][2];", "index 2 is outside of a vec2", "2", "0 to 1");
  bad_loop("let h = [1.0, 2.0]; u[p] = h[c];", "index 2 is outside", "c");
  bad_loop("let h = [1.0, 2.0]; u[p] = h[p];", "is indexed by ints", "p", "index(p)");
  bad_loop("let h = [1.0, 2.0]; u[p] = h[0.5];", "an int is wanted as an index", "0.5");
  bad_loop("u[p] = u[p].x;", "a real has no `x`", "u[p].x");
  bad_loop("u[p] = real(P.size);", "a space has no `size`", "P.size");
}

TEST(Indexing, Offsets) {
  bad_loop("u[p] = u[p + 1];", "`P` is a plain space", "1", "P(index(p) + 1)");
  bad_loop("u[p] = g[G(0, 0) + 1];", "`G` has 2 axes, not 1", "1", "c + (1, 0)");
  bad_loop("u[p] = l[L(0) + (1, 0)];", "`L` has 1 axis, not 2", "(1, 0)");
  bad_loop("u[p] = g[G(0, 0) + (0.5, 0)];", "an int is wanted as an offset", "0.5");
  bad_loop("u[p] = g[G(0)];", "an element of `G` is made of 2 ints, not 1", "G(0)", "G(i, j)");
  bad_loop("u[p] = u[P(0.5)];", "an int is wanted as a coordinate of `P`", "0.5");
  bad_loop("u[p] = g[G(0, 0) - G(1, 1)];", "two references cannot be added");
  bad_loop("u[p] = g[1 + G(0, 0)];", "cannot be added", "", "behind the reference");
}

TEST(Builtins, WrongUse) {
  bad_loop("u[p] = sqrt(1, 2);", "`sqrt` takes 1 argument, not 2", "sqrt(1, 2)", "sqrt(x)");
  bad_loop("u[p] = max(1.0, 2.0, 3.0);", "`max` takes 2 arguments, not 3", "", "max(a, max(b, c))");
  bad_loop("u[p] = norm(u[p]);", "`norm` takes a vector, not a real", "u[p]", "abs(x)");
  bad_loop("u[p] = dot(v[p], vec3(0, 0, 1));", "`dot` takes two vectors or two matrices of one size",
           "dot(v[p], vec3(0, 0, 1))");
  bad_loop("u[p] = cross(v[p], v[p]).x;", "`cross` takes two vec3");
  bad_loop("u[p] = mod(u[p], 2);", "`mod` takes ints, not a real", "u[p]", "floor(x / y)");
  bad_loop("u[p] = real(div(1, 0));", "this divides by 0", "0");
  bad_loop("m[p] = identity(5);", "`identity` takes 2, 3 or 4", "5");
  bad_loop("v[p] = vec2(1, 2, 3);", "`vec2` takes 2 numbers, not 3", "vec2(1, 2, 3)", "vec2(x, y)");
  bad_loop("v[p] = vec2(v[p], 1);", "`vec2` takes 2 numbers, not 3", "vec2(v[p], 1)");
  bad_loop("m[p] = mat2(v[p], v[p]);", "`mat2` takes numbers, not a vec2", "v[p]", "one by one");
  bad_loop("m[p] = mat2(1);", "`mat2` takes 4 numbers, not 1", "mat2(1)", "row by row");
  bad_loop("u[p] = real(index(u[p]));", "`index` takes a reference", "u[p]");
  bad_loop("u[p] = exp(m[p]);", "`exp` takes numbers, not a mat2", "m[p]");
  bad_loop("u[p] = atan2(v[p], vec3(1, 2, 3)).x;", "component by component");
  bad_loop("u[p] = real(p);", "`real` takes an int or a real", "p", "real(index(p))");
}

TEST(Names, Unknown) {
  bad_loop("u[p] = hlf;", "there is no name `hlf`", "hlf", "did you mean `half`?");
  bad_loop("u[p] = sqroot(2.0);", "there is no function `sqroot`", "sqroot");
  bad_loop("u[p] = nrom(v[p]);", "there is no function `nrom`", "nrom", "did you mean `norm`?");
  bad_loop("u[p] = length(v[p]);", "there is no function `length`", "length", "norm(v)");
  bad_loop("u[p] = sin;", "`sin` is a built-in function", "sin", "sin(…)");
  bad_loop("u[p] = Q;", "`Q` is a space, not a value", "Q", "Q.count");
  bad_loop("let div = 2; u[p] = real(div(3, 2)) + real(div);", "`div` is a `let` and cannot be called", "div",
           "hides the built-in");
  bad_loop("u[p] = u(p);", "`u` is a state and cannot be called", "u", "u[…]");
}

TEST(Names, FollowUpsAreSilent) {
  bad_loop("let x = nothing_here; let y = x + vec2(1, 2) * x; u[p] = y; if y { u[p] = x.q[3]; }",
           "no name `nothing_here`");
  bad_loop("u[p] = missing; u[p] = missing + 1;", "no name `missing`");
}

TEST(Names, SeveralErrorsInOneRun) {
  const auto c = check_text(in_loop("u[p] = first_one; v[p] = 2.5; k = 3;"));
  EXPECT_EQ(count_errors(*c), 3u) << c->messages();
}

TEST(Tables, SayWhatCallsAre) {
  const auto c = check_text(
      "space P(3); state u[P]: real; loss { let q = P(1); return u[q] + sin(vec2(1, 2).y) + real(P.count); }");
  ASSERT_EQ(count_errors(*c), 0u) << c->messages();
  const syntax::Expr& reference = *c->program->losses[0].body[0].value;
  EXPECT_EQ(info_of(*c, reference).callee, CalleeKind::reference);
  EXPECT_EQ(info_of(*c, reference).space, 1);
  const syntax::Expr& sum = *c->program->losses[0].body[1].value;
  EXPECT_EQ(info_of(*c, sum.args[1]).callee, CalleeKind::builtin);
  EXPECT_EQ(info_of(*c, sum.args[1]).builtin, "sin");
  EXPECT_EQ(info_of(*c, sum.args[1].args[1]).member, MemberKind::component);
  EXPECT_EQ(info_of(*c, sum.args[1].args[1]).component, 1);
  EXPECT_EQ(info_of(*c, sum.args[1].args[1].args[0]).callee, CalleeKind::constructor);
  EXPECT_EQ(info_of(*c, sum.args[2]).callee, CalleeKind::conversion);
  EXPECT_EQ(info_of(*c, sum.args[2].args[1]).member, MemberKind::count);
  EXPECT_EQ(info_of(*c, sum.args[2].args[1]).space, 1);
}

}  // namespace
}  // namespace adjoule::semantics
