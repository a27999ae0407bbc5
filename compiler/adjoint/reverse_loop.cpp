// The adjoint of a parallel loop is a parallel loop over the same domain: each iteration reruns the primal body, then
// reverses it. Access modes turn around: an own field's adjoint is own; where the primal reads, the adjoint reduces; where
// the primal reduces, the adjoint reads.
//   before   %x1 = loop p in P own %x { … load %u [q] … store %x [p], %v }
//   after    %x_bar0, %u_bar1 = loop p in P own %x1_bar, reduce %u_bar { …rerun…; v̄ = load; store 0; reduce %u_bar [q], … }
#include <algorithm>
#include <limits>

#include "adjoint/reverser.hpp"

namespace adjoule::adjoint {
namespace {

/// All loads from `version` (or accesses of a handle) inside a block, nested ones too.
void collect_accesses(const ir::Procedure& f, ir::BlockId block, Value field, std::vector<const Op*>& found) {
  for (ir::OpId id : f.block(block).ops) {
    const Op& op = f.op(id);
    bool access = op.code == Opcode::load || op.code == Opcode::store || op.code == Opcode::reduce;
    if (access && op.operands[0] == field) found.push_back(&op);
    for (ir::BlockId inner : op.blocks) collect_accesses(f, inner, field, found);
  }
}

/// Does each loop index stand alone at one and the same position in every access? Then distinct iterations touch distinct
/// elements.
bool is_own(const std::vector<const Op*>& accesses, const std::vector<Value>& indices) {
  for (Value index : indices) {
    size_t rank = accesses.front()->operands.size();
    bool found = false;
    for (size_t position = 1; position < rank && !found; ++position)
      found = std::all_of(accesses.begin(), accesses.end(),
                          [&](const Op* op) { return position < op->operands.size() && op->operands[position] == index; });
    if (!found) return false;
  }
  return true;
}

void number_reductions(const ir::Procedure& f, ir::BlockId block, std::vector<int>& numbers, int& next) {
  for (ir::OpId id : f.block(block).ops) {
    const Op& op = f.op(id);
    if (op.code == Opcode::reduce) numbers[at(id)] = next++;
    for (ir::BlockId inner : op.blocks) number_reductions(f, inner, numbers, next);
  }
}

bool is_extremum(ir::Mode mode) { return mode == ir::Mode::reduce_minimum || mode == ir::Mode::reduce_maximum; }

/// What becomes of the result of one updated operand of the adjoint loop.
enum class Fate : uint8_t { unused, replaces_bar, adds_to_bar };

struct Updated {
  Value start = no_value;
  ir::Mode mode = ir::Mode::own;
  Fate fate = Fate::unused;
  Value of = no_value;          // whose adjoint (a value of the primal)
};

/// Builds one adjoint kernel: the block's arguments and the operands grow together.
struct Kernel {
  Reverser& r;
  const Op& primal;
  Op op;
  ir::BlockId block;
  std::vector<Updated> updated;

