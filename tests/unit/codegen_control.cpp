// Control flow, serial loops, stacks, faults, interrupts and the cache.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "codegen_support.hpp"

namespace adjoule::codegen_test {
namespace {

TEST(CodegenControl, SerialLoops) {
  for (bool reversed : {false, true}) {
    World world;
    SpaceId g = world.grid("G", {9, 12}, {Boundary::periodic, Boundary::zero}), s = world.space("S", 4);
    Type field = field_of(real_type(), {g});
    Builder b(world.program, "sweep");
    Value u = b.input(field, "u");
    Values outputs;
    for (Domain d : {Domain{}, Domain{.region = ir::Region::boundary, .width = 2}, Domain{.region = ir::Region::interior, .width = 1}}) {
      d.space = g;
      d.reversed = reversed;
      Values results = b.serial({d, {.space = s}}, {}, {u}, {b.constant(0.0), b.constant(int32_t{0})}, [&](std::span<const Value> i, std::span<const Value> h, std::span<const Value> c) {
        Value back = b.emit(Opcode::offset, {i[0], b.constant(int32_t{-1}), b.constant(int32_t{1})});
        Value x = b.add(b.multiply(b.load(h[0], {back}), b.constant(0.5)), b.load(h[0], {i[0]}));
        b.store(h[0], {i[0]}, x);
        b.reduce(h[0], {back}, b.constant(0.125));
        return Values{b.add(b.multiply(c[0], b.constant(0.9)), x), b.add(c[1], b.emit(Opcode::index, {i[1]}))};
      });
      outputs.insert(outputs.end(), results.begin(), results.end());
    }
    Values range = b.serial({{.space = no_space, .reversed = reversed}}, {b.constant(int32_t{3}), b.constant(int32_t{30})}, {u}, {b.constant(1.0)}, [&](std::span<const Value> i, std::span<const Value> h, std::span<const Value> c) {
      Value at = b.make_reference(g, {i[0], b.emit(Opcode::floor_divide, {i[0], b.constant(int32_t{3})})});
      b.store(h[0], {at}, c[0]);
      return Values{b.add(c[0], b.load(h[0], {at}))};
    });
    outputs.insert(outputs.end(), range.begin(), range.end());
    b.set_outputs(outputs);
    compare(world, b.take(), {random_field(world, field)});
  }
}

TEST(CodegenControl, PendulumStaysInRegisters) {
  World world;
  Builder b(world.program, "pendulum");
  Value q = b.input(real_type(), "q"), v = b.input(real_type(), "v"), n = b.input(int_type(), "n");
  b.set_outputs(b.for_({}, {b.constant(int32_t{0}), n}, {q, v}, [&](Value, std::span<const Value> c) {
    Value w = b.subtract(c[1], b.multiply(b.constant(1e-2), b.emit(Opcode::sine, {c[0]})));
    return Values{b.add(c[0], b.multiply(b.constant(1e-2), w)), w};
  }));
  compare(world, b.take(), {real(1), real(0), integer(1000)});
}

// Newton's iteration: a while at program level, one inside a kernel, an if that chooses between versions of a field.
TEST(CodegenControl, WhileAndIf) {
  World world;
  SpaceId s = world.space("S", 50);
  Type field = field_of(real_type(), {s});
  Builder b(world.program, "newton");
  Value u = b.input(field, "u"), start = b.input(real_type(), "start");
  auto root = [&](Value a, Value guess) {
    return b.while_({guess, b.constant(int32_t{0})}, [&](std::span<const Value> c) {
      Value far = b.emit(Opcode::less, {b.constant(1e-9), b.emit(Opcode::absolute, {b.subtract(b.multiply(c[0], c[0]), a)})});
      return b.emit(Opcode::logical_and, {far, b.emit(Opcode::less, {c[1], b.constant(int32_t{60})})});
    }, [&](std::span<const Value> c) {
      return Values{b.multiply(b.constant(0.5), b.add(c[0], b.divide(a, c[0]))), b.add(c[1], b.constant(int32_t{1}))};
    });
  };
  Values at_program = root(b.constant(2.0), start);
  Value roots = b.loop({world.over(s)}, {b.zero(field)}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
    b.store(h[0], {i[0]}, root(b.emit(Opcode::absolute, {b.load(u, {i[0]})}), start)[0]);
  })[0];
  Values chosen = b.if_(b.emit(Opcode::less, {start, b.constant(1.0)}), [&] { return Values{roots, b.constant(1.0)}; }, [&] {
    return Values{b.loop({world.over(s)}, {u}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
      b.store(h[0], {i[0]}, b.load(roots, {i[0]}));
    })[0], start};
  });
  b.set_outputs({at_program[0], at_program[1], chosen[0], chosen[1], roots});
  ir::Procedure procedure = b.take();
  compare(world, procedure, {random_field(world, field), real(3)});
  compare(world, procedure, {random_field(world, field), real(0.5)});
}

