// Elements that an iteration of a parallel loop owns become SSA values inside it: read once, forwarded, written once.
//     %2 = loop Particle (%h = %1 own) (%p) {
//       %3 = load %h, %p
//       %4 = add %3, %dt
//       store %h, %p, %4
//       if %c { %5 = load %h, %p ; %6 = negate %5 ; store %h, %p, %6 }
//     }
// becomes
//     %2 = loop Particle (%h = %1 own) (%p) {
//       %3 = load %1, %p                          (the version that came in: pure)
//       %4 = add %3, %dt
//       %7 = if %c { %6 = negate %4 ; yield %6 } else { yield %4 }
//       store %h, %p, %7
//     }
// It is done for a handle when all its accesses in the body, nested blocks included, use the very same index values,
// and these cannot lie outside of a `zero` grid (where a store is dropped and a load gives 0). A load that turns out
// not to be needed is left to eliminate_dead_code.
#include <algorithm>
#include <unordered_map>

#include "transform/rewrite.hpp"
#include "transform/structure.hpp"
#include "transform/transform.hpp"

namespace adjoule::transform {

namespace {

using ir::Opcode;
using ir::OpId;
using ir::Value;

/// How a loop uses one handle.
struct Accesses {
  std::vector<Value> indices;  // of every access so far
  OpId first = -1;             // the operation of the loop's own body block that is, or holds, the first access
  bool promotable = true;
  bool stored = false;
};

bool accesses_element(const ir::Op& op) {
  return op.code == Opcode::load || op.code == Opcode::store || op.code == Opcode::reduce;
}

std::vector<Value> index_operands(const ir::Op& op) {
  const size_t last = op.operands.size() - (op.code == Opcode::load ? 0 : 1);
  return {op.operands.begin() + 1, op.operands.begin() + static_cast<std::ptrdiff_t>(last)};
}

class Forwarding {
 public:
  Forwarding(const ir::Program& program, const ir::Procedure& procedure)
      : program_(program), from_(procedure), structure_(procedure), to_(procedure) {}

  ir::Procedure run() {
    to_.copy_ops(from_.body, hook_);
    to_.yield(to_.maps(from_.outputs()));
    return to_.take();
  }

 private:
  const ir::Program& program_;
  const ir::Procedure& from_;
  const Structure structure_;
  Rewriter to_;
  std::unordered_map<Value, Accesses> handles_;  // of the loop being rewritten: those that are promoted
  std::unordered_map<Value, Value> element_;     // promoted handle -> its element now (a new value)
  const Hook hook_ = [this](OpId o) { return rewrite(o); };

  // --- which handles
  void find_accesses(const ir::Op& loop, ir::BlockId block, OpId top);
  void note_access(const ir::Op& loop, const ir::Op& op, OpId top);
  bool indices_allow(const ir::Op& loop, const Accesses& accesses) const;
  bool visible_at(Value v, const ir::Op& loop, OpId top) const;
  bool may_be_outside(Value index, const ir::Op& loop) const;
  std::vector<Value> stored_in(const ir::Op& op) const;

