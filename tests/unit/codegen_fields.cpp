// Fields on machine code: boundary rules, regions, references in fields, whole-field operations, time loops.
#include "codegen_support.hpp"

namespace adjoule::codegen_test {
namespace {

Value moved(Builder& b, Value reference, std::vector<int32_t> by) {
  Values operands{reference};
  for (int32_t o : by) operands.push_back(b.constant(o));
  return b.emit(Opcode::offset, operands);
}

struct Rules { std::vector<int32_t> extents; std::vector<Boundary> rules; };

std::vector<Rules> many_rules() {
  std::vector<Rules> list;
  const Boundary all[] = {Boundary::zero, Boundary::periodic, Boundary::clamp};
  for (Boundary x : all) {
    list.push_back({{37}, {x}});
    list.push_back({{1}, {x}});
    for (Boundary y : all) {
      list.push_back({{9, 21}, {x, y}});
      list.push_back({{2, 3}, {x, y}});
    }
  }
  list.push_back({{5, 6, 19}, {Boundary::periodic, Boundary::zero, Boundary::clamp}});
  return list;
}

std::vector<int32_t> step(size_t dims, size_t axis, int32_t by) {
  std::vector<int32_t> offsets(dims, 0);
  offsets[axis] = by;
  return offsets;
}

// Sums of neighbours two to the low and one to the high side along each axis, over every kind of region.
TEST(CodegenFields, StencilsOnRegions) {
  for (const Rules& r : many_rules()) {
    std::vector<Domain> regions = {{}, {.region = ir::Region::interior, .width = 1}, {.region = ir::Region::interior, .width = 2},
                                   {.region = ir::Region::boundary, .width = 1}, {.region = ir::Region::boundary, .width = 2},
                                   {.region = ir::Region::boundary, .width = 1, .side = {0, false}},
                                   {.region = ir::Region::boundary, .width = 2, .side = {static_cast<int8_t>(r.extents.size() - 1), true}}};
    World world;
    SpaceId g = world.grid("G", r.extents, r.rules);
    Type field = field_of(real_type(), {g});
    Builder b(world.program, "stencil");
    Value u = b.input(field, "u");
    Values outputs;
    for (Domain d : regions) {
      d.space = g;
      Value start = b.emit(Opcode::fill, {b.constant(-1.0)}, field);
      outputs.push_back(b.loop({d}, {start}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
        Value sum = b.load(u, {i[0]});
        for (size_t axis = 0; axis < r.extents.size(); ++axis) {
          sum = b.add(sum, b.load(u, {moved(b, i[0], step(r.extents.size(), axis, -2))}));
          sum = b.subtract(sum, b.load(u, {moved(b, i[0], step(r.extents.size(), axis, 1))}));
        }
        b.store(h[0], {i[0]}, sum);
      })[0]);
    }
    b.set_outputs(outputs);
    compare(world, b.take(), {random_field(world, field)});
  }
}

// Offsets known at run time only; numbers, equality and normal forms of references; references kept in fields.
TEST(CodegenFields, References) {
  for (const Rules& r : many_rules()) {
    World world;
    SpaceId g = world.grid("G", r.extents, r.rules);
    Type ints = field_of(int_type(), {g}), references = field_of(reference_type(g), {g}), reals = field_of(real_type(), {g});
    Builder b(world.program, "references");
    Value by = b.input(ints, "by"), u = b.input(reals, "u");
    Values updated = {b.zero(ints), b.zero(field_of(bool_type(), {g})), b.zero(references), b.zero(reals)};
    Values first = b.loop({world.over(g)}, updated, std::vector<Mode>(4, Mode::own), [&](std::span<const Value> i, std::span<const Value> h) {
      Value d = b.subtract(b.load(by, {i[0]}), b.constant(int32_t{40}));
      Value to = b.emit(Opcode::offset, r.extents.size() == 1 ? Values{i[0], d} : r.extents.size() == 2 ? Values{i[0], d, b.negate(d)} : Values{i[0], d, b.negate(d), d});
      b.store(h[0], {i[0]}, b.emit(Opcode::index, {to}));
      b.store(h[1], {i[0]}, b.emit(Opcode::reference_equal, {to, moved(b, i[0], step(r.extents.size(), 0, 1))}));
      b.store(h[2], {i[0]}, to);
      b.store(h[3], {i[0]}, b.load(u, {to}));
    });
    Values second = b.loop({world.over(g)}, {b.zero(reals), b.zero(ints), b.zero(ints)}, std::vector<Mode>(3, Mode::own), [&](std::span<const Value> i, std::span<const Value> h) {
      Value to = b.load(first[2], {i[0]});
      b.store(h[0], {i[0]}, b.load(u, {to}));
      b.store(h[1], {i[0]}, b.coordinate(b.emit(Opcode::normalise, {to}), 0));
      b.store(h[2], {i[0]}, b.coordinate(b.load(first[2], {moved(b, i[0], step(r.extents.size(), 0, -1))}), 0));
    });
    first.insert(first.end(), second.begin(), second.end());
    b.set_outputs(first);
    compare(world, b.take(), {random_field(world, ints, 3, 80), random_field(world, reals, 4)});
  }
}

TEST(CodegenFields, StoresOutsideAreDropped) {
  World world;
  SpaceId g = world.grid("G", {6, 7}, {Boundary::zero, Boundary::zero});
  Type field = field_of(vector_type(2), {g});
  Builder b(world.program, "drop");
  Value u = b.input(field, "u");
  b.set_outputs(b.serial({world.over(g)}, {}, {u}, {}, [&](std::span<const Value> i, std::span<const Value> h, std::span<const Value>) {
    b.store(h[0], {moved(b, i[0], {-2, 3})}, b.load(h[0], {i[0]}));
    return Values{};
  }));
  compare(world, b.take(), {random_field(world, field)});
}

// Two spaces, own index at the second position, the first one free: us[now, c] = u[c].
TEST(CodegenFields, SlicesOfTime) {
  World world;
  SpaceId s = world.space("S", 130, true);
  Type field = field_of(vector_type(3), {s}), series = field_of(vector_type(3), {time_space, s});
  Builder b(world.program, "slices");
  Value u = b.input(field, "u"), us = b.input(series, "us");
  b.set_outputs(b.for_({}, {b.constant(int32_t{0}), b.emit(Opcode::steps, {}, int_type())}, {us}, [&](Value t, std::span<const Value> carried) {
    return b.loop({world.over(s)}, {carried[0]}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
      Value now = b.make_reference(time_space, {t});
      Value next = b.make_reference(time_space, {b.add(t, b.constant(int32_t{1}))});
      b.store(h[0], {next, i[0]}, b.add(b.load(h[0], {now, i[0]}), b.load(u, {i[0]})));
    });
  }));
  compare(world, b.take(), {random_field(world, field), random_field(world, series)});
}