TEST(CodegenControl, Stacks) {
  for (bool single : {false, true}) {
    World world;
    world.environment.single = single;
    SpaceId s = world.space("S", 300), g = world.grid("G", {4, 4}, {Boundary::zero, Boundary::zero});
    Type field = field_of(real_type(), {s});
    Builder b(world.program, "stacks");
    Value u = b.input(field, "u"), n = b.input(int_type(), "n");
    // Whole fields and values, kept forwards and popped backwards.
    Value fields = b.stack_new(field), values = b.stack_new(array_of(vector_type(2), 2)), places = b.stack_new(reference_type(g)), flags = b.stack_new(bool_type());
    Value last = b.for_({}, {b.constant(int32_t{0}), n}, {u}, [&](Value t, std::span<const Value> c) {
      b.push(fields, c[0]);
      Value x = b.load(c[0], {b.make_reference(s, {t})});
      Value pair = b.emit(Opcode::pack, {x, b.negate(x)}, vector_type(2));
      b.push(values, b.emit(Opcode::pack, {pair, b.add(pair, pair)}, array_of(vector_type(2), 2)));
      b.push(places, b.make_reference(g, {t, b.constant(int32_t{-7})}));
      b.push(flags, b.emit(Opcode::less, {x, b.constant(0.0)}));
      return b.loop({world.over(s)}, {c[0]}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
        b.store(h[0], {i[0]}, b.multiply(b.load(h[0], {i[0]}), b.constant(1.01)));
      });
    })[0];
    Values back = b.for_({.space = no_space, .reversed = true}, {b.constant(int32_t{0}), n}, {last, b.constant(0.0), b.constant(int32_t{0})}, [&](Value, std::span<const Value> c) {
      Value old = b.pop(fields), kept = b.pop(values), place = b.pop(places), flag = b.pop(flags);
      Value sum = b.loop({world.over(s)}, {c[0]}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
        b.store(h[0], {i[0]}, b.add(b.load(h[0], {i[0]}), b.load(old, {i[0]})));
      })[0];
      Value number = b.add(b.coordinate(place, 0), b.emit(Opcode::select, {flag, b.coordinate(place, 1), b.constant(int32_t{1})}));
      return Values{sum, b.add(c[1], b.extract(b.extract(kept, 1), 1)), b.add(c[2], number)};
    });
    // A stack of each iteration, longer than its first room.
    Value reversed = b.loop({world.over(s)}, {b.zero(field)}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
      Value stack = b.stack_new(real_type());
      Value turns = b.emit(Opcode::floor_modulo, {b.emit(Opcode::index, {i[0]}), b.constant(int32_t{40})});
      b.for_({}, {b.constant(int32_t{0}), turns}, {}, [&](Value k, std::span<const Value>) {
        b.push(stack, b.load(u, {b.make_reference(s, {k})}));
        return Values{};
      });
      Value sum = b.for_({}, {b.constant(int32_t{0}), turns}, {b.constant(0.0)}, [&](Value, std::span<const Value> c) {
        return Values{b.add(b.multiply(c[0], b.constant(0.5)), b.pop(stack))};
      })[0];
      b.store(h[0], {i[0]}, sum);
    })[0];
    back.push_back(reversed);
    b.set_outputs(back);
    compare(world, b.take(), {random_field(world, field), integer(20)});
  }
}

