#include "transform/local_rules.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace adjoule::transform {

namespace {

using ir::no_value;
using ir::Op;
using ir::Opcode;
using ir::Value;

const Op* defined_by(const RuleSite& site, Value v, Opcode code) {
  const Op* op = site.definition(v);
  return op && op->code == code ? op : nullptr;
}

bool is_integer(const RuleSite& site, Value v, int64_t i) {
  const std::optional<int64_t> c = integer_constant(site, v);
  return c && *c == i && site.type(v).is_int();
}

/// Equal bit for bit: 0.0 is not -0.0.
bool is_real(const RuleSite& site, Value v, double r) {
  const std::optional<double> c = real_constant(site, v);
  return c && std::bit_cast<uint64_t>(*c) == std::bit_cast<uint64_t>(r);
}

bool is_one(const RuleSite& site, Value v) { return is_integer(site, v, 1) || is_real(site, v, 1.0); }

Value make_integer(const RuleSite& site, int64_t i, const Type& type, Span span) {
  return site.make({.code = Opcode::constant, .span = span, .integer = i}, type);
}

Value make_zero(const RuleSite& site, const Type& type, Span span) {
  const bool scalar = type.is_bool() || type.is_int() || type.is_real();
  return site.make({.code = scalar ? Opcode::constant : Opcode::zero, .span = span}, type);
}

/// Makes `op` another one with these operands.
Value become(Op& op, Opcode code, std::vector<Value> operands) {
  op.code = code;
  op.operands = std::move(operands);
  return no_value;
}

Value sum_rules(const RuleSite& site, Op& op) {
  const Value a = op.operands[0], b = op.operands[1];
  if (is_integer(site, b, 0) || is_real(site, b, -0.0)) return a;
  if (is_integer(site, a, 0) || is_real(site, a, -0.0)) return b;
  if (const Op* n = defined_by(site, b, Opcode::negate)) return become(op, Opcode::subtract, {a, n->operands[0]});
  if (const Op* n = defined_by(site, a, Opcode::negate)) return become(op, Opcode::subtract, {b, n->operands[0]});
  return no_value;
}

Value difference_rules(const RuleSite& site, Op& op, const Type& type) {
  const Value a = op.operands[0], b = op.operands[1];
  if (is_integer(site, b, 0) || is_real(site, b, 0.0)) return a;
  if (type.is_int() && a == b) return make_integer(site, 0, type, op.span);
  if (const Op* n = defined_by(site, b, Opcode::negate)) return become(op, Opcode::add, {a, n->operands[0]});
  return no_value;
}

Value product_rules(const RuleSite& site, Op& op, const Type& type) {
  const Value a = op.operands[0], b = op.operands[1];
  if (is_one(site, b)) return a;
  if (is_one(site, a)) return b;
  if (is_integer(site, a, 0) || is_integer(site, b, 0)) return make_integer(site, 0, type, op.span);
  return no_value;
}

/// a * b + c, rounded once.
Value fused_rules(const RuleSite& site, Op& op) {
  const Value a = op.operands[0], b = op.operands[1], c = op.operands[2];
  if (is_one(site, a)) return become(op, Opcode::add, {b, c});
  if (is_one(site, b)) return become(op, Opcode::add, {a, c});
  if (is_real(site, c, -0.0)) return become(op, Opcode::multiply, {a, b});
  return no_value;
}

Value arithmetic_rules(const RuleSite& site, Op& op, const Type& type) {
  const auto operand = [&](size_t i) { return op.operands[i]; };
  switch (op.code) {
    case Opcode::add: return sum_rules(site, op);
    case Opcode::subtract: return difference_rules(site, op, type);
    case Opcode::multiply: return product_rules(site, op, type);
    case Opcode::fused_multiply_add: return fused_rules(site, op);
    case Opcode::divide: return is_one(site, operand(1)) ? operand(0) : no_value;
    case Opcode::negate:
      if (const Op* n = defined_by(site, operand(0), Opcode::negate)) return n->operands[0];
      return no_value;
    case Opcode::minimum:
    case Opcode::maximum: return operand(0) == operand(1) ? operand(0) : no_value;
    case Opcode::weigh: {
      const std::optional<double> a = real_constant(site, operand(0));
      return a && *a == 0 ? make_zero(site, type, op.span) : no_value;
    }
    case Opcode::transpose:
      if (const Op* t = defined_by(site, operand(0), Opcode::transpose)) return t->operands[0];
      return no_value;
    default: return no_value;
  }
}

/// `and` with neutral = 1, `or` with neutral = 0.
Value junction_rules(const RuleSite& site, const Op& op, int64_t neutral) {
  const Value a = op.operands[0], b = op.operands[1];
  if (a == b) return a;
  if (const std::optional<int64_t> c = integer_constant(site, a)) return *c == neutral ? b : a;
  if (const std::optional<int64_t> c = integer_constant(site, b)) return *c == neutral ? a : b;
  return no_value;
}

Value select_rules(const RuleSite& site, Op& op) {
  const Value c = op.operands[0], a = op.operands[1], b = op.operands[2];
  if (a == b) return a;
  if (const std::optional<int64_t> constant = integer_constant(site, c)) return *constant ? a : b;
  if (const Op* n = defined_by(site, c, Opcode::logical_not)) return become(op, Opcode::select, {n->operands[0], b, a});
  return no_value;
}

Value logic_rules(const RuleSite& site, Op& op, const Type& type) {
  const bool same = op.operands.size() == 2 && op.operands[0] == op.operands[1];
  const bool exact = !op.operands.empty() && !site.type(op.operands[0]).is_real();  // NaN differs from itself
  switch (op.code) {
    case Opcode::logical_and: return junction_rules(site, op, 1);
    case Opcode::logical_or: return junction_rules(site, op, 0);
    case Opcode::logical_not:
      if (const Op* n = defined_by(site, op.operands[0], Opcode::logical_not)) return n->operands[0];
      return no_value;
    case Opcode::select: return select_rules(site, op);
    case Opcode::equal:
    case Opcode::less_equal: return same && exact ? make_integer(site, 1, type, op.span) : no_value;
    case Opcode::not_equal:
    case Opcode::less: return same && exact ? make_integer(site, 0, type, op.span) : no_value;
    case Opcode::reference_equal: return same ? make_integer(site, 1, type, op.span) : no_value;
    default: return no_value;
  }
}

// --- vectors, matrices, arrays

/// Component `i` of v where what defines v tells it. Looks through a bounded number of inserts, so that a pass stays
/// linear.
Value component(const RuleSite& site, Value v, int64_t i, const Type& type, Span span) {
  for (int steps = 0; steps < 32; ++steps) {
    const Op* op = site.definition(v);
    if (!op) return no_value;
    switch (op->code) {
      case Opcode::pack: return op->operands[static_cast<size_t>(i)];
      case Opcode::splat: return op->operands[0];
      case Opcode::zero: return make_zero(site, type, span);
      case Opcode::insert: break;
      default: return no_value;
    }
    if (op->integer == i) return op->operands[1];
    v = op->operands[0];
  }
  return no_value;
}

Value extract_rules(const RuleSite& site, Op& op, const Type& type) {
  const Value known = component(site, op.operands[0], op.integer, type, op.span);
  if (known != no_value) return known;
  const Op* insert = defined_by(site, op.operands[0], Opcode::insert);
  if (insert && insert->integer != op.integer) op.operands[0] = insert->operands[0];
  return no_value;
}

Value insert_rules(const RuleSite& site, Op& op) {
  const Op* part = defined_by(site, op.operands[1], Opcode::extract);
  if (part && part->operands[0] == op.operands[0] && part->integer == op.integer) return op.operands[0];
  const Op* before = defined_by(site, op.operands[0], Opcode::insert);
  if (before && before->integer == op.integer) op.operands[0] = before->operands[0];
  return no_value;
}

/// pack of all the components of one value, in order.
Value pack_rules(const RuleSite& site, const Op& op, const Type& type) {
  Value whole = no_value;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Op* part = defined_by(site, op.operands[i], Opcode::extract);
    if (!part || part->integer != static_cast<int64_t>(i) || (i > 0 && part->operands[0] != whole)) return no_value;
    whole = part->operands[0];
  }
  return whole != no_value && site.type(whole) == type ? whole : no_value;
}

