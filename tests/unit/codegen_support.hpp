// Runs one IR procedure twice, in the interpreter and as machine code, and compares the results bit for bit.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "codegen/compile.hpp"
#include "ir/builder.hpp"
#include "ir/interpreter.hpp"
#include "ir/print.hpp"
#include "ir/verify.hpp"
#include "pool.hpp"
#include "transform/transform.hpp"

namespace adjoule::codegen_test {

using ir::Builder;
using ir::Datum;
using ir::Domain;
using ir::Mode;
using ir::Opcode;
using ir::Value;
using Values = std::vector<Value>;

/// Programs of these tests have the spaces they ask for and no fields.
struct World {
  ir::Program program;
  ir::Environment environment;
  runtime::Pool pool;
  volatile int32_t stop = 0;

  World() { add({.name = "time", .open = true}, {11, 1, 1}); environment.steps = 10; }

  SpaceId add(ir::SpaceInfo info, std::array<int32_t, 3> extents) {
    program.spaces.push_back(std::move(info));
    environment.extents.push_back(extents);
    return static_cast<SpaceId>(program.spaces.size() - 1);
  }
  SpaceId space(std::string name, int32_t n, bool open = false) { return add({.name = std::move(name), .open = open}, {n, 1, 1}); }
  SpaceId grid(std::string name, std::vector<int32_t> n, std::vector<Boundary> rules) {
    ir::SpaceInfo info{.name = std::move(name), .grid = true, .dims = static_cast<int>(n.size())};
    std::array<int32_t, 3> extents{1, 1, 1};
    for (size_t i = 0; i < n.size(); ++i) extents[i] = n[i], info.boundary[i] = rules[i];
    return add(std::move(info), extents);
  }
  Domain over(SpaceId s) const { return {.space = s}; }
};

inline codegen::CompileOptions options_of(const World& world) {
  codegen::CompileOptions options;
  options.single = world.environment.single;
  options.sizes = world.environment.sizes;
  options.extents = world.environment.extents;
  options.cache = false;
  return options;
}

/// Values between the two worlds: plain numbers and the runtime's slots and buffers.
class Bridge {
 public:
  explicit Bridge(World& world) : world_(world), single_(world.environment.single) {}

  void to_slots(const Type& type, const Datum& datum, std::vector<runtime::Slot>& slots) {
    if (type.field) return slots.push_back({.pointer = to_buffer(type, *datum.field)});
    for (double r : datum.reals) slots.push_back(real_slot(r));
    for (int32_t i : datum.integers) slots.push_back({.integer = i});
  }

  Datum from_slots(const Type& type, const runtime::Slot*& slot) {
    Datum datum;
    if (type.field) {
      void* buffer = (slot++)->pointer;
      datum.field = std::make_shared<ir::FieldData>(from_buffer(type, buffer));
      world_.pool.release(buffer);
      return datum;
    }
    for (int32_t i = 0; i < ir::scalar_count(world_.program, type); ++i, ++slot) {
      if (!type.differentiable()) datum.integers.push_back(slot->integer);
      else datum.reals.push_back(single_ ? static_cast<double>(slot->single) : slot->real);
    }
    return datum;
  }

 private:
  World& world_;
  bool single_;

  runtime::Slot real_slot(double r) const {
    runtime::Slot slot{};
    if (single_) slot.single = static_cast<float>(r);
    else slot.real = r;
    return slot;
  }
  int64_t scalar_bytes(const Type& type) const {
    if (type.element == Element::boolean) return 1;
    return type.differentiable() && !single_ ? 8 : 4;
  }
  /// Calls f(place in the buffer, number of the scalar in AoS order).
  template <typename F>
  void each_scalar(const Type& type, void* buffer, F f) {
    int64_t n = ir::element_count(world_.program, type, world_.environment);
    int64_t components = ir::scalar_count(world_.program, type);
    int64_t bytes = scalar_bytes(type), stride = runtime::padded_bytes(n, bytes);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t c = 0; c < components; ++c) f(static_cast<char*>(buffer) + c * stride + i * bytes, static_cast<size_t>(i * components + c));
    }
  }
  void* to_buffer(const Type& type, const ir::FieldData& data) {
    int64_t n = ir::element_count(world_.program, type, world_.environment);
    void* buffer = world_.pool.allocate(runtime::padded_bytes(n, scalar_bytes(type)) * ir::scalar_count(world_.program, type));
    each_scalar(type, buffer, [&](char* to, size_t i) {
      if (type.element == Element::boolean) *to = static_cast<char>(data.integers[i]);
      else if (!type.differentiable()) std::memcpy(to, &data.integers[i], 4);
      else if (single_) { float f = static_cast<float>(data.reals[i]); std::memcpy(to, &f, 4); }
      else std::memcpy(to, &data.reals[i], 8);
    });
    return buffer;
  }
  ir::FieldData from_buffer(const Type& type, void* buffer) {
    ir::FieldData data;
    each_scalar(type, buffer, [&](char* from, size_t) {
      if (type.element == Element::boolean) data.integers.push_back(*from);
      else if (!type.differentiable()) { int32_t i; std::memcpy(&i, from, 4); data.integers.push_back(i); }
      else if (single_) { float f; std::memcpy(&f, from, 4); data.reals.push_back(static_cast<double>(f)); }
      else { double r; std::memcpy(&r, from, 8); data.reals.push_back(r); }
    });
    return data;
  }
};

