// The reference interpreter: runs a procedure plainly, with every check on. It is the oracle that compiled code and every
// transform must agree with, bit for bit where the operation order is the same.
#pragma once
#include <memory>
#include <optional>
#include <variant>

#include "ir/ir.hpp"

namespace adjoule::ir {

/// The numbers of a field: elements in row-major order over the spaces, components of an element together (AoS).
/// real, vector, matrix -> reals; bool, int -> integers; reference -> integers: its number (-1: outside), as in bound arrays.
struct FieldData {
  std::vector<double> reals;
  std::vector<int32_t> integers;
};

struct Datum;
struct StackData { std::vector<Datum> items; };

/// A run-time value: components of a value type (references: raw coordinates), a version, or a stack.
struct Datum {
  std::vector<double> reals;
  std::vector<int32_t> integers;
  std::shared_ptr<FieldData> field;      // copied on write unless unique
  std::shared_ptr<StackData> stack;
};

/// The facts of one instance.
struct Environment {
  std::vector<int32_t> sizes;                       // by size index
  std::vector<std::array<int32_t, 3>> extents;      // by space; unused axes are 1
  int32_t steps = 0;
  bool single = false;                              // real is f32: every result is rounded to it
};

/// A run-time error of the program: where, and what in words.
struct RuntimeFault {
  Span span;
  std::string message;
};

struct Outcome {
  std::vector<Datum> outputs;
  std::optional<RuntimeFault> fault;
};

Outcome interpret(const Program& program, const Procedure& procedure, const Environment& environment,
                  std::vector<Datum> inputs);

/// Elements of a field type in this environment, and scalars (components) of one element: in a field a reference is one
/// number, as a value it is one raw coordinate an axis.
int64_t element_count(const Program& program, const Type& type, const Environment& environment);
int32_t scalar_count(const Program& program, const Type& type);

}  // namespace adjoule::ir
