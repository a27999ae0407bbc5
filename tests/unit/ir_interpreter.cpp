// Control flow, versions, stacks and faults in the interpreter.
#include "ir_support.hpp"

namespace adjoule::ir::test {
namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<int32_t>;
using Yields = Builder::Yields;

const Type reals_on_particles = field_of(real_type(), {particle});
const Type reals_on_ring = field_of(real_type(), {ring});

/// x[c] = x[c] + by
Value advance(Builder& b, Value x, Value by) {
  return b.loop({{.space = ring}}, {x}, {Mode::own},
                [&](auto c, auto h) { b.store(h[0], {c[0]}, b.add(b.load(h[0], {c[0]}), by)); })[0];
}

TEST(Control, IfYieldsOfTheBranchTaken) {
  for (int32_t c : {0, 1}) {
    auto out = run(
        [](Builder& b) {
          Value condition = b.emit(Opcode::equal, {b.input(int_type(), "c"), b.constant(1)});
          return b.if_(
              condition, [&] { return Yields{b.constant(10.0), b.constant(1)}; },
              [&] { return Yields{b.constant(20.0), b.constant(2)}; });
        },
        {integer(c)});
    EXPECT_EQ(out[0].reals[0], c == 1 ? 10 : 20);
    EXPECT_EQ(out[1].integers[0], c == 1 ? 1 : 2);
  }
}

TEST(Control, ForCarriesAndSwaps) {
  auto out = run([](Builder& b) {
    return b.for_({}, {b.constant(0), b.constant(3)}, {b.constant(1.0), b.constant(2.0), b.constant(0)},
                  [&](Value i, auto c) { return Yields{c[1], c[0], b.add(b.multiply(c[2], b.constant(10)), i)}; });
  });
  EXPECT_EQ(out[0].reals[0], 2);
  EXPECT_EQ(out[1].reals[0], 1);
  EXPECT_EQ(out[2].integers[0], 12);
}

TEST(Control, ForBackwardsEmptyAndOverSpaces) {
  auto digits = [](Builder& b, Domain domain, std::vector<Value> bounds) {
    return b.for_(domain, bounds, {b.constant(0)}, [&](Value i, auto c) {
      if (domain.space != no_space) i = b.emit(Opcode::index, {i});
      return Yields{b.add(b.multiply(c[0], b.constant(10)), i)};
    })[0];
  };
  auto out = run([&](Builder& b) {
    Value two = b.constant(2), five = b.constant(5);
    return std::vector{digits(b, {.reversed = true}, {two, five}), digits(b, {}, {five, two}),
                       digits(b, {.space = ring}, {}), digits(b, {.space = ring, .reversed = true}, {})};
  });
  EXPECT_EQ(out[0].integers[0], 432);
  EXPECT_EQ(out[1].integers[0], 0);
  EXPECT_EQ(out[2].integers[0], 123);
  EXPECT_EQ(out[3].integers[0], 3210);
}

TEST(Control, While) {
  auto out = run([](Builder& b) {
    return b.while_(
        {b.constant(1), b.constant(0)}, [&](auto c) { return b.emit(Opcode::less, {c[0], b.constant(100)}); },
        [&](auto c) { return Yields{b.add(c[0], c[0]), b.add(c[1], b.constant(1))}; });
  });
  EXPECT_EQ(out[0].integers[0], 128);
  EXPECT_EQ(out[1].integers[0], 7);
}

TEST(Control, WhileWhoseConditionReadsAFieldThatItUpdates) {
  auto out = run(
      [](Builder& b) {
        Value c0 = b.make_reference(ring, {b.constant(0)});
        return b.while_(
            {b.input(reals_on_ring, "u")},
            [&](auto c) {
              Value next = advance(b, c[0], b.constant(1.0));
              return b.emit(Opcode::less, {b.load(next, {c0}), b.constant(4.0)});
            },
            [&](auto c) { return Yields{advance(b, c[0], b.constant(1.0))}; });
      },
      {real_field({0, 1, 2, 3})});
  EXPECT_EQ(reals(out[0]), (Numbers{3, 4, 5, 6}));
}

TEST(Control, IndicesOfSeveralDomainsRunRowMajor) {
  auto out = run([](Builder& b) {
    return b.serial({{.space = ring}, {.space = mixed, .region = Region::interior, .width = 1}}, {}, {},
                    {b.constant(0), b.constant(0)}, [&](auto i, auto, auto c) {
                      Value n = b.add(b.multiply(b.emit(Opcode::index, {i[0]}), b.constant(12)),
                                      b.emit(Opcode::index, {i[1]}));
                      Value ordered = b.emit(Opcode::select, {b.emit(Opcode::less, {c[1], n}), c[0], b.constant(99)});
                      return Yields{b.add(ordered, b.constant(1)), n};
                    });
  });
  EXPECT_EQ(out[0].integers[0], 24);  // 4 × 6, each number above the one before
  EXPECT_EQ(out[1].integers[0], 46);
}

TEST(Versions, NeverChange) {
  auto out = run(
      [](Builder& b) {
        Value x0 = b.input(reals_on_ring, "x"), x1 = advance(b, x0, b.constant(1.0)),
              x2 = advance(b, x1, b.constant(1.0));
        Value x3 = b.emit(Opcode::set_element, {x0, b.make_reference(ring, {b.constant(5)}), b.constant(-1.0)});
        return std::vector{x0, x1, x2, x3, b.emit(Opcode::add_fields, {x1, x2}), b.emit(Opcode::copy, {x1})};
      },
      {real_field({0, 1, 2, 3})});
  EXPECT_EQ(reals(out[0]), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(reals(out[1]), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(reals(out[2]), (Numbers{2, 3, 4, 5}));
  EXPECT_EQ(reals(out[3]), (Numbers{0, -1, 2, 3}));
  EXPECT_EQ(reals(out[4]), (Numbers{3, 5, 7, 9}));
  EXPECT_EQ(reals(out[5]), (Numbers{1, 2, 3, 4}));
}

TEST(Versions, OldOneIsReadWhileTheNewOneIsMade) {
  auto out = run(
      [](Builder& b) {
        Value old = b.input(reals_on_ring, "u");
        return b.loop({{.space = ring}}, {old}, {Mode::own}, [&](auto c, auto h) {
          b.store(h[0], {c[0]}, b.load(old, {b.emit(Opcode::offset, {c[0], b.constant(-1)})}));
        });
      },
      {real_field({0, 1, 2, 3})});
  EXPECT_EQ(reals(out[0]), (Numbers{3, 0, 1, 2}));
}

TEST(Versions, OfTheCallerStayAndThoseOfALoopAreUpdatedInPlace) {
  Program program = small_program();
  Procedure p = build(program, [](Builder& b) {
    Value u = b.input(reals_on_ring, "u");
    return b.for_({}, {b.constant(0), b.constant(100)}, {u}, [&](Value, auto c) {
      return b.if_(
          b.constant(true), [&] { return Yields{advance(b, c[0], b.constant(1.0))}; }, [&] { return Yields{c[0]}; });
    });
  });
  Datum mine = real_field({0, 1, 2, 3});
  Outcome shared = interpret(program, p, small_environment(), {mine});
  EXPECT_EQ(reals(mine), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(reals(shared.outputs[0]), (Numbers{100, 101, 102, 103}));
  const FieldData* data = mine.field.get();
  std::vector<Datum> given;
  given.push_back(std::move(mine));
  Outcome owned = interpret(program, p, small_environment(), std::move(given));
  EXPECT_EQ(owned.outputs.at(0).field.get(), data);
}

TEST(Versions, SerialLoopsReadWhatTheyWrote) {
  auto out = run(
      [](Builder& b) {
        Value u = b.input(reals_on_ring, "u");
        return b.serial({{.space = ring, .reversed = true}}, {}, {u}, {b.constant(0.0)}, [&](auto c, auto h, auto sum) {
          Value next = b.load(h[0], {b.emit(Opcode::offset, {c[0], b.constant(1)})});
          b.store(h[0], {c[0]}, b.add(b.load(h[0], {c[0]}), next));
          b.reduce(h[0], {c[0]}, b.constant(0.5));
          return Yields{b.add(sum[0], next)};
        });
      },
      {real_field({1, 2, 3, 4})});
  EXPECT_EQ(reals(out[0]), (Numbers{13, 11.5, 9, 5.5}));
  EXPECT_EQ(out[1].reals[0], 1 + 5.5 + 9 + 11.5);
}

TEST(Versions, SerialOverARange) {
  auto out = run(
      [](Builder& b) {
        Value u = b.input(reals_on_ring, "u");
        return b.serial({{}}, {b.constant(1), b.constant(3)}, {u}, {}, [&](auto k, auto h, auto) {
          b.store(h[0], {b.make_reference(ring, {k[0]})}, b.emit(Opcode::int_to_real, {b.multiply(k[0], k[0])}));
          return Yields{};
        });
      },
      {real_field({9, 9, 9, 9})});
  EXPECT_EQ(reals(out[0]), (Numbers{9, 1, 4, 9}));
}

TEST(Stacks, OfValuesAndOfFields) {
  auto out = run(
      [](Builder& b) {
        Value numbers = b.stack_new(vector_type(2)), fields = b.stack_new(reals_on_ring);
        Value u = b.for_({}, {b.constant(0), b.constant(3)}, {b.input(reals_on_ring, "u")}, [&](Value i, auto c) {
          b.push(numbers, b.splat(b.emit(Opcode::int_to_real, {i}), vector_type(2)));
          b.push(fields, c[0]);
          return Yields{advance(b, c[0], b.constant(1.0))};
        })[0];
        Value top = b.pop(numbers), below = b.pop(numbers);
        b.pop(fields);
        return std::vector{top, below, b.pop(fields), u};
      },
      {real_field({0, 0, 0, 0})});
  EXPECT_EQ(out[0].reals, (Numbers{2, 2}));
  EXPECT_EQ(out[1].reals, (Numbers{1, 1}));
  EXPECT_EQ(reals(out[2]), (Numbers{1, 1, 1, 1}));
  EXPECT_EQ(reals(out[3]), (Numbers{3, 3, 3, 3}));
}

TEST(Stacks, ReferencesKeepTheirRawCoordinates) {
  auto out = run([](Builder& b) {
    Value s = b.stack_new(reference_type(mixed));
    b.push(s, b.make_reference(mixed, {b.constant(-1), b.constant(7)}));
    Value r = b.pop(s);
    return std::vector{b.coordinate(r, 0), b.coordinate(r, 1)};
  });
  EXPECT_EQ(out[0].integers[0], -1);
  EXPECT_EQ(out[1].integers[0], 7);
}

TEST(Stacks, LocalToAnIterationStartEmpty) {
  auto out = run([](Builder& b) {
    return b.loop({{.space = ring}}, {b.zero(reals_on_ring)}, {Mode::own}, [&](auto c, auto h) {
      Value s = b.stack_new(real_type());
      Value n = b.emit(Opcode::index, {c[0]});
      b.for_({}, {b.constant(0), b.add(n, b.constant(1))}, {}, [&](Value i, auto) {
        b.push(s, b.emit(Opcode::int_to_real, {i}));
        return Yields{};
      });
      b.store(h[0], {c[0]}, b.pop(s));
    });
  });
  EXPECT_EQ(reals(out[0]), (Numbers{0, 1, 2, 3}));
}

TEST(Faults, IndexOutOfRange) {
  auto check = [](SpaceId space) {
    return [space](Builder& b) {
      Value i = b.input(int_type(), "i");
      b.append({.code = Opcode::check_index, .operands = {i}, .integer = 3, .space = space}, {});
      return std::vector<Value>{};
    };
  };
  EXPECT_EQ(fault(check(particle), {integer(9)}), "no fault");
  EXPECT_EQ(fault(check(particle), {integer(12)}), "Particle(12) is outside the space Particle, which has 10 elements");
  EXPECT_EQ(fault(check(particle), {integer(-1)}), "Particle(-1) is outside the space Particle, which has 10 elements");
  EXPECT_EQ(fault(check(one), {integer(1)}), "One(1) is outside the space One, which has 1 element");
  EXPECT_EQ(fault(check(no_space), {integer(3)}), "index 3 is outside an array of 3 elements");
}

TEST(Faults, HaveTheirPlaceAndComeFromTheLowestIteration) {
  Program program = small_program();
  Procedure p = build(program, [](Builder& b) {
    b.set_span({0, 5, 9});
    return b.loop({{.space = particle}}, {b.zero(reals_on_particles)}, {Mode::own}, [&](auto c, auto h) {
      Value next = b.add(b.emit(Opcode::index, {c[0]}), b.constant(7));
      b.append({.code = Opcode::check_index, .operands = {next}, .space = particle}, {});
      b.store(h[0], {c[0]}, b.constant(1.0));
    });
  });
  Outcome outcome = interpret(program, p, small_environment(), {});
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->message, "Particle(10) is outside the space Particle, which has 10 elements");
  EXPECT_EQ(outcome.fault->span, (Span{0, 5, 9}));
  EXPECT_TRUE(outcome.outputs.empty());
}

TEST(Faults, LoadsAndStoresThatNoCheckProved) {
  EXPECT_EQ(fault(
                [](Builder& b) {
                  return std::vector{
                      b.load(b.input(reals_on_particles, "x"), {b.make_reference(particle, {b.constant(10)})})};
                },
                {real_field(Numbers(10))}),
            "Particle(10) is outside the space Particle, which has 10 elements");
  EXPECT_EQ(fault([](Builder& b) {
              return std::vector{b.emit(Opcode::extract_at, {b.zero(vector_type(3)), b.constant(3)})};
            }),
            "index 3 is outside an array of 3 elements");
}

TEST(Faults, DivisionByZeroAndEmptyStacks) {
  EXPECT_EQ(fault([](Builder& b) {
              b.effect(Opcode::check_nonzero, {b.constant(0)});
              return std::vector<Value>{};
            }),
            "division by zero");
  EXPECT_EQ(fault([](Builder& b) {
              Value s = b.stack_new(real_type());
              b.name(s, "history");
              return std::vector{b.pop(s)};
            }),
            "pop from the stack history, which is empty");
}

TEST(Faults, RowsOfTimeThatWereNotBound) {
  auto read = [](int32_t t) {
    return [t](Builder& b) {
      Value series = b.input(field_of(real_type(), {time_space}), "torque");
      return std::vector{b.load(series, {b.make_reference(time_space, {b.constant(t)})})};
    };
  };
  EXPECT_EQ(fault(read(2), {real_field({1, 2, 3})}), "no fault");
  EXPECT_EQ(fault(read(3), {real_field({1, 2, 3})}), "torque has no row for this instant: none was bound");
  EXPECT_EQ(fault(read(3), {real_field({1, 2, 3, 4})}), "no fault");
}

TEST(Faults, InputsOfTheWrongForm) {
  EXPECT_EQ(fault([](Builder& b) { return std::vector{b.input(reals_on_ring, "u")}; }, {real_field({1})}),
            "input u of test does not have the form of its type");
  EXPECT_EQ(fault([](Builder& b) { return std::vector{b.input(real_type(), "x")}; }), "test takes 1 input, given 0");
}

TEST(Counts, OfElementsAndScalars) {
  Program program = small_program();
  Environment environment = small_environment();
  EXPECT_EQ(element_count(program, field_of(real_type(), {mixed, particle}), environment), 120);
  EXPECT_EQ(element_count(program, real_type(), environment), 1);
  EXPECT_EQ(scalar_count(program, array_of(vector_type(3), 2)), 6);
  EXPECT_EQ(scalar_count(program, reference_type(mixed)), 2);
  EXPECT_EQ(scalar_count(program, field_of(reference_type(mixed), {particle})), 1);
}

}  // namespace
}  // namespace adjoule::ir::test
