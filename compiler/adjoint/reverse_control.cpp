// Adjoints of if, for, while and serial. A reversed region sees the adjoints of values from outside ("outer") as carried
// values: each branch or iteration takes them in and hands them on with its contributions added.
//   before   %r = for i in a..b, carrying %s = %s0 { …; yield %t }
//   after    %s0_bar, %outer_bar = for i in reversed a..b, carrying %t_bar = %r_bar, %outer_bar { pop %s; …redo…; …reverse… }
#include "adjoint/reverser.hpp"

namespace adjoule::adjoint {
namespace {

ir::Domain reversed(ir::Domain domain) {
  domain.reversed = !domain.reversed;
  return domain;
}

}  // namespace

bool Reverser::touches_active_object(ir::BlockId block) const {
  for (ir::OpId id : f.block(block).ops) {
    const Op& op = f.op(id);
    bool effect = op.code == Opcode::store || op.code == Opcode::reduce || op.code == Opcode::push || op.code == Opcode::pop;
    if (effect && active[at(op.operands[0])]) return true;
    for (ir::BlockId inner : op.blocks)
      if (touches_active_object(inner)) return true;
  }
  return false;
}

/// Can any adjoint flow out of this operation? Otherwise its reversal is empty.
bool Reverser::reaches_adjoint(ir::OpId id) const {
  const Op& op = f.op(id);
  for (Value v : op.results)
    if (bars[at(v)] != no_value) return true;
  for (ir::BlockId block : op.blocks)
    if (touches_active_object(block)) return true;
  return false;
}

/// Values from outside whose adjoints the reversal of `id` may add to.
std::vector<Value> Reverser::captured_bars(ir::OpId id) const {
  std::vector<Value> outer;
  for (Value v : captured[at(id)]) {
    const ir::ValueInfo& info = f.values[at(v)];
    if (!active[at(v)] || info.handle || info.type.stack) continue;
    if (in_kernel && kernel_bars[at(v)].handle != no_value) continue;   // goes straight to the handle
    outer.push_back(v);
  }
  return outer;
}

void Reverser::reverse_if(ir::OpId id) {
  if (!reaches_adjoint(id)) return;
  const Op& op = f.op(id);
  std::vector<Value> outer = captured_bars(id);
  std::vector<Value> before, after[2];
  for (Value v : outer) before.push_back(bars[at(v)]);
  Op made;
  made.code = Opcode::if_;
  made.span = op.span;
  made.operands = {map[at(op.operands[0])]};
  for (int branch = 0; branch < 2; ++branch) {
    ir::BlockId from = op.blocks[at(branch)];
    ir::BlockId to = builder.new_block();
    ir::BlockId previous = builder.enter(to);
    ++depth;
    if (reads_mutable[at(id)]) restore_block(from);
    else sweep_block(from, Sweep::recording);
    for (size_t k = 0; k < op.results.size(); ++k) accumulate(f.block(from).yields[k], bars[at(op.results[k])]);
    reverse_block(from);
    --depth;
    for (size_t k = 0; k < outer.size(); ++k) {
      after[branch].push_back(bars[at(outer[k])]);
      bars[at(outer[k])] = before[k];
    }
    builder.enter(previous);
    made.blocks.push_back(to);
  }
  // Only adjoints that a branch changed are results.
  std::vector<Value> changed;
  std::vector<Type> types;
  std::vector<Value> yields[2];
  for (size_t k = 0; k < outer.size(); ++k) {
    if (after[0][k] == before[k] && after[1][k] == before[k]) continue;
    changed.push_back(outer[k]);
    types.push_back(f.type(outer[k]));
    for (int branch = 0; branch < 2; ++branch) {
      ir::BlockId previous = builder.enter(made.blocks[at(branch)]);
      Value v = after[branch][k];
      yields[branch].push_back(v != no_value ? v : builder.zero(f.type(outer[k])));
      builder.enter(previous);
    }
  }
  for (int branch = 0; branch < 2; ++branch) builder.yield(made.blocks[at(branch)], yields[branch]);
  ir::OpId done = builder.append(std::move(made), types);
  for (size_t k = 0; k < changed.size(); ++k) bars[at(changed[k])] = builder.procedure().op(done).results[k];
}

/// One reversed iteration. `incoming`: adjoints of the active carried results, then of the outer values; `outgoing` gets the
/// adjoints of the active carried arguments, then of the outer values.
void Reverser::reverse_iteration(ir::OpId id, ir::BlockId body, size_t first_argument, const std::vector<size_t>& carried,
                                 const std::vector<Value>& outer, std::span<const Value> incoming,
                                 std::vector<Value>& outgoing) {
  const ir::Block& block = f.block(body);
  const std::vector<Value> bars_in(incoming.begin(), incoming.end());
  const std::vector<Value>& stacks = records[at(id)].carried;
  for (size_t k = 0; k < stacks.size(); ++k) map[at(block.arguments[first_argument + k])] = builder.pop(stacks[k]);
  ++depth;
  if (needs_tape(id)) restore_block(body);
  else sweep_block(body, Sweep::recording);
  for (size_t k = 0; k < outer.size(); ++k) bars[at(outer[k])] = bars_in[carried.size() + k];
  for (size_t k = 0; k < carried.size(); ++k) accumulate(block.yields[carried[k]], bars_in[k]);
  reverse_block(body);
  --depth;
  for (size_t k : carried) outgoing.push_back(bar_or_zero(block.arguments[first_argument + k]));
  for (Value v : outer) outgoing.push_back(bar_or_zero(v));
}

/// The results of a reversed loop: first the adjoints of the initial values, then those of the outer values.
void Reverser::take_results(const std::vector<Value>& results, const std::vector<Value>& initial,
                            const std::vector<Value>& outer) {
  for (size_t k = 0; k < outer.size(); ++k) bars[at(outer[k])] = results[initial.size() + k];
  for (size_t k = 0; k < initial.size(); ++k) accumulate(initial[k], results[k]);
}

void Reverser::reverse_for(ir::OpId id) {
  if (!reaches_adjoint(id)) return;
  const Op& op = f.op(id);
  const ir::Block& body = f.block(op.blocks[0]);
  size_t bounds = op.operands.size() - op.results.size();
  std::vector<size_t> carried;
  std::vector<Value> initial, start;
  for (size_t k = 0; k < op.results.size(); ++k) {
    if (!active[at(body.arguments[1 + k])]) continue;
    carried.push_back(k);
    initial.push_back(op.operands[bounds + k]);
    start.push_back(bar_or_zero(op.results[k]));
  }
  std::vector<Value> outer = captured_bars(id);
  for (Value v : outer) start.push_back(bar_or_zero(v));
  std::vector<Value> results = builder.for_(reversed(op.domains[0]), mapped(op.operands, 0, bounds), start,
                                            [&](Value index, std::span<const Value> incoming) {
                                              std::vector<Value> outgoing;
                                              map[at(body.arguments[0])] = index;
                                              reverse_iteration(id, op.blocks[0], 1, carried, outer, incoming, outgoing);
                                              return outgoing;
                                            });
  take_results(results, initial, outer);
}

void Reverser::reverse_while(ir::OpId id) {
  if (!reaches_adjoint(id)) return;
  const Op& op = f.op(id);
  const ir::Block& condition = f.block(op.blocks[0]);
  std::vector<size_t> carried;
  std::vector<Value> initial, start;
  for (size_t k = 0; k < op.results.size(); ++k) {
    if (!active[at(condition.arguments[k])]) continue;
    carried.push_back(k);
    initial.push_back(op.operands[k]);
    start.push_back(bar_or_zero(op.results[k]));
  }
  std::vector<Value> outer = captured_bars(id);
  for (Value v : outer) start.push_back(bar_or_zero(v));
  std::vector<Value> bounds{builder.constant(int32_t{0}), records[at(id)].trips};
  std::vector<Value> results =
      builder.for_(ir::Domain{}, bounds, start, [&](Value, std::span<const Value> incoming) {
        std::vector<Value> outgoing;
        reverse_iteration(id, op.blocks[1], 0, carried, outer, incoming, outgoing);
        return outgoing;
      });
  take_results(results, initial, outer);
}

/// A serial loop: the adjoints of the fields that it updates, and of those that it only reads, are handles of the reversed one.
void Reverser::reverse_serial(ir::OpId id) {
  if (!reaches_adjoint(id)) return;
  const Op& op = f.op(id);
  const ir::Block& body = f.block(op.blocks[0]);
  size_t fields = op.modes.size();
  size_t bounds = op.operands.size() - op.results.size();
  size_t first_handle = body.arguments.size() - op.results.size();
  std::vector<Value> updated, updated_start, handles_of;   // handles_of: whose adjoint each new handle is
  for (size_t k = 0; k < fields; ++k) {
    if (!active[at(body.arguments[first_handle + k])]) continue;
    updated.push_back(op.operands[bounds + k]);
    updated_start.push_back(bar_or_zero(op.results[k]));
    handles_of.push_back(body.arguments[first_handle + k]);
  }
  std::vector<Value> outer, read;
  for (Value v : captured_bars(id)) (f.type(v).field ? read : outer).push_back(v);
  for (Value v : read) {
    updated_start.push_back(bar_or_zero(v));
    handles_of.push_back(v);
  }
  std::vector<size_t> carried;
  std::vector<Value> initial, start;
  for (size_t k = fields; k < op.results.size(); ++k) {
    if (!active[at(body.arguments[first_handle + k])]) continue;
    carried.push_back(k - fields);
    initial.push_back(op.operands[bounds + k]);
    start.push_back(bar_or_zero(op.results[k]));
  }
  for (Value v : outer) start.push_back(bar_or_zero(v));
  std::vector<ir::Domain> domains;
  for (const ir::Domain& domain : op.domains) domains.push_back(reversed(domain));
  in_kernel = true;
  std::vector<Value> results = builder.serial(
      domains, mapped(op.operands, 0, bounds), updated_start, start,
      [&](std::span<const Value> indices, std::span<const Value> handles, std::span<const Value> incoming) {
        for (size_t k = 0; k < indices.size(); ++k) map[at(body.arguments[k])] = indices[k];
        for (size_t k = 0; k < handles_of.size(); ++k) kernel_bars[at(handles_of[k])] = {.handle = handles[k]};
        std::vector<Value> outgoing;
        reverse_iteration(id, op.blocks[0], first_handle + fields, carried, outer, incoming, outgoing);
        return outgoing;
      });
  in_kernel = false;
  for (Value v : handles_of) kernel_bars[at(v)] = {};
  std::vector<Value> scalars(results.begin() + static_cast<std::ptrdiff_t>(updated_start.size()), results.end());
  take_results(scalars, initial, outer);
  for (size_t k = 0; k < read.size(); ++k) bars[at(read[k])] = results[updated.size() + k];
  for (size_t k = 0; k < updated.size(); ++k) accumulate(updated[k], results[k]);
}

}  // namespace adjoule::adjoint
