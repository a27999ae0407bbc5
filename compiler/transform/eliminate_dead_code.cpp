// Removes what no output and no effect needs. Liveness starts at the outputs, the checks and the stacks that come in,
// and follows definitions backwards with a worklist, so a pass is linear in the size of the procedure.
//     %2 = add %x, %x                                (nobody uses %2)
//     %3, %4 = for 0 .. %n (%a = %x, %b = %x) {      (%4 unused, and nothing that lives reads %b)
//       %5 = multiply %a, %a
//       %6 = add %b, %a
//       yield %5, %6
//     }
// becomes
//     %3 = for 0 .. %n (%a = %x) {
//       %5 = multiply %a, %a
//       yield %5
//     }
#include <unordered_map>

#include "transform/rewrite.hpp"
#include "transform/structure.hpp"
#include "transform/transform.hpp"

namespace adjoule::transform {

namespace {

using ir::Opcode;
using ir::OpId;
using ir::Value;

/// What must stay. A slot (carried value or handle) lives when its block argument does: argument, first operand and
/// yield keep one another alive. A handle that lives keeps its stores and reductions; a stack that lives its pushes and
/// pops.
class Liveness {
 public:
  Liveness(const ir::Procedure& procedure, bool drop_checks);

  bool op(OpId o) const { return ops_[static_cast<size_t>(o)]; }
  bool value(Value v) const { return values_[static_cast<size_t>(v)]; }
  bool slot(const ir::Op& op, size_t k) const {
    if (op.code == Opcode::if_) return value(op.results[k]);
    return value(procedure_.block(body_of(op)).arguments[slots(op).indices + k]);
  }

 private:
  const ir::Procedure& procedure_;
  const Structure structure_;
  std::vector<bool> ops_, values_;
  std::vector<OpId> op_work_;
  std::vector<Value> value_work_;
  std::unordered_map<Value, std::vector<OpId>> touching_;  // handle, or leader of a stack's names -> effects on it
  std::unordered_map<Value, Value> stack_names_;           // a stack under several names (carried, yielded): union-find

  Value stack(Value v);
  void join_stacks(Value a, Value b) { stack_names_[stack(a)] = stack(b); }
  void join_slots(const ir::Op& op);
  void find_effects();
  void mark_roots(bool drop_checks);
  void mark_op(OpId o) {
    if (ops_[static_cast<size_t>(o)]) return;
    ops_[static_cast<size_t>(o)] = true;
    op_work_.push_back(o);
  }
  void mark(Value v) {
    if (values_[static_cast<size_t>(v)]) return;
    values_[static_cast<size_t>(v)] = true;
    value_work_.push_back(v);
  }
  void mark_touching(Value target);
  void visit_op(OpId o);
  void visit_value(Value v);
  void visit_argument(OpId owner, size_t position);
};

Liveness::Liveness(const ir::Procedure& procedure, bool drop_checks)
    : procedure_(procedure), structure_(procedure), ops_(procedure.ops.size()), values_(procedure.values.size()) {
  find_effects();
  mark_roots(drop_checks);
  while (!op_work_.empty() || !value_work_.empty()) {
    if (!op_work_.empty()) {
      const OpId o = op_work_.back();
      op_work_.pop_back();
      visit_op(o);
    } else {
      const Value v = value_work_.back();
      value_work_.pop_back();
      visit_value(v);
    }
  }
}

Value Liveness::stack(Value v) {
  for (auto it = stack_names_.find(v); it != stack_names_.end() && it->second != v; it = stack_names_.find(v))
    v = it->second;
  return v;
}

/// A stack that is carried or yielded has several names.
void Liveness::join_slots(const ir::Op& op) {
  const Slots s = slots(op);
  for (size_t k = 0; k < op.results.size(); ++k) {
    if (!procedure_.type(op.results[k]).stack) continue;
    if (op.code != Opcode::if_) join_stacks(op.operands[s.control + k], op.results[k]);
    for (ir::BlockId b : op.blocks) {
      const ir::Block& block = procedure_.block(b);
      if (op.code != Opcode::if_) join_stacks(block.arguments[s.indices + k], op.results[k]);
      const bool condition = op.code == Opcode::while_ && b != body_of(op);
      if (!condition) join_stacks(block.yields[k - s.handles], op.results[k]);
    }
  }
}

void Liveness::find_effects() {
  for (OpId o : structure_.order)
    if (structured(procedure_.op(o))) join_slots(procedure_.op(o));
  for (OpId o : structure_.order) {
    const ir::Op& op = procedure_.op(o);
    if (op.code == Opcode::store || op.code == Opcode::reduce) touching_[op.operands[0]].push_back(o);
    if (op.code == Opcode::push || op.code == Opcode::pop) touching_[stack(op.operands[0])].push_back(o);
  }
}

void Liveness::mark_roots(bool drop_checks) {
  for (Value v : procedure_.outputs()) mark(v);
  for (Value v : procedure_.inputs())
    if (procedure_.type(v).stack) mark(v);
  for (OpId o : structure_.order) {
    const Opcode code = procedure_.op(o).code;
    const bool check = code == Opcode::check_index || code == Opcode::check_nonzero;
    if ((check && !drop_checks) || code == Opcode::drop) mark_op(o);
  }
}

void Liveness::mark_touching(Value target) {
  const auto found = touching_.find(target);
  if (found == touching_.end()) return;
  for (OpId o : found->second) mark_op(o);
}

void Liveness::visit_op(OpId o) {
  const OpId owner = structure_.owner(structure_.block_of(o));
  if (owner >= 0) mark_op(owner);
  const ir::Op& op = procedure_.op(o);
  const size_t needed = structured(op) ? slots(op).control : op.operands.size();
  for (size_t i = 0; i < needed; ++i) mark(op.operands[i]);
  if (op.code == Opcode::while_) mark(procedure_.block(op.blocks[0]).yields[0]);
}

void Liveness::visit_value(Value v) {
  if (procedure_.type(v).stack) mark_touching(stack(v));
  const Definition& d = structure_.definition(v);
  if (d.op < 0) {
    const OpId owner = structure_.owner(d.block);
    if (owner >= 0) visit_argument(owner, d.position);
    return;
  }
  mark_op(d.op);
  const ir::Op& op = procedure_.op(d.op);
  if (!structured(op)) return;
  if (op.code != Opcode::if_) {
    mark(procedure_.block(body_of(op)).arguments[slots(op).indices + d.position]);
  } else {
    for (ir::BlockId b : op.blocks) mark(procedure_.block(b).yields[d.position]);
  }
}

/// An argument of a structured operation other than `if` (whose blocks have none): an index, or a slot that lives as a
/// whole.
void Liveness::visit_argument(OpId owner, size_t position) {
  mark_op(owner);
  const ir::Op& op = procedure_.op(owner);
  const Slots s = slots(op);
  if (position < s.indices) return;
  const size_t k = position - s.indices;
  const ir::Block& body = procedure_.block(body_of(op));
  mark(body.arguments[position]);
  mark(op.operands[s.control + k]);
  if (k < s.handles) {
    mark_touching(body.arguments[position]);
  } else {
    mark(body.yields[k - s.handles]);
  }
}

/// Copies what lives.
class Sweep {
 public:
  Sweep(const ir::Procedure& procedure, const Liveness& live) : from_(procedure), live_(live), to_(procedure) {}

