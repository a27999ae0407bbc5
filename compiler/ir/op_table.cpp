// The op table: one row an operation, in the order of Opcode (op_table.hpp). The derivative rules themselves are
// functions in derivatives.cpp; how each operation computes is in evaluate.cpp.
#include "ir/op_table.hpp"

#include <array>
#include <cstddef>

namespace adjoule::ir {
namespace {

using enum Derivative;

constexpr std::array table = {
    // --- constants and instance facts
    OpRow{Opcode::constant, "constant", 0, none, "it is a constant"},
    OpRow{Opcode::zero, "zero", 0, none, "it is a constant"},
    OpRow{Opcode::size, "size", 0, none, "a size is an integer"},
    OpRow{Opcode::extent, "extent", 0, none, "an extent is an integer"},
    OpRow{Opcode::steps, "steps", 0, none, "the number of steps is an integer"},

    // --- elementwise arithmetic
    OpRow{Opcode::add, "add", 2, elementwise, ""},
    OpRow{Opcode::subtract, "subtract", 2, elementwise, ""},
    OpRow{Opcode::multiply, "multiply", 2, elementwise, ""},
    OpRow{Opcode::divide, "divide", 2, elementwise, "undefined where the divisor is 0"},
    OpRow{Opcode::negate, "negate", 1, elementwise, ""},
    OpRow{Opcode::absolute, "absolute", 1, elementwise, "undefined at 0: 0 is chosen"},
    OpRow{Opcode::sign, "sign", 1, none, "sign is constant between its jumps"},
    OpRow{Opcode::minimum, "minimum", 2, elementwise, "undefined at a tie: half each is chosen"},
    OpRow{Opcode::maximum, "maximum", 2, elementwise, "undefined at a tie: half each is chosen"},
    OpRow{Opcode::fused_multiply_add, "fused_multiply_add", 3, elementwise, ""},
    OpRow{Opcode::weigh, "weigh", 2, elementwise, "an infinite second operand counts only where the first is not 0"},
    OpRow{Opcode::floor_divide, "floor_divide", 2, none, "it gives an integer"},
    OpRow{Opcode::floor_modulo, "floor_modulo", 2, none, "it gives an integer"},
    OpRow{Opcode::square_root, "square_root", 1, elementwise, "undefined at 0: 0 is chosen"},
    OpRow{Opcode::floor, "floor", 1, none, "floor is constant between its jumps"},
    OpRow{Opcode::ceiling, "ceiling", 1, none, "ceil is constant between its jumps"},
    OpRow{Opcode::round, "round", 1, none, "round is constant between its jumps"},
    OpRow{Opcode::exponential, "exponential", 1, elementwise, ""},
    OpRow{Opcode::logarithm, "logarithm", 1, elementwise, "undefined at 0"},
    OpRow{Opcode::power, "power", 2, elementwise, "in the exponent, undefined at bases up to 0: 0 is chosen"},
    OpRow{Opcode::power_constant, "power_constant", 1, elementwise, "undefined at 0 for exponents below 1"},
    OpRow{Opcode::sine, "sine", 1, elementwise, ""},
    OpRow{Opcode::cosine, "cosine", 1, elementwise, ""},
    OpRow{Opcode::tangent, "tangent", 1, elementwise, "undefined at odd multiples of pi / 2"},
    OpRow{Opcode::arc_sine, "arc_sine", 1, elementwise, "undefined at -1 and 1: 0 is chosen"},
    OpRow{Opcode::arc_cosine, "arc_cosine", 1, elementwise, "undefined at -1 and 1: 0 is chosen"},
    OpRow{Opcode::arc_tangent, "arc_tangent", 1, elementwise, ""},
    OpRow{Opcode::arc_tangent2, "arc_tangent2", 2, elementwise, "undefined at (0, 0): 0 is chosen"},
    OpRow{Opcode::hyperbolic_sine, "hyperbolic_sine", 1, elementwise, ""},
    OpRow{Opcode::hyperbolic_cosine, "hyperbolic_cosine", 1, elementwise, ""},
    OpRow{Opcode::hyperbolic_tangent, "hyperbolic_tangent", 1, elementwise, ""},
    OpRow{Opcode::hypotenuse, "hypotenuse", 2, elementwise, "undefined at (0, 0): 0 is chosen"},
    OpRow{Opcode::reciprocal_or_zero, "reciprocal_or_zero", 1, elementwise, "undefined at 0: 0 is chosen"},
    OpRow{Opcode::logarithm_or_zero, "logarithm_or_zero", 1, elementwise, "undefined at 0: 0 is chosen"},
    OpRow{Opcode::detach, "detach", 1, none, "detach cuts the gradient"},

    // --- logic and comparison
    OpRow{Opcode::equal, "equal", 2, none, "a comparison gives a bool"},
    OpRow{Opcode::not_equal, "not_equal", 2, none, "a comparison gives a bool"},
    OpRow{Opcode::less, "less", 2, none, "a comparison gives a bool"},
    OpRow{Opcode::less_equal, "less_equal", 2, none, "a comparison gives a bool"},
    OpRow{Opcode::logical_and, "logical_and", 2, none, "it gives a bool"},
    OpRow{Opcode::logical_or, "logical_or", 2, none, "it gives a bool"},
    OpRow{Opcode::logical_not, "logical_not", 1, none, "it gives a bool"},
    OpRow{Opcode::select, "select", 3, linear, "undefined where the condition changes: the chosen side counts"},

    // --- conversion
    OpRow{Opcode::int_to_real, "int_to_real", 1, none, "its operand is an integer"},
    OpRow{Opcode::real_to_int, "real_to_int", 1, none, "a conversion to int cuts the gradient"},

    // --- vectors, matrices, fixed arrays
    OpRow{Opcode::splat, "splat", 1, linear, ""},
    OpRow{Opcode::pack, "pack", -1, linear, ""},
    OpRow{Opcode::extract, "extract", 1, linear, ""},
    OpRow{Opcode::insert, "insert", 2, linear, ""},
    OpRow{Opcode::extract_at, "extract_at", 2, linear, ""},
    OpRow{Opcode::insert_at, "insert_at", 3, linear, ""},
    OpRow{Opcode::dot, "dot", 2, linear, ""},
    OpRow{Opcode::norm, "norm", 1, linear, "not linear, but its pullback is of that form; undefined at 0: 0 is chosen"},
    OpRow{Opcode::cross, "cross", 2, linear, ""},
    OpRow{Opcode::outer, "outer", 2, linear, ""},
    OpRow{Opcode::matrix_multiply, "matrix_multiply", 2, linear, ""},
    OpRow{Opcode::transpose, "transpose", 1, linear, ""},

    // --- references
    OpRow{Opcode::make_reference, "make_reference", -1, none, "a reference is made of integers"},
    OpRow{Opcode::offset, "offset", -1, none, "a reference is made of integers"},
    OpRow{Opcode::coordinate, "coordinate", 1, none, "a coordinate is an integer"},
    OpRow{Opcode::index, "index", 1, none, "an index is an integer"},
    OpRow{Opcode::reference_equal, "reference_equal", 2, none, "a comparison gives a bool"},
    OpRow{Opcode::normalise, "normalise", 1, none, "a reference is made of integers"},

    // --- checks
    OpRow{Opcode::check_index, "check_index", 1, none, "a check gives nothing"},
    OpRow{Opcode::check_nonzero, "check_nonzero", 1, none, "a check gives nothing"},

    // --- fields
    OpRow{Opcode::fill, "fill", 1, structural, ""},
    OpRow{Opcode::load, "load", -1, structural, ""},
    OpRow{Opcode::store, "store", -1, structural, ""},
    OpRow{Opcode::reduce, "reduce", -1, structural, "min= and max= at a tie: the first attaining iteration gets it all"},
    OpRow{Opcode::set_element, "set_element", -1, structural, ""},
    OpRow{Opcode::add_fields, "add_fields", 2, structural, ""},

    // --- stacks
    OpRow{Opcode::stack_new, "stack_new", 0, structural, ""},
    OpRow{Opcode::push, "push", 2, structural, ""},
    OpRow{Opcode::pop, "pop", 1, structural, ""},

    // --- structured control flow
    OpRow{Opcode::if_, "if", 1, structural, "undefined where the condition changes: the branch taken counts"},
    OpRow{Opcode::for_, "for", -1, structural, ""},
    OpRow{Opcode::while_, "while", -1, structural, "undefined where the number of turns changes"},

    // --- program level
    OpRow{Opcode::loop, "loop", -1, structural, ""},
    OpRow{Opcode::serial, "serial", -1, structural, ""},

    // --- storage
    OpRow{Opcode::copy, "copy", 1, structural, ""},
    OpRow{Opcode::drop, "drop", 1, structural, ""},
};

static_assert(table.size() == static_cast<size_t>(Opcode::drop) + 1, "one row an Opcode");
static_assert([] {
  for (size_t i = 0; i < table.size(); ++i) {
    if (static_cast<size_t>(table[i].code) != i) return false;
  }
  return true;
}(), "the rows stand in the order of Opcode");
static_assert([] {
  for (const OpRow& row : table) {
    if (row.derivative == none && row.why.empty()) return false;
  }
  return true;
}(), "a missing derivative says why");

/// The type of one component (vector, matrix) or outermost element (array) of a value.
Type component_type(const Type& type) { return type.is_array() ? array_element(type) : real_type(); }

}  // namespace

const OpRow& row(Opcode code) { return table[static_cast<size_t>(code)]; }

Type infer_type(const Program&, const Procedure& procedure, const Op& op) {
  auto operand = [&](size_t i) { return i < op.operands.size() ? procedure.type(op.operands[i]) : Type{}; };
  switch (op.code) {
    // Their type is part of the operation.
    case Opcode::constant: case Opcode::zero: case Opcode::splat: case Opcode::pack: case Opcode::fill:
    case Opcode::stack_new: case Opcode::if_: case Opcode::for_: case Opcode::while_: case Opcode::loop:
    case Opcode::serial:
    // They have no result.
    case Opcode::check_index: case Opcode::check_nonzero: case Opcode::store: case Opcode::reduce: case Opcode::push:
    case Opcode::drop:
      return {};
    case Opcode::size: case Opcode::extent: case Opcode::steps: case Opcode::real_to_int: case Opcode::coordinate:
    case Opcode::index:
      return int_type();
    case Opcode::equal: case Opcode::not_equal: case Opcode::less: case Opcode::less_equal: case Opcode::logical_and:
    case Opcode::logical_or: case Opcode::logical_not: case Opcode::reference_equal:
      return bool_type();
    case Opcode::int_to_real: case Opcode::dot: case Opcode::norm: return real_type();
    case Opcode::extract: case Opcode::extract_at: return component_type(operand(0));
    case Opcode::select: case Opcode::matrix_multiply: return operand(1);
    case Opcode::outer: return matrix_type(operand(0).size);
    case Opcode::make_reference: return reference_type(op.space);
    case Opcode::load: return value_of(operand(0));
    case Opcode::pop: return popped(operand(0));
    default: return operand(0);  // elementwise, insert, transpose, offset, set_element, copy, …
  }
}

bool is_pure(const Procedure& procedure, const Op& op) {
  switch (op.code) {
    case Opcode::load: return !procedure.values[static_cast<size_t>(op.operands[0])].handle;
    case Opcode::store: case Opcode::reduce: case Opcode::push: case Opcode::pop: case Opcode::stack_new:
    case Opcode::check_index: case Opcode::check_nonzero: case Opcode::copy: case Opcode::drop:
      return false;
    default: return true;
  }
}

}  // namespace adjoule::ir