  // --- the rewriting
  bool rewrite(OpId o);
  bool rewrite_access(const ir::Op& op);
  bool rewrite_nested(const ir::Op& old);
  ir::BlockId rewrite_block(const ir::Op& old, ir::BlockId block, const std::vector<Value>& stored);
  void rewrite_loop(const ir::Op& old);
  void load_first(const ir::Op& loop, OpId top);
  void store_last(const ir::Op& loop);
  Value as_stored(Value v, Span span);
  Value reduced(Value handle, const ir::Op& op);
};

// --- which handles

void Forwarding::find_accesses(const ir::Op& loop, ir::BlockId block, OpId top) {
  for (OpId o : from_.block(block).ops) {
    const ir::Op& op = from_.op(o);
    const OpId here = top >= 0 ? top : o;
    if (accesses_element(op)) note_access(loop, op, here);
    for (ir::BlockId nested : op.blocks) find_accesses(loop, nested, here);
    const bool passes_handles = op.code == Opcode::loop || op.code == Opcode::serial;
    if (!passes_handles) continue;
    for (Value v : op.operands)
      if (auto it = handles_.find(v); it != handles_.end()) it->second.promotable = false;
  }
}

void Forwarding::note_access(const ir::Op& loop, const ir::Op& op, OpId top) {
  const auto found = handles_.find(op.operands[0]);
  if (found == handles_.end()) return;
  Accesses& accesses = found->second;
  std::vector<Value> indices = index_operands(op);
  if (accesses.first < 0) {
    accesses.first = top;
    accesses.indices = std::move(indices);
    accesses.promotable &= indices_allow(loop, accesses);
  } else if (accesses.indices != indices) {
    accesses.promotable = false;
  }
  if (op.code == Opcode::load) return;
  accesses.stored = true;
  const bool sums_arrays = op.code == Opcode::reduce && from_.type(op.operands[0]).array_count() != 1;
  if (sums_arrays) accesses.promotable = false;
}

bool Forwarding::indices_allow(const ir::Op& loop, const Accesses& accesses) const {
  return std::all_of(accesses.indices.begin(), accesses.indices.end(),
                     [&](Value v) { return visible_at(v, loop, accesses.first) && !may_be_outside(v, loop); });
}

/// Is v defined outside of the loop, or in its body block itself before `top`?
bool Forwarding::visible_at(Value v, const ir::Op& loop, OpId top) const {
  const ir::BlockId body = body_of(loop);
  const Definition& d = structure_.definition(v);
  ir::BlockId block = d.op < 0 ? d.block : structure_.block_of(d.op);
  if (block == body) return d.op != top;
  while (structure_.owner(block) >= 0) {
    block = structure_.block_of(structure_.owner(block));
    if (block == body) return false;  // inside a nested block
  }
  return true;
}

bool Forwarding::may_be_outside(Value index, const ir::Op& loop) const {
  const Definition& d = structure_.definition(index);
  if (d.op < 0 && d.block == body_of(loop)) return false;  // the loop's own index
  const Type& type = from_.type(index);
  if (!type.is_reference()) return true;
  const ir::SpaceInfo& space = program_.spaces[static_cast<size_t>(type.space)];
  if (!space.grid) return false;
  for (size_t axis = 0; axis < static_cast<size_t>(space.dims); ++axis)
    if (space.boundary[axis] == Boundary::zero) return true;
  return false;
}

/// The promoted handles that are stored inside a nested operation, in order of their first store.
std::vector<Value> Forwarding::stored_in(const ir::Op& op) const {
  std::vector<Value> found;
  for (ir::BlockId b : op.blocks) {
    for (OpId o : from_.block(b).ops) {
      const ir::Op& inner = from_.op(o);
      std::vector<Value> stored = stored_in(inner);
      if (inner.code == Opcode::store || inner.code == Opcode::reduce) stored.push_back(inner.operands[0]);
      for (Value h : stored)
        if (handles_.contains(h) && std::find(found.begin(), found.end(), h) == found.end()) found.push_back(h);
    }
  }
  return found;
}

// --- the rewriting

bool Forwarding::rewrite(OpId o) {
  const ir::Op& op = from_.op(o);
  if (op.code == Opcode::loop) {
    rewrite_loop(op);
    return true;
  }
  if (handles_.empty()) return false;
  if (accesses_element(op)) return rewrite_access(op);
  const bool carries = op.code == Opcode::if_ || op.code == Opcode::for_ || op.code == Opcode::while_;
  return carries && rewrite_nested(op);
}

bool Forwarding::rewrite_access(const ir::Op& op) {
  const Value handle = op.operands[0];
  if (!handles_.contains(handle)) return false;
  switch (op.code) {
    case Opcode::load: to_.bind(op.results[0], element_.at(handle)); break;
    case Opcode::store: element_[handle] = as_stored(to_.map(op.operands.back()), op.span); break;
    default: element_[handle] = reduced(handle, op); break;
  }
  return true;
}

/// What a load gives back after this value was stored: references are normalised on their way into a field.
Value Forwarding::as_stored(Value v, Span span) {
  const Type type = to_.type(v);
  if (type.element != Element::reference) return v;
  ir::Op op{.code = Opcode::normalise, .span = span, .operands = {v}};
  return to_.emit(std::move(op), type);
}

Value Forwarding::reduced(Value handle, const ir::Op& op) {
  const Value element = element_.at(handle);
  ir::Op combined{.code = Opcode::add, .span = op.span, .operands = {element, to_.map(op.operands.back())}};
  if (op.reduction == ir::Reduction::minimum) combined.code = Opcode::minimum;
  if (op.reduction == ir::Reduction::maximum) combined.code = Opcode::maximum;
  return to_.emit(std::move(combined), Type(to_.type(element)));
}

/// An if, for or while that stores elements gets a further slot for each.
bool Forwarding::rewrite_nested(const ir::Op& old) {
  const std::vector<Value> stored = stored_in(old);
  ir::Op op = Rewriter::header(old);
  op.operands = to_.maps(old.operands);
  if (old.code != Opcode::if_)
    for (Value h : stored) op.operands.push_back(element_.at(h));
  for (ir::BlockId b : old.blocks) op.blocks.push_back(rewrite_block(old, b, stored));
  for (Value r : old.results) op.results.push_back(to_.rename(r));
  for (Value h : stored) {
    const Value element = to_.fresh({.type = to_.type(element_.at(h))});
    op.results.push_back(element);
    element_[h] = element;
  }
  to_.append(std::move(op));
  return true;
}

ir::BlockId Forwarding::rewrite_block(const ir::Op& old, ir::BlockId block, const std::vector<Value>& stored) {
  const std::unordered_map<Value, Value> elements_before = element_;
  const ir::BlockId fresh = to_.new_block();
  const ir::BlockId before = to_.enter(fresh);
  std::vector<Value> arguments;
  for (Value a : from_.block(block).arguments) arguments.push_back(to_.rename(a));
  if (old.code != Opcode::if_) {
    for (Value h : stored) {
      arguments.push_back(to_.fresh({.type = to_.type(element_.at(h))}));
      element_[h] = arguments.back();
    }
  }
  to_.to().blocks[static_cast<size_t>(fresh)].arguments = std::move(arguments);
  to_.copy_ops(block, hook_);
  std::vector<Value> yields = to_.maps(from_.block(block).yields);
  const bool condition = old.code == Opcode::while_ && block != body_of(old);
  if (!condition)
    for (Value h : stored) yields.push_back(element_.at(h));
  to_.yield(std::move(yields));
  to_.enter(before);
  element_ = elements_before;
  return fresh;
}

void Forwarding::rewrite_loop(const ir::Op& old) {
  handles_.clear();
  element_.clear();
  const Slots s = slots(old);
  const ir::Block& body = from_.block(body_of(old));
  for (size_t k = 0; k < s.handles; ++k) {
    const Value handle = body.arguments[s.indices + k];
    const Type& type = from_.type(handle);
    const bool reference_array = type.element == Element::reference && !type.array.empty();
    if (old.modes[k] == ir::Mode::own && type.field && !reference_array) handles_[handle];
  }
  find_accesses(old, body_of(old), -1);
  std::erase_if(handles_, [](const auto& entry) { return !entry.second.promotable || entry.second.first < 0; });

  ir::Op op = Rewriter::header(old);
  op.operands = to_.maps(old.operands);
  const ir::BlockId fresh = to_.new_block();
  const ir::BlockId before = to_.enter(fresh);
  std::vector<Value> arguments;
  for (Value a : body.arguments) arguments.push_back(to_.rename(a));
  to_.to().blocks[static_cast<size_t>(fresh)].arguments = std::move(arguments);
  for (OpId o : body.ops) {
    load_first(old, o);
    if (!rewrite(o)) to_.copy(o, hook_);
  }
  store_last(old);
  to_.enter(before);
  op.blocks = {fresh};
  for (Value r : old.results) op.results.push_back(to_.rename(r));
  to_.append(std::move(op));
  handles_.clear();
}

/// Before the operation of the loop's body that is or holds the first access of a handle: its element as it came in.
void Forwarding::load_first(const ir::Op& loop, OpId top) {
  const Slots s = slots(loop);
  for (size_t k = 0; k < s.handles; ++k) {
    const Value handle = from_.block(body_of(loop)).arguments[s.indices + k];
    const auto found = handles_.find(handle);
    if (found == handles_.end() || found->second.first != top) continue;
    ir::Op op{.code = Opcode::load, .span = from_.op(top).span, .operands = {to_.map(loop.operands[k])}};
    for (Value i : found->second.indices) op.operands.push_back(to_.map(i));
    element_[handle] = to_.emit(std::move(op), value_of(from_.type(handle)));
  }
}

void Forwarding::store_last(const ir::Op& loop) {
  const Slots s = slots(loop);
  for (size_t k = 0; k < s.handles; ++k) {
    const Value handle = from_.block(body_of(loop)).arguments[s.indices + k];
    const auto found = handles_.find(handle);
    if (found == handles_.end() || !found->second.stored) continue;
    ir::Op op{.code = Opcode::store, .span = loop.span, .operands = {to_.map(handle)}};
    for (Value i : found->second.indices) op.operands.push_back(to_.map(i));
    op.operands.push_back(element_.at(handle));
    to_.append(std::move(op));
  }
}

}  // namespace

ir::Procedure forward_own_elements(const ir::Program& program, const ir::Procedure& procedure) {
  return Forwarding(program, procedure).run();
}

}  // namespace adjoule::transform