  ir::Procedure run() {
    ops(from_.body);
    to_.yield(to_.maps(from_.outputs()));
    return to_.take();
  }

 private:
  const ir::Procedure& from_;
  const Liveness& live_;
  Rewriter to_;

  void ops(ir::BlockId block) {
    for (OpId o : from_.block(block).ops) {
      if (!live_.op(o)) continue;
      if (structured(from_.op(o))) {
        structured_op(from_.op(o));
      } else {
        to_.copy(o);
      }
    }
  }

  void structured_op(const ir::Op& old);
  ir::BlockId block(const ir::Op& old, ir::BlockId source, const std::vector<size_t>& kept);
};

void Sweep::structured_op(const ir::Op& old) {
  const Slots s = slots(old);
  std::vector<size_t> kept;
  for (size_t k = 0; k < s.count; ++k)
    if (live_.slot(old, k)) kept.push_back(k);

  ir::Op op = Rewriter::header(old);
  op.modes.clear();
  for (size_t i = 0; i < s.control; ++i) op.operands.push_back(to_.map(old.operands[i]));
  for (size_t k : kept) {
    if (old.code != Opcode::if_) op.operands.push_back(to_.map(old.operands[s.control + k]));
    if (k < s.handles) op.modes.push_back(old.modes[k]);
  }
  for (ir::BlockId b : old.blocks) op.blocks.push_back(block(old, b, kept));
  for (size_t k : kept) op.results.push_back(to_.rename(old.results[k]));
  to_.append(std::move(op));
}

ir::BlockId Sweep::block(const ir::Op& old, ir::BlockId source, const std::vector<size_t>& kept) {
  const Slots s = slots(old);
  const ir::Block& from = from_.block(source);
  const ir::BlockId fresh = to_.new_block();
  const ir::BlockId before = to_.enter(fresh);
  std::vector<Value> arguments, yields;
  if (old.code != Opcode::if_) {
    for (size_t i = 0; i < s.indices; ++i) arguments.push_back(to_.rename(from.arguments[i]));
    for (size_t k : kept) arguments.push_back(to_.rename(from.arguments[s.indices + k]));
  }
  to_.to().blocks[static_cast<size_t>(fresh)].arguments = std::move(arguments);
  ops(source);
  if (old.code == Opcode::while_ && source != body_of(old)) {
    yields = to_.maps(from.yields);
  } else {
    for (size_t k : kept)
      if (k >= s.handles) yields.push_back(to_.map(from.yields[k - s.handles]));
  }
  to_.yield(std::move(yields));
  to_.enter(before);
  return fresh;
}

}  // namespace

ir::Procedure eliminate_dead_code(const ir::Program&, const ir::Procedure& procedure, bool drop_checks) {
  const Liveness live(procedure, drop_checks);
  return Sweep(procedure, live).run();
}

}  // namespace adjoule::transform