int64_t component_count(const Type& type) { return type.is_array() ? type.array[0] : type.element_scalars(); }

Value compound_rules(const RuleSite& site, Op& op, const Type& type) {
  switch (op.code) {
    case Opcode::extract: return extract_rules(site, op, type);
    case Opcode::insert: return insert_rules(site, op);
    case Opcode::pack: return pack_rules(site, op, type);
    case Opcode::extract_at:
    case Opcode::insert_at: {
      const std::optional<int64_t> i = integer_constant(site, op.operands[1]);
      if (!i || *i < 0 || *i >= component_count(site.type(op.operands[0]))) return no_value;
      op.integer = *i;
      op.operands.erase(op.operands.begin() + 1);
      op.code = op.code == Opcode::extract_at ? Opcode::extract : Opcode::insert;
      return op.code == Opcode::extract ? extract_rules(site, op, type) : insert_rules(site, op);
    }
    default: return no_value;
  }
}

// --- references

bool plain_space(const RuleSite& site, Value reference) {
  return !site.program.spaces[static_cast<size_t>(site.type(reference).space)].grid;
}

Value coordinate_rules(const RuleSite& site, Op& op) {
  const Op* made = defined_by(site, op.operands[0], Opcode::make_reference);
  return made ? made->operands[static_cast<size_t>(op.integer)] : no_value;
}

