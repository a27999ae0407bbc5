// Reverse mode (adjoint.hpp, reverser.hpp).
//   before   f: (x) -> (y)         %y = sine %x
//   after    (x, ȳ) -> (x̄)         %x̄ = multiply %ȳ, (cosine %x)
#include "ir/op_table.hpp"
#include "adjoint/reverser.hpp"

namespace adjoule::adjoint {

Reverser::Reverser(const ir::Program& p, const ir::Procedure& primal, const Selection& selection, std::string name)
    : program(p), f(primal), builder(p, std::move(name)), facts(find_facts(primal)), active(active_values(primal, selection)) {
  size_t values = f.values.size();
  map.assign(values, no_value);
  bars.assign(values, no_value);
  tape.assign(values, no_value);
  kernel_bars.assign(values, {});
  object_depth.assign(values, -1);
  records.assign(f.ops.size(), {});
  reads_mutable.assign(f.ops.size(), false);
  captured.assign(f.ops.size(), {});
  reduction_number.assign(f.ops.size(), 0);
  gathered.assign(f.ops.size(), false);
  find_reads_and_captures(f.body);
}

std::vector<Value> Reverser::mapped(const std::vector<Value>& values, size_t first, size_t last) const {
  std::vector<Value> result;
  for (size_t k = first; k < last; ++k) result.push_back(map[at(values[k])]);
  return result;
}

void Reverser::accumulate(Value v, Value contribution) {
  if (!active[at(v)] || contribution == no_value) return;
  Value& bar = bars[at(v)];
  bar = bar == no_value ? contribution : sum(builder, bar, contribution);
}

Value Reverser::bar_or_zero(Value v) {
  if (bars[at(v)] != no_value) return bars[at(v)];
  Value zero = builder.zero(f.type(v));
  if (f.type(v).field) builder.name(zero, f.values[at(v)].name + "_bar");
  return zero;
}

/// Stacks have adjoint stacks: what a pop gives back is pushed there, and the push of it takes it from there.
void Reverser::make_stack_bars(ir::BlockId block) {
  for (ir::OpId id : f.block(block).ops) {
    const Op& op = f.op(id);
    if (op.code != Opcode::stack_new || !active[at(op.results[0])]) continue;
    kernel_bars[at(op.results[0])].handle = builder.stack_new(popped(f.type(op.results[0])));
  }
}

void Reverser::reverse_block(ir::BlockId block) {
  const std::vector<ir::OpId>& ops = f.block(block).ops;
  make_stack_bars(block);
  for (size_t k = ops.size(); k-- > 0;) reverse_op(ops[k]);
}

void Reverser::reverse_op(ir::OpId id) {
  const Op& op = f.op(id);
  builder.set_span(op.span);
  switch (op.code) {
    case Opcode::if_: return reverse_if(id);
    case Opcode::for_: return reverse_for(id);
    case Opcode::while_: return reverse_while(id);
    case Opcode::serial: return reverse_serial(id);
    case Opcode::loop: return reverse_loop(id);
    default: return reverse_single(id);
  }
}

void Reverser::reverse_single(ir::OpId id) {
  const Op& op = f.op(id);
  switch (op.code) {
    case Opcode::store: return reverse_store(op);
    case Opcode::reduce: return reverse_reduce(id);
    case Opcode::push:
      if (active[at(op.operands[0])]) {
        Value popped_bar = builder.pop(kernel_bars[at(op.operands[0])].handle);
        accumulate(op.operands[1], popped_bar);
      }
      return;
    case Opcode::pop:
      if (active[at(op.operands[0])]) builder.push(kernel_bars[at(op.operands[0])].handle, bar_or_zero(op.results[0]));
      return;
    default: break;
  }
  if (op.results.empty() || bars[at(op.results[0])] == no_value) return;
  switch (op.code) {
    case Opcode::load: return reverse_load(id);
    case Opcode::fill: return reverse_fill(op);
    case Opcode::set_element: return reverse_set_element(op);
    case Opcode::add_fields:
      for (Value v : op.operands) accumulate(v, bars[at(op.results[0])]);
      return;
    default: return reverse_plain(op);
  }
}

void Reverser::reverse_plain(const Op& op) {
  ir::Derivative kind = ir::row(op.code).derivative;
  Value bar = bars[at(op.results[0])];
  Op here = ir::clone_header(op, map);
  here.results = {map[at(op.results[0])]};
  for (size_t k = 0; k < op.operands.size(); ++k) {
    if (!active[at(op.operands[k])]) continue;
    if (kind == ir::Derivative::elementwise) {
      ir::Partial partial = partial_of(builder, here, static_cast<int>(k), facts.of(op));
      accumulate(op.operands[k], apply_partial(builder, partial, bar));
    } else if (kind == ir::Derivative::linear) {
      accumulate(op.operands[k], pullback_of(builder, here, static_cast<int>(k), bar));
    }
  }
}

void Reverser::add_to_element(const KernelBar& bar, std::vector<Value> indices, Value contribution) {
  if (bar.reduces) {
    builder.reduce(bar.handle, std::move(indices), contribution);
    return;
  }
  Value before = builder.load(bar.handle, indices);
  builder.store(bar.handle, std::move(indices), sum(builder, before, contribution));
}

void Reverser::reverse_load(ir::OpId id) {
  const Op& op = f.op(id);
  Value field = op.operands[0];
  if (!active[at(field)]) return;
  Value bar = bars[at(op.results[0])];
  std::vector<Value> indices = mapped(op.operands, 1, op.operands.size());
  if (in_kernel) {
    const KernelBar& target = kernel_bars[at(field)];
    if (gathered[at(id)]) return accumulate(field, bar);
    return add_to_element(target, std::move(indices), bar);
  }
  Value whole = bar_or_zero(field);
  std::vector<Value> load{whole};
  load.insert(load.end(), indices.begin(), indices.end());
  std::vector<Value> set = load;
  set.push_back(sum(builder, builder.emit(Opcode::load, load, builder.type(bar)), bar));
  bars[at(field)] = builder.emit(Opcode::set_element, std::move(set), builder.type(whole));
}

/// handle[i] = v:  v̄ += bar[i];  bar[i] = 0
void Reverser::reverse_store(const Op& op) {
  Value handle = op.operands.front(), v = op.operands.back();
  if (!active[at(handle)]) return;
  const KernelBar& bar = kernel_bars[at(handle)];
  if (bar.handle == no_value) return;   // its result's adjoint is symbolically zero
  std::vector<Value> indices = mapped(op.operands, 1, op.operands.size() - 1);
  if (active[at(v)]) accumulate(v, builder.load(bar.handle, indices));
  builder.store(bar.handle, std::move(indices), builder.zero(f.type(v)));
}

/// handle[i] += v:  v̄ += bar[i]. Minimum and maximum: only where this reduction is the one that attained the result.
void Reverser::reverse_reduce(ir::OpId id) {
  const Op& op = f.op(id);
  Value handle = op.operands.front(), v = op.operands.back();
  if (!active[at(handle)] || !active[at(v)]) return;
  const KernelBar& bar = kernel_bars[at(handle)];
  Value source = bar.handle != no_value ? bar.handle : bar.version;
  if (source == no_value) return;
  std::vector<Value> indices = mapped(op.operands, 1, op.operands.size() - 1);
  auto element = [&](Value field) { return builder.type(field).field ? builder.load(field, indices) : field; };
  Value contribution = element(source);
  if (op.reduction != ir::Reduction::add) {
    Value moved = builder.emit(Opcode::not_equal, {element(bar.before), element(bar.after)});
    Value won = builder.emit(Opcode::logical_and, {attains(id, indices), moved});
    if (bar.turns != no_value) {
      Value turns = builder.emit(Opcode::maximum, {element(bar.turns), builder.constant(int32_t{1})});
      contribution = builder.divide(contribution, builder.emit(Opcode::int_to_real, {turns}, real_type()));
    }
    contribution = builder.emit(Opcode::select, {won, contribution, builder.zero(f.type(v))});
  }
  accumulate(v, contribution);
}

void Reverser::reverse_fill(const Op& op) {
  Value v = op.operands[0];
  if (!active[at(v)]) return;
  Value bar = bars[at(op.results[0])];
  std::vector<ir::Domain> domains;
  for (SpaceId space : f.type(op.results[0]).spaces) domains.push_back({.space = space});
  Value zero = builder.zero(f.type(v));
  std::vector<Value> total = builder.loop(domains, {zero}, {ir::Mode::reduce_add},
                                          [&](std::span<const Value> indices, std::span<const Value> handles) {
                                            builder.reduce(handles[0], {}, builder.load(bar, {indices.begin(), indices.end()}));
                                          });
  accumulate(v, total[0]);
}

void Reverser::reverse_set_element(const Op& op) {
  Value bar = bars[at(op.results[0])];
  Value v = op.operands.back();
  std::vector<Value> load = mapped(op.operands, 1, op.operands.size() - 1);
  load.insert(load.begin(), bar);
  if (active[at(v)]) accumulate(v, builder.emit(Opcode::load, load, f.type(v)));
  if (!active[at(op.operands[0])]) return;
  load.push_back(builder.zero(f.type(v)));
  accumulate(op.operands[0], builder.emit(Opcode::set_element, std::move(load), builder.type(bar)));
}

ir::Procedure reverse(const ir::Program& program, const ir::Procedure& f, const Selection& selection, std::string name) {
  Reverser r(program, f, selection, std::move(name));
  ir::Builder& b = r.builder;
  auto label = [&](Value v) { return f.values[at(v)].name; };
  for (Value v : f.inputs()) r.map[at(v)] = b.input(f.type(v), label(v));
  std::vector<Value> seeds;
  for (int k : selection.outputs) {
    Value y = f.outputs()[at(k)];
    seeds.push_back(b.input(f.type(y), label(y) + "_bar"));
  }
  std::vector<Value> totals;
  for (int k : selection.accumulate) {
    Value x = f.inputs()[at(k)];
    totals.push_back(b.input(f.type(x), label(x) + "_bar"));
  }
  // An accumulated adjoint starts at what came in; the input counts as active even where the outputs do not need it.
  for (size_t k = 0; k < totals.size(); ++k) r.bars[at(f.inputs()[at(selection.accumulate[k])])] = totals[k];
  r.sweep_block(f.body, Sweep::recording);
  for (size_t k = 0; k < seeds.size(); ++k) r.accumulate(f.outputs()[at(selection.outputs[k])], seeds[k]);
  r.reverse_block(f.body);
  std::vector<Value> outputs;
  for (int k : selection.inputs) outputs.push_back(r.bar_or_zero(f.inputs()[at(k)]));
  b.set_outputs(std::move(outputs));
  return b.take();
}

}  // namespace adjoule::adjoint
