// One walk from the top: each pure operation is folded, replaced by an equal one that is visible, or kept.
//     %1 = constant 1                                  %2 = add %x, %y
//     %2 = add %x, %y                                  %6 = sine %2
//     %3 = add %y, %x                                  %8 = multiply %6, %6
//     %4 = less %n, %n                          ->
//     %5 = if %4 { yield %2 } else { %6 = sine %3 ; yield %6 }
//     %7 = multiply %5, %1
//     %8 = multiply %7, %5
// Carried values that never change become the initial value, results of an `if` whose branches agree that value; the
// empty slots are left to eliminate_dead_code. Bits are kept, under either precision of real; only which NaN it is may
// change.
#include "ir/op_table.hpp"
#include "transform/fold.hpp"
#include "transform/local_rules.hpp"
#include "transform/rewrite.hpp"
#include "transform/structure.hpp"
#include "transform/transform.hpp"
#include "transform/value_table.hpp"

namespace adjoule::transform {

namespace {

using ir::no_value;
using ir::Opcode;
using ir::OpId;
using ir::Value;

class Simplifier {
 public:
  Simplifier(const ir::Program& program, const ir::Procedure& procedure)
      : from_(procedure),
        to_(procedure),
        table_(to_.to()),
        site_{.program = program,
              .definition = [this](Value v) { return definition(v); },
              .type = [this](Value v) -> const Type& { return to_.type(v); },
              .make = [this](ir::Op op, const Type& type) { return make(std::move(op), type, ""); }} {}

  ir::Procedure run() {
    to_.copy_ops(from_.body, hook_);
    to_.yield(to_.maps(from_.outputs()));
    return to_.take();
  }

 private:
  const ir::Procedure& from_;
  Rewriter to_;
  ValueTable table_;
  const RuleSite site_;
  std::vector<OpId> definitions_;  // by new value: the pure operation that gives it, or -1
  const Hook hook_ = [this](OpId o) { return rewrite(o); };

