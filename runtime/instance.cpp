// Binding, preparing and running. Gradients and tangents: sweeps.cpp.
#include "instance.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "base/diagnostics.hpp"

namespace adjoule::runtime {
namespace {

[[noreturn]] void misuse(const std::string& text) { throw Error(Failure::wrong_use, text); }

std::string unknown_name(const std::string& kind, std::string_view name, const std::vector<std::string>& known) {
  std::string guess = did_you_mean(name, known);
  std::string text = fmt::format("there is no {} '{}'", kind, name);
  if (!guess.empty()) return text + fmt::format("; did you mean '{}'?", guess);
  return known.empty() ? text : text + fmt::format("; known: {}", fmt::join(known, ", "));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Instance::Instance(Manifest manifest, std::shared_ptr<Provider> provider, Settings settings)
    : manifest_(std::move(manifest)), provider_(std::move(provider)), settings_(settings) {
  bound_.resize(manifest_.fields.size());
  incoming_.resize(manifest_.fields.size());
  stale_.assign(manifest_.fields.size(), true);
  context_.pool = &pool_;
}

// --- names

int Instance::field(std::string_view name) const {
  std::vector<std::string> names;
  for (size_t f = 0; f < manifest_.fields.size(); ++f) {
    if (manifest_.fields[f].name == name) return static_cast<int>(f);
    names.push_back(manifest_.fields[f].name);
  }
  for (const auto& [size, value] : manifest_.sizes) {
    if (size == name) misuse(fmt::format("'{}' is a size: it is fixed when the program is instantiated", name));
  }
  misuse(unknown_name("param, input or state", name, names));
}

int Instance::loss_index(std::string_view name) const {
  if (manifest_.losses.empty()) misuse("the program has no loss");
  if (name.empty()) {
    if (manifest_.losses.size() == 1) return 0;
    misuse(fmt::format("the program has several losses: choose one of {}", fmt::join(manifest_.losses, ", ")));
  }
  for (size_t k = 0; k < manifest_.losses.size(); ++k) {
    if (manifest_.losses[k] == name) return static_cast<int>(k);
  }
  misuse(unknown_name("loss", name, manifest_.losses));
}

std::vector<int> Instance::differentiable(const std::vector<std::string>& names) const {
  std::vector<int> fields;
  for (const std::string& name : names) {
    int f = field(name);
    if (!spec(f).type.differentiable()) {
      misuse(
          fmt::format("{}: '{}' holds no real numbers (it is declared as {}), so nothing can be differentiated in it",
                      spec(f).place, name, spec(f).type_text));
    }
    if (std::find(fields.begin(), fields.end(), f) == fields.end()) fields.push_back(f);
  }
  if (!names.empty()) return fields;
  for (size_t f = 0; f < manifest_.fields.size(); ++f) {
    const FieldSpec& s = manifest_.fields[f];
    if (s.role == FieldRole::param && s.type.differentiable()) fields.push_back(static_cast<int>(f));
  }
  if (fields.empty()) misuse("the program has no real param: name what to differentiate in");
  return fields;
}

// --- binding

void Instance::bind(std::string_view name, Array array, std::string source) {
  int f = field(name);
  bound_[at(f)] = check_array(manifest_, f, std::move(array), std::move(source));
  stale_[at(f)] = true;
  bound_since_ = true;
}

int32_t Instance::checked_steps(int64_t steps) const {
  if (steps < 0) misuse(fmt::format("the number of steps cannot be negative ({})", steps));
  if (steps >= std::numeric_limits<int32_t>::max())
    misuse(fmt::format("{} steps are too many: at most {}", steps, std::numeric_limits<int32_t>::max() - 1));
  return static_cast<int32_t>(steps);
}

void Instance::check_complete() const {
  std::vector<std::string> missing;
  for (size_t f = 0; f < manifest_.fields.size(); ++f) {
    const FieldSpec& s = manifest_.fields[f];
    if (s.role == FieldRole::state || bound_[f] || s.has_default) continue;
    missing.push_back(fmt::format("{} ({})", s.name, s.type_text));
  }
  if (!missing.empty()) {
    misuse(fmt::format("{} {} no value: bind {}", fmt::join(missing, ", "), missing.size() == 1 ? "has" : "have",
                       missing.size() == 1 ? "it" : "them"));
  }
}

void Instance::check_states() const {
  for (int f : manifest_.states) {
    const FieldSpec& s = spec(f);
    if (bound_[at(f)] || s.has_default || s.set_by_init) continue;
    misuse(fmt::format("{}: state '{}' has no value at the start: set it in init, give it a default, or bind it",
                       s.place, s.name));
  }
}

Value Instance::incoming_value(int f) {
  const FieldSpec& s = spec(f);
  if (bound_[at(f)]) return pack(pool_, manifest_, s.type, bound_[at(f)]->array, extents_);
  if (s.has_default) return filled(pool_, manifest_, s.type, s.default_reals, s.default_integers, extents_);
  return zeros(pool_, manifest_, s.type, extents_);
}

void Instance::prepare(int64_t steps) {
  int32_t T = checked_steps(steps);
  check_complete();
  check_states();
  std::vector<const Bound*> bound;
  for (const auto& b : bound_) bound.push_back(b ? &*b : nullptr);
  Extents extents = find_extents(manifest_, bound, T);
  bool changed = extents != extents_;
  for (size_t f = 0; f < bound_.size(); ++f) {
    if (bound_[f] && (changed || stale_[f])) check_references(manifest_, static_cast<int>(f), *bound_[f], extents);
  }
  if (changed) stale_.assign(stale_.size(), true);
  has_run_ = false;
  states_.clear();
  extents_ = std::move(extents);
  context_.extents = extents_.data();
  context_.steps = steps_ = T;
  context_.stop = settings_.stop;
  for (size_t f = 0; f < incoming_.size(); ++f) {
    if (!stale_[f]) continue;
    incoming_[f].reset();
    incoming_[f] = incoming_value(static_cast<int>(f));
    stale_[f] = false;
  }
  bound_since_ = false;
}

// --- running

std::vector<Value> Instance::call(const Procedure& procedure, std::span<Value* const> inputs) {
  return runtime::call(procedure, context_, manifest_, extents_, inputs);
}

std::vector<Value*> Instance::primal_inputs(std::vector<Value>& states) {
  std::vector<Value*> inputs;
  for (int f : manifest_.globals) inputs.push_back(&incoming_[at(f)]);
  for (Value& state : states) inputs.push_back(&state);
  return inputs;
}

std::vector<Value> Instance::run_init() {
  std::vector<Value*> inputs;
  for (int f : manifest_.globals) inputs.push_back(&incoming_[at(f)]);
  for (int f : manifest_.states) inputs.push_back(&incoming_[at(f)]);
  Value now = Value::integer(0);
  inputs.push_back(&now);
  return call(provider_->init(), inputs);
}

void Instance::add_to_states(std::vector<Value>& states, const std::map<std::string, Array>& changes) {
  for (const auto& [name, array] : changes) {
    int f = field(name);
    for (size_t k = 0; k < manifest_.states.size(); ++k) {
      if (manifest_.states[k] != f) continue;
      Value change = pack(pool_, manifest_, spec(f).type, array, extents_);
      add_into(manifest_, spec(f).type, states[k], change, extents_);
    }
  }
}

void Instance::advance(std::vector<Value>& states, int32_t first, int32_t last) {
  if (first == last || !manifest_.has_step) return;
  std::vector<Value*> inputs = primal_inputs(states);
  Value from = Value::integer(first), to = Value::integer(last);
  inputs.push_back(&from);
  inputs.push_back(&to);
  std::vector<Value> next = call(provider_->advance(), inputs);
  states = std::move(next);
  statistics_.steps_advanced += last - first;
}

double Instance::real_of(const Value& value) const {
  return manifest_.single ? static_cast<double>(value.slots()[0].single) : value.slots()[0].real;
}

double Instance::loss_of(int index, std::vector<Value>& states, int32_t now) {
  std::vector<Value*> inputs = primal_inputs(states);
  Value instant = Value::integer(now);
  inputs.push_back(&instant);
  return real_of(call(provider_->loss(index), inputs)[0]);
}

void Instance::run(int64_t steps, const RunHooks& hooks) {
  prepare(steps);
  provider_->init();  // compiled now, so that the clock below sees running only
  if (manifest_.has_step && steps_ > 0) provider_->advance();
  statistics_.steps = steps_;
  statistics_.steps_advanced = statistics_.steps_redone = 0;
  auto start = std::chrono::steady_clock::now();
  try {
    states_ = run_init();
    has_run_ = true;
    if (hooks.after_init) add_to_states(states_, *hooks.after_init);
    int64_t stride = hooks.every > 0 ? hooks.every : std::max(1, steps_);
    for (int64_t t = 0;; t += stride) {
      if (hooks.observe) hooks.observe(t);
      int64_t next = std::min<int64_t>(steps_, t + stride);
      advance(states_, static_cast<int32_t>(t), static_cast<int32_t>(next));
      if (next - t < stride || next == steps_) {
        if (hooks.observe && next == t + stride) hooks.observe(next);
        break;
      }
    }
  } catch (...) {
    has_run_ = false;
    throw;
  }
  statistics_.forward_seconds = seconds_since(start);
}

double Instance::loss(int index) {
  if (!has_run_) misuse("run the program before asking for its loss");
  if (bound_since_) misuse("something was bound after the last run: run the program again before asking for its loss");
  return loss_of(index, states_, steps_);
}

std::optional<std::string> Instance::first_nan(int64_t steps) {
  prepare(steps);
  std::vector<Value> states = run_init();
  for (int32_t t = 0;; ++t) {
    for (size_t k = 0; k < states.size(); ++k) {
      const FieldSpec& s = spec(manifest_.states[k]);
      auto where = find_nan(manifest_, s.type, states[k], extents_);
      if (!where) continue;
      return t == 0 ? fmt::format("{}{} is NaN after init", s.name, *where)
                    : fmt::format("{}{} became NaN in step {} of {} (from instant {} to {})", s.name, *where, t, steps_,
                                  t - 1, t);
    }
    if (t == steps_) return std::nullopt;
    advance(states, t, t + 1);
  }
}

// --- looking

std::vector<int64_t> Instance::shape_of(int f) const {
  if (bound_[at(f)]) return bound_[at(f)]->array.shape;
  if (extents_.empty()) misuse(fmt::format("the shape of {} is not known before a run", spec(f).name));
  return natural_shape(spec(f).type, manifest_, extents_);
}

Array Instance::value(int f) const {
  const FieldSpec& s = spec(f);
  if (s.role == FieldRole::state) {
    if (!has_run_) misuse(fmt::format("run the program before asking for the state {}", s.name));
    for (size_t k = 0; k < manifest_.states.size(); ++k) {
      if (manifest_.states[k] == f) return unpack(manifest_, s.type, states_[k], extents_, shape_of(f));
    }
  }
  if (bound_[at(f)] && stale_[at(f)]) return bound_[at(f)]->array;
  if (stale_[at(f)]) misuse(fmt::format("{} has no value yet: bind it, or run the program for its default", s.name));
  return unpack(manifest_, s.type, incoming_[at(f)], extents_, shape_of(f));
}

Statistics Instance::statistics() const {
  Statistics result = statistics_;
  result.compile_seconds = provider_->compile_seconds();
  result.peak_bytes = pool_.statistics().peak_bytes;
  return result;
}

}  // namespace adjoule::runtime
