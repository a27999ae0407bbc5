#include "transform/value_table.hpp"

#include <bit>

namespace adjoule::transform {

namespace {

using ir::Op;
using ir::Opcode;

/// Two operands whose order does not change the bits.
bool commutes(const Op& op) {
  switch (op.code) {
    case Opcode::add:
    case Opcode::multiply:
    case Opcode::equal:
    case Opcode::not_equal:
    case Opcode::logical_and:
    case Opcode::logical_or:
    case Opcode::reference_equal: return op.operands.size() == 2;
    default: return false;
  }
}

size_t hash(const Op& op) {
  size_t h = static_cast<size_t>(op.code);
  const auto mix = [&](uint64_t x) { h = (h ^ (x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2))) * 0xff51afd7ed558ccdu; };
  if (commutes(op)) {
    mix(static_cast<uint64_t>(op.operands[0]) + static_cast<uint64_t>(op.operands[1]));
  } else {
    for (ir::Value v : op.operands) mix(static_cast<uint64_t>(v));
  }
  mix(static_cast<uint64_t>(op.integer));
  mix(std::bit_cast<uint64_t>(op.real));
  mix(static_cast<uint64_t>(op.space));
  return h ^ (h >> 32);
}

bool same_operands(const Op& a, const Op& b) {
  if (a.operands == b.operands) return true;
  return commutes(a) && a.operands[0] == b.operands[1] && a.operands[1] == b.operands[0];
}

}  // namespace

void ValueTable::close() {
  for (Entries::iterator entry : scopes_.back()) entries_.erase(entry);
  scopes_.pop_back();
}

ir::OpId ValueTable::find(const Op& op, const Type& type) const {
  const auto [begin, end] = entries_.equal_range(hash(op));
  for (auto it = begin; it != end; ++it) {
    const Op& other = procedure_.op(it->second);
    if (other.code != op.code || other.operands.size() != op.operands.size() || !same_operands(other, op)) continue;
    if (other.integer != op.integer || other.space != op.space) continue;
    if (std::bit_cast<uint64_t>(other.real) != std::bit_cast<uint64_t>(op.real)) continue;
    if (other.results.empty() ? type.is_none() : procedure_.type(other.results[0]) == type) return it->second;
  }
  return -1;
}

void ValueTable::add(ir::OpId op) { scopes_.back().push_back(entries_.emplace(hash(procedure_.op(op)), op)); }

}  // namespace adjoule::transform
