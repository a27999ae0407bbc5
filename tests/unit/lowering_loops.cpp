// Loops over spaces and fields: modes, regions, serial loops, versions carried by step-level control flow.
#include "lowering_support.hpp"

namespace adjoule::lowering::test {
namespace {

TEST(LoweringLoops, ModesFollowFromTheAccesses) {
  auto lowered = lower_good(
      "space P; input next[P]: P; param w[P]: real; state own[P]: real; state add[P]: real; state least[P]: real;\n"
      "state sum: real; state both[P]: real; state self[P]: real;\n"
      "step { for p in P { own[p] = w[next[p]]; add[next[p]] += w[p]; least[next[p]] min= w[p]; sum -= w[p];\n"
      "both[p] += both[p]; let q = p; self[q] += w[p]; } }");
  std::string step = printed(*lowered, lowered->program->step);
  for (const char* mode : {"own %", "+= %", "min= %"}) EXPECT_NE(step.find(mode), std::string::npos) << step;
  EXPECT_EQ(count_of(step, "reduce "), 3u) << step;  // add, least, sum
  EXPECT_EQ(count_of(step, "store "), 3u) << step;   // own, both, self
}

TEST(LoweringLoops, ReductionsIntoScalarsElementsAndComponents) {
  Instance run(
      "space P(3); space Q(2); input to[P]: Q; param w[P]: real; state total: real = 10; state least: real = 100; "
      "state v[Q]: vec2 = vec2(1, 1);\n"
      "state m[Q]: mat2; state h[Q]: real[2]; state top[Q]: vec2 = 0; state centre: vec2;\n"
      "init { for p in P { total += w[p]; least min= w[p]; v[to[p]].y -= w[p]; m[to[p]][1, 0] += w[p];\n"
      "h[to[p]][1] += 2 * w[p]; top[to[p]].x max= w[p]; centre.y += w[p]; } }",
      {.fields = {{"to", {1, 0, 1}}, {"w", {1, 2, 4}}}});
  EXPECT_EQ(run.state("total")[0], 17);
  EXPECT_EQ(run.state("least")[0], 1);
  EXPECT_EQ(run.state("v"), (Numbers{1, -1, 1, -4}));
  EXPECT_EQ(run.state("m"), (Numbers{0, 0, 2, 0, 0, 0, 5, 0}));
  EXPECT_EQ(run.state("h"), (Numbers{0, 4, 0, 10}));
  EXPECT_EQ(run.state("top"), (Numbers{2, 0, 4, 0}));
  EXPECT_EQ(run.state("centre"), (Numbers{0, 7}));
}

TEST(LoweringLoops, OwnElementsAreUpdatedInPlace) {
  Instance run(
      "space P(2); state x[P]: vec2 = vec2(1, 1); state n[P]: int = 3;\n"
      "init { for p in P { x[p].x = 5; x[p].y += x[p].x; x[p] *= 2; n[p] -= index(p); n[p] min= 2; } }",
      {});
  EXPECT_EQ(run.state("x"), (Numbers{10, 12, 10, 12}));
  EXPECT_EQ(run.state("n"), (Numbers{2, 2}));
}

TEST(LoweringLoops, SeveralIndicesAndTransposedFields) {
  Instance run(
      "space A(2); space B(3); state m[B, A]: real; state row[A]: real; state line[A, B]: real;\n"
      "init { for i in A, j in B { m[j, i] = real(10 * index(i) + index(j)); }\n"
      "for i in A, j in B { row[i] += m[j, i]; }\n"
      "for i in A { line[i, B(0)] = 1; for k in 1..B.count { line[i, B(k)] = 2 * line[i, B(k - 1)]; } } }",
      {});
  EXPECT_EQ(run.state("m"), (Numbers{0, 10, 1, 11, 2, 12}));
  EXPECT_EQ(run.state("row"), (Numbers{3, 33}));
  EXPECT_EQ(run.state("line"), (Numbers{1, 2, 4, 1, 2, 4}));
}

TEST(LoweringLoops, ContinueEndsTheIteration) {
  Instance run(
      "space P(4); state x[P]: real = 1; init { for p in P { if index(p) == 2 { continue; } x[p] = 2;\n"
      "if index(p) > 0 { if index(p) == 3 { continue; } x[p] = 3; } x[p] += 10; } }",
      {});
  EXPECT_EQ(run.state("x"), (Numbers{12, 13, 1, 2}));
}

TEST(LoweringLoops, Regions) {
  Instance run(
      "const w = 1; grid G(4, 4) boundary clamp; state u[G]: int; init { for c in G.interior(w) { u[c] = 1; }\n"
      "for c in G.boundary(1) { u[c] = 2; } for c in G.boundary(1, y_high) { u[c] = 3; } }",
      {});
  EXPECT_EQ(run.state("u"), (Numbers{2, 2, 2, 3, 2, 1, 1, 3, 2, 1, 1, 3, 2, 2, 2, 3}));
}

TEST(LoweringLoops, SerialLoopsSeeWhatTheyWrote) {
  Instance run(
      "grid G(5) boundary zero; state u[G]: real = 1; state s: real; state v[G]: real = 1;\n"
      "init { serial for c in G { u[c] += u[c - 1]; s = 2 * s + u[c]; }\n"
      "serial for c in reversed(G) { v[c] += v[c + 1]; } }",
      {});
  EXPECT_EQ(run.state("u"), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(run.state("v"), (Numbers{5, 4, 3, 2, 1}));
  EXPECT_EQ(run.state("s")[0], 57);
}

TEST(LoweringLoops, SerialLoopsBreakAndContinue) {
  Instance run(
      "space A(3); space B(3); state u[A, B]: int; state n: int;\n"
      "init { serial for i in A, j in B { if index(j) == 1 { continue; } n += 1; if n == 5 { break; } u[i, j] = n; } }",
      {});
  EXPECT_EQ(run.state("u"), (Numbers{1, 0, 2, 3, 0, 4, 0, 0, 0}));
  EXPECT_EQ(run.state("n")[0], 5);
}

TEST(LoweringLoops, ElementLoopsAreSerial) {
  const std::string text =
      "space P(5); state x[P]: real = 1; state s: real; init { for k in 1..5 { x[P(k)] = x[P(k - 1)] + 1; s += "
      "x[P(k)];\n"
      "if s > 100 { break; } for j in 0..k { x[P(k)] += 0.5; } } }";
  Instance run(text, {});
  EXPECT_EQ(run.state("x"), (Numbers{1, 2.5, 4.5, 7, 10}));
  EXPECT_EQ(run.state("s")[0], 2 + 3.5 + 5.5 + 8);
  std::string init = printed(run.lowered(), run.program().init);
  EXPECT_EQ(count_of(init, "= serial ("), 1u) << init;
}

TEST(LoweringLoops, StepLevelControlFlowCarriesVersions) {
  Instance run(
      "space P(2); param k: int = 3; state x[P]: real = 1; state y[P]: real = 0; state n: int;\n"
      "init { for i in 0..k { var t[P]: real = 0; for p in P { t[p] = x[p] + y[p]; } y = x; x = t; }\n"
      "while n < 4 { n += 1; if mod(n, 2) == 0 { continue; } x[P(0)] += 1; }\n"
      "if x[P(1)] > 2 { let old = x; x = y; for p in P { y[p] = 10 * old[p]; } } else { x = 0; }\n"
      "for i in 0..9 { if i == 2 { break; } for p in P { x[p] += 1; } } }",
      {});
  EXPECT_EQ(run.state("x"), (Numbers{4, 4}));
  EXPECT_EQ(run.state("y"), (Numbers{50, 30}));
}

TEST(LoweringLoops, OldVersionsStay) {
  Instance run(
      "grid G(4) boundary periodic; state u[G]: real; param u0[G]: real;\n"
      "init { u = u0; let old = u; for c in G { u[c] = old[c - 1] + 10 * old[c]; } u[G(0)] -= old[G(0)]; }",
      {.fields = {{"u0", {1, 2, 3, 4}}}});
  EXPECT_EQ(run.state("u"), (Numbers{13, 21, 32, 43}));
}

TEST(LoweringLoops, ReferencesAreNormalisedWhenStored) {
  Instance run(
      "grid G(4) boundary periodic; space P(2); state at[P]: G; state pair[P]: G[2]; state n[P]: int;\n"
      "init { for p in P { at[p] = G(5) - 7; pair[p] = [G(-1), G(9)]; n[p] = coords(at[p])[0] * 10 + "
      "coords(pair[p][1])[0]; } }",
      {});
  EXPECT_EQ(run.state("n"), (Numbers{21, 21}));
}

TEST(LoweringLoops, FunctionsReadFieldsInLoops) {
  Instance run(
      "space P(3); state x[P]: real = 2; param w[P]: real = 3;\n"
      "fn weighted(p: P) -> real { return w[p] * x[p]; } fn mean(u[G]: real) -> real { var s = 0.0; for q in G { s += "
      "u[q]; } return s / real(G.count); }\n"
      "init { for p in P { x[p] = weighted(p) + mean(w); } }",
      {});
  EXPECT_EQ(run.state("x"), (Numbers{9, 9, 9}));
}

}  // namespace
}  // namespace adjoule::lowering::test
