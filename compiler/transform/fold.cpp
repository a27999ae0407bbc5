#include "transform/fold.hpp"

#include <bit>

#include "ir/evaluate.hpp"

namespace adjoule::transform {

namespace {

using ir::Op;
using ir::Opcode;
using ir::Value;

struct Scalar {
  double real = 0;
  int32_t integer = 0;
};

bool is_scalar(const Type& type) { return type.is_real() || type.is_int() || type.is_bool(); }

std::optional<Scalar> constant_of(const RuleSite& site, Value v) {
  if (site.type(v).is_real()) {
    const std::optional<double> r = real_constant(site, v);
    return r ? std::optional(Scalar{.real = *r}) : std::nullopt;
  }
  const std::optional<int64_t> i = integer_constant(site, v);
  return i ? std::optional(Scalar{.integer = static_cast<int32_t>(*i)}) : std::nullopt;
}

ir::Components view(const Scalar& s, const Type& type) {
  if (type.is_real()) return {.reals = {&s.real, 1}, .integers = {}};
  return {.reals = {}, .integers = {&s.integer, 1}};
}

double rounded(double r) { return static_cast<double>(static_cast<float>(r)); }

/// Values 0, 1, … of `scratch` are the operands, then the result.
std::optional<Scalar> evaluate(const ir::Procedure& scratch, const Op& op, std::vector<Scalar> operands, bool single) {
  std::vector<ir::Components> views;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (single) operands[i].real = rounded(operands[i].real);
    views.push_back(view(operands[i], scratch.values[i].type));
  }
  Scalar result;
  ir::ResultComponents room;
  if (scratch.values.back().type.is_real()) {
    room.reals = {&result.real, 1};
  } else {
    room.integers = {&result.integer, 1};
  }
  return ir::evaluate(scratch, op, views, room, single) ? std::optional(result) : std::nullopt;
}

bool same_bits(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

}  // namespace

void fold_constant(const RuleSite& site, Op& op, const Type& type) {
  if (op.operands.empty() || !is_scalar(type) || op.code == Opcode::load) return;
  ir::Procedure scratch;
  Op probe = op;
  probe.operands.clear();
  std::vector<Scalar> operands;
  for (Value v : op.operands) {
    if (!is_scalar(site.type(v))) return;
    const std::optional<Scalar> c = constant_of(site, v);
    if (!c) return;
    operands.push_back(*c);
    probe.operands.push_back(static_cast<Value>(scratch.values.size()));
    scratch.values.push_back({.type = site.type(v)});
  }
  probe.results = {static_cast<Value>(scratch.values.size())};
  scratch.values.push_back({.type = type});

  const std::optional<Scalar> r64 = evaluate(scratch, probe, operands, false),
                              r32 = evaluate(scratch, probe, operands, true);
  if (!r64 || !r32 || r64->integer != r32->integer || !same_bits(rounded(r64->real), r32->real)) return;
  op = {.code = Opcode::constant, .span = op.span, .integer = r64->integer, .real = r64->real};
}

}  // namespace adjoule::transform
