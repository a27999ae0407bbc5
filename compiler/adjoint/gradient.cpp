// The procedures of one gradient or tangent of a whole run (gradient.hpp), put together from the derivatives of init, step
// and loss. Time is one loop: the code between two checkpoints advances many steps inside one procedure.
#include "adjoint/gradient.hpp"

#include <algorithm>

#include "adjoint/activity.hpp"
#include "ir/builder.hpp"
#include "ir/clone.hpp"
#include "transform/transform.hpp"

namespace adjoule::adjoint {
namespace {

using ir::Builder;
using ir::Procedure;
using ir::Value;

size_t at(int index) { return static_cast<size_t>(index); }

struct Signature {
  std::vector<int> globals, states;   // field indices
};

Signature signature_of(const ir::Program& program) {
  Signature s;
  for (size_t k = 0; k < program.fields.size(); ++k)
    (program.fields[k].role == FieldRole::state ? s.states : s.globals).push_back(static_cast<int>(k));
  return s;
}

/// Positions of the members of `wanted` within `list`.
std::vector<int> positions(const std::vector<int>& list, const std::vector<int>& wanted) {
  std::vector<int> found;
  for (size_t k = 0; k < list.size(); ++k)
    if (std::find(wanted.begin(), wanted.end(), list[k]) != wanted.end()) found.push_back(static_cast<int>(k));
  return found;
}

std::vector<int> shifted(std::vector<int> list, size_t by) {
  for (int& k : list) k += static_cast<int>(by);
  return list;
}

std::vector<int> joined(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<Value> joined(std::vector<Value> a, std::span<const Value> b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Inputs of a list of fields, named with a suffix; `consumed` tells whether the procedure takes them over.
std::vector<Value> inputs_of(Builder& b, const std::vector<int>& fields, const std::string& suffix, bool consumed) {
  std::vector<Value> values;
  for (int k : fields) {
    const ir::FieldInfo& field = b.program().fields[at(k)];
    values.push_back(b.input(field.type, field.name + suffix));
    b.procedure().consumed.push_back(consumed);
  }
  return values;
}

Value int_input(Builder& b, const std::string& name) {
  b.procedure().consumed.push_back(false);
  return b.input(int_type(), name);
}

std::vector<int> pick(const std::vector<int>& list, const std::vector<int>& at_positions) {
  std::vector<int> picked;
  for (int k : at_positions) picked.push_back(list[at(k)]);
  return picked;
}

void append_flags(Procedure& p, size_t count, bool consumed) { p.consumed.insert(p.consumed.end(), count, consumed); }

/// The states that matter: those that depend on what is differentiated and reach the loss, over any number of steps.
struct Activity {
  std::vector<bool> varied, useful;   // by state position
  std::vector<bool> global_reaches;   // by global position: the loss depends on it, through whatever way
  std::vector<int> active() const {
    std::vector<int> list;
    for (size_t k = 0; k < varied.size(); ++k)
      if (varied[k] && useful[k]) list.push_back(static_cast<int>(k));
    return list;
  }
};

std::vector<int> true_positions(const std::vector<bool>& flags) {
  std::vector<int> list;
  for (size_t k = 0; k < flags.size(); ++k)
    if (flags[k]) list.push_back(static_cast<int>(k));
  return list;
}

void spread_forward(const ir::Program& program, const std::vector<int>& globals, size_t global_count, std::vector<bool>& varied) {
  std::vector<bool> marks = varied_values(program.init, globals);
  for (size_t k = 0; k < varied.size(); ++k)
    if (marks[at(program.init.outputs()[k])]) varied[k] = true;
  for (bool changed = program.has_step; changed;) {
    changed = false;
    marks = varied_values(program.step, joined(globals, shifted(true_positions(varied), global_count)));
    for (size_t k = 0; k < varied.size(); ++k) {
      bool now = marks[at(program.step.outputs()[k])];
      changed = changed || (now && !varied[k]);
      varied[k] = varied[k] || now;
    }
  }
}

void spread_backward(const ir::Program& program, const Procedure& loss, size_t global_count, Activity& activity) {
  auto note = [&](const Procedure& p, const std::vector<bool>& marks, bool states) {
    bool changed = false;
    for (size_t k = 0; k < p.inputs().size() - 1; ++k) {
      if (!marks[at(p.inputs()[k])]) continue;
      if (k < global_count) activity.global_reaches[k] = true;
      else if (states && !activity.useful[k - global_count]) activity.useful[k - global_count] = changed = true;
    }
    return changed;
  };
  note(loss, useful_values(loss, {0}), true);
  if (program.has_step)
    while (note(program.step, useful_values(program.step, true_positions(activity.useful)), true)) continue;
  note(program.init, useful_values(program.init, true_positions(activity.useful)), false);
}

Activity find_activity(const ir::Program& program, const Procedure& loss, const std::vector<int>& active_globals,
                       const std::vector<int>& states_in_wrt, size_t global_count, size_t state_count) {
  Activity activity{std::vector<bool>(state_count), std::vector<bool>(state_count), std::vector<bool>(global_count)};
  for (int k : states_in_wrt) activity.varied[at(k)] = true;
  spread_forward(program, active_globals, global_count, activity.varied);
  spread_backward(program, loss, global_count, activity);
  return activity;
}

/// for now in first..last, carrying `carried` { body(now, carried) }
std::vector<Value> time_loop(Builder& b, Value first, Value last, bool reversed, std::vector<Value> carried,
                             const std::function<std::vector<Value>(Value now, std::vector<Value>)>& body) {
  ir::Domain domain;
  domain.reversed = reversed;
  return b.for_(domain, {first, last}, std::move(carried), [&](Value now, std::span<const Value> values) {
    return body(now, {values.begin(), values.end()});
  });
}

Procedure make_advance(const ir::Program& program, const Signature& s) {
  Builder b(program, "advance");
  std::vector<Value> globals = inputs_of(b, s.globals, "", false);
  std::vector<Value> states = inputs_of(b, s.states, "", true);
  Value first = int_input(b, "first"), last = int_input(b, "last");
  if (program.has_step)
    states = time_loop(b, first, last, false, states, [&](Value now, std::vector<Value> carried) {
      std::vector<Value> inputs = joined(joined(globals, carried), std::vector<Value>{now});
      return ir::inline_call(b, program.step, inputs);
    });
  b.set_outputs(states);
  return b.take();
}

Procedure make_advance_keeping(const ir::Program& program, const Signature& s, const std::vector<int>& kept) {
  Builder b(program, "advance_keeping");
  std::vector<Value> globals = inputs_of(b, s.globals, "", false);
  std::vector<Value> states = inputs_of(b, s.states, "", true);
  Value first = int_input(b, "first"), last = int_input(b, "last");
  std::vector<Value> stacks;
  for (int k : kept) {
    const ir::FieldInfo& field = program.fields[at(s.states[at(k)])];
    stacks.push_back(b.input(stack_of(field.type), field.name + "_h"));
    b.procedure().consumed.push_back(false);
  }
  if (program.has_step)
    states = time_loop(b, first, last, false, states, [&](Value now, std::vector<Value> carried) {
      for (size_t k = 0; k < kept.size(); ++k) b.push(stacks[k], carried[at(kept[k])]);
      return ir::inline_call(b, program.step, joined(joined(globals, carried), std::vector<Value>{now}));
    });
  b.set_outputs(states);
  return b.take();
}

/// The adjoint of one step that is not there: what comes in goes out.
struct StepAdjoint {
  Procedure procedure;                // (globals…, states…, now, ȳ of active states…, x̄ of active globals…) -> (x̄ states…, x̄ globals…)
  std::vector<int> kept;              // states that it reads
};

StepAdjoint make_step_adjoint(const ir::Program& program, const Signature& s, const std::vector<int>& active_globals,
                              const std::vector<int>& active_states) {
  Selection selection;
  selection.inputs = joined(shifted(active_states, s.globals.size()), active_globals);
  selection.outputs = active_states;
  selection.accumulate = active_globals;
  Procedure raw = reverse(program, program.step, selection, "step_adjoint");
  StepAdjoint result{transform::prepare(program, raw), {}};
  const Procedure& p = result.procedure;
  std::vector<bool> used(p.values.size(), false);
  for (const ir::Block& block : p.blocks) {
    for (ir::OpId op : block.ops)
      for (Value v : p.op(op).operands) used[at(v)] = true;
    for (Value v : block.yields) used[at(v)] = true;
  }
  for (size_t k = 0; k < s.states.size(); ++k)
    if (used[at(p.inputs()[s.globals.size() + k])]) result.kept.push_back(static_cast<int>(k));
  return result;
}

Procedure make_reverse_steps(const ir::Program& program, const Signature& s, const GradientPlan& plan, const StepAdjoint& step) {
  Builder b(program, "reverse_steps");
  std::vector<Value> globals = inputs_of(b, s.globals, "", false);
  Value first = int_input(b, "first"), last = int_input(b, "last");
  std::vector<Value> stacks;
  for (int k : plan.kept_states) {
    const ir::FieldInfo& field = program.fields[at(s.states[at(k)])];
    stacks.push_back(b.input(stack_of(field.type), field.name + "_h"));
    b.procedure().consumed.push_back(false);
  }
  std::vector<Value> bars = inputs_of(b, pick(s.states, plan.active_states), "_bar", true);
  bars = joined(bars, inputs_of(b, pick(s.globals, plan.active_globals), "_bar", true));
  if (program.has_step)
    bars = time_loop(b, first, last, true, bars, [&](Value now, std::vector<Value> carried) {
      std::vector<Value> inputs = globals;
      size_t next = 0;
      for (size_t k = 0; k < s.states.size(); ++k) {
        bool kept = next < plan.kept_states.size() && plan.kept_states[next] == static_cast<int>(k);
        inputs.push_back(kept ? b.pop(stacks[next++]) : ir::no_value);   // the step's adjoint does not read the others
      }
      inputs.push_back(now);
      return ir::inline_call(b, step.procedure, joined(inputs, carried));
    });
  b.set_outputs(bars);
  return b.take();
}

void consume_bars(Procedure& p, size_t primal_inputs) {
  p.consumed.assign(primal_inputs, false);
  append_flags(p, p.inputs().size() - primal_inputs, true);
}

}  // namespace

GradientPlan plan_gradient(const ir::Program& program, int loss, const std::vector<int>& wrt) {
  Signature s = signature_of(program);
  GradientPlan plan;
  plan.wrt = wrt;
  plan.global_fields = s.globals;
  plan.state_fields = s.states;
  plan.active_globals = positions(s.globals, wrt);
  plan.loss = program.losses[at(loss)];
  std::vector<int> states_in_wrt = positions(s.states, wrt);
  Activity activity = find_activity(program, plan.loss, plan.active_globals, states_in_wrt, s.globals.size(), s.states.size());
  plan.active_states = activity.active();
  for (int field : wrt) {
    bool state = program.fields[at(field)].role == FieldRole::state;
    int position = positions(state ? s.states : s.globals, {field})[0];
    plan.loss_depends.push_back(state ? activity.useful[at(position)] : activity.global_reaches[at(position)]);
  }

  Selection loss_selection;
  loss_selection.inputs = joined(shifted(plan.active_states, s.globals.size()), plan.active_globals);
  loss_selection.outputs = {0};
  loss_selection.accumulate = plan.active_globals;
  size_t primal_inputs = s.globals.size() + s.states.size() + 1;
  plan.loss_adjoint = transform::prepare(program, reverse(program, plan.loss, loss_selection, "loss_adjoint"));
  consume_bars(plan.loss_adjoint, primal_inputs);

  Selection init_selection;
  init_selection.inputs = plan.active_globals;
  init_selection.outputs = plan.active_states;
  init_selection.accumulate = plan.active_globals;
  plan.init_adjoint = transform::prepare(program, reverse(program, program.init, init_selection, "init_adjoint"));
  consume_bars(plan.init_adjoint, primal_inputs);

  StepAdjoint step;
  if (program.has_step) step = make_step_adjoint(program, s, plan.active_globals, plan.active_states);
  plan.kept_states = step.kept;
  plan.advance = make_advance(program, s);
  plan.advance_keeping = make_advance_keeping(program, s, plan.kept_states);
  plan.reverse_steps = make_reverse_steps(program, s, plan, step);
  return plan;
}

TangentPlan plan_tangent(const ir::Program& program, int loss, const std::vector<int>& wrt) {
  Signature s = signature_of(program);
  TangentPlan plan;
  plan.wrt = wrt;
  plan.global_fields = s.globals;
  plan.state_fields = s.states;
  plan.active_globals = positions(s.globals, wrt);
  std::vector<bool> varied(s.states.size(), false);
  for (int k : positions(s.states, wrt)) varied[at(k)] = true;
  spread_forward(program, plan.active_globals, s.globals.size(), varied);
  plan.active_states = true_positions(varied);
  std::vector<int> active_inputs = joined(plan.active_globals, shifted(plan.active_states, s.globals.size()));
  plan.init = transform::prepare(program, forward(program, program.init, {plan.active_globals, plan.active_states, {}}, "init_tangent"));
  plan.loss = transform::prepare(program, forward(program, program.losses[at(loss)], {active_inputs, {0}, {}}, "loss_tangent"));

  Builder b(program, "advance_tangent");
  std::vector<Value> globals = inputs_of(b, s.globals, "", false);
  std::vector<Value> states = inputs_of(b, s.states, "", true);
  Value first = int_input(b, "first"), last = int_input(b, "last");
  std::vector<Value> global_dots = inputs_of(b, pick(s.globals, plan.active_globals), "_dot", false);
  std::vector<Value> state_dots = inputs_of(b, pick(s.states, plan.active_states), "_dot", true);
  std::vector<Value> all = joined(states, state_dots);
  if (program.has_step) {
    Procedure step = transform::prepare(program, forward(program, program.step, {active_inputs, plan.active_states, {}}, "step_tangent"));
    all = time_loop(b, first, last, false, all, [&](Value now, std::vector<Value> carried) {
      std::span<const Value> values(carried);
      std::vector<Value> inputs = joined(joined(globals, values.first(s.states.size())), std::vector<Value>{now});
      inputs = joined(joined(inputs, global_dots), values.subspan(s.states.size()));
      return ir::inline_call(b, step, inputs);
    });
  }
  b.set_outputs(all);
  plan.advance = b.take();
  return plan;
}

}  // namespace adjoule::adjoint
