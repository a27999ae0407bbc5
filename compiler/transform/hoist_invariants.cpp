// Moves what an inner loop computes again in every iteration in front of it. Speed is not the only reason: the adjoint of a
// value from outside of a loop is gathered in one number, where that of a load inside is scattered in every iteration.
//   before   for j in Body { %a = load %x [%i]; %b = load %x [%j]; … }
//   after    %a = load %x [%i]; for j in Body { %b = load %x [%j]; … }
// Only pure operations on values move, and only out of loops, never out of a branch. A load moves when its indices are block
// arguments: those are in range whether or not the loop has an iteration.
#include <algorithm>
#include <set>

#include "ir/op_table.hpp"
#include "transform/transform.hpp"

namespace adjoule::transform {
namespace {

using ir::BlockId;
using ir::Op;
using ir::OpId;
using ir::Opcode;
using ir::Procedure;
using ir::Value;

struct Hoister {
  Procedure p;
  std::vector<bool> is_argument;   // by value: of a block

  bool may_move(const Op& op) const {
    if (!op.blocks.empty() || op.results.size() != 1 || !ir::is_pure(p, op)) return false;
    const Type& type = p.type(op.results[0]);
    if (type.field || type.stack || op.code == Opcode::stack_new) return false;
    if (op.code != Opcode::load) return true;
    return std::all_of(op.operands.begin() + 1, op.operands.end(),
                       [&](Value v) { return is_argument[static_cast<size_t>(v)]; });
  }

  /// The operations of a loop's body that depend on nothing inside it, in order; they are taken out of the body.
  std::vector<OpId> take_invariants(BlockId body) {
    ir::Block& block = p.blocks[static_cast<size_t>(body)];
    std::set<Value> inside(block.arguments.begin(), block.arguments.end());
    std::vector<OpId> moved, kept;
    for (OpId id : block.ops) {
      const Op& op = p.op(id);
      bool invariant = may_move(op) && std::none_of(op.operands.begin(), op.operands.end(), [&](Value v) { return inside.count(v) != 0; });
      (invariant ? moved : kept).push_back(id);
      if (!invariant) inside.insert(op.results.begin(), op.results.end());
    }
    block.ops = std::move(kept);
    return moved;
  }

  void visit(BlockId id) {
    std::vector<OpId> ops = p.block(id).ops, result;
    for (OpId o : ops) {
      std::vector<BlockId> nested = p.op(o).blocks;
      for (BlockId inner : nested) visit(inner);
      if (p.op(o).code == Opcode::for_) {
        std::vector<OpId> moved = take_invariants(nested[0]);
        result.insert(result.end(), moved.begin(), moved.end());
      }
      result.push_back(o);
    }
    p.blocks[static_cast<size_t>(id)].ops = std::move(result);
  }
};

}  // namespace

ir::Procedure hoist_invariants(const ir::Program&, const ir::Procedure& procedure) {
  Hoister hoister{procedure, std::vector<bool>(procedure.values.size(), false)};
  for (const ir::Block& block : procedure.blocks)
    for (Value v : block.arguments) hoister.is_argument[static_cast<size_t>(v)] = true;
  hoister.visit(hoister.p.body);
  return std::move(hoister.p);
}

}  // namespace adjoule::transform