  Kernel(Reverser& reverser, const Op& loop) : r(reverser), primal(loop), block(reverser.builder.new_block()) {
    op.code = Opcode::loop;
    op.span = loop.span;
    op.domains = loop.domains;
    op.blocks = {block};
    const ir::Block& body = r.f.block(primal.blocks[0]);
    for (size_t k = 0; k < primal.domains.size(); ++k) {
      const ir::ValueInfo& info = r.f.values[at(body.arguments[k])];
      r.map[at(body.arguments[k])] = r.builder.argument(block, info.type, info.name);
    }
  }
  const ir::Block& body() const { return r.f.block(primal.blocks[0]); }
  Value primal_handle(size_t k) const { return body().arguments[primal.domains.size() + k]; }
  std::vector<Value> indices() const {
    return {body().arguments.begin(), body().arguments.begin() + static_cast<std::ptrdiff_t>(primal.domains.size())};
  }
  Value handle(Updated u, const std::string& name) {
    op.operands.push_back(u.start);
    op.modes.push_back(u.mode);
    updated.push_back(u);
    return r.builder.argument(block, r.builder.type(u.start), name, true);
  }
  /// Own fields that the body reads through their handle are rerun on a scratch version; other updates are left out.
  void make_scratch() {
    for (size_t k = 0; k < primal.operands.size(); ++k) {
      Value h = primal_handle(k);
      r.object_depth[at(h)] = -1;
      std::vector<const Op*> accesses;
      collect_accesses(r.f, primal.blocks[0], h, accesses);
      bool reads = std::any_of(accesses.begin(), accesses.end(), [](const Op* a) { return a->code == Opcode::load; });
      if (!reads) continue;
      r.map[at(h)] = handle({.start = r.map[at(primal.operands[k])], .mode = primal.modes[k]}, r.f.values[at(h)].name);
      r.object_depth[at(h)] = r.depth;
    }
  }
  std::vector<Value> finish() {
    r.builder.yield(block, {});
    std::vector<Type> types;
    for (Value v : op.operands) types.push_back(r.builder.type(v));
    return r.builder.procedure().op(r.builder.append(std::move(op), types)).results;
  }
};

/// The number of this iteration, row-major over the domains' spaces.
Value iteration_number(ir::Builder& b, const Op& loop, const std::vector<Value>& indices) {
  Value number = b.emit(Opcode::index, {indices[0]});
  for (size_t k = 1; k < indices.size(); ++k)
    number = b.add(b.multiply(number, b.extent(loop.domains[k].space)), b.emit(Opcode::index, {indices[k]}));
  return number;
}

/// The loads of `version` that read the loop's own element in the outermost block of its body: their adjoints are gathered in
/// one number and added at the end of the iteration.
std::vector<ir::OpId> own_loads(const ir::Procedure& f, const Op& loop, Value version, const std::vector<Value>& indices) {
  std::vector<ir::OpId> found;
  for (ir::OpId id : f.block(loop.blocks[0]).ops) {
    const Op& op = f.op(id);
    if (op.code != Opcode::load || op.operands[0] != version) continue;
    if (std::vector<Value>(op.operands.begin() + 1, op.operands.end()) == indices) found.push_back(id);
  }
  return found;
}

/// Is the field or handle accessed inside an inner loop of the body? Then scattering a version's adjoint is worth keeping apart
/// from what the outermost block gathers (several reductions into one field would each need a run of the loop of their own),
/// and one statement may attain a minimum several times in one iteration.
bool accesses_in_inner_loop(const ir::Procedure& f, ir::BlockId block, Value field) {
  for (ir::OpId id : f.block(block).ops) {
    for (ir::BlockId inner : f.op(id).blocks) {
      std::vector<const Op*> found;
      if (f.op(id).code != Opcode::if_) collect_accesses(f, inner, field, found);
      if (!found.empty() || accesses_in_inner_loop(f, inner, field)) return true;
    }
  }
  return false;
}
bool accesses_in_inner_loop(const ir::Procedure& f, const Op& loop, Value field) { return accesses_in_inner_loop(f, loop.blocks[0], field); }

}  // namespace

/// Does this reduction's value stand as the result, and, once the winners are known, is it of the first that attained it?
Value Reverser::attains(ir::OpId id, const std::vector<Value>& indices) {
  const Op& op = f.op(id);
  const KernelBar& bar = kernel_bars[at(op.operands[0])];
  auto element = [&](Value field) { return builder.type(field).field ? builder.load(field, indices) : field; };
  Value attained = builder.emit(Opcode::equal, {map[at(op.operands.back())], element(bar.after)});
  if (bar.winner == no_value) return attained;
  Value mine = builder.add(winner_code, builder.constant(static_cast<int32_t>(reduction_number[at(id)])));
  return builder.emit(Opcode::logical_and, {attained, builder.emit(Opcode::equal, {element(bar.winner), mine})});
}

/// Inside a sweep over the extrema: lets the numbers of attaining reductions compete for being the first, or counts its turns.
void Reverser::mark_winner(ir::OpId id) {
  const Op& op = f.op(id);
  const KernelBar bar = kernel_bars[at(op.operands[0])];
  if (bar.handle == no_value) return;
  std::vector<Value> indices = mapped(op.operands, 1, op.operands.size() - 1);
  bool counting = bar.winner != no_value;
  builder.if_(attains(id, indices), [&] {
    Value number = builder.constant(static_cast<int32_t>(reduction_number[at(id)]));
    if (counting) builder.reduce(bar.handle, indices, builder.constant(int32_t{1}));
    else builder.reduce(bar.handle, indices, builder.add(winner_code, number), ir::Reduction::minimum);
    return std::vector<Value>{};
  }, [] { return std::vector<Value>{}; });
}

/// Runs the body once more for the reductions into the operands `which`: see mark_winner.
std::vector<Value> Reverser::sweep_extrema(ir::OpId id, const std::vector<size_t>& which, const Winners& found, ir::Mode mode) {
  const Op& op = f.op(id);
  int count = 0;
  number_reductions(f, op.blocks[0], reduction_number, count);
  std::vector<Value> starts;
  for (size_t k : which) {
    Value start = builder.constant(mode == ir::Mode::reduce_add ? int32_t{0} : std::numeric_limits<int32_t>::max());
    const Type type = f.type(op.results[k]);
    starts.push_back(type.field ? builder.emit(Opcode::fill, {start}, field_of(int_type(), type.spaces)) : start);
  }
  Kernel kernel(*this, op);
  ++depth;
  kernel.make_scratch();
  size_t scratch = kernel.op.operands.size();
  for (size_t k = 0; k < which.size(); ++k) {
    Value handle = kernel.handle({.start = starts[k], .mode = mode}, "winner");
    kernel_bars[at(kernel.primal_handle(which[k]))] = {.handle = handle, .after = map[at(op.results[which[k]])], .winner = found.winner[which[k]]};
  }
  ir::BlockId previous = builder.enter(kernel.block);
  Value number = iteration_number(builder, op, mapped(kernel.indices(), 0, op.domains.size()));
  winner_code = builder.multiply(number, builder.constant(static_cast<int32_t>(count)));
  finding_winners = true;
  sweep_block(op.blocks[0], Sweep::plain);
  finding_winners = false;
  builder.enter(previous);
  --depth;
  std::vector<Value> results = kernel.finish();
  for (size_t k : which) kernel_bars[at(kernel.primal_handle(k))] = {};
  return {results.begin() + static_cast<std::ptrdiff_t>(scratch), results.end()};
}

/// Which iteration and statement attained the result of each minimum= or maximum= (language.md, Access modes): the first in
/// order. Where reductions stand in inner loops, also how many turns of that iteration attained it.
Reverser::Winners Reverser::find_winners(ir::OpId id) {
  const Op& op = f.op(id);
  Winners found{std::vector<Value>(op.operands.size(), no_value), std::vector<Value>(op.operands.size(), no_value)};
  std::vector<size_t> which, nested;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    if (!is_extremum(op.modes[k]) || !active[at(op.results[k])] || bars[at(op.results[k])] == no_value) continue;
    which.push_back(k);
    if (accesses_in_inner_loop(f, op, f.block(op.blocks[0]).arguments[op.domains.size() + k])) nested.push_back(k);
  }
  if (which.empty()) return found;
  std::vector<Value> winners = sweep_extrema(id, which, found, ir::Mode::reduce_minimum);
  for (size_t k = 0; k < which.size(); ++k) found.winner[which[k]] = winners[k];
  if (nested.empty()) return found;
  std::vector<Value> turns = sweep_extrema(id, nested, found, ir::Mode::reduce_add);
  for (size_t k = 0; k < nested.size(); ++k) found.turns[nested[k]] = turns[k];
  return found;
}

