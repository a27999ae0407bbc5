// Pure operations as expressions.
#include <cmath>

#include "ir/op_table.hpp"
#include "lifting/writer.hpp"
#include "syntax/print.hpp"

namespace adjoule::lifting {
namespace {

const char* function_name(Opcode code) {
  switch (code) {
    case Opcode::absolute: return "abs";
    case Opcode::sign: return "sign";
    case Opcode::minimum: return "min";
    case Opcode::maximum: return "max";
    case Opcode::fused_multiply_add: return "fma";
    case Opcode::weigh: return "weigh";
    case Opcode::floor_divide: return "div";
    case Opcode::floor_modulo: return "mod";
    case Opcode::square_root: return "sqrt";
    case Opcode::floor: return "floor";
    case Opcode::ceiling: return "ceil";
    case Opcode::round: return "round";
    case Opcode::exponential: return "exp";
    case Opcode::logarithm: return "log";
    case Opcode::power: return "pow";
    case Opcode::sine: return "sin";
    case Opcode::cosine: return "cos";
    case Opcode::tangent: return "tan";
    case Opcode::arc_sine: return "asin";
    case Opcode::arc_cosine: return "acos";
    case Opcode::arc_tangent: return "atan";
    case Opcode::arc_tangent2: return "atan2";
    case Opcode::hyperbolic_sine: return "sinh";
    case Opcode::hyperbolic_cosine: return "cosh";
    case Opcode::hyperbolic_tangent: return "tanh";
    case Opcode::hypotenuse: return "hypot";
    case Opcode::reciprocal_or_zero: return "reciprocal_or_zero";
    case Opcode::detach: return "detach";
    case Opcode::int_to_real: return "real";
    case Opcode::real_to_int: return "int";
    case Opcode::dot: return "dot";
    case Opcode::norm: return "norm";
    case Opcode::cross: return "cross";
    case Opcode::outer: return "outer";
    case Opcode::transpose: return "transpose";
    case Opcode::index: return "index";
    default: return nullptr;
  }
}

std::string component_suffix(const Type& type, int64_t i) {
  if (type.is_array()) return "[" + std::to_string(i) + "]";
  if (type.is_vector()) return std::string(".") + "xyzw"[i];
  return "[" + std::to_string(i / type.size) + ", " + std::to_string(i % type.size) + "]";
}

std::string constructor(const Type& type) {
  return (type.element == Element::matrix ? "mat" : "vec") + std::to_string(type.size);
}

}  // namespace

Text Writer::constant(const Op& op, const Type& type) const {
  if (type.is_bool()) return {op.integer != 0 ? "true" : "false"};
  if (type.is_int()) {
    auto n = static_cast<int32_t>(op.integer);
    if (n == INT32_MIN) return {"(-2147483647 - 1)"};
    return {std::to_string(n), n < 0 ? Binding::unary : Binding::postfix};
  }
  if (std::isnan(op.real)) return {"(0.0 / 0.0)"};
  if (std::isinf(op.real)) return {op.real > 0 ? "(1.0 / 0.0)" : "(-1.0 / 0.0)"};
  bool negative = std::signbit(op.real);
  return {(negative ? "-" : "") + syntax::real_literal(std::fabs(op.real)), negative ? Binding::unary : Binding::postfix};
}

std::string Writer::zero(const Type& type) const {
  if (type.is_array()) {
    Type element = array_element(type);
    std::string text = "[";
    for (int k = 0; k < type.array.front(); ++k) text += (k ? ", " : "") + zero(element);
    return text + "]";
  }
  if (type.is_bool()) return "false";
  if (type.is_int()) return "0";
  if (type.is_real()) return "0.0";
  std::string text = constructor(type) + "(";
  int count = type.element_scalars();
  for (int k = 0; k < count; ++k) text += k ? ", 0.0" : "0.0";
  return text + ")";
}

std::string Writer::operand(Value v, Binding at_least) {
  Text e = expression(v);
  return e.binding < at_least ? "(" + e.text + ")" : e.text;
}

std::string Writer::list(const Op& op, size_t first, size_t last) {
  std::string text;
  for (size_t k = first; k < last; ++k) text += (k > first ? ", " : "") + operand(op.operands[k], Binding::conditional);
  return text;
}

std::string Writer::indices(const Op& op, size_t first, size_t last) { return "[" + list(op, first, last) + "]"; }

Text Writer::call(const Op& op, const char* function) {
  return {std::string(function) + "(" + list(op, 0, op.operands.size()) + ")"};
}

bool Writer::is_splat(Value v) const { return definition[at(v)] >= 0 && f.op(definition[at(v)]).code == Opcode::splat; }

/// An operand that is a splat is written as its scalar: the elementwise operation widens it again.
Text Writer::binary(const Op& op, const char* sign, Binding binding) {
  auto side = [&](size_t k, Binding at_least) {
    Value v = op.operands[k];
    bool scalar = is_splat(v) && !(k == 1 && is_splat(op.operands[0]));
    return operand(scalar ? f.op(definition[at(v)]).operands[0] : v, at_least);
  };
  auto tighter = static_cast<Binding>(static_cast<int>(binding) + 1);
  return {side(0, binding == Binding::comparison ? tighter : binding) + sign + side(1, tighter), binding};
}

bool is_written_by_entries(const Writer& w, const Op& op) {
  if (op.results.size() != 1 || !w.f.type(op.results[0]).is_matrix()) return false;
  switch (op.code) {
    case Opcode::multiply: return !w.is_splat(op.operands[0]) && !w.is_splat(op.operands[1]);
    case Opcode::divide: return w.is_splat(op.operands[0]) || !w.is_splat(op.operands[1]);
    case Opcode::add:
    case Opcode::subtract: return w.is_splat(op.operands[0]) || w.is_splat(op.operands[1]);
    case Opcode::negate:
    case Opcode::matrix_multiply:
    case Opcode::transpose:
    case Opcode::outer: return false;
    default: return ir::row(op.code).derivative == ir::Derivative::elementwise || op.code == Opcode::sign;
  }
}

Text Writer::componentwise(const Op& op) {
  const Type& type = f.type(op.results[0]);
  const char* function = function_name(op.code);
  const char* sign = op.code == Opcode::multiply ? " * " : op.code == Opcode::divide ? " / " : op.code == Opcode::add ? " + " : " - ";
  std::string text = constructor(type) + "(";
  for (int k = 0; k < type.size * type.size; ++k) {
    std::string entry;
    for (size_t j = 0; j < op.operands.size(); ++j) {
      Value v = op.operands[j];
      entry += j == 0 ? "" : function ? ", " : sign;
      entry += is_splat(v) ? operand(f.op(definition[at(v)]).operands[0], Binding::unary) : name(v) + component_suffix(type, k);
    }
    text += (k ? ", " : "") + (function ? std::string(function) + "(" + entry + ")" : entry);
  }
  return {text + ")"};
}

std::string Writer::pack(const Op& op) {
  const Type& type = f.type(op.results[0]);
  std::string items = list(op, 0, op.operands.size());
  return type.is_array() ? "[" + items + "]" : constructor(type) + "(" + items + ")";
}

Text Writer::component(const Op& op) {
  const Type& type = f.type(op.operands[0]);
  std::string whole = operand(op.operands[0], Binding::postfix);
  if (op.code == Opcode::extract) return {whole + component_suffix(type, op.integer)};
  std::string i = operand(op.operands[1], Binding::conditional);
  if (!type.is_matrix()) return {whole + "[" + i + "]"};
  std::string n = std::to_string(type.size);
  return {whole + "[div(" + i + ", " + n + "), mod(" + i + ", " + n + ")]"};
}

Text Writer::expression(Value v) {
  if (!inlined(v)) return {name(v)};
  return operation(f.op(definition[at(v)]));
}

Text Writer::operation(const Op& op) {
  const Type& type = f.type(op.results[0]);
  if (is_written_by_entries(*this, op)) return componentwise(op);
  if (const char* function = function_name(op.code)) return call(op, function);
  switch (op.code) {
    case Opcode::constant: return constant(op, type);
    case Opcode::zero: return {zero(type)};
    case Opcode::size: return {program.sizes[at(static_cast<int32_t>(op.integer))].name};
    case Opcode::extent: return {space_names[at(op.space)] + ".count"};
    case Opcode::steps: return {"steps"};
    case Opcode::add: return binary(op, " + ", Binding::sum);
    case Opcode::subtract: return binary(op, " - ", Binding::sum);
    case Opcode::multiply:
      return binary(op, " * ", Binding::product);
    case Opcode::matrix_multiply: return binary(op, " * ", Binding::product);
    case Opcode::divide: return binary(op, " / ", Binding::product);
    case Opcode::negate: return {"-" + operand(op.operands[0], Binding::power), Binding::unary};
    case Opcode::power_constant: {
      bool whole = op.real == std::floor(op.real) && std::fabs(op.real) < 1e6;
      std::string exponent = whole ? std::to_string(static_cast<int>(std::fabs(op.real))) : syntax::real_literal(std::fabs(op.real));
      return {operand(op.operands[0], Binding::postfix) + "^" + (op.real < 0 ? "-" : "") + exponent, Binding::power};
    }
    case Opcode::logarithm_or_zero: {
      std::string x = operand(op.operands[0], Binding::sum);
      return {x + " > 0.0 ? log(" + x + ") : 0.0", Binding::conditional};
    }
    case Opcode::equal: return binary(op, " == ", Binding::comparison);
    case Opcode::reference_equal: return binary(op, " == ", Binding::comparison);
    case Opcode::not_equal: return binary(op, " != ", Binding::comparison);
    case Opcode::less: return binary(op, " < ", Binding::comparison);
    case Opcode::less_equal: return binary(op, " <= ", Binding::comparison);
    case Opcode::logical_and: return binary(op, " and ", Binding::all_of);
    case Opcode::logical_or: return binary(op, " or ", Binding::any_of);
    case Opcode::logical_not: return {"not " + operand(op.operands[0], Binding::comparison), Binding::negation};
    case Opcode::select:
      return {operand(op.operands[0], Binding::any_of) + " ? " + operand(op.operands[1], Binding::any_of) + " : " +
                  operand(op.operands[2], Binding::any_of),
              Binding::conditional};
    case Opcode::splat: {
      std::string s = operand(op.operands[0], Binding::conditional), text = constructor(type) + "(" + s;
      for (int k = 1; k < type.element_scalars(); ++k) text += ", " + s;
      return {text + ")"};
    }
    case Opcode::pack: return {pack(op)};
    case Opcode::extract:
    case Opcode::extract_at: return component(op);
    case Opcode::make_reference: return {space_names[at(op.space)] + "(" + list(op, 0, op.operands.size()) + ")"};
    case Opcode::offset: {
      std::string by = list(op, 1, op.operands.size());
      bool one = op.operands.size() == 2;
      return {operand(op.operands[0], Binding::sum) + " + " + (one ? operand(op.operands[1], Binding::product) : "(" + by + ")"), Binding::sum};
    }
    case Opcode::coordinate: {
      bool grid = program.spaces[at(f.type(op.operands[0]).space)].grid;
      if (!grid) return {"index(" + operand(op.operands[0], Binding::conditional) + ")"};
      return {"coords(" + operand(op.operands[0], Binding::conditional) + ")[" + std::to_string(op.integer) + "]"};
    }
    case Opcode::normalise: return expression(op.operands[0]);
    case Opcode::load: return {name(op.operands[0]) + indices(op, 1, op.operands.size())};
    default: return {"unsupported"};
  }
}

}  // namespace adjoule::lifting
