// The forward sweep inside an adjoint: copies of the primal's operations that record what their reversal needs.
//   before   for i in a..b, carrying %s { %t = sine %s; yield %t }
//   after    %k = stack_new; for i in a..b, carrying %s { push %k, %s; %t = sine %s; yield %t }
#include <algorithm>

#include "adjoint/reverser.hpp"

namespace adjoule::adjoint {
namespace {

bool is_check(Opcode code) { return code == Opcode::check_index || code == Opcode::check_nonzero; }

bool is_mutable_read(const ir::Procedure& f, const Op& op) {
  return op.code == Opcode::pop || (op.code == Opcode::load && f.values[at(op.operands[0])].handle);
}

bool is_effect_on_object(const Op& op) {
  return op.code == Opcode::store || op.code == Opcode::reduce || op.code == Opcode::push;
}

struct Uses {
  std::set<Value> defined, used, mutable_reads;
};

void merge_outer(const Uses& inner, Uses& outer) {
  for (Value v : inner.used)
    if (!inner.defined.count(v)) outer.used.insert(v);
  for (Value v : inner.mutable_reads)
    if (!inner.defined.count(v)) outer.mutable_reads.insert(v);
}

Uses find_uses(Reverser& r, ir::BlockId block) {
  Uses uses;
  const ir::Block& b = r.f.block(block);
  uses.defined.insert(b.arguments.begin(), b.arguments.end());
  for (ir::OpId id : b.ops) {
    const Op& op = r.f.op(id);
    Uses nested;
    for (ir::BlockId inner : op.blocks) merge_outer(find_uses(r, inner), nested);
    r.captured[at(id)].assign(nested.used.begin(), nested.used.end());
    r.reads_mutable[at(id)] = !nested.mutable_reads.empty();
    merge_outer(nested, uses);
    uses.used.insert(op.operands.begin(), op.operands.end());
    if (is_mutable_read(r.f, op)) uses.mutable_reads.insert(op.operands[0]);
    uses.defined.insert(op.results.begin(), op.results.end());
  }
  uses.used.insert(b.yields.begin(), b.yields.end());
  return uses;
}

}  // namespace

void Reverser::find_reads_and_captures(ir::BlockId block) { find_uses(*this, block); }

bool Reverser::needs_tape(ir::OpId id) const { return reads_mutable[at(id)] || f.op(id).code == Opcode::serial; }

void Reverser::sweep_block(ir::BlockId block, Sweep mode) {
  for (ir::OpId id : f.block(block).ops) sweep_op(id, mode);
}

void Reverser::sweep_op(ir::OpId id, Sweep mode) {
  const Op& op = f.op(id);
  builder.set_span(op.span);
  if (op.blocks.empty()) return sweep_single(id, mode);
  if (op.code == Opcode::loop) return copy_control(id, Sweep::plain);
  if (mode == Sweep::plain) return copy_control(id, Sweep::plain);
  if (mode == Sweep::recording) {
    if (needs_tape(id)) {
      make_tapes(id);
      return copy_control(id, Sweep::taped);
    }
    make_carried_stacks(id);
    return copy_control(id, Sweep::recording);
  }
  // taped: a nested operation that reads nothing mutable is recomputed when it is restored
  if (!reads_mutable[at(id)]) return copy_control(id, Sweep::plain);
  copy_control(id, Sweep::taped);
  for (Value v : op.results) builder.push(tape[at(v)], map[at(v)]);
  if (op.code == Opcode::while_) builder.push(records[at(id)].trips_stack, records[at(id)].trips);
}

void Reverser::sweep_single(ir::OpId id, Sweep mode) {
  const Op& op = f.op(id);
  if (is_check(op.code)) return;   // the primal run has made them
  if (op.code == Opcode::reduce && finding_winners) return mark_winner(id);
  if (is_effect_on_object(op) && object_depth[at(op.operands[0])] != depth) return;
  clone_op(builder, f, id, map);
  if (op.code == Opcode::stack_new) object_depth[at(op.results[0])] = depth;
  if (mode == Sweep::taped && is_mutable_read(f, op)) builder.push(tape[at(op.results[0])], map[at(op.results[0])]);
}

void Reverser::make_carried_stacks(ir::OpId id) {
  const Op& op = f.op(id);
  LoopRecord& record = records[at(id)];
  record = {};
  if (op.code == Opcode::if_ || op.code == Opcode::loop) return;
  const ir::Block& body = f.block(op.blocks.back());
  size_t first = body.arguments.size() - body.yields.size();
  for (size_t k = first; k < body.arguments.size(); ++k) record.carried.push_back(builder.stack_new(f.type(body.arguments[k])));
}

/// Makes every stack that the taped copy of `id` fills, before it, so that its reversal can see them.
void Reverser::make_tapes(ir::OpId id) {
  const Op& op = f.op(id);
  make_carried_stacks(id);
  if (op.code == Opcode::while_) records[at(id)].trips_stack = builder.stack_new(int_type());
  auto keep = [&](Value v) { tape[at(v)] = builder.stack_new(f.type(v)); };
  for (Value v : op.results)
    if (op.code != Opcode::serial) keep(v);
  for (ir::BlockId block : op.blocks) {
    for (ir::OpId inner : f.block(block).ops) {
      const Op& nested = f.op(inner);
      if (nested.blocks.empty() && is_mutable_read(f, nested)) keep(nested.results[0]);
      if (!nested.blocks.empty() && reads_mutable[at(inner)]) make_tapes(inner);
    }
  }
}

void Reverser::push_carried(ir::OpId id, ir::BlockId block, size_t first_argument) {
  const std::vector<Value>& stacks = records[at(id)].carried;
  for (size_t k = 0; k < stacks.size(); ++k)
    builder.push(stacks[k], map[at(f.block(block).arguments[first_argument + k])]);
}

Op Reverser::append_copy(Op copy, const Op& original) {
  std::vector<Type> types;
  for (Value v : copy.results) types.push_back(builder.type(v));
  copy.results.clear();
  types.clear();
  for (Value v : original.results) types.push_back(f.type(v));
  ir::OpId made = builder.append(std::move(copy), types);
  return builder.procedure().op(made);
}

void Reverser::copy_control(ir::OpId id, Sweep mode) {
  const Op& op = f.op(id);
  if (op.code == Opcode::while_ && mode != Sweep::plain) return copy_while(id, mode);
  Sweep inner = mode == Sweep::taped ? Sweep::taped : Sweep::plain;
  Op copy = ir::clone_header(op, map);
  for (ir::BlockId block : op.blocks) {
    const ir::Block& from = f.block(block);
    ir::BlockId to = builder.new_block();
    for (Value v : from.arguments) {
      const ir::ValueInfo& info = f.values[at(v)];
      map[at(v)] = builder.argument(to, info.type, info.name, info.handle);
      if (info.handle) object_depth[at(v)] = depth;
    }
    ir::BlockId previous = builder.enter(to);
    if (mode != Sweep::plain && (op.code == Opcode::for_ || op.code == Opcode::serial))
      push_carried(id, block, from.arguments.size() - from.yields.size());
    sweep_block(block, inner);
    builder.enter(previous);
    builder.yield(to, mapped(from.yields, 0, from.yields.size()));
    copy.blocks.push_back(to);
  }
  Op made = append_copy(std::move(copy), op);
  for (size_t k = 0; k < op.results.size(); ++k) {
    builder.name(made.results[k], f.values[at(op.results[k])].name);
    map[at(op.results[k])] = made.results[k];
  }
}

/// A while loop whose iterations will be reversed counts them.
void Reverser::copy_while(ir::OpId id, Sweep mode) {
  const Op& op = f.op(id);
  Sweep inner = mode == Sweep::taped ? Sweep::taped : Sweep::plain;
  const ir::Block& condition = f.block(op.blocks[0]);
  const ir::Block& body = f.block(op.blocks[1]);
  std::vector<Value> initial = mapped(op.operands, 0, op.operands.size());
  initial.push_back(builder.constant(int32_t{0}));
  auto bind = [&](const ir::Block& block, std::span<const Value> carried) {
    for (size_t k = 0; k < block.arguments.size(); ++k) map[at(block.arguments[k])] = carried[k];
  };
  std::vector<Value> results = builder.while_(
      initial,
      [&](std::span<const Value> carried) {
        bind(condition, carried);
        sweep_block(op.blocks[0], Sweep::plain);
        return map[at(condition.yields[0])];
      },
      [&](std::span<const Value> carried) {
        bind(body, carried);
        Value count = carried.back();   // read before blocks are added: the span may move
        push_carried(id, op.blocks[1], 0);
        sweep_block(op.blocks[1], inner);
        std::vector<Value> yields = mapped(body.yields, 0, body.yields.size());
        yields.push_back(builder.add(count, builder.constant(int32_t{1})));
        return yields;
      });
  for (size_t k = 0; k < op.results.size(); ++k) map[at(op.results[k])] = results[k];
  records[at(id)].trips = results.back();
}

/// Brings back the values of a block that was swept `taped`: what it read from mutable places is popped, the rest recomputed.
void Reverser::restore_block(ir::BlockId block) {
  for (ir::OpId id : f.block(block).ops) {
    const Op& op = f.op(id);
    builder.set_span(op.span);
    if (op.blocks.empty()) {
      if (is_mutable_read(f, op)) map[at(op.results[0])] = builder.pop(tape[at(op.results[0])]);
      else if (op.code != Opcode::stack_new && !is_effect_on_object(op)) sweep_single(id, Sweep::recording);
      continue;
    }
    if (!reads_mutable[at(id)]) {
      sweep_op(id, Sweep::recording);
      continue;
    }
    for (Value v : op.results) map[at(v)] = builder.pop(tape[at(v)]);
    if (op.code == Opcode::while_) records[at(id)].trips = builder.pop(records[at(id)].trips_stack);
  }
}

}  // namespace adjoule::adjoint
