// Small programs whose gradients other systems got wrong, with right values stated as mathematics. Each runs in native code and
// in the interpreter, in reverse and in forward mode.
#include "gradients/support.hpp"

namespace gradients {
namespace {

struct Expected {
  std::string wrt;
  std::vector<double> gradient;
};

struct SmallCase {
  std::string name;
  std::string text;
  Bindings bindings;
  std::vector<Expected> expected;
  double loss = NAN;             // checked when given
  int64_t steps = 0;
  double tolerance = 1e-12;
};

void PrintTo(const SmallCase& c, std::ostream* out) { *out << c.name; }

std::vector<double> repeat(double x, size_t n) { return std::vector<double>(n, x); }

std::vector<SmallCase> loops_and_carried_values() {
  return {
      {"c01_power_by_repeated_product",
       "param a: real; loss { var p: real = 1; for k in 0..5 { p = p * a; } return p; }",
       {{"a", number(3)}}, {{"a", {5 * 81.0}}}, 243},
      {"c02_fibonacci_carry",
       "param a: real; param b: real; loss { var p = a; var q = b; for k in 0..10 { let s = p + q; p = q; q = s; } return p; }",
       {{"a", number(1)}, {"b", number(1)}}, {{"a", {34}}, {"b", {55}}}},
      {"c03_integer_carried_as_an_index",
       "space P(10); param a[P]: real; state b[P]: real = 0;"
       "init { for o in 0..5 {"
       "  var u = 0; var w = 1; for k in 0..5 { let s = u + w; u = w; w = s; let i = P(w); b[i] += a[i]; } } }"
       "loss { var e: real = 0; for p in P { e += b[p]; } return e; }",
       {{"a", reals(repeat(1, 10))}}, {{"a", {0, 5, 5, 5, 0, 5, 0, 0, 5, 0}}}},
      {"c04_integer_weight_carried",
       "space P(5); param a[P]: real; loss { var w = 0; var e: real = 0; for k in 0..5 { e += real(w) * a[P(k)]; w = 10 * w + 1; } return e; }",
       {{"a", reals(repeat(1, 5))}}, {{"a", {0, 1, 11, 111, 1111}}}},
      {"c05_power_inside_an_outer_loop",
       "param a: real; param b: real; const i = 4;"
       "loss { var s: real = 0; for k in 0..2 * i { var w: real = 1; for j in 0..i { w = w * a; } for j in 0..i { s += w + b; } } return s; }",
       {{"a", number(2)}, {"b", number(1)}}, {{"a", {2.0 * 16 * 4 * 8 / 1.0}}, {"b", {32}}}},
      {"c06_nested_accumulation",
       "param x: real; loss { var l: real = 0; for k in 0..5 { l += sin(x); for j in 0..2 { l += sin(x) + 1; } } return l; }",
       {{"x", number(0)}}, {{"x", {15}}}, 10},
      {"c07_nests_with_statements_around",
       "param x: real; loss { var y: real = 0; for a in 0..2 { y += x; for b in 0..3 { y += x; for c in 0..4 { y += x; } y += x; } y += x; } return y; }",
       {{"x", number(1)}}, {{"x", {2.0 * (2 + 3 * (2 + 4))}}}, 40},
      {"c08_many_turns",
       "param x: real; loss { var y: real = 0; for a in 0..5 { for b in 0..2000 { for c in 0..1000 { y += x; } } } return y; }",
       {{"x", number(0.5)}}, {{"x", {1e7}}}, 5e6},
      {"c09_minimum_of_a_carried_value",
       "param x: real; loss { var acc: real = 1; for j in 0..4 { acc = min(0.5 * acc + 0.05, x + 0.05 * real(j)); } return acc; }",
       {{"x", number(0.31)}}, {{"x", {0.125}}}},
      {"c10_newton_by_while",
       "param a: real; loss { var y = a; while abs(y * y - a) > 1e-14 { y = 0.5 * (y + a / y); } return y; }",
       {{"a", number(2)}}, {{"a", {1 / (2 * std::sqrt(2.0))}}}, std::sqrt(2.0), 0, 1e-10},
      {"c10_newton_by_break",
       "param a: real; fn root(a: real) -> real { var y = a; for k in 0..100 { if abs(y * y - a) < 1e-14 { break; } y = 0.5 * (y + a / y); } return y; }"
       "loss { return root(a); }",
       {{"a", number(3)}}, {{"a", {1 / (2 * std::sqrt(3.0))}}}, std::sqrt(3.0), 0, 1e-10},
      {"c10_sum_by_continue",
       "param a: real; fn odd(a: real) -> real { var s: real = 0; for k in 0..6 { if mod(k, 2) == 0 { continue; } s += a^2 * real(k); } return s; }"
       "loss { return odd(a); }",
       {{"a", number(3)}}, {{"a", {2 * 3.0 * 9}}}, 81},
      {"c12_rotation_in_place",
       "param theta: real; space P(1); state x[P]: real = 0; init { for p in P { x[p] = 3; } } "
       "step { for p in P { x[p] = cos(theta) * x[p]; } } loss { return x[P(0)]; }",
       {{"theta", number(0.4)}}, {{"theta", {-3 * std::sin(0.4)}}}, 3 * std::cos(0.4), 1},
      {"c46_while_with_a_different_count_in_each_element",
       "space P(4); space Q(3); param y[P]: real; input c[Q]: real;"
       "loss { var e: real = 0; for p in P { var v = y[p]; var i = 0; while i < index(p) { v = v * c[Q(i)]; i += 1; } e += v; } return e; }",
       {{"y", reals({1, 1, 1, 1})}, {"c", reals({2, 3, 4})}}, {{"y", {1, 2, 6, 24}}}},
      {"c47_divisor_in_a_loop",
       "param a: real; loss { var s: real = 0; for i in 0..2 { s += 1 / (real(i) + 1 + a^2); } return s; }",
       {{"a", number(1.5)}}, {{"a", {-0.450113634036977}}}},
      {"c51_root_by_iteration",
       "param p: real; loss { var y: real = 0; for k in 0..60 { y = y - (y + sin(y) - p) / (1 + cos(y)); } return y; }",
       {{"p", number(1)}}, {{"p", {0.534111316130249}}}, NAN, 0, 1e-12},
      {"c59_value_seen_only_at_the_end",
       "param theta: real; state s: real = 0; init { s = 0; } step { s += theta^2; } loss { return s; }",
       {{"theta", number(1.5)}}, {{"theta", {2 * 1.5 * 7}}}, 7 * 2.25, 7},
      {"c60_row_of_the_step",
       "param x: real; input w[time]: real; state s: real = 0; init { s = 0; } step { s += w[now] * x; } loss { return s; }",
       {{"x", number(2)}, {"w", reals({1, 2, 4, 8, 16})}}, {{"x", {15}}}, 30, 4},
  };
}

std::vector<SmallCase> in_place() {
  return {
      {"c13_store_chain",
       "space P(1); param x: real; state y[P]: real = 0; init { for p in P { y[p] = 2 * x; } for p in P { y[p] = 3 * y[p]; }"
       " for p in P { y[p] = 4 * y[p]; } for p in P { y[p] = 5 * y[p]; } } loss { return y[P(0)]; }",
       {{"x", number(1)}}, {{"x", {120}}}, 120},
      {"c14_recurrence_along_a_field",
       "space P(8); param x[P]: real; state s[P]: real = 0; init { s = x; for k in 0..7 { s[P(k + 1)] = 2 * s[P(k)]; } } loss { return s[P(7)]; }",
       {{"x", reals(repeat(1, 8))}}, {{"x", {128, 0, 0, 0, 0, 0, 0, 0}}}, 128},
      {"c15_loss_stored_three_times",
       "param x: real; loss { var l = x; l = 2 * x; l = 4 * x; return l; }", {{"x", number(1)}}, {{"x", {4}}}, 4},
      {"c16_component_overwritten",
       "space P(4); param t: real; param x[P]: real; loss { var b[P]: real = 0; for p in P { b[p] = t; } b[P(0)] = 4 * t; var y: real = 0;"
       " for p in P { y += 2 * b[p] * x[p]; } return y; }",
       {{"t", number(10)}, {"x", reals(repeat(10, 4))}}, {{"x", {80, 20, 20, 20}}, {"t", {140}}}},
      {"c17_overwritten_between_two_reads",
       "space P(2); param a0[P]: real; loss { var a[P]: real = 0; a = a0; var e: real = 0; for p in P { e += a[p]; }"
       " for p in P { a[p] = 10 * a[p]; } for p in P { e += a[p]; } return e; }",
       {{"a0", reals({1, 2})}}, {{"a0", {11, 11}}}},
      {"c36_value_at_the_time_of_use",
       "space P(1); param x0: real; loss { var x[P]: real = 0; var y[P]: real = 0; for p in P { x[p] = x0; } for p in P { y[p] = x[p]^2; }"
       " for p in P { x[p] = 3; } return y[P(0)]; }",
       {{"x0", number(1)}}, {{"x0", {2}}}},
      {"c39_factor_changed_afterwards",
       "param x: real; param b0: real; loss { var b = b0; let l = x * b; b += 100; return l; }",
       {{"x", number(2)}, {"b0", number(10)}}, {{"x", {10}}, {"b0", {2}}}},
      {"c40_second_store_wins",
       "space P(1); param a: real; param b: real; loss { var y[P]: real = 0; for p in P { y[p] = 2 * a; y[p] = 3 * b; } return y[P(0)]; }",
       {{"a", number(1)}, {"b", number(1)}}, {{"a", {0}}, {"b", {3}}}},
      {"c41_component_by_component",
       "param x: real; loss { var v: vec3; v.x = 2 * x; v.y = 3 * x; v.z = 4 * x; return v.x + v.y + v.z; }", {{"x", number(1)}}, {{"x", {9}}}},
      {"old_version_read_after_own_update",   // adjoints belong to versions, not names
       "space P(3); param x0[P]: real; loss { var x[P]: real = 0; x = x0; let old = x; for p in P { x[p] = x[p]^2; } var e: real = 0;"
       " for p in P { e += x[p] + 5 * old[p]; } return e; }",
       {{"x0", reals({1, 2, 3})}}, {{"x0", {7, 9, 11}}}},
  };
}

std::vector<SmallCase> branches() {
  const std::string masked = "param x: real; loss { var t: real = 0; if x > 0 { t = 1 / x; } return t; }";
  const std::string norms = "param y: vec2; param m: real; input z: vec2;";
  return {
      {"c19_branch_not_taken", masked, {{"x", number(0)}}, {{"x", {0}}}, 0},
      {"c19_branch_taken", masked, {{"x", number(2)}}, {{"x", {-0.25}}}, 0.5},
      {"c20_masked_division",
       "space P(3); param a[P]: real; input m[P]: real; loss { var e: real = 0; var o[P]: real = 0; for p in P { if m[p] > 0 { o[p] = a[p] / m[p]; } }"
       " for p in P { e += o[p]; } return e; }",
       {{"a", reals({1, 2, 3})}, {"m", reals({2, 0, 4})}}, {{"a", {0.5, 0, 0.25}}}},
      {"c21_square_of_a_norm_at_zero", norms + "loss { return m * norm_squared(y - z); }",
       {{"y", reals({1, 2})}, {"z", reals({1, 2})}, {"m", number(3)}}, {{"y", {0, 0}}, {"m", {0}}}},
      {"c21_norm_at_zero", norms + "loss { return m * norm(y - z); }",
       {{"y", reals({1, 2})}, {"z", reals({1, 2})}, {"m", number(3)}}, {{"y", {0, 0}}, {"m", {0}}}},
      {"c22_quotient_inside_an_untaken_branch",
       "space P(2); param x[P]: real; loss { var s: real = 0; for p in P { s += x[p]; } var imp: real = 0; if x[P(0)] < 0.06 { imp = 0.5 * x[P(0)] / s; } return imp; }",
       {{"x", reals({0.1, 0.5})}}, {{"x", {0, 0}}}},
      {"c23_squares_of_those_inside",
       "space P(4); param w[P]: real; loss { var e: real = 0; for p in P { if 0 < w[p] and w[p] < 10 { e += w[p]^2; } } return e; }",
       {{"w", reals({-1, 2, 5, 12})}}, {{"w", {0, 4, 10, 0}}}},
      {"c24_fractional_part", "param x: real; loss { let frac = x - floor(x); return frac^2; }", {{"x", number(2.3)}}, {{"x", {2 * 0.3}}}, NAN, 0, 1e-12},
      {"c42_choice_by_a_flag", "param a: real; param t: real; input flag: real; loss { return flag > 0 ? a / t : a; }",
       {{"a", number(3)}, {"t", number(2)}, {"flag", number(1)}}, {{"a", {0.5}}, {"t", {-0.75}}}},
      {"c43_product_of_equal_values",
       "space P(3); param x[P]: real; loss { var y: real = 1; for k in 0..3 { y = y * x[P(k)]; } return y; }",
       {{"x", reals({2, 2, 2})}}, {{"x", {4, 4, 4}}}, 8},
      {"c43_weighted_mean_at_equal_values",
       "space P(3); param x[P]: real; param w[P]: real; loss { var a: real = 0; var b: real = 0; for p in P { a += x[p] * w[p]; b += w[p]; } return a / b; }",
       {{"x", reals({2, 2, 2})}, {"w", reals({1, 1, 1})}}, {{"x", repeat(1.0 / 3, 3)}, {"w", {0, 0, 0}}}, 2},
      {"c44_early_return_in_a_loop",
       "param x: real; param y: real; fn first(x: real, y: real) -> real { let v = [x, y]; for i in 0..2 { if v[i] > 0 { return v[i]; } } return 0; }"
       "loss { return first(x, y); }",
       {{"x", number(3)}, {"y", number(4)}}, {{"x", {1}}, {"y", {0}}}, 3},
      {"c48_power_at_zero", "param x: real; param y: real; loss { return pow(x, y); }",
       {{"x", number(0)}, {"y", number(1)}}, {{"x", {1}}, {"y", {0}}}, 0},
      {"c48_power_of_a_negative_base", "param x: real; input y: real; loss { return pow(x, y); }",
       {{"x", number(-2)}, {"y", number(3)}}, {{"x", {12}}}, -8},
      {"c49_infinity_in_the_untaken_branch", "param x: real; loss { return x > 0 ? x^2 : 1 / (x - x); }", {{"x", number(3)}}, {{"x", {6}}}},
      {"c49_infinity_not_reached", "param x: real; loss { return x > 0 ? 1 / x : x^2; }", {{"x", number(0)}}, {{"x", {0}}}},
      {"c50_running_minimum",
       "space P(4); param x[P]: real; loss { var m: real = 1e9; for p in P { m min= x[p]; } return m^2; }",
       {{"x", reals({3, 1.5, 2, 4})}}, {{"x", {0, 3, 0, 0}}}, 2.25},
      {"c52_guarded_division_and_clamped_norm",
       "param a: real; param v: vec2; loss { let q = a != 0 ? 1 / a : 0; let n = norm(v); return q + max(n, 0); }",
       {{"a", number(0)}, {"v", reals({0, 0})}}, {{"a", {0}}, {"v", {0, 0}}}},
      {"c38_derivative_at_the_value_after_the_sum",
       "space P(3); param a: real; param x[P]: real; loss { var s = a; for p in P { s += x[p]; } return 1 / s; }",
       {{"a", number(1)}, {"x", reals({1, 2, 4})}}, {{"a", {-1.0 / 64}}, {"x", repeat(-1.0 / 64, 3)}}},
      {"c37_run_time_bound",
       "param c: real; input n: int; loss { var e: real = 0; for j in 1..n + 1 { e += c * real(j) * real(j); } return e; }",
       {{"c", number(2)}, {"n", ints({5}, {})}}, {{"c", {55}}}, 110},
  };
}

std::vector<SmallCase> gather_and_scatter() {
  return {
      {"c25_every_element_reads_all",
       "space P(5); space Q(3); param y[Q]: real; state x[P]: real = 0; init { for i in P { for j in Q { x[i] += y[j]; } } }"
       "loss { var e: real = 0; for i in P { e += x[i]; } return e; }",
       {{"y", reals({1, 2, 3})}}, {{"y", {5, 5, 5}}}, 30},
      {"c26_same_place_five_times",
       "space P(5); space Q(1); param p: real; loss { var q[Q]: real = 0; for i in P { q[Q(0)] += p; } return q[Q(0)]; }",
       {{"p", number(2)}}, {{"p", {5}}}, 10},
      {"c27_ragged_segments",
       "space Row(3); space Start(4); space P(6); param x[P]: real; input start[Start]: int;"
       "loss { var e: real = 0; for r in Row { var s: real = 0; for k in start[Start(index(r))]..start[Start(index(r) + 1)] { s += x[P(k)]^2; } e += s; } return e; }",
       {{"x", reals({1, 2, 3, 4, 5, 6})}, {"start", ints({0, 2, 3, 6}, {4})}}, {{"x", {2, 4, 6, 8, 10, 12}}}, 91},
      {"c28_spring_with_one_particle_at_both_ends",
       "space P(2); space S(2); param x[P]: vec2; input ends[S]: P[2]; input rest[S]: real;"
       "loss { var f[P]: vec2 = 0; for s in S { let a = ends[s][0]; let b = ends[s][1]; let d = x[b] - x[a]; let len = norm(d);"
       " let pull = (len - rest[s]) * normalize(d); f[a] += pull; f[b] -= pull; } var e: real = 0; for p in P { e += dot(f[p], vec2(1, 2)) * real(1 + index(p)); } return e; }",
       {{"x", reals({0, 0, 2, 0}, {2, 2})}, {"ends", ints({0, 0, 0, 1}, {2, 2})}, {"rest", reals({1, 1})}},
       {{"x", {1, 1, -1, -1}}}, NAN, 0, 1e-12},
      {"c29_exponential_of_row_sums",
       "space A(2); space B(3); param x[A, B]: real; loss { var e: real = 0; for i in A { var s: real = 0; for j in B { s += x[i, j]; } e += exp(s); } return e; }",
       {{"x", reals({0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, {2, 3})}},
       {{"x", {std::exp(0.6), std::exp(0.6), std::exp(0.6), std::exp(1.5), std::exp(1.5), std::exp(1.5)}}}},
      {"c30_sibling_loops",
       "space P(3); param in_[P]: real; input w[P]: real; loss { var s[P]: real = 0; var o[P]: real = 0; for p in P { s[p] = in_[p]; } for p in P { o[p] = s[p] * w[p]; }"
       " var e: real = 0; for p in P { e += o[p]; } return e; }",
       {{"in_", reals({1, 2, 3})}, {"w", reals({4, 5, 6})}}, {{"in_", {4, 5, 6}}}},
      {"c31_maximum_by_scatter",
       "space P(4); space Q(2); param x[P]: real; input to[P]: Q; loss { var m[Q]: real = -1e9; for p in P { m[to[p]] max= x[p]; } var e: real = 0; for q in Q { e += m[q]^2; } return e; }",
       {{"x", reals({1, 5, 2, 7})}, {"to", ints({0, 0, 1, 1}, {4})}}, {{"x", {0, 10, 0, 14}}}, 74},
      {"c31_maximum_with_a_tie_goes_to_the_first",
       "space P(3); space Q(1); param x[P]: real; loss { var m[Q]: real = -1e9; for p in P { m[Q(0)] max= x[p]; } return m[Q(0)]; }",
       {{"x", reals({5, 5, 2})}}, {{"x", {1, 0, 0}}}, 5},
      {"minimum_in_an_inner_loop",   // each turn has its own value; only the one that attains the minimum gets the gradient
       "space P(2); space Q(3); param x[P]: real; param y[Q]: real; loss { var m: real = 9; for p in P { for q in Q { m min= x[p] + y[q]; } } return m; }",
       {{"x", reals({2, 1})}, {"y", reals({3, 1, 2})}}, {{"x", {0, 1}}, {"y", {0, 1, 0}}}, 2},
      {"minimum_attained_by_several_turns",   // of one iteration: together they get the gradient once
       "space P(2); space Q(1); param x[P]: real; loss { var m[Q]: real = 9; for p in P { for k in 0..3 { m[Q(0)] min= x[p]; } } return m[Q(0)]; }",
       {{"x", reals({1, 2})}}, {{"x", {1, 0}}}, 1},
      {"maximum_in_a_while_loop_under_a_branch",
       "space P(3); space Q(2); param x[P]: real; loss { var m[Q]: real = -9; for p in P { if x[p] > 0 { var v = x[p]; while v < 4 { m[Q(1)] max= v; v = v * 2; } } }"
       " return m[Q(1)]; }",
       {{"x", reals({0.9, -1, 0.7})}}, {{"x", {4, 0, 0}}}, 3.6},
      {"c54_two_thousand_elements",
       "space P(2000); param a: real; loss { var o[P]: real = 0; for p in P { o[p] = a; } var e: real = 0; for p in P { e += o[p]; } return e; }",
       {{"a", number(1.5)}}, {{"a", {2000}}}, 3000},
  };
}

std::vector<SmallCase> all_cases() {
  std::vector<SmallCase> all;
  for (auto list : {loops_and_carried_values(), in_place(), branches(), gather_and_scatter()}) all.insert(all.end(), list.begin(), list.end());
  return all;
}

class Cases : public testing::TestWithParam<SmallCase> {};

TEST_P(Cases, HaveTheRightGradientInEveryMode) {
  const SmallCase& c = GetParam();
  Program program = Program::from_string(c.text, c.name + ".adj");
  for (bool interpreted : {false, true}) {
    if (interpreted && c.name.starts_with("c08")) continue;   // ten million turns
    SCOPED_TRACE(interpreted ? "interpreter" : "native code");
    Options options{.interpreted = interpreted};
    Instance i = instance(program, c.bindings, options);
    std::vector<std::string> wrt;
    for (const Expected& e : c.expected) wrt.push_back(e.wrt);
    Gradient g = i.gradient(c.steps, wrt);
    if (!std::isnan(c.loss)) {
      EXPECT_NEAR(g.loss, c.loss, 1e-13 * std::fabs(c.loss));
    }
    for (const Expected& e : c.expected) {
      const std::vector<double>& got = g.of.at(e.wrt).reals;
      ASSERT_EQ(got.size(), e.gradient.size());
      for (size_t k = 0; k < got.size(); ++k) {
        EXPECT_NEAR(got[k], e.gradient[k], c.tolerance * std::max(1.0, std::fabs(e.gradient[k]))) << e.wrt << "[" << k << "]";
      }
      Array direction = g.of.at(e.wrt);
      double expected = 0;
      for (size_t k = 0; k < got.size(); ++k) {
        direction.reals[k] = 1.0 + 0.5 * static_cast<double>(k);
        expected += direction.reals[k] * got[k];
      }
      EXPECT_NEAR(i.tangent(c.steps, {{e.wrt, direction}}).derivative, expected, 1e-11 * std::max(1.0, std::fabs(expected))) << "tangent in " << e.wrt;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Cases, testing::ValuesIn(all_cases()), [](const auto& info) { return info.param.name; });

/// Case 11: a long carried nonlinear map, and 9, 58: against differences where no closed form is at hand.
TEST(CasesByDifferences, AgreeWithCentralDifferences) {
  const std::vector<SmallCase> cases{
      {"c11", "param x: real; loss { var y = x; for a in 0..10 { for b in 0..500 { y = y + 0.0001 * sin(3 * y) * x; } } return y; }", {{"x", number(0.7)}}, {{"x", {}}}},
      {"c09", "param x: real; loss { var acc: real = 1; for j in 0..4 { acc = min(0.5 * acc + 0.05, x + 0.05 * real(j)); } return acc; }", {{"x", number(0.31)}}, {{"x", {}}}},
      {"c58", "param a: real; loss { var t: real = 0; var y: real = 1; while t < 1.0 { y = y + 0.15 * a * y * y; t = min(t + 0.15, 1.0); } return y; }", {{"a", number(0.3)}}, {{"a", {}}}},
  };
  for (const SmallCase& c : cases) {
    Program program = Program::from_string(c.text, c.name);
    const std::string& wrt = c.expected[0].wrt;
    Gradient g = instance(program, c.bindings).gradient(0, {wrt});
    EXPECT_LE(relative_error(g.of.at(wrt).reals, central_differences(program, c.bindings, {}, 0, wrt)), 1e-8) << c.name;
  }
}

/// Case 32: for each boundary rule the adjoint of a stencil is the transposed matrix, corners included.
TEST(Boundaries, AdjointOfEveryStencilIsTheTransposedMatrix) {
  for (const char* rule : {"zero", "periodic", "clamp", "(periodic, clamp)", "(zero, periodic)"}) {
    std::string text = std::string("grid C(4, 3) boundary ") + rule +
                       "; param u[C]: real; input seed[C]: real; loss { var v[C]: real = 0; for c in C { v[c] = 2 * u[c] + 3 * u[c + (1, 0)] + 5 * u[c - (1, 1)] + 7 * u[c + (-1, 2)]; }"
                       " var e: real = 0; for c in C { e += seed[c] * v[c]; } return e; }";
    Program program = Program::from_string(text, rule);
    for (size_t row = 0; row < 12; ++row) {   // row of the matrix: the loss for a unit seed is linear in u
      std::vector<double> unit(12, 0.0), gradient;
      unit[row] = 1;
      Bindings b{{"u", reals(repeat(0.5, 12), {4, 3})}, {"seed", reals(unit, {4, 3})}};
      Gradient g = instance(program, b).gradient(0, {"u"});
      for (size_t column = 0; column < 12; ++column) {
        std::vector<double> u(12, 0.0);
        u[column] = 1;
        Bindings probe{{"u", reals(u, {4, 3})}, {"seed", reals(unit, {4, 3})}};
        Instance i = instance(program, probe);
        i.run(0);
        EXPECT_EQ(g.of.at("u").reals[column], i.loss()) << rule << " row " << row << " column " << column;
      }
    }
  }
}

/// Case 54: the same bits on a hundred runs. 55: the same gradient ten times. 57: loss, gradient, loss.
TEST(Repetition, GivesTheSameBitsAndChangesNothing) {
  Program program = Program::from_string(
      "space P(2000); param a[P]: real; loss { var e: real = 0; for p in P { e += sin(a[p]) * a[p]; } return e; }");
  std::vector<double> a(2000);
  for (size_t k = 0; k < a.size(); ++k) a[k] = std::sin(0.1 * static_cast<double>(k));
  Instance i = instance(program, {{"a", reals(a)}});
  i.run(0);
  double loss = i.loss();
  Gradient first = i.gradient(0);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(i.gradient(0).of.at("a").reals, first.of.at("a").reals);
  i.run(0);
  EXPECT_EQ(i.loss(), loss);
  EXPECT_EQ(first.loss, loss);
  EXPECT_EQ(i.value("a").reals, a);
}

/// Case 55: ten thousand gradients on one instance: the same numbers, and no memory that grows.
TEST(Repetition, TenThousandGradientsKeepMemoryFlat) {
  Program program = Program::from_string(
      "space P(50); param a[P]: real; state x[P]: real; init { x = a; } step { for p in P { x[p] += 0.1 * sin(x[p]); } }"
      "loss { var e: real = 0; for p in P { e += x[p]^2; } return e; }");
  std::vector<double> a(50);
  for (size_t k = 0; k < a.size(); ++k) a[k] = std::cos(static_cast<double>(k));
  Instance i = instance(program, {{"a", reals(a)}});
  Gradient first = i.gradient(5);
  int64_t bytes = i.statistics().peak_bytes;
  for (int k = 0; k < 10000; ++k) i.gradient(5);
  EXPECT_EQ(i.gradient(5).of.at("a").reals, first.of.at("a").reals);
  EXPECT_EQ(i.statistics().peak_bytes, bytes);
}

/// Case 18: u_prev = u; u = next against copying element by element into two buffers: the same bits.
TEST(Versions, RotationOfBuffersGivesTheBitsOfCopies) {
  const std::string head = "space P(7); param u0[P]: real; param c[P]: real;";
  const std::string loss = "loss { var e: real = 0; for p in P { e += u[p]^2; } return e; }";
  const std::string rotated = head + "state u[P]: real; state u_prev[P]: real; init { u = u0; u_prev = u0; } step { var next[P]: real = 0;"
      " for p in P { next[p] = 2 * u[p] - u_prev[p] - c[p] * sin(u[p]); } u_prev = u; u = next; }" + loss;
  const std::string copied = head + "state u[P]: real; state u_prev[P]: real; init { u = u0; u_prev = u0; } step { var next[P]: real = 0;"
      " for p in P { next[p] = 2 * u[p] - u_prev[p] - c[p] * sin(u[p]); } for p in P { u_prev[p] = u[p]; } for p in P { u[p] = next[p]; } }" + loss;
  Bindings b{{"u0", reals({1, 2, 3, -1, 0.5, 0.1, 4})}, {"c", reals({0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7})}};
  for (int64_t steps : {1, 2, 9, 30}) {
    Gradient one = instance(Program::from_string(rotated), b).gradient(steps), other = instance(Program::from_string(copied), b).gradient(steps);
    EXPECT_EQ(one.loss, other.loss) << steps;
    for (const char* name : {"u0", "c"}) EXPECT_EQ(one.of.at(name).reals, other.of.at(name).reals) << steps << name;
  }
}

/// Case 56: another value on the same instance gives the bits of a fresh instance.
TEST(Repetition, TakesANewValueOfAParameter) {
  Program program = Program::from_string(
      "param k: real; state x: real; state v: real; init { x = 1; v = 0; } step { v -= 0.01 * k * x^3; x += 0.01 * v; } loss { return x; }");
  for (auto schedule : {adjoule::ScheduleKind::keep_every_step, adjoule::ScheduleKind::two_snapshots}) {
    Options options{.schedule = schedule};
    Instance used = instance(program, {{"k", number(2)}}, options);
    used.run(50);
    used.gradient(50);
    used.bind("k", 3.0);
    Gradient again = used.gradient(50), fresh = instance(program, {{"k", number(3)}}, options).gradient(50);
    EXPECT_EQ(again.loss, fresh.loss);
    EXPECT_EQ(again.of.at("k").reals, fresh.of.at("k").reals);
  }
}

/// Cases 53: T = 0 … 9 under both schedules, to the bit.
TEST(Repetition, SchedulesAgreeForEveryNumberOfSteps) {
  Program program = Program::from_string("param a: real; state y: real; init { y = 1; } step { y += 0.1 * sin(a * y); } loss { return y^2; }");
  for (int64_t steps = 0; steps < 10; ++steps) {
    Gradient kept = instance(program, {{"a", number(1.3)}}).gradient(steps);
    Gradient two = instance(program, {{"a", number(1.3)}}, {.schedule = adjoule::ScheduleKind::two_snapshots}).gradient(steps);
    EXPECT_EQ(kept.loss, two.loss) << steps;
    EXPECT_EQ(kept.of.at("a").reals, two.of.at("a").reals) << steps;
  }
}

}  // namespace
}  // namespace gradients
