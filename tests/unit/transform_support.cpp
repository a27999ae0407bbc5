#include "transform_support.hpp"

#include <cstring>
#include <limits>
#include <set>

#include "transform/in_place.hpp"
#include "transform/rewrite.hpp"
#include "transform/structure.hpp"

namespace adjoule::transform::testing {

using ir::Opcode;
using ir::OpId;
using ir::Value;

ir::Program program() {
  ir::Program p;
  p.spaces.push_back({.name = "time"});
  p.spaces.push_back({.name = "Particle"});
  p.spaces.push_back({.name = "Cell", .grid = true, .dims = 2, .boundary = {Boundary::periodic, Boundary::periodic}});
  p.spaces.push_back({.name = "Rim", .grid = true, .dims = 1, .boundary = {Boundary::zero}});
  return p;
}

ir::Environment environment() { return {.extents = {{5, 1, 1}, {7, 1, 1}, {4, 3, 1}, {5, 1, 1}}, .steps = 4}; }

namespace {

void count_in(const ir::Procedure& procedure, ir::BlockId block, Opcode code, std::vector<const ir::Op*>& found) {
  for (OpId o : procedure.block(block).ops) {
    const ir::Op& op = procedure.op(o);
    if (op.code == code) found.push_back(&op);
    for (ir::BlockId b : op.blocks) count_in(procedure, b, code, found);
  }
}

std::vector<const ir::Op*> all(const ir::Procedure& procedure, Opcode code) {
  std::vector<const ir::Op*> found;
  count_in(procedure, procedure.body, code, found);
  return found;
}

ir::Datum random_datum(const ir::Program& p, const Type& type, const ir::Environment& e, std::mt19937& random) {
  ir::Datum d;
  if (type.stack) {
    d.stack = std::make_shared<ir::StackData>();
    for (int i = 0; i < 8; ++i) d.stack->items.push_back(random_datum(p, popped(type), e, random));
    return d;
  }
  if (type.field) d.field = std::make_shared<ir::FieldData>();
  const int64_t n = type.field ? ir::element_count(p, type, e) * ir::scalar_count(p, type) : ir::scalar_count(p, type);
  std::vector<double>& reals = type.field ? d.field->reals : d.reals;
  std::vector<int32_t>& integers = type.field ? d.field->integers : d.integers;
  for (int64_t i = 0; i < n; ++i) {
    if (type.differentiable()) {
      const double r = std::uniform_real_distribution<double>(-2, 2)(random);
      reals.push_back(e.single ? static_cast<float>(r) : r);
    } else {
      integers.push_back(static_cast<int32_t>(random() % (type.element == Element::boolean ? 2 : 4)));
    }
  }
  return d;
}

ir::Datum deep_copy(const ir::Datum& d) {
  ir::Datum copy = d;
  if (d.field) copy.field = std::make_shared<ir::FieldData>(*d.field);
  if (d.stack) {
    copy.stack = std::make_shared<ir::StackData>();
    for (const ir::Datum& item : d.stack->items) copy.stack->items.push_back(deep_copy(item));
  }
  return copy;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

bool same(const ir::Datum& a, const ir::Datum& b) {
  if (!same_bits(a.reals, b.reals) || a.integers != b.integers || !a.field != !b.field || !a.stack != !b.stack)
    return false;
  if (a.field && (!same_bits(a.field->reals, b.field->reals) || a.field->integers != b.field->integers)) return false;
  if (!a.stack) return true;
  if (a.stack->items.size() != b.stack->items.size()) return false;
  for (size_t i = 0; i < a.stack->items.size(); ++i)
    if (!same(a.stack->items[i], b.stack->items[i])) return false;
  return true;
}

void expect_same_run(const ir::Program& p, const ir::Procedure& before, const ir::Procedure& after, bool single) {
  ir::Environment e = environment();
  e.single = single;
  std::mt19937 random(17);
  std::vector<ir::Datum> inputs, again;
  for (Value v : before.inputs()) inputs.push_back(random_datum(p, before.type(v), e, random));
  for (const ir::Datum& d : inputs) again.push_back(deep_copy(d));
  const ir::Outcome a = ir::interpret(p, before, e, inputs), b = ir::interpret(p, after, e, again);
  ASSERT_EQ(a.fault.has_value(), b.fault.has_value()) << (a.fault ? a.fault->message : b.fault ? b.fault->message : "");
  if (a.fault) return;
  for (size_t i = 0; i < inputs.size(); ++i)  // stacks that came in are changed
    EXPECT_TRUE(!inputs[i].stack || same(inputs[i], again[i])) << "input " << i;
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (size_t i = 0; i < a.outputs.size(); ++i)
    EXPECT_TRUE(same(a.outputs[i], b.outputs[i])) << "output " << i << "\n"
                                                  << ir::print(p, before) << ir::print(p, after);
}

}  // namespace

int count(const ir::Procedure& procedure, Opcode code) { return static_cast<int>(all(procedure, code).size()); }

const ir::Op& only(const ir::Procedure& procedure, Opcode code) {
  const std::vector<const ir::Op*> found = all(procedure, code);
  if (found.size() != 1) throw std::runtime_error("there are " + std::to_string(found.size()) + " of that operation");
  return *found[0];
}

void expect_same(const ir::Program& p, const ir::Procedure& before, const ir::Procedure& after) {
  for (const ir::Procedure* procedure : {&before, &after})
    for (const std::string& finding : ir::verify(p, *procedure))
      ADD_FAILURE() << finding << "\n" << ir::print(p, *procedure);
  expect_same_run(p, before, after, false);
  expect_same_run(p, before, after, true);
}

// --- the walk through a plan

namespace {

/// Follows every path: `alive` are the versions and stacks that may be used here, `owned` those that must go here.
class PlanWalk {
 public:
  explicit PlanWalk(const ir::Procedure& procedure) : p_(procedure) {
    State state;
    for (size_t i = 0; i < p_.inputs().size(); ++i) {
      if (!stored(p_.inputs()[i])) continue;
      state.alive.insert(p_.inputs()[i]);
      if (i < p_.consumed.size() && p_.consumed[i]) state.owned.insert(p_.inputs()[i]);
    }
    walk(p_.body, state);
  }
  std::vector<std::string> errors;