// The wave: three fields change roles from step to step.
TEST(CodegenFields, BuffersSwapRoles) {
  for (bool single : {false, true}) {
    World world;
    world.environment.single = single;
    SpaceId g = world.grid("G", {13, 40}, {Boundary::periodic, Boundary::zero});
    Type field = field_of(real_type(), {g});
    Builder b(world.program, "wave");
    Value u = b.input(field, "u"), before = b.input(field, "before"), n = b.input(int_type(), "n");
    b.set_outputs(b.for_({}, {b.constant(int32_t{0}), n}, {u, before}, [&](Value, std::span<const Value> c) {
      Value next = b.loop({world.over(g)}, {b.zero(field)}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
        Value here = b.load(c[0], {i[0]});
        Value sum = b.add(b.add(b.load(c[0], {moved(b, i[0], {1, 0})}), b.load(c[0], {moved(b, i[0], {-1, 0})})),
                          b.add(b.load(c[0], {moved(b, i[0], {0, 1})}), b.load(c[0], {moved(b, i[0], {0, -1})})));
        Value lap = b.subtract(sum, b.multiply(b.constant(4.0), here));
        Value ahead = b.subtract(b.multiply(b.constant(2.0), here), b.load(c[1], {i[0]}));
        b.store(h[0], {i[0]}, b.add(ahead, b.multiply(b.constant(0.1), lap)));
      })[0];
      return Values{next, c[0]};
    }));
    compare(world, b.take(), {random_field(world, field, 1), random_field(world, field, 2), integer(25)});
  }
}

