// The fixed order of reductions, against its definition written out.
#include <array>

#include "ir_support.hpp"

namespace adjoule::ir::test {
namespace {

using Numbers = std::vector<double>;
using Yields = Builder::Yields;

/// A program with one big plain space, so that sums have several blocks.
struct Big {
  Program program = small_program();
  Environment environment = small_environment();
  explicit Big(int32_t n, bool single = false) {
    environment.extents[particle] = {n, 1, 1};
    environment.single = single;
  }
};

Numbers wild_numbers(size_t n) {
  Numbers numbers;
  uint32_t state = 1;
  for (size_t i = 0; i < n; ++i) {
    state = state * 1664525U + 1013904223U;
    numbers.push_back(static_cast<float>(static_cast<double>(state) / 4294967296.0 - 0.4));
  }
  return numbers;
}

/// incoming + sum in lanes and blocks, as the language defines it.
template <class Real>
double sum_in_lanes(const Numbers& values, double incoming) {
  double total = 0;
  for (size_t start = 0; start < values.size(); start += 1024) {
    std::array<Real, 16> lanes{};
    for (size_t i = start; i < std::min(start + 1024, values.size()); ++i)
      lanes[i % 16] += static_cast<Real>(values[i]);
    for (size_t half = 8; half > 0; half /= 2) {
      for (size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    }
    total += static_cast<double>(lanes[0]);
  }
  return static_cast<Real>(incoming + total);
}

Datum sum_of(Big& big, const Numbers& values, double incoming, Mode mode) {
  Reduction reduction = mode == Mode::reduce_add       ? Reduction::add
                        : mode == Mode::reduce_minimum ? Reduction::minimum
                                                       : Reduction::maximum;
  Procedure p = build(big.program, [&](Builder& b) {
    Value x = b.input(field_of(real_type(), {particle}), "x"), start = b.input(real_type(), "s");
    return b.loop({{.space = particle}}, {start}, {mode},
                  [&](auto i, auto h) { b.reduce(h[0], {}, b.load(x, {i[0]}), reduction); });
  });
  Outcome outcome = interpret(big.program, p, big.environment, {real_field(values), real(incoming)});
  EXPECT_FALSE(outcome.fault);
  return outcome.outputs.at(0);
}

TEST(Reductions, ScalarSumsUseLanesAndBlocks) {
  for (int32_t n : {0, 1, 17, 1024, 3000}) {
    Numbers values = wild_numbers(static_cast<size_t>(n));
    Big wide(n), narrow(n, true);
    EXPECT_EQ(sum_of(wide, values, 0.3, Mode::reduce_add).reals[0], sum_in_lanes<double>(values, 0.3)) << n;
    double start = 0.3F;
    EXPECT_EQ(sum_of(narrow, values, start, Mode::reduce_add).reals[0], sum_in_lanes<float>(values, start)) << n;
  }
}

TEST(Reductions, ScalarMinimaAndMaximaGoInOrder) {
  Big big(4);
  EXPECT_EQ(sum_of(big, {3, 1, 2, 5}, 2, Mode::reduce_minimum).reals[0], 1);
  EXPECT_EQ(sum_of(big, {3, 1, 2, 5}, 2, Mode::reduce_maximum).reals[0], 5);
  EXPECT_EQ(sum_of(big, {nan, 3, 4, 4}, 7, Mode::reduce_minimum).reals[0], 3);
}

TEST(Reductions, EachScalarStatementByItself) {
  // 1e16 comes in with the first statement, 1 with the second: one statement after the other, and vectors by component.
  auto out = run([](Builder& b) {
    Value big = b.constant(1e16), small = b.constant(1.0), start = b.zero(vector_type(2));
    return b.loop({{.space = particle}}, {start}, {Mode::reduce_add}, [&](auto, auto h) {
      b.reduce(h[0], {}, b.emit(Opcode::pack, {big, small}, vector_type(2)));
      b.reduce(h[0], {}, b.emit(Opcode::pack, {b.negate(big), small}, vector_type(2)));
    });
  });
  EXPECT_EQ(out[0].reals, (Numbers{0, 20}));
}

TEST(Reductions, IntegersCount) {
  auto out = run([](Builder& b) {
    return b.loop({{.space = particle}, {.space = ring}}, {b.constant(5)}, {Mode::reduce_add},
                  [&](auto, auto h) { b.reduce(h[0], {}, b.constant(2)); });
  });
  EXPECT_EQ(out[0].integers[0], 85);
}

/// Spring-like: f[c] += a then f[c + 1] += b, whose order can be seen in the rounding.
TEST(Reductions, FieldsStatementByStatement) {
  Numbers u = wild_numbers(4);
  u[0] *= 1e16;
  Type field = field_of(real_type(), {ring});
  auto out = run(
      [&](Builder& b) {
        Value x = b.input(field, "u");
        return b.loop({{.space = ring}}, {b.input(field, "f")}, {Mode::reduce_add}, [&](auto c, auto h) {
          Value v = b.load(x, {c[0]});
          b.reduce(h[0], {c[0]}, v);
          b.for_({}, {b.constant(0), b.constant(2)}, {}, [&](Value, auto) {
            b.reduce(h[0], {b.emit(Opcode::offset, {c[0], b.constant(1)})}, b.multiply(v, b.constant(0.7)));
            return Yields{};
          });
        });
      },
      {real_field(u), real_field({1, 1, 1, 1})});
  Numbers f(4, 1.0);
  for (size_t c = 0; c < 4; ++c) f[c] += u[c];
  for (size_t c = 0; c < 4; ++c) {
    for (int k = 0; k < 2; ++k) f[(c + 1) % 4] += u[c] * 0.7;
  }
  EXPECT_EQ(reals(out[0]), f);
}

TEST(Reductions, FieldMinimaAndMaxima) {
  Type field = field_of(real_type(), {ring});
  auto out = run(
      [&](Builder& b) {
        Value x = b.input(field, "u"), low = b.input(field, "low"), high = b.input(field, "high");
        return b.loop({{.space = ring}}, {low, high}, {Mode::reduce_minimum, Mode::reduce_maximum},
                      [&](auto c, auto h) {
                        Value v = b.load(x, {c[0]}), next = b.emit(Opcode::offset, {c[0], b.constant(1)});
                        b.reduce(h[0], {next}, v, Reduction::minimum);
                        b.reduce(h[1], {next}, v, Reduction::maximum);
                        b.reduce(h[1], {c[0]}, v, Reduction::maximum);
                      });
      },
      {real_field({4, 1, 3, 2}), real_field({0, 9, 9, 9}), real_field({0, 0, 0, 9})});
  EXPECT_EQ(reals(out[0]), (Numbers{0, 4, 1, 3}));
  EXPECT_EQ(reals(out[1]), (Numbers{4, 4, 3, 9}));
}

TEST(Reductions, SeveralHandlesOfOneVersion) {
  Type field = field_of(real_type(), {ring});
  auto out = run(
      [&](Builder& b) {
        Value x = b.input(field, "x");
        return b.loop({{.space = ring}}, {x, x}, {Mode::own, Mode::reduce_add}, [&](auto c, auto h) {
          b.store(h[0], {c[0]}, b.constant(-1.0));
          b.reduce(h[1], {c[0]}, b.constant(1.0));
        });
      },
      {real_field({1, 2, 3, 4})});
  EXPECT_EQ(reals(out[0]), (Numbers{-1, -1, -1, -1}));
  EXPECT_EQ(reals(out[1]), (Numbers{2, 3, 4, 5}));
}

}  // namespace
}  // namespace adjoule::ir::test
