// One row an operation: everything the compiler knows about it that is not its place in a procedure. Adding a built-in is
// adding an Opcode, a row here, its evaluation (evaluate.cpp), its lowering (codegen) and its tests.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "ir/ir.hpp"

namespace adjoule::ir {

/// How an operation is differentiated.
enum class Derivative : uint8_t {
  elementwise,  // result_k depends on operand_k only: `partial_of` (derivatives.hpp) gives d result / d operand, elementwise
  linear,       // linear in each differentiable operand (bilinear: linear in each with the others fixed): `pullback_of`
  none,         // no derivative, `why` says because of what
  structural,   // memory, control flow, stacks: handled by the differentiating passes themselves
};

struct OpRow {
  Opcode code;
  std::string_view name;                    // in the printed IR
  int operand_count;                        // -1: varies
  Derivative derivative;
  std::string_view why;                     // derivative none: because…; else where the derivative is undefined and what is chosen
};

const OpRow& row(Opcode code);

/// The result type of a one-result operation from its operands; none for operations whose type must be given.
Type infer_type(const Program& program, const Procedure& procedure, const Op& op);

/// Is the operation without effect by itself (nested blocks not looked at)? A load is pure when it reads a version.
bool is_pure(const Procedure& procedure, const Op& op);

}  // namespace adjoule::ir