 private:
  struct State {
    std::set<Value> alive, owned;
  };
  const ir::Procedure& p_;

  bool stored(Value v) const {
    const ir::ValueInfo& info = p_.values[static_cast<size_t>(v)];
    return !info.handle && (info.type.field || info.type.stack);
  }
  void wrong(const std::string& what, Value v) { errors.push_back(p_.name + ": %" + std::to_string(v) + " " + what); }

  void use(Value v, const State& state) {
    if (stored(v) && !state.alive.contains(v)) wrong("is used after it went", v);
  }
  void consume(Value v, State& state) {
    if (!stored(v)) return;
    use(v, state);
    if (!state.owned.erase(v)) wrong("is consumed but not owned", v);
    state.alive.erase(v);
  }
  void define(Value v, State& state) {
    if (!stored(v)) return;
    state.alive.insert(v);
    state.owned.insert(v);
  }
  bool captured(const ir::Op& op, Value v) const {
    for (ir::BlockId b : op.blocks) {
      for (Value y : p_.block(b).yields)
        if (y == v) return true;
      for (OpId o : p_.block(b).ops) {
        const ir::Op& inner = p_.op(o);
        for (Value x : inner.operands)
          if (x == v) return true;
        if (captured(inner, v)) return true;
      }
    }
    return false;
  }

  void walk(ir::BlockId block, State& state) {  // all that `state` owns must be gone at the end
    for (OpId o : p_.block(block).ops) step(p_.op(o), state);
    for (Value v : p_.block(block).yields) consume(v, state);
    for (Value v : state.owned) wrong("is neither consumed nor dropped", v);
  }

  void step(const ir::Op& op, State& state) {
    for (Value v : op.operands) use(v, state);
    switch (op.code) {
      case Opcode::drop: consume(op.operands[0], state); break;
      case Opcode::push: consume(op.operands[1], state); break;
      case Opcode::set_element: consume(op.operands[0], state); break;
      case Opcode::add_fields:
        if (op.operands[0] == op.operands[1]) wrong("is added to itself in place", op.operands[0]);
        consume(op.operands[0], state);
        break;
      case Opcode::if_: branches(op, state); break;
      case Opcode::for_:
      case Opcode::while_:
      case Opcode::loop:
      case Opcode::serial: turns(op, state); break;
      default: break;
    }
    for (Value r : op.results) define(r, state);
  }

