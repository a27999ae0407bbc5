// Activity by sweeps to a fixed point (activity.hpp). Both directions see the same flow of real numbers, given once as edges
// "from -> to" by `for_each_flow`.
#include "adjoint/activity.hpp"

#include <functional>

#include "ir/op_table.hpp"

namespace adjoule::adjoint {
namespace {

using ir::Block;
using ir::Op;
using ir::Opcode;
using ir::Procedure;
using ir::Value;
using Flow = std::function<void(Value from, Value to)>;

void control_flow(const Procedure& f, const Op& op, const Flow& flow) {
  if (op.code == Opcode::if_) {
    for (ir::BlockId id : op.blocks)
      for (size_t k = 0; k < op.results.size(); ++k) flow(f.block(id).yields[k], op.results[k]);
    return;
  }
  if (op.code == Opcode::while_) {
    const Block& condition = f.block(op.blocks[0]);
    const Block& body = f.block(op.blocks[1]);
    for (size_t k = 0; k < op.results.size(); ++k) {
      flow(op.operands[k], condition.arguments[k]);
      flow(condition.arguments[k], body.arguments[k]);
      flow(body.yields[k], condition.arguments[k]);
      flow(condition.arguments[k], op.results[k]);
    }
    return;
  }
  // for_, loop, serial: operands (after the bounds), block arguments (after the indices) and results run in parallel
  const Block& body = f.block(op.blocks[0]);
  size_t results = op.results.size();
  size_t first_operand = op.operands.size() - results;
  size_t first_argument = body.arguments.size() - results;
  size_t handles = results - body.yields.size();
  for (size_t k = 0; k < results; ++k) {
    Value argument = body.arguments[first_argument + k];
    flow(op.operands[first_operand + k], argument);
    if (k >= handles) flow(body.yields[k - handles], argument);
    flow(argument, op.results[k]);
  }
}

void plain_flow(const Op& op, const Flow& flow) {
  switch (op.code) {
    case Opcode::store:
    case Opcode::reduce: flow(op.operands.back(), op.operands.front()); return;
    case Opcode::push: flow(op.operands[1], op.operands[0]); return;
    case Opcode::pop:
    case Opcode::load:
    case Opcode::fill: flow(op.operands[0], op.results[0]); return;
    case Opcode::set_element:
      flow(op.operands.front(), op.results[0]);
      flow(op.operands.back(), op.results[0]);
      return;
    case Opcode::add_fields:
    case Opcode::copy:
      for (Value v : op.operands) flow(v, op.results[0]);
      return;
    default: break;
  }
  ir::Derivative kind = ir::row(op.code).derivative;
  if (kind != ir::Derivative::elementwise && kind != ir::Derivative::linear) return;
  for (Value v : op.operands) flow(v, op.results[0]);
}

void for_each_flow(const Procedure& f, ir::BlockId block, bool backwards, const Flow& flow) {
  const std::vector<ir::OpId>& ops = f.block(block).ops;
  for (size_t k = 0; k < ops.size(); ++k) {
    const Op& op = f.op(ops[backwards ? ops.size() - 1 - k : k]);
    if (op.blocks.empty()) {
      plain_flow(op, flow);
      continue;
    }
    control_flow(f, op, flow);
    for (ir::BlockId nested : op.blocks) for_each_flow(f, nested, backwards, flow);
    control_flow(f, op, flow);
  }
}

std::vector<bool> spread(const Procedure& f, const std::vector<Value>& seeds, bool backwards) {
  std::vector<bool> marked(f.values.size(), false);
  for (Value v : seeds) marked[static_cast<size_t>(v)] = f.type(v).differentiable();
  bool changed = true;
  while (changed) {
    changed = false;
    for_each_flow(f, f.body, backwards, [&](Value from, Value to) {
      if (backwards) std::swap(from, to);
      if (!marked[static_cast<size_t>(from)] || marked[static_cast<size_t>(to)]) return;
      if (!f.type(to).differentiable()) return;
      marked[static_cast<size_t>(to)] = true;
      changed = true;
    });
  }
  return marked;
}

std::vector<Value> pick(const std::vector<Value>& values, const std::vector<int>& positions) {
  std::vector<Value> picked;
  for (int k : positions) picked.push_back(values[static_cast<size_t>(k)]);
  return picked;
}

}  // namespace

std::vector<bool> varied_values(const Procedure& f, const std::vector<int>& inputs) {
  return spread(f, pick(f.inputs(), inputs), false);
}

std::vector<bool> useful_values(const Procedure& f, const std::vector<int>& outputs) {
  return spread(f, pick(f.outputs(), outputs), true);
}

std::vector<bool> active_values(const Procedure& f, const Selection& selection) {
  std::vector<bool> active = varied_values(f, selection.inputs);
  std::vector<bool> useful = useful_values(f, selection.outputs);
  for (size_t k = 0; k < active.size(); ++k) active[k] = active[k] && useful[k];
  return active;
}

}  // namespace adjoule::adjoint
