// One instance of a program: what is bound, its states, and the runs and sweeps over it. No LLVM, no IR: procedures
// come from a Provider. The public class adjoule::Instance (adjoule.hpp) is a thin door to this one.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adjoule/adjoule.hpp"
#include "binding.hpp"
#include "call.hpp"
#include "manifest.hpp"
#include "schedule.hpp"

namespace adjoule::runtime {

/// Settings that stay for the life of an instance.
struct Settings {
  ScheduleKind schedule = ScheduleKind::keep_every_step;
  int64_t memory_bytes = 0;          // 0: what the machine has available
  volatile int32_t* stop = nullptr;  // set from outside: the run ends by throwing Stopped
};

/// What a run may do beside running.
struct RunHooks {
  int64_t every = 0;  // call `observe` at 0, every, 2·every, …
  std::function<void(int64_t instant)> observe;
  const std::map<std::string, Array>* after_init = nullptr;  // added to these states after `init` (finite differences)
};

class Instance {
 public:
  Instance(Manifest manifest, std::shared_ptr<Provider> provider, Settings settings);

  // --- binding
  void bind(std::string_view name, Array array, std::string source);
  bool is_bound(int field) const { return bound_[at(field)].has_value(); }

  // --- running; all throw Error, or Stopped
  void run(int64_t steps, const RunHooks& hooks = {});
  double loss(int index);
  Gradient gradient(int64_t steps, int loss, const std::vector<int>& wrt);
  Tangent tangent(int64_t steps, int loss, const std::map<std::string, Array>& direction);
  /// Runs again, a step at a time: "x[3].y became NaN in step 17", or nothing when no state does.
  std::optional<std::string> first_nan(int64_t steps);

  // --- looking
  Array value(int field) const;                    // a state as it is now; a param or input as bound or by default
  std::vector<int64_t> shape_of(int field) const;  // as bound, else natural (after extents are known)
  const Manifest& manifest() const { return manifest_; }
  Statistics statistics() const;
  Settings& settings() { return settings_; }

  // --- names; throw Error (wrong_use) with a guess at what was meant
  int field(std::string_view name) const;
  int loss_index(std::string_view name) const;                                   // "": the only one
  std::vector<int> differentiable(const std::vector<std::string>& names) const;  // none given: all real params

 private:
  Manifest manifest_;
  std::shared_ptr<Provider> provider_;
  Settings settings_;
  Pool pool_;
  Context context_;
  std::vector<std::optional<Bound>> bound_;  // by field
  Extents extents_;
  std::vector<Value> incoming_;  // by field: globals, and states as `init` gets them
  std::vector<bool> stale_;      // by field: incoming_ does not show what is bound
  std::vector<Value> states_;    // by position among the states: at the end of the last run
  int32_t steps_ = 0;
  bool has_run_ = false, bound_since_ = false;
  Statistics statistics_;

  static size_t at(int i) { return static_cast<size_t>(i); }
  const FieldSpec& spec(int field) const { return manifest_.fields[at(field)]; }

  int32_t checked_steps(int64_t steps) const;
  void prepare(int64_t steps);  // extents, checks, incoming values
  void check_complete() const;
  void check_states() const;
  Value incoming_value(int field);

  std::vector<Value> call(const Procedure& procedure, std::span<Value* const> inputs);
  std::vector<Value*> primal_inputs(std::vector<Value>& states);
  std::vector<Value> run_init();
  void add_to_states(std::vector<Value>& states, const std::map<std::string, Array>& changes);
  void advance(std::vector<Value>& states, int32_t first, int32_t last);
  double loss_of(int index, std::vector<Value>& states, int32_t now);
  double real_of(const Value& value) const;

  struct Sweep;  // the state of one gradient
  Schedule schedule_of(int32_t steps) const;
  void refuse_too_much(const Schedule& schedule, const std::vector<int>& kept, int32_t steps) const;
  void keep(Sweep& sweep, int32_t first, int32_t last);
  void turn(Sweep& sweep, int32_t steps);
  void reverse(Sweep& sweep, int32_t first, int32_t last);
  void finish_sweep(Sweep& sweep, Gradient& result);
  int64_t bytes_of(const Type& type) const;
};

}  // namespace adjoule::runtime