Value make_reference_rules(const RuleSite& site, const Op& op, const Type& type) {
  Value whole = no_value;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Op* part = defined_by(site, op.operands[i], Opcode::coordinate);
    if (!part || part->integer != static_cast<int64_t>(i) || (i > 0 && part->operands[0] != whole)) return no_value;
    whole = part->operands[0];
  }
  return whole != no_value && site.type(whole) == type ? whole : no_value;
}

/// Offsets by constants are added up: coordinates are raw, so c + (1, 0) + (-1, 0) is c.
Value offset_rules(const RuleSite& site, Op& op) {
  if (const Op* inner = defined_by(site, op.operands[0], Opcode::offset)) {
    const std::vector<Value> first = inner->operands;  // a copy: making constants moves the operations
    std::vector<Value> sums{first[0]};
    for (size_t i = 1; i < op.operands.size(); ++i) {
      const std::optional<int64_t> a = integer_constant(site, first[i]), b = integer_constant(site, op.operands[i]);
      if (!a || !b) break;
      const int32_t sum = static_cast<int32_t>(static_cast<uint32_t>(*a) + static_cast<uint32_t>(*b));
      sums.push_back(make_integer(site, sum, int_type(), op.span));
    }
    if (sums.size() == op.operands.size()) op.operands = std::move(sums);
  }
  const bool stays =
      std::all_of(op.operands.begin() + 1, op.operands.end(), [&](Value d) { return is_integer(site, d, 0); });
  return stays ? op.operands[0] : no_value;
}

Value reference_rules(const RuleSite& site, Op& op, const Type& type) {
  switch (op.code) {
    case Opcode::coordinate: return coordinate_rules(site, op);
    case Opcode::make_reference: return make_reference_rules(site, op, type);
    case Opcode::offset: return offset_rules(site, op);
    case Opcode::index:
      if (!plain_space(site, op.operands[0])) return no_value;
      op.code = Opcode::coordinate;
      op.integer = 0;
      return coordinate_rules(site, op);
    case Opcode::normalise:
      if (plain_space(site, op.operands[0]) || defined_by(site, op.operands[0], Opcode::normalise))
        return op.operands[0];
      return no_value;
    default: return no_value;
  }
}

}  // namespace

std::optional<int64_t> integer_constant(const RuleSite& site, Value v) {
  const Type& type = site.type(v);
  if (!type.is_int() && !type.is_bool()) return std::nullopt;
  const Op* op = site.definition(v);
  if (op && op->code == Opcode::constant) return op->integer;
  if (op && op->code == Opcode::zero) return 0;
  return std::nullopt;
}

std::optional<double> real_constant(const RuleSite& site, Value v) {
  const Type& type = site.type(v);
  const Op* op = site.definition(v);
  if (!op || !type.differentiable() || !type.plain()) return std::nullopt;
  if (op->code == Opcode::zero) return 0.0;
  if (op->code == Opcode::splat) return real_constant(site, op->operands[0]);
  if (op->code == Opcode::constant) return op->real;
  return std::nullopt;
}

bool always_holds(const RuleSite& site, const Op& check) {
  const std::optional<int64_t> c = integer_constant(site, check.operands[0]);
  if (!c) return false;
  if (check.code == Opcode::check_nonzero) return *c != 0;
  return check.space == no_space && *c >= 0 && *c < check.integer;
}

Value apply_local_rules(const RuleSite& site, Op& op, const Type& type) {
  for (const auto& rules : {arithmetic_rules, logic_rules, compound_rules, reference_rules}) {
    const Value known = rules(site, op, type);
    if (known != no_value) return known;
  }
  return no_value;
}

}  // namespace adjoule::transform
