// Access modes: what a parallel loop may not do, and what it is told.
#include "lowering_support.hpp"

namespace adjoule::lowering::test {
namespace {

const std::string head =
    "space P; grid G(4, 4) boundary clamp; input to[P]: P; input n: int; state x[P]: real; state y[P]: real;\n"
    "state u[G]: real; state M[P, P]: real; state s: real; state o: real;\n"
    "fn at(p: P) -> real { return x[p]; }\n";

std::string step(const std::string& loop) { return head + "step {\n" + loop + "\n}\n"; }

TEST(AccessModes, ReadAtAnotherElement) {
  expect_mode_error(step("for p in P { x[p] = x[to[p]]; }"), "`x` is read at another element of `P` here and written",
                    "x[to[p]]", "x[p] = x[to[p]];", "split the loop, or write into a new field");
  expect_mode_error(step("for c in G { u[c] = u[c + (1, 0)]; }"), "`u` is read at another element", "u[c + (1, 0)]",
                    "u[c] = u[c + (1, 0)];");
  expect_mode_error(step("for p in P { x[p] = 1; y[p] = at(to[p]); }"), "`x` is read at another element", "x[p]",
                    "x[p] = 1;");
  expect_mode_error(step("for p in P { x[p] += x[to[p]]; }"), "changed with `+=`", "x[to[p]]", "x[p] += x[to[p]];");
}

TEST(AccessModes, WriteToAnotherElement) {
  expect_mode_error(step("for p in P { x[to[p]] = 1; }"), "not this iteration's own", "x[to[p]] = 1;", "",
                    "serial for");
  expect_mode_error(step("for p in P, q in P { x[p] = y[q]; }"), "the loop's index `q`", "x[p] = y[q];");
  expect_mode_error(step("for p in P { x[p] = 1; x[to[p]] = 2; }"), "not this iteration's own", "x[to[p]] = 2;",
                    "x[p] = 1;");
}

TEST(AccessModes, PositionsMustAgree) {
  expect_mode_error(step("for i in P, j in P { M[i, j] = M[j, i]; }"), "`M` is read at another element", "M[j, i]",
                    "M[i, j] = M[j, i];");
}

TEST(AccessModes, Reductions) {
  expect_mode_error(step("for p in P { x[to[p]] += 1; y[p] = x[p]; }"), "`x` is reduced here with `+=`",
                    "x[to[p]] += 1;", "x[p]", "let old = x");
  expect_mode_error(step("for p in P { x[to[p]] += 1; x[to[p]] min= 2; }"), "changed with `min=`", "x[to[p]] += 1;",
                    "x[to[p]] min= 2;");
  expect_mode_error(step("for p in P { x[to[p]] += 1; x[p] = 2; }"), "changed with `=`", "x[to[p]] += 1;", "x[p] = 2;");
}

TEST(AccessModes, Scalars) {
  expect_mode_error(step("for p in P { s += x[p]; y[p] = s; }"), "`s` is read here while the iterations", "s",
                    "s += x[p];");
  expect_mode_error(step("for p in P { s += x[p]; s min= 1; }"), "two operators", "s min= 1;", "s += x[p];");
}

TEST(AccessModes, Legal) {
  lower_good(
      step("for p in P { let q = p; x[q] = x[p] + at(p); for k in 0..n { M[p, P(k)] = M[p, P(k)] + M[p, P(0)]; } }"));
  lower_good(step("let old = x; for p in P { x[to[p]] += 1; x[p] -= old[to[p]]; }"));
  lower_good(step("for i in P, j in P { M[j, i] = M[j, i] + x[i]; }"));
  lower_good(step("for p in P { x[to[p]] += 1; x[p] -= 2; s += 1; o max= 2; }"));
}

}  // namespace
}  // namespace adjoule::lowering::test
