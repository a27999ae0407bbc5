// What the tests of the IR share: a small program with spaces of every kind, and short ways to run a procedure.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "ir/builder.hpp"
#include "ir/interpreter.hpp"
#include "ir/verify.hpp"

namespace adjoule::ir::test {

// Spaces of `small_program`.
constexpr SpaceId particle = 1;  // plain, 10 elements
constexpr SpaceId ring = 2;      // grid of 4, periodic
constexpr SpaceId rod = 3;       // grid of 4, clamp
constexpr SpaceId slab = 4;      // grid of 4, zero
constexpr SpaceId mixed = 5;     // grid of 3 × 4: periodic, zero
constexpr SpaceId plate = 6;     // grid of 5 × 4, clamp
constexpr SpaceId one = 7;       // plain, 1 element

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline Program small_program() {
  Program program;
  auto grid = [](std::string name, std::vector<Boundary> rules) {
    SpaceInfo info{.name = std::move(name), .grid = true, .dims = static_cast<int>(rules.size())};
    std::copy(rules.begin(), rules.end(), info.boundary.begin());
    return info;
  };
  program.sizes = {{.name = "n"}, {.name = "m"}};
  program.spaces = {{.name = "time", .open = true},
                    {.name = "Particle"},
                    grid("Ring", {Boundary::periodic}),
                    grid("Rod", {Boundary::clamp}),
                    grid("Slab", {Boundary::zero}),
                    grid("Mixed", {Boundary::periodic, Boundary::zero}),
                    grid("Plate", {Boundary::clamp, Boundary::clamp}),
                    {.name = "One"}};
  return program;
}

inline Environment small_environment(bool single = false) {
  return {.sizes = {7, 9},
          .extents = {{4, 1, 1}, {10, 1, 1}, {4, 1, 1}, {4, 1, 1}, {4, 1, 1}, {3, 4, 1}, {5, 4, 1}, {1, 1, 1}},
          .steps = 3,
          .single = single};
}

inline Datum real(double r) { return {.reals = {r}}; }
inline Datum integer(int32_t i) { return {.integers = {i}}; }
inline Datum real_field(std::vector<double> values) {
  return {.field = std::make_shared<FieldData>(FieldData{.reals = std::move(values)})};
}
inline Datum integer_field(std::vector<int32_t> values) {
  return {.field = std::make_shared<FieldData>(FieldData{.integers = std::move(values)})};
}

/// Builds a procedure with `fill`, which returns the outputs; it must verify.
inline Procedure build(const Program& program, const std::function<std::vector<Value>(Builder&)>& fill) {
  Builder builder(program, "test");
  builder.set_outputs(fill(builder));
  Procedure procedure = builder.take();
  for (const std::string& finding : verify(program, procedure)) ADD_FAILURE() << finding;
  return procedure;
}

/// The outputs of a procedure that must run without fault.
inline std::vector<Datum> run(const std::function<std::vector<Value>(Builder&)>& fill, std::vector<Datum> inputs = {},
                              bool single = false) {
  Program program = small_program();
  Procedure procedure = build(program, fill);
  Outcome outcome = interpret(program, procedure, small_environment(single), std::move(inputs));
  if (outcome.fault) ADD_FAILURE() << outcome.fault->message;
  outcome.outputs.resize(procedure.outputs().size());
  return outcome.outputs;
}

/// The message of a procedure that must fail.
inline std::string fault(const std::function<std::vector<Value>(Builder&)>& fill, std::vector<Datum> inputs = {}) {
  Program program = small_program();
  Procedure procedure = build(program, fill);
  Outcome outcome = interpret(program, procedure, small_environment(), std::move(inputs));
  return outcome.fault ? outcome.fault->message : "no fault";
}

inline const std::vector<double>& reals(const Datum& d) { return d.field ? d.field->reals : d.reals; }
inline const std::vector<int32_t>& integers(const Datum& d) { return d.field ? d.field->integers : d.integers; }

}  // namespace adjoule::ir::test
