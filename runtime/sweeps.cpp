// Gradients and tangents of a run: the schedule is carried out over the procedures of a gradient.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "instance.hpp"
#include "memory.hpp"

namespace adjoule::runtime {
namespace {

std::vector<Value> copies(const std::vector<Value>& values) {
  std::vector<Value> result;
  for (const Value& v : values) result.push_back(v.copy());
  return result;
}

void append(std::vector<Value*>& inputs, std::vector<Value>& values) {
  for (Value& v : values) inputs.push_back(&v);
}

/// The first `count` of `values` go to `a`, the rest to `b`.
void split(std::vector<Value> values, size_t count, std::vector<Value>& a, std::vector<Value>& b) {
  a.clear();
  b.clear();
  for (size_t k = 0; k < values.size(); ++k) (k < count ? a : b).push_back(std::move(values[k]));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

struct Instance::Sweep {
  const GradientProcedures& procedures;
  int loss = 0;
  std::vector<Value> states;       // the present ones
  std::vector<Value> last_states;  // at the end, for the host
  std::map<int32_t, std::vector<Value>> snapshots;
  std::vector<Value> histories;                // stacks of the kept states
  std::vector<Value> state_bars, global_bars;  // adjoints, of the active ones
  double value = 0;
};

int64_t Instance::bytes_of(const Type& type) const {
  Layout layout = layout_of(type, manifest_, extents_);
  if (layout.kind == Value::Kind::buffer)
    return std::max<int64_t>(64, layout.bytes()) + 64 + 8;  // with the pool's header and the stack's item
  return int64_t{8} * layout.components;
}

Schedule Instance::schedule_of(int32_t steps) const {
  if (!manifest_.has_step) steps = 0;
  return settings_.schedule == ScheduleKind::two_snapshots ? two_snapshots(steps) : keep_every_step(steps);
}

void Instance::refuse_too_much(const Schedule& schedule, const std::vector<int>& kept, int32_t steps) const {
  Demand demand = demand_of(schedule, steps);
  int64_t a_step = 0, a_snapshot = 0;
  for (int k : kept) a_step += bytes_of(spec(manifest_.states[at(k)]).type);
  for (int f : manifest_.states) a_snapshot += bytes_of(spec(f).type);
  double wanted = static_cast<double>(demand.kept_steps) * static_cast<double>(a_step) +
                  static_cast<double>(demand.snapshots) * static_cast<double>(a_snapshot);
  int64_t limit =
      settings_.memory_bytes > 0 ? settings_.memory_bytes : available_memory() + pool_.statistics().bytes_kept;
  if (wanted <= static_cast<double>(limit)) return;
  auto shown = static_cast<int64_t>(std::min(wanted, 9e18));
  throw Error(Failure::wrong_use,
              fmt::format("the gradient of {} steps would keep {} (states of {} a step), but only {} of memory {}: "
                          "take fewer steps or a smaller problem",
                          steps, human_bytes(shown), human_bytes(a_step), human_bytes(limit),
                          settings_.memory_bytes > 0 ? "are allowed" : "are free"));
}

void Instance::keep(Sweep& sweep, int32_t first, int32_t last) {
  std::vector<Value*> inputs = primal_inputs(sweep.states);
  Value from = Value::integer(first), to = Value::integer(last);
  inputs.push_back(&from);
  inputs.push_back(&to);
  append(inputs, sweep.histories);
  std::vector<Value> next = call(sweep.procedures.advance_keeping, inputs);
  sweep.states = std::move(next);
  statistics_.steps_advanced += last - first;
}

void Instance::turn(Sweep& sweep, int32_t steps) {
  sweep.value = loss_of(sweep.loss, sweep.states, steps);
  std::vector<Value*> inputs = primal_inputs(sweep.states);
  Value now = Value::integer(steps), one = Value::real(1, manifest_.single);
  inputs.push_back(&now);
  inputs.push_back(&one);
  append(inputs, sweep.global_bars);
  split(call(sweep.procedures.loss_adjoint, inputs), sweep.procedures.active_states.size(), sweep.state_bars,
        sweep.global_bars);
  sweep.last_states = std::move(sweep.states);
  sweep.states.clear();
}

void Instance::reverse(Sweep& sweep, int32_t first, int32_t last) {
  std::vector<Value*> inputs;
  for (int f : manifest_.globals) inputs.push_back(&incoming_[at(f)]);
  Value from = Value::integer(first), to = Value::integer(last);
  inputs.push_back(&from);
  inputs.push_back(&to);
  append(inputs, sweep.histories);
  append(inputs, sweep.state_bars);
  append(inputs, sweep.global_bars);
  split(call(sweep.procedures.reverse_steps, inputs), sweep.procedures.active_states.size(), sweep.state_bars,
        sweep.global_bars);
}

/// Adjoint of init, and the gradients in the host's shapes. A state's gradient is that in its value after init.
void Instance::finish_sweep(Sweep& sweep, Gradient& result) {
  const GradientProcedures& p = sweep.procedures;
  auto give = [&](int f, const Value& bar) {
    result.of[spec(f).name] = unpack(manifest_, spec(f).type, bar, extents_, shape_of(f));
  };
  for (size_t k = 0; k < p.active_states.size(); ++k) {
    int f = manifest_.states[at(p.active_states[k])];
    if (std::find(p.wrt.begin(), p.wrt.end(), f) != p.wrt.end()) give(f, sweep.state_bars[k]);
  }
  if (!p.active_globals.empty()) {
    std::vector<Value*> inputs;
    for (int f : manifest_.globals) inputs.push_back(&incoming_[at(f)]);
    for (int f : manifest_.states) inputs.push_back(&incoming_[at(f)]);
    Value now = Value::integer(0);
    inputs.push_back(&now);
    append(inputs, sweep.state_bars);
    append(inputs, sweep.global_bars);
    sweep.global_bars = call(p.init_adjoint, inputs);
    for (size_t k = 0; k < p.active_globals.size(); ++k)
      give(manifest_.globals[at(p.active_globals[k])], sweep.global_bars[k]);
  }
  for (int f : p.wrt) {  // what the loss does not depend on
    if (!result.of.contains(spec(f).name)) give(f, zeros(pool_, manifest_, spec(f).type, extents_));
  }
}

Gradient Instance::gradient(int64_t steps, int loss, const std::vector<int>& wrt) {
  prepare(steps);
  provider_->init();
  provider_->loss(loss);
  Sweep sweep{provider_->gradient(loss, wrt), loss, {}, {}, {}, {}, {}, {}, 0};
  const GradientProcedures& p = sweep.procedures;
  Schedule schedule = schedule_of(steps_);
  refuse_too_much(schedule, p.kept_states, steps_);
  for (const Action& action : schedule) {  // compiled now, so that the clock below sees running only
    if (action.kind == Action::Kind::advance && action.first != action.last) provider_->advance();
  }
  statistics_.steps = steps_;
  statistics_.steps_advanced = 0;
  auto start = std::chrono::steady_clock::now();

  sweep.states = run_init();
  for (int k : p.kept_states) {
    Layout layout = layout_of(spec(manifest_.states[at(k)]).type, manifest_, extents_);
    bool field = layout.kind == Value::Kind::buffer;
    sweep.histories.push_back(
        Value::new_stack(pool_, field ? 8 : int64_t{8} * layout.components, field ? layout.bytes() : 0));
  }
  for (int k : p.active_globals)
    sweep.global_bars.push_back(zeros(pool_, manifest_, spec(manifest_.globals[at(k)]).type, extents_));
  execute(schedule, {
                        .snapshot = [&](int32_t slot) { sweep.snapshots[slot] = copies(sweep.states); },
                        .restore =
                            [&](int32_t slot) {
                              sweep.states = std::move(sweep.snapshots[slot]);
                              sweep.snapshots.erase(slot);
                            },
                        .advance = [&](int32_t first, int32_t last) { advance(sweep.states, first, last); },
                        .keep = [&](int32_t first, int32_t last) { keep(sweep, first, last); },
                        .reverse = [&](int32_t first, int32_t last) { reverse(sweep, first, last); },
                        .turn = [&] { turn(sweep, steps_); },
                    });
  Gradient result;
  result.loss = sweep.value;
  finish_sweep(sweep, result);
  statistics_.gradient_seconds = seconds_since(start);
  statistics_.steps_redone = std::max<int64_t>(0, statistics_.steps_advanced - (manifest_.has_step ? steps_ : 0));
  for (size_t k = 0; k < wrt.size(); ++k) {
    if (p.loss_depends[k]) continue;
    result.warnings.push_back(
        fmt::format("the {} does not depend on {}, so this gradient is 0{}{}",
                    manifest_.losses[at(loss)] == "loss" ? "loss" : "loss " + manifest_.losses[at(loss)],
                    spec(wrt[k]).name, p.reasons[k].empty() ? "" : ": ", p.reasons[k]));
  }
  states_ = std::move(sweep.last_states);
  has_run_ = true;
  return result;
}

Tangent Instance::tangent(int64_t steps, int loss, const std::map<std::string, Array>& direction) {
  prepare(steps);
  std::vector<std::string> names;
  for (const auto& [name, change] : direction) names.push_back(name);
  std::vector<int> wrt = names.empty() ? std::vector<int>{} : differentiable(names);
  const TangentProcedures& p = provider_->tangent(loss, wrt);
  std::vector<Value> global_dots;
  std::map<std::string, Array> state_changes;
  for (int f : wrt) {
    const Array& change = direction.at(spec(f).name);
    if (change.shape != shape_of(f) || change.integral || static_cast<int64_t>(change.reals.size()) != change.count()) {
      throw Error(Failure::wrong_use, fmt::format("the direction for {} must have the shape {}, not {}", spec(f).name,
                                                  shape_text(shape_of(f)), shape_text(change.shape)));
    }
    if (spec(f).role == FieldRole::state) state_changes[spec(f).name] = change;
  }
  for (int k : p.active_globals) {
    int f = manifest_.globals[at(k)];
    global_dots.push_back(pack(pool_, manifest_, spec(f).type, direction.at(spec(f).name), extents_));
  }

  std::vector<Value> states, dots;
  std::vector<Value*> inputs;
  for (int f : manifest_.globals) inputs.push_back(&incoming_[at(f)]);
  for (int f : manifest_.states) inputs.push_back(&incoming_[at(f)]);
  Value now = Value::integer(0), last = Value::integer(steps_);
  inputs.push_back(&now);
  append(inputs, global_dots);
  split(call(p.init, inputs), manifest_.states.size(), states, dots);
  for (size_t k = 0; k < p.active_states.size(); ++k) {
    const FieldSpec& s = spec(manifest_.states[at(p.active_states[k])]);
    auto change = state_changes.find(s.name);
    if (change == state_changes.end()) continue;
    Value value = pack(pool_, manifest_, s.type, change->second, extents_);
    add_into(manifest_, s.type, dots[k], value, extents_);
  }
  if (manifest_.has_step && steps_ > 0) {
    inputs = primal_inputs(states);
    inputs.push_back(&now);
    inputs.push_back(&last);
    append(inputs, global_dots);
    append(inputs, dots);
    std::vector<Value> next = call(p.advance, inputs);
    split(std::move(next), manifest_.states.size(), states, dots);
  }
  inputs = primal_inputs(states);
  inputs.push_back(&last);
  append(inputs, global_dots);
  append(inputs, dots);
  std::vector<Value> results = call(p.loss, inputs);
  states_ = std::move(states);
  has_run_ = true;
  return {real_of(results[0]), real_of(results[1])};
}

}  // namespace adjoule::runtime
