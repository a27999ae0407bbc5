// Gives versions their storage. Each version is *owned* by the block that defines it and leaves it exactly once on
// every path: consumed (an operation or a yield takes its buffer over) or dropped. What is consumed must be owned, and
// this its last use; where it is not, a copy is consumed instead.
//     %2 = loop Particle (%h = %x own) …            (%x is borrowed, and %2 is read again below)
//     %3 = loop Particle (%h = %2 own) …
//     %4 = load %2, %p
//     yield %3
// becomes
//     %5 = copy %x
//     %2 = loop Particle (%h = %5 own) …
//     %6 = copy %2
//     %3 = loop Particle (%h = %6 own) …
//     %4 = load %2, %p
//     drop %2
//     yield %3
// Consuming: the fields that loop and serial update, the first operand of set_element and add_fields, the field of a
// push, the initial values of for and while, all yields. A block owns its own definitions, its carried arguments (not
// those of a while's condition), and a branch of an `if` also the values that die in that `if`; never what a loop body
// captures. Stacks are owned in the same way, but never copied. A copy or fill that a loop overwrites wholly has
// `integer` = 1: only its buffer matters, not what is in it.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "transform/in_place.hpp"
#include "transform/rewrite.hpp"
#include "transform/structure.hpp"
#include "transform/transform.hpp"

namespace adjoule::transform {

namespace {

using ir::Opcode;
using ir::OpId;
using ir::Value;

/// Adds what is not there yet; the lists are short, except that of a body which captures very many fields.
void add_new(std::vector<Value>& list, Value v) {
  if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
}

/// The block that is being planned.
struct Scope {
  std::unordered_map<Value, size_t> last_use;  // position of the operation; the yields count as one more
  std::unordered_set<Value> owned;             // still to be consumed or dropped here

  bool dies_at(Value v, size_t position) const {
    const auto found = last_use.find(v);
    return owned.contains(v) && found != last_use.end() && found->second == position;
  }
};

class Planner {
 public:
  explicit Planner(const ir::Procedure& procedure)
      : from_(procedure), structure_(procedure), captured_(procedure.ops.size()), to_(procedure) {}

  ir::Procedure run();

 private:
  const ir::Procedure& from_;
  const Structure structure_;
  std::vector<std::vector<Value>> captured_;  // by op: versions and stacks that its blocks use from outside
  std::unordered_set<Value> hollow_;          // filled versions whose only use is to be overwritten wholly
  Rewriter to_;

  bool has_storage(Value v) const {
    const ir::ValueInfo& info = from_.values[static_cast<size_t>(v)];
    return !info.handle && (info.type.field || info.type.stack);
  }
  bool consumes(const ir::Op& op, size_t operand) const;
  std::vector<Value> uses(OpId o) const;
  void find_captured();
  void find_hollow();
  Scope open(ir::BlockId block, const std::vector<Value>& owned) const;

