// Forward mode: each operation is copied, and beside each active value runs its tangent.
//   before   f: (x) -> (y)         %y = sine %x
//   after    (x, ẋ) -> (y, ẏ)      %y = sine %x; %ẏ = multiply (cosine %x), %ẋ
// Fields, stacks and carried values have tangent twins that take part in the same loads, stores, pushes and yields.
#include <limits>

#include "adjoint/activity.hpp"
#include "adjoint/facts.hpp"
#include "adjoint/sum.hpp"
#include "ir/builder.hpp"
#include "ir/clone.hpp"
#include "ir/op_table.hpp"

namespace adjoule::adjoint {
namespace {

using ir::no_value;
using ir::Op;
using ir::Opcode;
using ir::Value;

size_t at(int32_t index) { return static_cast<size_t>(index); }
bool is_extremum(ir::Mode mode) { return mode == ir::Mode::reduce_minimum || mode == ir::Mode::reduce_maximum; }

struct Forwarder {
  const ir::Program& program;
  const ir::Procedure& f;
  ir::Builder builder;
  Facts facts;
  std::vector<bool> active;
  ir::ValueMap map;          // by value of f: its copy
  std::vector<Value> dots;   // by value of f: its tangent; no_value is a symbolic zero
  bool marking = false;      // the body is copied once more to find which reductions attained a minimum or maximum
  Value number = no_value;   // of the iteration, then
  int next_reduction = 0, reduction_count = 0;
  std::vector<Value> winners, turns, befores, afters;   // by value of f (handles)

  Forwarder(const ir::Program& p, const ir::Procedure& primal, const Selection& selection, std::string name)
      : program(p), f(primal), builder(p, std::move(name)), facts(find_facts(primal)), active(active_values(primal, selection)),
        map(primal.values.size(), no_value), dots(primal.values.size(), no_value), winners(primal.values.size(), no_value), turns(primal.values.size(), no_value),
        befores(primal.values.size(), no_value), afters(primal.values.size(), no_value) {}