  /// A value that one branch lets go must go in the other too.
  void branches(const ir::Op& op, State& state) {
    std::vector<State> after;
    for (ir::BlockId b : op.blocks) {
      State inner = state;
      for (OpId o : p_.block(b).ops) step(p_.op(o), inner);
      for (Value v : p_.block(b).yields) consume(v, inner);
      for (Value v : inner.owned)
        if (!state.owned.contains(v)) wrong("is neither consumed nor dropped", v);
      after.push_back(inner);
    }
    std::set<Value> left[2];
    for (int i = 0; i < 2; ++i)
      for (Value v : after[static_cast<size_t>(i)].owned)
        if (state.owned.contains(v)) left[i].insert(v);
    if (left[0] != left[1]) errors.push_back(p_.name + ": the branches of an if let different values go");
    for (Value v : std::set<Value>(state.owned))
      if (!left[0].contains(v)) state.owned.erase(v), state.alive.erase(v);
  }

  void turns(const ir::Op& op, State& state) {
    const Slots s = slots(op);
    for (size_t k = 0; k < s.count; ++k) {
      const Value v = op.operands[s.control + k];
      if (!stored(v)) continue;
      const bool in_place = op.code == Opcode::loop && reads_only_own_elements(p_, op, k);
      if (captured(op, v) && !in_place) wrong("is captured where it is updated", v);
    }
    const State visible = state;
    for (size_t k = 0; k < s.count; ++k) consume(op.operands[s.control + k], state);
    for (ir::BlockId b : op.blocks) {
      State inner;
      inner.alive = visible.alive;
      const bool condition = op.code == Opcode::while_ && b != op.blocks.back();
      for (Value a : p_.block(b).arguments) {
        if (!stored(a)) continue;
        inner.alive.insert(a);
        if (!condition) inner.owned.insert(a);
      }
      walk(b, inner);
    }
  }
};

}  // namespace

std::vector<std::string> plan_errors(const ir::Procedure& procedure) { return PlanWalk(procedure).errors; }

// --- a plan as native code runs it

namespace {

class Native {
 public:
  explicit Native(const ir::Procedure& planned) : to_(planned) {}

  ir::Procedure run() {
    to_.copy_ops(to_.from().body, hook_);
    to_.yield(to_.maps(to_.from().outputs()));
    return to_.take();
  }

 private:
  Rewriter to_;
  const Hook hook_ = [this](OpId o) {
    const ir::Op& op = to_.from().op(o);
    if (op.code == Opcode::loop) return loop(op), true;
    return (op.code == Opcode::copy || op.code == Opcode::fill) && op.integer == 1 && undefined(op);
  };

  bool undefined(const ir::Op& op) {
    const Type& type = to_.from().type(op.results[0]);
    if (!value_of(type).is_real()) return false;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Value number = to_.emit({.code = Opcode::constant, .real = nan}, real_type());
    to_.bind(op.results[0], to_.emit({.code = Opcode::fill, .operands = {number}}, type));
    return true;
  }

  void loop(const ir::Op& old) {
    ir::Op op = Rewriter::header(old);
    op.operands = to_.maps(old.operands);
    op.blocks = {to_.new_block()};
    const ir::BlockId before = to_.enter(op.blocks[0]);
    std::vector<Value> arguments;
    for (Value a : to_.from().block(old.blocks[0]).arguments) arguments.push_back(to_.rename(a));
    to_.to().blocks[static_cast<size_t>(op.blocks[0])].arguments = arguments;
    for (size_t k = 0; k < old.operands.size(); ++k)
      if (to_.from().type(old.operands[k]).field) to_.bind(old.operands[k], arguments[old.domains.size() + k]);
    to_.copy_ops(old.blocks[0], hook_);
    for (size_t k = 0; k < old.operands.size(); ++k) to_.bind(old.operands[k], op.operands[k]);
    to_.enter(before);
    for (Value r : old.results) op.results.push_back(to_.rename(r));
    to_.append(std::move(op));
  }
};

}  // namespace

ir::Procedure as_native(const ir::Procedure& planned) { return Native(planned).run(); }

void expect_plan(const ir::Program& p, const ir::Procedure& before, const ir::Procedure& planned) {
  expect_same(p, before, planned);
  EXPECT_EQ(plan_errors(planned), std::vector<std::string>{}) << ir::print(p, planned);
  expect_same_run(p, before, as_native(planned), false);
}

}  // namespace adjoule::transform::testing