  const ir::Op* definition(Value v) const {
    const size_t i = static_cast<size_t>(v);
    return i < definitions_.size() && definitions_[i] >= 0 ? &to_.to().op(definitions_[i]) : nullptr;
  }
  Value make(ir::Op op, Type type, const std::string& name);
  bool rewrite(OpId o);
  void rewrite_check(const ir::Op& old);
  void rewrite_structured(const ir::Op& old);
  void rewrite_if(const ir::Op& old);
  bool take_branch(const ir::Op& old, Value condition);
  std::vector<bool> bind_unchanged(const ir::Op& old);
  ir::BlockId block(const ir::Op& old, ir::BlockId source, const std::vector<bool>& unchanged);
};

/// A pure operation on new values: what it folds to, an equal one, or itself.
Value Simplifier::make(ir::Op op, Type type, const std::string& name) {
  const Value known = apply_local_rules(site_, op, type);
  if (known != no_value) return known;
  fold_constant(site_, op, type);
  const OpId equal = table_.find(op, type);
  if (equal >= 0) return to_.to().op(equal).results[0];
  const Value v = to_.emit(std::move(op), std::move(type), name);
  const OpId made = static_cast<OpId>(to_.to().ops.size() - 1);
  definitions_.resize(static_cast<size_t>(v) + 1, -1);
  definitions_.back() = made;
  table_.add(made);
  return v;
}

bool Simplifier::rewrite(OpId o) {
  const ir::Op& old = from_.op(o);
  if (old.code == Opcode::if_) return rewrite_if(old), true;
  if (structured(old)) return rewrite_structured(old), true;
  if (old.code == Opcode::check_index || old.code == Opcode::check_nonzero) return rewrite_check(old), true;
  if (!ir::is_pure(from_, old) || old.results.size() != 1) return false;
  const ir::ValueInfo& result = from_.values[static_cast<size_t>(old.results[0])];
  if (!result.type.is_value()) return false;  // merging versions would only make copies
  ir::Op op = Rewriter::header(old);
  op.operands = to_.maps(old.operands);
  to_.bind(old.results[0], make(std::move(op), result.type, result.name));
  return true;
}

/// A check that a visible one has made already, or that always holds, goes.
void Simplifier::rewrite_check(const ir::Op& old) {
  ir::Op op = Rewriter::header(old);
  op.operands = to_.maps(old.operands);
  if (always_holds(site_, op) || table_.find(op, {}) >= 0) return;
  to_.append(std::move(op));
  table_.add(static_cast<OpId>(to_.to().ops.size() - 1));
}

void Simplifier::rewrite_if(const ir::Op& old) {
  const Value condition = to_.map(old.operands[0]);
  if (take_branch(old, condition)) return;
  ir::Op op = Rewriter::header(old);
  op.operands = {condition};
  for (ir::BlockId b : old.blocks) op.blocks.push_back(block(old, b, {}));
  const std::vector<Value> then = to_.to().block(op.blocks[0]).yields, otherwise = to_.to().block(op.blocks[1]).yields;
  for (size_t k = 0; k < old.results.size(); ++k) {
    op.results.push_back(to_.rename(old.results[k]));
    if (then[k] == otherwise[k]) to_.bind(old.results[k], then[k]);  // the same on both sides: it comes from outside
  }
  to_.append(std::move(op));
}

bool Simplifier::take_branch(const ir::Op& old, Value condition) {
  const std::optional<int64_t> constant = integer_constant(site_, condition);
  if (!constant) return false;
  const ir::BlockId branch = old.blocks[*constant ? 0 : 1];
  to_.copy_ops(branch, hook_);
  const std::vector<Value> yields = to_.maps(from_.block(branch).yields);
  for (size_t k = 0; k < yields.size(); ++k) to_.bind(old.results[k], yields[k]);
  return true;
}

void Simplifier::rewrite_structured(const ir::Op& old) {
  ir::Op op = Rewriter::header(old);
  op.operands = to_.maps(old.operands);
  const std::vector<bool> unchanged = bind_unchanged(old);
  for (ir::BlockId b : old.blocks) op.blocks.push_back(block(old, b, unchanged));
  for (size_t k = 0; k < old.results.size(); ++k)
    op.results.push_back(unchanged[k] ? to_.fresh(from_.values[static_cast<size_t>(old.results[k])])
                                      : to_.rename(old.results[k]));
  to_.append(std::move(op));
}

/// Carried slots whose body yields its own argument: inside and after, they are the initial value.
std::vector<bool> Simplifier::bind_unchanged(const ir::Op& old) {
  const Slots s = slots(old);
  const ir::Block& body = from_.block(body_of(old));
  std::vector<bool> unchanged(s.count, false);
  for (size_t k = s.handles; k < s.count; ++k) {
    const Value argument = body.arguments[s.indices + k];
    if (body.yields[k - s.handles] != argument || from_.type(argument).stack) continue;
    unchanged[k] = true;
    const Value initial = to_.map(old.operands[s.control + k]);
    for (ir::BlockId b : old.blocks) to_.bind(from_.block(b).arguments[s.indices + k], initial);
    to_.bind(old.results[k], initial);
  }
  return unchanged;
}

ir::BlockId Simplifier::block(const ir::Op& old, ir::BlockId source, const std::vector<bool>& unchanged) {
  const Slots s = slots(old);
  const ir::BlockId fresh = to_.new_block();
  const ir::BlockId before = to_.enter(fresh);
  std::vector<Value> arguments;
  const std::vector<Value>& from = from_.block(source).arguments;
  for (size_t i = 0; i < from.size(); ++i) {
    const bool slot_unchanged = i >= s.indices && unchanged[i - s.indices];
    arguments.push_back(slot_unchanged ? to_.fresh(from_.values[static_cast<size_t>(from[i])]) : to_.rename(from[i]));
  }
  to_.to().blocks[static_cast<size_t>(fresh)].arguments = std::move(arguments);
  table_.open();
  to_.copy_ops(source, hook_);
  table_.close();
  to_.yield(to_.maps(from_.block(source).yields));
  to_.enter(before);
  return fresh;
}

}  // namespace

ir::Procedure simplify(const ir::Program& program, const ir::Procedure& procedure) {
  return Simplifier(program, procedure).run();
}

}  // namespace adjoule::transform