// A version that is read while its successor is written into the same buffer or a copy of it.
TEST(CodegenFields, OldVersionsStayReadable) {
  World world;
  SpaceId s = world.grid("S", {300}, {Boundary::clamp});
  Type field = field_of(real_type(), {s});
  Builder b(world.program, "old");
  Value u = b.input(field, "u");
  Value v = b.loop({world.over(s)}, {u}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
    Value right = b.load(u, {moved(b, i[0], {1})});
    b.store(h[0], {i[0]}, b.add(b.load(h[0], {i[0]}), b.multiply(right, b.load(u, {i[0]}))));
  })[0];
  Value w = b.loop({world.over(s)}, {v}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
    b.store(h[0], {i[0]}, b.emit(Opcode::sine, {b.load(v, {i[0]})}));
  })[0];
  b.set_outputs({w, b.emit(Opcode::add_fields, {v, w}), b.emit(Opcode::set_element, {u, b.make_reference(s, {b.constant(int32_t{400})}), b.constant(9.0)})});
  compare(world, b.take(), {random_field(world, field)});
}

// A local array with run-time indices in a loop that vectorises: each iteration has its own.
TEST(CodegenFields, LocalArraysArePrivate) {
  World world;
  SpaceId s = world.space("S", 1003);
  Type field = field_of(real_type(), {s}), ints = field_of(int_type(), {s});
  Builder b(world.program, "local");
  Value u = b.input(field, "u"), k = b.input(ints, "k");
  b.set_outputs(b.loop({world.over(s)}, {b.zero(field)}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
    Value x = b.load(u, {i[0]}), at = b.load(k, {i[0]});
    Value array = b.emit(Opcode::zero, {}, array_of(real_type(), 5));
    Values turned = b.for_({}, {b.constant(int32_t{0}), b.constant(int32_t{7})}, {array}, [&](Value j, std::span<const Value> c) {
      Value place = b.emit(Opcode::floor_modulo, {b.add(at, j), b.constant(int32_t{5})});
      Value old = b.emit(Opcode::extract_at, {c[0], place});
      return Values{b.emit(Opcode::insert_at, {c[0], place, b.add(b.multiply(old, x), x)})};
    });
    b.store(h[0], {i[0]}, b.emit(Opcode::extract_at, {turned[0], b.emit(Opcode::floor_modulo, {at, b.constant(int32_t{5})})}));
  }));
  compare(world, b.take(), {random_field(world, field), random_field(world, ints, 9, 100)});
}

TEST(CodegenFields, SeveralIndicesAndFills) {
  World world;
  SpaceId a = world.space("A", 7), c = world.grid("C", {4, 9}, {Boundary::periodic, Boundary::periodic});
  Type field = field_of(matrix_type(2), {a, c}), flags = field_of(bool_type(), {a});
  Builder b(world.program, "fills");
  Value x = b.input(real_type(), "x"), flag = b.input(flags, "flag");
  Value m = b.emit(Opcode::pack, {x, b.constant(-0.0), b.constant(2.0), x}, matrix_type(2));
  Value filled = b.emit(Opcode::fill, {m}, field);
  Value outside = b.emit(Opcode::fill, {b.make_reference(c, {b.constant(int32_t{9}), b.constant(int32_t{-3})})}, field_of(reference_type(c), {a}));
  Value updated = b.loop({world.over(a), {.space = c, .region = ir::Region::interior, .width = 1}}, {filled}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
    Value scale = b.if_(b.load(flag, {i[0]}), [&] { return Values{x}; }, [&] { return Values{b.emit(Opcode::exponential, {x})}; })[0];
    Value row = b.emit(Opcode::int_to_real, {b.emit(Opcode::index, {i[1]})});
    b.store(h[0], {i[0], i[1]}, b.multiply(b.load(h[0], {i[0], i[1]}), b.splat(b.multiply(scale, row), matrix_type(2))));
  })[0];
  b.set_outputs({updated, outside, b.load(updated, {b.make_reference(a, {b.constant(int32_t{3})}), b.make_reference(c, {b.constant(int32_t{5}), b.constant(int32_t{-1})})}),
                 b.emit(Opcode::fill, {b.constant(true)}, flags)});
  compare(world, b.take(), {real(0.75), random_field(world, flags, 5, 2)});
}

}  // namespace
}  // namespace adjoule::codegen_test