// A stack that a program-level block leaves filled is released with the fields in it.
TEST(CodegenControl, StacksAreReleased) {
  World world;
  SpaceId s = world.space("S", 30);
  Type field = field_of(real_type(), {s});
  Builder b(world.program, "left");
  Value u = b.input(field, "u");
  Value stack = b.stack_new(field);
  b.push(stack, u);
  b.push(stack, u);
  b.set_outputs({b.pop(stack)});
  compare(world, b.take(), {random_field(world, field)});
}


TEST(CodegenFaults, IndicesAreChecked) {
  World world;
  SpaceId s = world.space("S", 100);
  Type ints = field_of(int_type(), {s}), field = field_of(real_type(), {s});
  Builder b(world.program, "gather");
  Value k = b.input(ints, "k"), u = b.input(field, "u");
  b.set_outputs(b.loop({world.over(s)}, {b.zero(field)}, {Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
    Value at = b.load(k, {i[0]});
    b.set_span({0, 10, 20});
    ir::Op check{.code = Opcode::check_index, .operands = {at}, .space = s};
    b.append(check, {});
    b.store(h[0], {i[0]}, b.load(u, {b.make_reference(s, {at})}));
  }));
  ir::Procedure procedure = b.take();
  Datum good = random_field(world, ints, 1, 100), bad = random_field(world, ints, 1, 100);
  bad.field->integers[61] = 100;
  bad.field->integers[70] = -1;
  compare(world, procedure, {good, random_field(world, field)});
  NativeRun run = run_native(world, procedure, {bad, random_field(world, field)}, options_of(world));
  ASSERT_EQ(run.status, 1);
  ASSERT_EQ(run.context.fault_site, 0);
  EXPECT_EQ(run.context.fault_value, 100);
  EXPECT_EQ(run.context.fault_extent, 100);
  EXPECT_EQ(run.sites[0].space, "S");
  EXPECT_EQ(run.sites[0].span, (Span{0, 10, 20}));
  EXPECT_EQ(run.sites[0].code, Opcode::check_index);
}

TEST(CodegenFaults, DivisorsArraysAndEmptyStacks) {
  World world;
  Builder b(world.program, "faults");
  Value i = b.input(int_type(), "i");
  b.effect(Opcode::check_nonzero, {i});
  Value q = b.emit(Opcode::floor_divide, {b.constant(int32_t{7}), i});
  b.append({.code = Opcode::check_index, .operands = {i}, .integer = 4}, {});
  Value stack = b.stack_new(int_type());
  b.for_({}, {b.constant(int32_t{0}), i}, {}, [&](Value k, std::span<const Value>) { b.push(stack, k); return Values{}; });
  b.set_outputs({q, b.pop(stack), b.pop(stack)});
  ir::Procedure procedure = b.take();
  compare(world, procedure, {integer(2)});
  const std::vector<std::pair<int32_t, Opcode>> cases = {{0, Opcode::check_nonzero}, {-3, Opcode::check_index}, {4, Opcode::check_index}, {1, Opcode::pop}};
  for (auto [value, code] : cases) {
    NativeRun run = run_native(world, procedure, {integer(value)}, options_of(world));
    ASSERT_EQ(run.status, 1);
    ASSERT_GE(run.context.fault_site, 0);
    EXPECT_EQ(run.sites[static_cast<size_t>(run.context.fault_site)].code, code);
    if (code == Opcode::check_index) {
      EXPECT_EQ(run.context.fault_value, value);
    }
  }
}