  Value dot_or_zero(Value v) { return dots[at(v)] != no_value ? dots[at(v)] : builder.zero(f.type(v)); }
  std::vector<Value> mapped(const std::vector<Value>& values, size_t first, size_t last) const {
    std::vector<Value> copies;
    for (size_t k = first; k < last; ++k) copies.push_back(map[at(values[k])]);
    return copies;
  }
  void block(ir::BlockId id);
  void op(ir::OpId id);
  void single(const Op& op);
  void plain(const Op& op);
  void memory(const Op& op);
  void if_(const Op& op);
  void for_(const Op& op);
  void while_(const Op& op);
  void kernel(const Op& op);
  void bind(const std::vector<Value>& arguments, size_t first, std::span<const Value> values, std::span<const Value> tangents);
  void take(const Op& op, const std::vector<Value>& made);
  std::vector<Value> yields_of(const ir::Block& block, const std::vector<Value>& with_tangent);
  void copy_of_kernel(const Op& op, ir::Op& copy, ir::BlockId to);
  void extremum_tangents(const Op& op);
  void reduce_extremum(const Op& op);
  Value extremum_start(Value before, Value after, Value tangent);
};

void Forwarder::block(ir::BlockId id) {
  for (ir::OpId o : f.block(id).ops) op(o);
}

void Forwarder::op(ir::OpId id) {
  const Op& o = f.op(id);
  builder.set_span(o.span);
  switch (o.code) {
    case Opcode::if_: return if_(o);
    case Opcode::for_: return for_(o);
    case Opcode::while_: return while_(o);
    case Opcode::loop:
    case Opcode::serial: return kernel(o);
    default: break;
  }
  if (o.code == Opcode::reduce && o.reduction != ir::Reduction::add && active[at(o.operands[0])]) {
    if (marking) return reduce_extremum(o);
  } else if (marking && o.code == Opcode::reduce) {
    return;
  }
  ir::clone_op(builder, f, id, map);
  single(o);
}

void Forwarder::single(const Op& o) {
  switch (o.code) {
    case Opcode::store:
    case Opcode::reduce:
    case Opcode::push:
    case Opcode::pop:
    case Opcode::stack_new:
    case Opcode::load:
    case Opcode::fill:
    case Opcode::set_element:
    case Opcode::add_fields: return memory(o);
    default:
      if (o.results.size() == 1 && active[at(o.results[0])]) plain(o);
  }
}

/// Memory operations do to the twins what they do to the values.
void Forwarder::memory(const Op& o) {
  Value object = o.code == Opcode::fill || o.code == Opcode::stack_new || o.code == Opcode::set_element || o.code == Opcode::add_fields
                     ? o.results[0] : o.operands[0];
  if (!active[at(object)]) return;
  std::vector<Value> operands = mapped(o.operands, 0, o.operands.size());
  switch (o.code) {
    case Opcode::store:
    case Opcode::reduce:
      if (o.reduction != ir::Reduction::add && o.code == Opcode::reduce) return;   // extremum_tangents
      if (o.code == Opcode::reduce && dots[at(o.operands.back())] == no_value) return;
      operands.front() = dots[at(object)];
      operands.back() = dot_or_zero(o.operands.back());
      return builder.effect(o.code, operands);
    case Opcode::push: return builder.push(dots[at(object)], dot_or_zero(o.operands[1]));
    case Opcode::pop: dots[at(o.results[0])] = builder.pop(dots[at(object)]); return;
    case Opcode::stack_new: dots[at(object)] = builder.stack_new(popped(f.type(object))); return;
    case Opcode::load:
      if (dots[at(object)] == no_value) return;
      operands.front() = dots[at(object)];
      dots[at(o.results[0])] = builder.emit(Opcode::load, operands, f.type(o.results[0]));
      return;
    case Opcode::fill: dots[at(object)] = builder.emit(Opcode::fill, {dot_or_zero(o.operands[0])}, f.type(object)); return;
    case Opcode::set_element:
      operands.front() = dot_or_zero(o.operands.front());
      operands.back() = dot_or_zero(o.operands.back());
      dots[at(object)] = builder.emit(Opcode::set_element, operands, f.type(object));
      return;
    default:
      dots[at(object)] = sum(builder, dot_or_zero(o.operands[0]), dot_or_zero(o.operands[1]));
  }
}

void Forwarder::plain(const Op& o) {
  Op here = ir::clone_header(o, map);
  here.results = {map[at(o.results[0])]};
  Value total = no_value;
  auto add = [&](Value v) {
    if (v != no_value) total = total == no_value ? v : sum(builder, total, v);
  };
  ir::Derivative kind = ir::row(o.code).derivative;
  bool product = o.code == Opcode::dot || o.code == Opcode::cross || o.code == Opcode::outer || o.code == Opcode::matrix_multiply;
  if (kind == ir::Derivative::elementwise || product || o.code == Opcode::norm) {
    for (size_t k = 0; k < o.operands.size(); ++k) {
      Value tangent = dots[at(o.operands[k])];
      if (tangent == no_value) continue;
      if (o.code == Opcode::norm) {
        Value along = builder.emit(Opcode::dot, {here.operands[0], tangent});
        add(builder.multiply(along, builder.emit(Opcode::reciprocal_or_zero, {here.results[0]})));
      } else if (product) {
        std::vector<Value> operands = here.operands;
        operands[k] = tangent;
        add(builder.emit(o.code, operands));
      } else {
        add(ir::apply_partial(builder, ir::partial_of(builder, here, static_cast<int>(k), facts.of(o)), tangent));
      }
    }
  } else if (kind == ir::Derivative::linear) {   // linear in all its real operands together: the operation on the tangents
    Op linear = here;
    linear.results.clear();
    bool any = false;
    for (size_t k = 0; k < o.operands.size(); ++k) {
      if (!f.type(o.operands[k]).differentiable()) continue;
      any = any || dots[at(o.operands[k])] != no_value;
      linear.operands[k] = dot_or_zero(o.operands[k]);
    }
    if (!any) return;
    std::vector<Type> types{f.type(o.results[0])};
    total = builder.procedure().op(builder.append(std::move(linear), types)).results[0];
  }
  dots[at(o.results[0])] = total;
}

void Forwarder::bind(const std::vector<Value>& arguments, size_t first, std::span<const Value> values,
                     std::span<const Value> tangents) {
  size_t next = 0;
  for (size_t k = first; k < arguments.size(); ++k) {
    map[at(arguments[k])] = values[k - first];
    dots[at(arguments[k])] = active[at(arguments[k])] ? tangents[next++] : no_value;
  }
}

/// The results of a copied operation: the primal ones, then the tangents of the active ones.
void Forwarder::take(const Op& o, const std::vector<Value>& made) {
  size_t next = o.results.size();
  for (size_t k = 0; k < o.results.size(); ++k) {
    map[at(o.results[k])] = made[k];
    if (active[at(o.results[k])]) dots[at(o.results[k])] = made[next++];
  }
}

/// The yields of a block, then the tangents of those whose counterpart in `with_tangent` is active.
std::vector<Value> Forwarder::yields_of(const ir::Block& b, const std::vector<Value>& with_tangent) {
  std::vector<Value> yields = mapped(b.yields, 0, b.yields.size());
  for (size_t k = 0; k < b.yields.size(); ++k)
    if (active[at(with_tangent[k])]) yields.push_back(dot_or_zero(b.yields[k]));
  return yields;
}

void Forwarder::if_(const Op& o) {
  auto branch = [&](int k) {
    return [this, &o, k] {
      block(o.blocks[at(k)]);
      return yields_of(f.block(o.blocks[at(k)]), o.results);
    };
  };
  take(o, builder.if_(map[at(o.operands[0])], branch(0), branch(1)));
}

void Forwarder::for_(const Op& o) {
  const ir::Block& body = f.block(o.blocks[0]);
  size_t bounds = o.operands.size() - o.results.size(), count = o.results.size();
  std::vector<Value> arguments(body.arguments.begin() + 1, body.arguments.end());
  std::vector<Value> initial = mapped(o.operands, bounds, o.operands.size());
  for (size_t k = 0; k < count; ++k)
    if (active[at(arguments[k])]) initial.push_back(dot_or_zero(o.operands[bounds + k]));
  std::vector<Value> made = builder.for_(o.domains[0], mapped(o.operands, 0, bounds), initial,
                                         [&](Value index, std::span<const Value> carried) {
                                           std::vector<Value> all(carried.begin(), carried.end());
                                           map[at(body.arguments[0])] = index;
                                           bind(body.arguments, 1, std::span(all).first(count), std::span(all).subspan(count));
                                           block(o.blocks[0]);
                                           return yields_of(body, arguments);
                                         });
  size_t next = count;
  for (size_t k = 0; k < count; ++k) {
    map[at(o.results[k])] = made[k];
    if (active[at(arguments[k])]) dots[at(o.results[k])] = made[next++];
  }
}

void Forwarder::while_(const Op& o) {
  const ir::Block& condition = f.block(o.blocks[0]);
  const ir::Block& body = f.block(o.blocks[1]);
  size_t count = o.results.size();
  for (size_t k = 0; k < count; ++k) {   // one twin for both blocks
    bool either = active[at(condition.arguments[k])] || active[at(body.arguments[k])];
    active[at(condition.arguments[k])] = active[at(body.arguments[k])] = either;
  }
  std::vector<Value> initial = mapped(o.operands, 0, count);
  for (size_t k = 0; k < count; ++k)
    if (active[at(body.arguments[k])]) initial.push_back(dot_or_zero(o.operands[k]));
  auto enter = [&](const ir::Block& b, std::span<const Value> carried) {
    std::vector<Value> all(carried.begin(), carried.end());
    bind(b.arguments, 0, std::span(all).first(count), std::span(all).subspan(count));
  };
  std::vector<Value> made = builder.while_(
      initial,
      [&](std::span<const Value> carried) {
        enter(condition, carried);
        block(o.blocks[0]);
        return map[at(condition.yields[0])];
      },
      [&](std::span<const Value> carried) {
        enter(body, carried);
        block(o.blocks[1]);
        return yields_of(body, body.arguments);
      });
  size_t next = count;
  for (size_t k = 0; k < count; ++k) {
    map[at(o.results[k])] = made[k];
    if (active[at(body.arguments[k])]) dots[at(o.results[k])] = made[next++];
  }
}

/// The operands of a copied loop or serial operation and the arguments of its block `to`: the primal ones and, beside active
/// ones, their twins (minimum and maximum reductions have none: extremum_tangents).
void Forwarder::copy_of_kernel(const Op& o, ir::Op& copy, ir::BlockId to) {
  const ir::Block& body = f.block(o.blocks[0]);
  size_t count = o.results.size(), first = body.arguments.size() - count, bounds = o.operands.size() - count;
  size_t fields = o.modes.size();
  copy.operands = mapped(o.operands, 0, bounds);
  copy.modes.clear();
  for (size_t k = 0; k < first; ++k) {
    const ir::ValueInfo& info = f.values[at(body.arguments[k])];
    map[at(body.arguments[k])] = builder.argument(to, info.type, info.name);
  }
  auto values = [&](size_t from, size_t end) {
    for (size_t k = from; k < end; ++k) {
      const ir::ValueInfo& info = f.values[at(body.arguments[first + k])];
      map[at(body.arguments[first + k])] = builder.argument(to, info.type, info.name, info.handle);
      copy.operands.push_back(map[at(o.operands[bounds + k])]);
      if (k < fields) copy.modes.push_back(o.modes[k]);
    }
  };
  auto twins = [&](size_t from, size_t end) {
    for (size_t k = from; k < end; ++k) {
      Value a = body.arguments[first + k];
      if (!active[at(a)] || (k < fields && is_extremum(o.modes[k]))) continue;
      const ir::ValueInfo& info = f.values[at(a)];
      dots[at(a)] = builder.argument(to, info.type, info.name + "_dot", info.handle);
      copy.operands.push_back(dot_or_zero(o.operands[bounds + k]));
      if (k < fields) copy.modes.push_back(o.modes[k]);
    }
  };
  values(0, fields);
  twins(0, fields);
  values(fields, count);
  twins(fields, count);
}

void Forwarder::kernel(const Op& o) {
  const ir::Block& body = f.block(o.blocks[0]);
  size_t count = o.results.size(), first = body.arguments.size() - count, fields = o.modes.size();
  ir::Op copy = ir::clone_header(o, map);
  ir::BlockId to = builder.new_block();
  copy_of_kernel(o, copy, to);
  ir::BlockId previous = builder.enter(to);
  block(o.blocks[0]);
  std::vector<Value> carried(body.arguments.end() - static_cast<std::ptrdiff_t>(body.yields.size()), body.arguments.end());
  builder.yield(to, yields_of(body, carried));
  builder.enter(previous);
  copy.blocks = {to};
  std::vector<Type> types;
  for (size_t k = o.operands.size() - count; k < copy.operands.size(); ++k)
    types.push_back(builder.type(copy.operands[k]));
  std::vector<Value> made = builder.procedure().op(builder.append(std::move(copy), types)).results;
  size_t next = 0;
  auto take_range = [&](size_t from, size_t end) {
    for (size_t k = from; k < end; ++k) map[at(o.results[k])] = made[next++];
    for (size_t k = from; k < end; ++k)
      if (active[at(body.arguments[first + k])] && !(k < fields && is_extremum(o.modes[k]))) dots[at(o.results[k])] = made[next++];
  };
  take_range(0, fields);
  take_range(fields, count);
  if (o.code == Opcode::loop) extremum_tangents(o);
}

/// The tangent of a minimum or maximum is that of what attained it: the value before the loop where it still stands, else the
/// first reduction in order. Further runs of the body find the first, count its turns (in an inner loop it may attain the result
/// more than once: they share the tangent), and add its tangent.
void Forwarder::extremum_tangents(const Op& o) {
  const ir::Block& body = f.block(o.blocks[0]);
  size_t axes = o.domains.size();
  std::vector<size_t> which;
  for (size_t k = 0; k < o.results.size(); ++k)
    if (is_extremum(o.modes[k]) && active[at(o.results[k])]) which.push_back(k);
  if (which.empty()) return;
  for (int pass = 0; pass < 3; ++pass) {   // 0: who is first; 1: how often; 2: its tangent
    ir::Op copy = ir::clone_header(o, map);
    ir::BlockId to = builder.new_block();
    std::vector<Value> starts;
    for (size_t k : which) {
      Value before = map[at(o.operands[k])], after = map[at(o.results[k])];
      const Type type = f.type(o.results[k]);
      Value nowhere = builder.constant(pass == 0 ? std::numeric_limits<int32_t>::max() : int32_t{0});
      if (pass == 2) starts.push_back(extremum_start(before, after, dot_or_zero(o.operands[k])));
      else starts.push_back(type.field ? builder.emit(Opcode::fill, {nowhere}, field_of(int_type(), type.spaces)) : nowhere);
    }
    copy_of_kernel(o, copy, to);
    for (size_t k = 0; k < which.size(); ++k) {
      Value h = body.arguments[axes + which[k]];
      befores[at(h)] = map[at(o.operands[which[k]])];
      afters[at(h)] = map[at(o.results[which[k]])];
      dots[at(h)] = builder.argument(to, builder.type(starts[k]), "first", true);
      copy.operands.push_back(starts[k]);
      copy.modes.push_back(pass == 0 ? ir::Mode::reduce_minimum : ir::Mode::reduce_add);
    }
    ir::BlockId previous = builder.enter(to);
    number = builder.emit(Opcode::index, {map[at(body.arguments[0])]});
    for (size_t k = 1; k < axes; ++k)
      number = builder.add(builder.multiply(number, builder.extent(o.domains[k].space)),
                           builder.emit(Opcode::index, {map[at(body.arguments[k])]}));
    marking = true;
    next_reduction = 0;
    if (pass == 0) {
      reduction_count = 0;
      for (const Op& candidate : f.ops) reduction_count += candidate.code == Opcode::reduce;
    }
    block(o.blocks[0]);
    marking = false;
    builder.enter(previous);
    builder.yield(to, {});
    copy.blocks = {to};
    std::vector<Type> types;
    for (Value v : copy.operands) types.push_back(builder.type(v));
    std::vector<Value> made = builder.procedure().op(builder.append(std::move(copy), types)).results;
    for (size_t k = 0; k < which.size(); ++k) {
      Value last = made[made.size() - which.size() + k];
      if (pass == 0) winners[at(body.arguments[axes + which[k]])] = last;
      else if (pass == 1) turns[at(body.arguments[axes + which[k]])] = last;
      else dots[at(o.results[which[k]])] = last;
    }
  }
  for (size_t k : which) winners[at(body.arguments[axes + k])] = turns[at(body.arguments[axes + k])] = no_value;
}

/// The tangent from before the loop where the value from before it still stands, else 0.
Value Forwarder::extremum_start(Value before, Value after, Value tangent) {
  auto kept = [&](Value b, Value a, Value t) {
    return builder.emit(Opcode::select, {builder.emit(Opcode::equal, {b, a}), t, builder.zero(builder.type(t))});
  };
  const Type type = builder.type(before);
  if (!type.field) return kept(before, after, tangent);
  std::vector<ir::Domain> domains;
  for (SpaceId space : type.spaces) domains.push_back({.space = space});
  return builder.loop(domains, {tangent}, {ir::Mode::own}, [&](std::span<const Value> i, std::span<const Value> h) {
    std::vector<Value> own(i.begin(), i.end());
    Value handle = h[0];
    builder.store(handle, own, kept(builder.load(before, own), builder.load(after, own), builder.load(handle, own)));
  })[0];
}

/// In the marking runs: the first run lets attaining reductions compete for being the first, the second counts the turns of
/// that one, the third adds its tangent.
void Forwarder::reduce_extremum(const Op& o) {
  Value h = o.operands[0], v = o.operands.back();
  if (dots[at(h)] == no_value) return;
  std::vector<Value> indices = mapped(o.operands, 1, o.operands.size() - 1);
  auto element = [&](Value field) { return builder.type(field).field ? builder.load(field, indices) : field; };
  auto both = [&](Value a, Value b) { return builder.emit(Opcode::logical_and, {a, b}); };
  Value mine = builder.add(builder.multiply(number, builder.constant(reduction_count)), builder.constant(next_reduction++));
  Value attained = builder.emit(Opcode::equal, {map[at(v)], element(afters[at(h)])});
  if (winners[at(h)] == no_value) {
    Value other = builder.constant(std::numeric_limits<int32_t>::max());
    builder.reduce(dots[at(h)], indices, builder.emit(Opcode::select, {attained, mine, other}), ir::Reduction::minimum);
    return;
  }
  Value first = both(attained, builder.emit(Opcode::equal, {mine, element(winners[at(h)])}));
  Value one = builder.constant(int32_t{1});
  if (turns[at(h)] == no_value) {
    builder.reduce(dots[at(h)], indices, builder.emit(Opcode::select, {first, one, builder.constant(int32_t{0})}));
    return;
  }
  first = both(first, builder.emit(Opcode::not_equal, {element(befores[at(h)]), element(afters[at(h)])}));
  Value share = builder.emit(Opcode::int_to_real, {builder.emit(Opcode::maximum, {element(turns[at(h)]), one})}, real_type());
  builder.reduce(dots[at(h)], indices, builder.emit(Opcode::select, {first, builder.divide(dot_or_zero(v), share), builder.zero(f.type(v))}));
}

}  // namespace

ir::Procedure forward(const ir::Program& program, const ir::Procedure& f, const Selection& selection, std::string name) {
  Forwarder w(program, f, selection, std::move(name));
  for (Value v : f.inputs()) w.map[at(v)] = w.builder.input(f.type(v), f.values[at(v)].name);
  for (int k : selection.inputs) {
    Value x = f.inputs()[at(k)];
    Value tangent = w.builder.input(f.type(x), f.values[at(x)].name + "_dot");
    if (w.active[at(x)]) w.dots[at(x)] = tangent;
  }
  w.block(f.body);
  std::vector<Value> outputs = w.mapped(f.outputs(), 0, f.outputs().size());
  for (int k : selection.outputs) outputs.push_back(w.dot_or_zero(f.outputs()[at(k)]));
  w.builder.set_outputs(std::move(outputs));
  return w.builder.take();
}

}  // namespace adjoule::adjoint
