// Recognising the sums of inner loops (lane_sums.hpp).
#include "ir/lane_sums.hpp"

namespace adjoule::ir {
namespace {

int count_uses(const Procedure& procedure, BlockId id, Value v) {
  const Block& block = procedure.block(id);
  int uses = 0;
  for (Value y : block.yields) uses += y == v;
  for (OpId o : block.ops) {
    const Op& op = procedure.op(o);
    for (Value operand : op.operands) uses += operand == v;
    for (BlockId inner : op.blocks) uses += count_uses(procedure, inner, v);
  }
  return uses;
}

/// The operation in this block that makes `v`.
const Op* maker(const Procedure& procedure, const Block& block, Value v) {
  for (OpId o : block.ops) {
    const Op& op = procedure.op(o);
    if (op.results.size() == 1 && op.results[0] == v) return &op;
  }
  return nullptr;
}

bool adds_to(const Op& op, Value argument) {
  switch (op.code) {
    case Opcode::add: return op.operands[0] == argument || op.operands[1] == argument;
    case Opcode::subtract: return op.operands[0] == argument;
    case Opcode::fused_multiply_add: return op.operands[2] == argument;
    default: return false;
  }
}

}  // namespace

std::vector<bool> lane_sums(const Procedure& procedure, const Op& loop) {
  const Block& body = procedure.block(loop.blocks[0]);
  std::vector<bool> found(body.yields.size(), false);
  bool whole_space = loop.domains[0].space != no_space && loop.domains[0].region == Region::whole;
  if (!whole_space) return found;
  for (size_t k = 0; k < found.size(); ++k) {
    Value argument = body.arguments[1 + k];
    if (!procedure.type(argument).plain() || !procedure.type(argument).differentiable()) continue;
    const Op* op = maker(procedure, body, body.yields[k]);
    found[k] = op && op->blocks.empty() && adds_to(*op, argument) && count_uses(procedure, loop.blocks[0], argument) == 1;
  }
  return found;
}

}  // namespace adjoule::ir
