// References, boundary rules and regions, through the interpreter.
#include "ir/geometry.hpp"
#include "ir_support.hpp"

namespace adjoule::ir::test {
namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<int32_t>;

/// u[c + shift] for each c of a 1D grid of 4.
Numbers shifted(SpaceId space, int32_t shift) {
  Type field = field_of(real_type(), {space});
  return reals(run(
      [&](Builder& b) {
        Value u = b.input(field, "u");
        Value by = b.constant(shift);
        return b.loop({{.space = space}}, {b.zero(field)}, {Mode::own},
                      [&](auto c, auto h) { b.store(h[0], {c[0]}, b.load(u, {b.emit(Opcode::offset, {c[0], by})})); });
      },
      {real_field({1, 2, 3, 4})})[0]);
}

/// Sums u[c] into f[c + shift].
Numbers scattered(SpaceId space, int32_t shift) {
  Type field = field_of(real_type(), {space});
  return reals(run(
      [&](Builder& b) {
        Value u = b.input(field, "u");
        Value by = b.constant(shift);
        return b.loop({{.space = space}}, {b.zero(field)}, {Mode::reduce_add},
                      [&](auto c, auto h) { b.reduce(h[0], {b.emit(Opcode::offset, {c[0], by})}, b.load(u, {c[0]})); });
      },
      {real_field({1, 2, 3, 4})})[0]);
}

/// How often each element of a grid is visited by a region.
Integers visits(Domain domain) {
  Type field = field_of(int_type(), {domain.space});
  return integers(run([&](Builder& b) {
    return b.loop({domain}, {b.zero(field)}, {Mode::own},
                  [&](auto c, auto h) { b.store(h[0], {c[0]}, b.add(b.load(h[0], {c[0]}), b.constant(1))); });
  })[0]);
}

TEST(Boundary, Periodic) {
  EXPECT_EQ(shifted(ring, 1), (Numbers{2, 3, 4, 1}));
  EXPECT_EQ(shifted(ring, -1), (Numbers{4, 1, 2, 3}));
  EXPECT_EQ(shifted(ring, -9), (Numbers{4, 1, 2, 3}));
  EXPECT_EQ(scattered(ring, 1), (Numbers{4, 1, 2, 3}));
}

TEST(Boundary, Clamp) {
  EXPECT_EQ(shifted(rod, 1), (Numbers{2, 3, 4, 4}));
  EXPECT_EQ(shifted(rod, -9), (Numbers{1, 1, 1, 1}));
  EXPECT_EQ(scattered(rod, 1), (Numbers{0, 1, 2, 7}));
}

TEST(Boundary, Zero) {
  EXPECT_EQ(shifted(slab, 1), (Numbers{2, 3, 4, 0}));
  EXPECT_EQ(shifted(slab, -1), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(scattered(slab, 1), (Numbers{0, 1, 2, 3}));
}

TEST(Boundary, StoresOutsideAreDropped) {
  Type field = field_of(real_type(), {slab});
  auto out = run(
      [&](Builder& b) {
        Value u = b.input(field, "u");
        Value outside = b.make_reference(slab, {b.constant(-1)});
        auto stored = b.serial({{.space = one}}, {}, {u}, {}, [&](auto, auto h, auto) {
          b.store(h[0], {outside}, b.constant(9.0));
          return Builder::Yields{};
        });
        return std::vector{stored[0], b.emit(Opcode::set_element, {u, outside, b.constant(9.0)})};
      },
      {real_field({1, 2, 3, 4})});
  EXPECT_EQ(reals(out[0]), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(reals(out[1]), (Numbers{1, 2, 3, 4}));
}

TEST(References, KeepRawCoordinatesUntilTheyIndex) {
  auto out = run([](Builder& b) {
    Value far = b.make_reference(mixed, {b.constant(-1), b.constant(5)});
    Value back = b.emit(Opcode::offset, {far, b.constant(0), b.constant(-2)});
    Value same = b.make_reference(mixed, {b.constant(2), b.constant(3)});
    Value other = b.make_reference(mixed, {b.constant(0), b.constant(-7)});
    Value normal = b.emit(Opcode::normalise, {back}), outside = b.emit(Opcode::normalise, {far});
    return std::vector{b.coordinate(far, 1),
                       b.emit(Opcode::index, {far}),
                       b.emit(Opcode::index, {back}),
                       b.emit(Opcode::reference_equal, {back, same}),
                       b.coordinate(back, 0),
                       b.coordinate(normal, 0),
                       b.emit(Opcode::reference_equal, {far, other}),
                       b.emit(Opcode::index, {outside}),
                       b.coordinate(outside, 0)};
  });
  std::vector<int32_t> got;
  for (const Datum& d : out) got.push_back(d.integers[0]);
  EXPECT_EQ(got, (Integers{5, -1, 11, 1, -1, 2, 1, -1, outside_coordinate}));
}

TEST(References, InFieldsAreNumbers) {
  // Each element of Mixed points one to the right; then the second coordinate of what it points to, by its index.
  Type links = field_of(reference_type(mixed), {mixed}), numbers = field_of(int_type(), {mixed});
  auto out = run([&](Builder& b) {
    Value right = b.loop({{.space = mixed}}, {b.zero(links)}, {Mode::own}, [&](auto c, auto h) {
      b.store(h[0], {c[0]}, b.emit(Opcode::offset, {c[0], b.constant(0), b.constant(1)}));
    })[0];
    Value index = b.loop({{.space = mixed}}, {b.zero(numbers)}, {Mode::own}, [&](auto c, auto h) {
      b.store(h[0], {c[0]}, b.emit(Opcode::index, {b.load(right, {c[0]})}));
    })[0];
    return std::vector{right, index};
  });
  EXPECT_EQ(integers(out[0]), (Integers{1, 2, 3, -1, 5, 6, 7, -1, 9, 10, 11, -1}));
  EXPECT_EQ(integers(out[1]), integers(out[0]));
}

TEST(References, ArraysOfReferencesInFields) {
  Type ends = field_of(array_of(reference_type(particle), 2), {one});
  auto out = run(
      [&](Builder& b) {
        Value pair = b.load(b.input(ends, "ends"), {b.make_reference(one, {b.constant(0)})});
        return std::vector{b.emit(Opcode::index, {b.extract(pair, 0)}), b.emit(Opcode::index, {b.extract(pair, 1)})};
      },
      {integer_field({4, 7})});
  EXPECT_EQ(out[0].integers[0], 4);
  EXPECT_EQ(out[1].integers[0], 7);
}

TEST(Facts, SizesExtentsAndSteps) {
  auto out = run([](Builder& b) {
    OpId size = b.append({.code = Opcode::size, .integer = 1}, std::vector{int_type()});
    return std::vector{b.procedure().op(size).results[0], b.extent(mixed), b.extent(mixed, 1), b.extent(time_space),
                       b.emit(Opcode::steps, {})};
  });
  Integers got;
  for (const Datum& d : out) got.push_back(d.integers[0]);
  EXPECT_EQ(got, (Integers{9, 12, 4, 4, 3}));
}

TEST(Regions, Interior) {
  EXPECT_EQ(visits({.space = plate, .region = Region::interior, .width = 1}),
            (Integers{0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0}));
  // Ends of a periodic axis are no ends.
  EXPECT_EQ(visits({.space = mixed, .region = Region::interior, .width = 1}),
            (Integers{0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(visits({.space = slab, .region = Region::interior, .width = 2}), (Integers{0, 0, 0, 0}));
}

TEST(Regions, BoundaryVisitsCornersOnce) {
  EXPECT_EQ(visits({.space = plate, .region = Region::boundary, .width = 1}),
            (Integers{1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(visits({.space = slab, .region = Region::boundary, .width = 3}), (Integers{1, 1, 1, 1}));
  EXPECT_EQ(visits({.space = ring, .region = Region::boundary, .width = 1}), (Integers{0, 0, 0, 0}));
}

TEST(Regions, OneSide) {
  auto side = [](SpaceId space, int8_t axis, bool high, int32_t width) {
    return visits({.space = space, .region = Region::boundary, .width = width, .side = {axis, high}});
  };
  EXPECT_EQ(side(plate, 0, false, 1), (Integers{1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(side(plate, 1, true, 2), (Integers{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(side(mixed, 0, true, 1), Integers(12, 0));
}

TEST(Regions, AreWalkedRowMajorAndBackwards) {
  Program program = small_program();
  Shape shape{&program.spaces[plate], {5, 4, 1}};
  Walk forward(shape, {.space = plate, .region = Region::interior, .width = 1});
  ASSERT_EQ(forward.count(), 6);
  EXPECT_EQ(forward.at(0), (Coordinates{1, 1, 0}));
  EXPECT_EQ(forward.at(1), (Coordinates{1, 2, 0}));
  Walk backward(shape, {.space = plate, .region = Region::interior, .width = 1, .reversed = true});
  EXPECT_EQ(backward.at(0), (Coordinates{3, 2, 0}));
  Walk range(2, 5, true);
  EXPECT_EQ(range.at(0)[0], 4);
  EXPECT_EQ(Walk(5, 2, false).count(), 0);
}

}  // namespace
}  // namespace adjoule::ir::test