/// Where the value from before the loop is still the result, the adjoint goes on to it.
void Reverser::reverse_extrema(ir::OpId id, const std::vector<Value>& winners) {
  const Op& op = f.op(id);
  for (size_t k = 0; k < op.operands.size(); ++k) {
    Value old = op.operands[k];
    if (winners[k] == no_value || !active[at(old)]) continue;
    Value before = map[at(old)], after = map[at(op.results[k])], bar = bars[at(op.results[k])];
    auto kept = [&](Value b, Value a, Value c) {
      return builder.emit(Opcode::select, {builder.emit(Opcode::equal, {b, a}), c, builder.zero(builder.type(c))});
    };
    if (!builder.type(before).field) {
      accumulate(old, kept(before, after, bar));
      continue;
    }
    std::vector<ir::Domain> domains;
    for (SpaceId space : builder.type(before).spaces) domains.push_back({.space = space});
    std::vector<Value> passed = builder.loop(domains, {bar}, {ir::Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
      std::vector<Value> at_own(i.begin(), i.end());
      Value handle = h[0];
      Value here = builder.load(handle, at_own);
      builder.store(handle, at_own, kept(builder.load(before, at_own), builder.load(after, at_own), here));
    });
    accumulate(old, passed[0]);
  }
}

void Reverser::reverse_loop(ir::OpId id) {
  if (std::none_of(f.op(id).results.begin(), f.op(id).results.end(), [&](Value v) { return bars[at(v)] != no_value; })) return;
  const Op& op = f.op(id);
  Winners found = find_winners(id);
  const std::vector<Value>& winners = found.winner;
  Kernel kernel(*this, op);
  ++depth;
  kernel.make_scratch();
  std::vector<Value> indices = kernel.indices();
  std::vector<Value> flushed;                              // captured values whose contributions are added at the end,
  std::vector<KernelBar> flush_targets;                    // and where
  for (size_t k = 0; k < op.operands.size(); ++k) {
    Value h = kernel.primal_handle(k), bar = bars[at(op.results[k])];
    kernel_bars[at(h)] = {};
    if (!active[at(h)] || bar == no_value) continue;
    if (op.modes[k] != ir::Mode::own) {
      kernel_bars[at(h)] = {.version = bar, .before = map[at(op.operands[k])], .after = map[at(op.results[k])], .winner = winners[k], .turns = found.turns[k]};
      continue;
    }
    Value handle = kernel.handle({.start = bar, .mode = ir::Mode::own, .fate = Fate::adds_to_bar, .of = op.operands[k]},
                                 f.values[at(op.operands[k])].name + "_bar");
    kernel_bars[at(h)] = {.handle = handle};
  }
  in_kernel = false;
  std::vector<Value> outer = captured_bars(id);
  for (Value v : outer) {
    std::string name = f.values[at(v)].name + "_bar";
    if (!f.type(v).field) {
      Value handle = kernel.handle({.start = bar_or_zero(v), .mode = ir::Mode::reduce_add, .fate = Fate::replaces_bar, .of = v}, name);
      flushed.push_back(v);
      flush_targets.push_back({.handle = handle, .reduces = true});
      continue;
    }
    std::vector<const Op*> accesses;
    collect_accesses(f, op.blocks[0], v, accesses);
    if (accesses.empty()) continue;
    bool own = is_own(accesses, indices);
    std::vector<ir::OpId> gathers = own_loads(f, op, v, indices);
    bool all = gathers.size() == accesses.size();
    auto same = std::find(op.operands.begin(), op.operands.end(), v);
    KernelBar target;   // the adjoint that the loop updates anyway, when it updates this version
    if (same != op.operands.end()) target = kernel_bars[at(kernel.primal_handle(static_cast<size_t>(same - op.operands.begin())))];
    bool gather = all ? target.handle != no_value : !gathers.empty() && !own && accesses_in_inner_loop(f, op, v);
    if (gather) {
      if (target.handle == no_value)
        target.handle = kernel.handle({.start = builder.zero(f.type(v)), .mode = ir::Mode::own, .fate = Fate::adds_to_bar, .of = v}, name);
      for (ir::OpId load : gathers) gathered[at(load)] = true;
      flushed.push_back(v);
      flush_targets.push_back({.handle = target.handle});
      if (all) continue;
    }
    Value handle = kernel.handle({.start = bar_or_zero(v), .mode = own ? ir::Mode::own : ir::Mode::reduce_add,
                                  .fate = Fate::replaces_bar, .of = v}, name);
    kernel_bars[at(v)] = {.handle = handle, .reduces = !own};
  }
  std::vector<Value> saved;
  for (Value v : flushed) {
    saved.push_back(bars[at(v)]);
    bars[at(v)] = no_value;
  }
  ir::BlockId previous = builder.enter(kernel.block);
  in_kernel = true;
  if (std::any_of(winners.begin(), winners.end(), [](Value v) { return v != no_value; })) {
    int count = 0;
    number_reductions(f, op.blocks[0], reduction_number, count);
    Value number = iteration_number(builder, op, mapped(indices, 0, indices.size()));
    winner_code = builder.multiply(number, builder.constant(static_cast<int32_t>(count)));
  }
  sweep_block(op.blocks[0], Sweep::recording);
  reverse_block(op.blocks[0]);
  for (size_t k = 0; k < flushed.size(); ++k) {
    Value total = bars[at(flushed[k])];
    bars[at(flushed[k])] = saved[k];
    if (total == no_value) continue;
    bool scalar = !f.type(flushed[k]).field;
    add_to_element(flush_targets[k], scalar ? std::vector<Value>{} : mapped(indices, 0, indices.size()), total);
  }
  in_kernel = false;
  builder.enter(previous);
  --depth;
  for (Value v : outer) kernel_bars[at(v)] = {};
  std::vector<Updated> updated = kernel.updated;
  std::vector<Value> results = kernel.finish();
  for (size_t k = 0; k < updated.size(); ++k)
    if (updated[k].fate != Fate::unused) builder.name(results[k], f.values[at(updated[k].of)].name + "_bar");
  for (size_t k = 0; k < updated.size(); ++k)
    if (updated[k].fate == Fate::replaces_bar) bars[at(updated[k].of)] = results[k];
  for (size_t k = 0; k < updated.size(); ++k)
    if (updated[k].fate == Fate::adds_to_bar) accumulate(updated[k].of, results[k]);
  for (size_t k = 0; k < op.operands.size(); ++k)
    if (op.modes[k] == ir::Mode::reduce_add && active[at(op.operands[k])]) accumulate(op.operands[k], bars[at(op.results[k])]);
  reverse_extrema(id, winners);
}

}  // namespace adjoule::adjoint