inline bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

struct NativeRun {
  std::vector<Datum> outputs;
  int32_t status = 0;
  runtime::Context context;
  std::vector<codegen::FaultSite> sites;
  bool from_cache = false;
};

/// Compiles (after the buffer planner) and calls once.
inline NativeRun run_native(World& world, const ir::Procedure& procedure, const std::vector<Datum>& inputs,
                            const codegen::CompileOptions& options) {
  NativeRun run;
  ir::Procedure planned = transform::plan_buffers(world.program, procedure);
  for (const std::string& finding : ir::verify(world.program, planned)) ADD_FAILURE() << finding << "\n" << ir::print(world.program, planned);
  std::string error;
  auto module = codegen::compile(world.program, {&planned}, options, error);
  if (!module) {
    ADD_FAILURE() << error;
    return run;
  }
  run.sites = module->fault_sites;
  run.from_cache = module->from_cache;
  std::vector<int32_t> extents;
  for (const auto& e : world.environment.extents) extents.insert(extents.end(), e.begin(), e.end());
  run.context.extents = extents.data();
  run.context.steps = world.environment.steps;
  run.context.pool = &world.pool;
  run.context.stop = &world.stop;
  Bridge bridge(world);
  std::vector<runtime::Slot> in, out(1000);
  for (size_t i = 0; i < inputs.size(); ++i) bridge.to_slots(procedure.type(procedure.inputs()[i]), inputs[i], in);
  int64_t before = world.pool.mark();
  run.status = module->functions[0](&run.context, in.data(), out.data());
  if (run.status != 0) {
    world.pool.release_since(before);
  } else {
    const runtime::Slot* slot = out.data();
    for (Value v : procedure.outputs()) run.outputs.push_back(bridge.from_slots(procedure.type(v), slot));
  }
  for (size_t i = 0, k = 0; i < inputs.size(); ++i) {
    const Type& type = procedure.type(procedure.inputs()[i]);
    if (type.field && !(i < procedure.consumed.size() && procedure.consumed[i])) world.pool.release(in[k].pointer);
    k += type.field ? 1 : inputs[i].reals.size() + inputs[i].integers.size();
  }
  EXPECT_EQ(world.pool.statistics().bytes_in_use, 0) << "something was not released";
  return run;
}

inline void expect_same(const World& world, const ir::Procedure& procedure, const std::vector<Datum>& expected, const std::vector<Datum>& got) {
  ASSERT_EQ(expected.size(), got.size());
  for (size_t k = 0; k < expected.size(); ++k) {
    bool field = procedure.type(procedure.outputs()[k]).field;
    const auto& reals = field ? expected[k].field->reals : expected[k].reals;
    const auto& integers = field ? expected[k].field->integers : expected[k].integers;
    const auto& got_reals = field ? got[k].field->reals : got[k].reals;
    const auto& got_integers = field ? got[k].field->integers : got[k].integers;
    ASSERT_EQ(reals.size(), got_reals.size());
    ASSERT_EQ(integers.size(), got_integers.size());
    int shown = 0;
    for (size_t i = 0; i < reals.size() && shown < 5; ++i) {
      if (same_bits(reals[i], got_reals[i])) continue;
      ++shown;
      ADD_FAILURE() << procedure.name << " output " << k << "[" << i << "]: " << std::hexfloat << reals[i] << " expected, got " << got_reals[i];
    }
    for (size_t i = 0; i < integers.size() && shown < 5; ++i) {
      if (integers[i] == got_integers[i]) continue;
      ++shown;
      ADD_FAILURE() << procedure.name << " output " << k << "[" << i << "]: " << integers[i] << " expected, got " << got_integers[i];
    }
    if (shown > 0) std::printf("%s\n", ir::print(world.program, procedure).c_str());
  }
}

/// Both, compared, at O3 and at O0.
inline void compare(World& world, const ir::Procedure& procedure, const std::vector<Datum>& inputs) {
  for (const std::string& finding : ir::verify(world.program, procedure)) FAIL() << finding << "\n" << ir::print(world.program, procedure);
  ir::Outcome outcome = ir::interpret(world.program, procedure, world.environment, inputs);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message;
  for (int level : {3, 0}) {
    codegen::CompileOptions options = options_of(world);
    options.optimisation = level;
    NativeRun run = run_native(world, procedure, inputs, options);
    ASSERT_EQ(run.status, 0);
    expect_same(world, procedure, outcome.outputs, run.outputs);
  }
}

// --- data

inline Datum real(double r) { return {.reals = {r}}; }
inline Datum integer(int32_t i) { return {.integers = {i}}; }

inline Datum random_field(const World& world, const Type& type, uint32_t seed = 1, int32_t integers_below = 10) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> reals(-2, 2);
  std::uniform_int_distribution<int32_t> integers(0, integers_below - 1);
  auto n = static_cast<size_t>(ir::element_count(world.program, type, world.environment) * ir::scalar_count(world.program, type));
  Datum datum;
  datum.field = std::make_shared<ir::FieldData>();
  for (size_t i = 0; i < n; ++i) {
    if (!type.differentiable()) datum.field->integers.push_back(integers(generator));
    else if (world.environment.single) datum.field->reals.push_back(static_cast<double>(static_cast<float>(reals(generator))));
    else datum.field->reals.push_back(reals(generator));
  }
  return datum;
}

}  // namespace adjoule::codegen_test