TEST(CodegenFaults, LongLoopsStopWhenAsked) {
  World world;
  Builder b(world.program, "forever");
  Value x = b.input(real_type(), "x");
  b.set_outputs(b.while_({x}, [&](std::span<const Value>) { return b.constant(true); }, [&](std::span<const Value> c) { return Values{b.add(c[0], x)}; }));
  world.stop = 1;
  NativeRun run = run_native(world, b.take(), {real(1)}, options_of(world));
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.context.fault_site, -2);
}

TEST(CodegenCache, SecondTimeComesFromDisk) {
  namespace fs = std::filesystem;
  World world;
  Builder b(world.program, "cached");
  Value i = b.input(int_type(), "i");
  b.append({.code = Opcode::check_index, .span = {0, 3, 4}, .operands = {i}, .integer = 4}, {});
  b.set_outputs({b.emit(Opcode::sine, {b.emit(Opcode::int_to_real, {i})})});
  ir::Procedure procedure = b.take();
  codegen::CompileOptions options = options_of(world);
  options.cache = true;
  options.cache_directory = testing::TempDir() + "/adjoule-cache-test-" + std::to_string(::getpid());
  fs::remove_all(options.cache_directory);
  NativeRun first = run_native(world, procedure, {integer(3)}, options);
  NativeRun second = run_native(world, procedure, {integer(3)}, options);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  expect_same(world, procedure, first.outputs, second.outputs);
  ASSERT_EQ(second.sites.size(), 1u);
  EXPECT_EQ(second.sites[0].span, (Span{0, 3, 4}));
  // Another program, other options: other keys.
  codegen::CompileOptions other = options;
  other.optimisation = 1;
  EXPECT_FALSE(run_native(world, procedure, {integer(3)}, other).from_cache);
  // A broken file is no error and is replaced.
  for (const auto& file : fs::directory_iterator(options.cache_directory)) {
    std::fstream stream(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(100);
    stream.put('\x55').put('\x55').put('\x55');
  }
  NativeRun third = run_native(world, procedure, {integer(3)}, options);
  EXPECT_FALSE(third.from_cache);
  expect_same(world, procedure, first.outputs, third.outputs);
  EXPECT_TRUE(run_native(world, procedure, {integer(3)}, options).from_cache);
  // Nor is a place where nothing can be written.
  fs::remove_all(options.cache_directory);
  std::ofstream(options.cache_directory) << "a file";
  EXPECT_FALSE(run_native(world, procedure, {integer(3)}, options).from_cache);
  fs::remove_all(options.cache_directory);
}

TEST(CodegenPool, KeepsAndGivesBack) {
  runtime::Pool pool;
  void* a = pool.allocate(1000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 64, 0u);
  int64_t mark = pool.mark();
  void* b = pool.allocate(1000);
  runtime::NativeStack* stack = pool.new_stack(8, 1000);
  pool.grow(stack);
  reinterpret_cast<void**>(stack->data)[stack->size++] = pool.allocate(1000);
  EXPECT_TRUE(pool.owns(b));
  pool.release_since(mark);
  EXPECT_TRUE(pool.owns(a));
  EXPECT_FALSE(pool.owns(b));
  EXPECT_EQ(pool.statistics().bytes_in_use, 1024);
  int64_t asked = pool.statistics().allocations;
  void* c = pool.allocate(1024);   // the same size class
  EXPECT_EQ(pool.statistics().allocations, asked);
  pool.release(c);
  pool.release(a);
  EXPECT_EQ(pool.statistics().bytes_in_use, 0);
  EXPECT_GT(pool.statistics().peak_bytes, 3000);
  pool.trim();
  EXPECT_EQ(pool.statistics().bytes_kept, 0);
}

}  // namespace
}  // namespace adjoule::codegen_test
