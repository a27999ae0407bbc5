#include "transform/structure.hpp"

namespace adjoule::transform {

using ir::Opcode;

Slots slots(const ir::Op& op) {
  Slots s;
  const bool range = !op.domains.empty() && op.domains[0].space == no_space;
  switch (op.code) {
    case Opcode::if_:
      s.control = 1;
      s.count = op.results.size();
      return s;
    case Opcode::for_:
      s.control = range ? 2 : 0;
      s.indices = 1;
      break;
    case Opcode::while_: break;
    case Opcode::loop:
      s.indices = op.domains.size();
      s.handles = op.operands.size();
      break;
    case Opcode::serial:
      s.control = range ? 2 : 0;
      s.indices = op.domains.size();
      s.handles = op.modes.size();
      break;
    default: return s;
  }
  s.count = op.operands.size() - s.control;
  return s;
}

Structure::Structure(const ir::Procedure& procedure)
    : definitions(procedure.values.size()),
      blocks_of_ops(procedure.ops.size(), -1),
      owners(procedure.blocks.size(), -1) {
  order.reserve(procedure.ops.size());
  enter(procedure, procedure.body, -1);
}

void Structure::enter(const ir::Procedure& procedure, ir::BlockId block, ir::OpId owner) {
  owners[static_cast<size_t>(block)] = owner;
  const ir::Block& b = procedure.block(block);
  for (size_t i = 0; i < b.arguments.size(); ++i)
    definitions[static_cast<size_t>(b.arguments[i])] = {.op = -1, .block = block, .position = i};
  for (ir::OpId o : b.ops) {
    blocks_of_ops[static_cast<size_t>(o)] = block;
    order.push_back(o);
    const ir::Op& op = procedure.op(o);
    for (size_t i = 0; i < op.results.size(); ++i)
      definitions[static_cast<size_t>(op.results[i])] = {.op = o, .block = -1, .position = i};
    for (ir::BlockId nested : op.blocks) enter(procedure, nested, o);
  }
}

}  // namespace adjoule::transform