  void plan_block(ir::BlockId block, const std::vector<Value>& owned);
  void plan_op(OpId o, Scope& scope, size_t position);
  std::vector<Value> operands(OpId o, Scope& scope, size_t position);
  bool may_take(OpId o, size_t operand, const Scope& scope, size_t position) const;
  ir::BlockId nested(const ir::Op& op, ir::BlockId block, const std::vector<Value>& dying);
  Value take(Value v, Scope& scope, bool allowed, Span span, bool hollow = false);
  void drop(Value v, Scope& scope, Span span);
};

ir::Procedure Planner::run() {
  find_captured();
  find_hollow();
  std::vector<Value> owned;
  for (size_t i = 0; i < from_.inputs().size(); ++i)
    if (i < from_.consumed.size() && from_.consumed[i] && has_storage(from_.inputs()[i]))
      owned.push_back(from_.inputs()[i]);
  plan_block(from_.body, owned);
  return to_.take();
}

bool Planner::consumes(const ir::Op& op, size_t operand) const {
  if (!has_storage(op.operands[operand])) return false;
  switch (op.code) {
    case Opcode::set_element:
    case Opcode::add_fields: return operand == 0;
    case Opcode::push: return operand == 1;
    case Opcode::for_:
    case Opcode::while_:
    case Opcode::loop:
    case Opcode::serial: return operand >= slots(op).control;
    default: return false;
  }
}

/// Versions and stacks that an operation uses, nested blocks included.
std::vector<Value> Planner::uses(OpId o) const {
  std::vector<Value> found = captured_[static_cast<size_t>(o)];
  for (Value v : from_.op(o).operands)
    if (has_storage(v)) add_new(found, v);
  return found;
}

void Planner::find_captured() {
  const auto home = [&](Value v) {
    const Definition& d = structure_.definition(v);
    return d.op < 0 ? d.block : structure_.block_of(d.op);
  };
  for (auto o = structure_.order.rbegin(); o != structure_.order.rend(); ++o) {  // what is nested comes first
    std::unordered_set<Value> seen;
    std::vector<Value>& captured = captured_[static_cast<size_t>(*o)];
    for (ir::BlockId b : from_.op(*o).blocks) {
      const auto note = [&](Value v) {
        if (has_storage(v) && home(v) != b && seen.insert(v).second) captured.push_back(v);
      };
      for (OpId inner : from_.block(b).ops) {
        for (Value v : captured_[static_cast<size_t>(inner)]) note(v);
        for (Value v : from_.op(inner).operands) note(v);
      }
      for (Value v : from_.block(b).yields) note(v);
    }
  }
}

void Planner::find_hollow() {
  std::unordered_map<Value, int> uses;
  for (OpId o : structure_.order)
    for (Value v : from_.op(o).operands) ++uses[v];
  for (const ir::Block& b : from_.blocks)
    for (Value v : b.yields) ++uses[v];
  for (OpId o : structure_.order) {
    const ir::Op& op = from_.op(o);
    if (op.code != Opcode::loop) continue;
    for (size_t k = 0; k < op.operands.size(); ++k)
      if (uses[op.operands[k]] == 1 && overwrites_whole(from_, op, k)) hollow_.insert(op.operands[k]);
  }
}

Scope Planner::open(ir::BlockId block, const std::vector<Value>& owned) const {
  Scope scope;
  const ir::Block& b = from_.block(block);
  for (size_t i = 0; i < b.ops.size(); ++i)
    if (from_.op(b.ops[i]).code != Opcode::drop)
      for (Value v : uses(b.ops[i])) scope.last_use[v] = i;
  for (Value v : b.yields)
    if (has_storage(v)) scope.last_use[v] = b.ops.size();
  scope.owned.insert(owned.begin(), owned.end());
  return scope;
}

/// The operations and yields of a block, at the end of the current new block, whose arguments are there already.
void Planner::plan_block(ir::BlockId block, const std::vector<Value>& owned) {
  Scope scope = open(block, owned);
  for (Value v : owned)
    if (!scope.last_use.contains(v)) drop(v, scope, {});
  const ir::Block& b = from_.block(block);
  for (size_t i = 0; i < b.ops.size(); ++i) plan_op(b.ops[i], scope, i);
  std::vector<Value> yields;
  for (Value v : b.yields) yields.push_back(has_storage(v) ? take(v, scope, true, {}) : to_.map(v));
  to_.yield(std::move(yields));
}

void Planner::plan_op(OpId o, Scope& scope, size_t position) {
  const ir::Op& old = from_.op(o);
  if (old.code == Opcode::drop) return;  // of an earlier plan
  ir::Op op = Rewriter::header(old);
  op.operands = operands(o, scope, position);
  if (old.code == Opcode::fill) op.integer = hollow_.contains(old.results[0]);
  std::vector<Value> dying;
  if (old.code == Opcode::if_)
    for (Value v : captured_[static_cast<size_t>(o)])
      if (scope.dies_at(v, position)) dying.push_back(v);
  for (Value v : dying) scope.owned.erase(v);
  for (ir::BlockId b : old.blocks) op.blocks.push_back(nested(old, b, dying));
  for (Value r : old.results) op.results.push_back(to_.rename(r));
  to_.append(std::move(op));

  for (Value v : uses(o))
    if (scope.dies_at(v, position)) drop(v, scope, old.span);
  for (Value r : old.results) {
    if (!has_storage(r)) continue;
    scope.owned.insert(r);
    if (!scope.last_use.contains(r)) drop(r, scope, old.span);
  }
}

/// The operands as new values; copies are put in before the operation where it may not consume the version itself.
std::vector<Value> Planner::operands(OpId o, Scope& scope, size_t position) {
  const ir::Op& op = from_.op(o);
  std::vector<Value> result;
  if (op.code == Opcode::add_fields && !may_take(o, 0, scope, position) && op.operands[0] != op.operands[1] &&
      scope.dies_at(op.operands[1], position)) {  // the sum is the same the other way round
    result.push_back(take(op.operands[1], scope, true, op.span));
    result.push_back(to_.map(op.operands[0]));
    return result;
  }
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Value v = op.operands[i];
    if (!consumes(op, i)) {
      result.push_back(to_.map(v));
      continue;
    }
    const bool hollow = op.code == Opcode::loop && overwrites_whole(from_, op, i);
    result.push_back(take(v, scope, may_take(o, i, scope, position), op.span, hollow));
  }
  return result;
}

bool Planner::may_take(OpId o, size_t operand, const Scope& scope, size_t position) const {
  const ir::Op& op = from_.op(o);
  const Value v = op.operands[operand];
  if (!scope.dies_at(v, position)) return false;
  for (size_t i = 0; i < op.operands.size(); ++i)
    if (op.operands[i] == v && !consumes(op, i)) return false;
  const std::vector<Value>& captured = captured_[static_cast<size_t>(o)];
  if (std::find(captured.begin(), captured.end(), v) == captured.end()) return true;
  return op.code == Opcode::loop && reads_only_own_elements(from_, op, operand);
}

/// A nested block. `dying`: versions that an `if` hands to both of its branches.
ir::BlockId Planner::nested(const ir::Op& op, ir::BlockId block, const std::vector<Value>& dying) {
  const ir::BlockId fresh = to_.new_block();
  const ir::BlockId before = to_.enter(fresh);
  std::vector<Value> arguments, owned = dying;
  const bool condition = op.code == Opcode::while_ && block != body_of(op);
  for (Value a : from_.block(block).arguments) {
    arguments.push_back(to_.rename(a));
    if (has_storage(a) && !condition) owned.push_back(a);
  }
  to_.to().blocks[static_cast<size_t>(fresh)].arguments = std::move(arguments);
  plan_block(block, owned);
  to_.enter(before);
  return fresh;
}

/// The buffer itself when it may be taken and is ours, else a copy of it.
Value Planner::take(Value v, Scope& scope, bool allowed, Span span, bool hollow) {
  const Type& type = from_.type(v);
  if (allowed && scope.owned.erase(v)) return to_.map(v);
  if (type.stack) return to_.map(v);
  ir::Op op{.code = Opcode::copy, .span = span, .operands = {to_.map(v)}, .integer = hollow};
  return to_.emit(std::move(op), type, from_.values[static_cast<size_t>(v)].name);
}

void Planner::drop(Value v, Scope& scope, Span span) {
  scope.owned.erase(v);
  to_.append({.code = Opcode::drop, .span = span, .operands = {to_.map(v)}});
}

}  // namespace

ir::Procedure plan_buffers(const ir::Program&, const ir::Procedure& procedure) { return Planner(procedure).run(); }

}  // namespace adjoule::transform
