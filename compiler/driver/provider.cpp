// The second half of the pipeline: prepared IR -> derivatives -> planned IR -> machine code (or the interpreter).
#include "driver/provider.hpp"

#include <fmt/format.h>

#include <chrono>

#include "driver/interpreted.hpp"
#include "driver/primal.hpp"
#include "transform/transform.hpp"

namespace adjoule::driver {
namespace {

struct Clock {
  double& total;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  ~Clock() { total += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
};

std::string fault_message(const codegen::FaultSite& site, const runtime::Context& context) {
  switch (site.code) {
    case ir::Opcode::check_index:
      if (site.space.empty()) {
        return fmt::format("index {} is out of range: the array has {} elements, 0 to {}", context.fault_value,
                           context.fault_extent, context.fault_extent - 1);
      }
      return fmt::format("{}({}) is out of range: {} has {} elements, 0 to {}", site.space, context.fault_value,
                         site.space, context.fault_extent, context.fault_extent - 1);
    case ir::Opcode::check_nonzero: return "division of a whole number by zero";
    case ir::Opcode::pop: return "pop from an empty stack";
    default: return "the run failed here";
  }
}

runtime::Procedure wrap(std::shared_ptr<const codegen::Module> module, std::shared_ptr<const Compilation> compilation,
                        const ir::Procedure& procedure, size_t index) {
  runtime::Procedure result;
  result.name = procedure.name;
  for (ir::Value v : procedure.inputs()) result.inputs.push_back(procedure.type(v));
  for (ir::Value v : procedure.outputs()) result.outputs.push_back(procedure.type(v));
  result.consumed = procedure.consumed;
  runtime::NativeFunction function = module->functions[index];
  result.call = [module, function](runtime::Context& context, const runtime::Slot* in, runtime::Slot* out) {
    return function(&context, in, out);
  };
  result.explain = [module, compilation](const runtime::Context& context) -> std::string {
    auto site = static_cast<size_t>(context.fault_site);
    if (site >= module->fault_sites.size()) return "the run failed at an unknown place";
    const codegen::FaultSite& known = module->fault_sites[site];
    return render(Diagnostic{Severity::error, known.span, fault_message(known, context), "", {}}, compilation->sources);
  };
  return result;
}

}  // namespace

codegen::CompileOptions compile_options(const Facts& facts, const Options& options) {
  codegen::CompileOptions result;
  result.single = options.real == Real::f32;
  result.optimisation = options.optimisation;
  result.sizes = facts.sizes;
  result.extents = facts.extents;
  result.cache = options.cache;
  result.cache_directory = options.cache_directory;
  return result;
}

std::vector<ir::Procedure> planned(const ir::Program& program, std::vector<ir::Procedure> procedures) {
  for (ir::Procedure& p : procedures) {
    verify_or_report(program, p, "differentiation");
    std::vector<bool> consumed = p.consumed;
    p = transform::plan_buffers(program, p);
    p.consumed = std::move(consumed);
    verify_or_report(program, p, "buffer planning");
  }
  return procedures;
}

std::vector<ir::Procedure> primal_procedures(const Compilation& c) {
  const ir::Program& program = *c.prepared;
  std::vector<ir::Procedure> result{program.init};
  if (program.has_step) result.push_back(make_advance(program));
  result.insert(result.end(), program.losses.begin(), program.losses.end());
  return result;
}

std::vector<ir::Procedure> gradient_procedures(const adjoint::GradientPlan& plan) {
  return {plan.advance_keeping, plan.reverse_steps, plan.loss_adjoint, plan.init_adjoint};
}

std::vector<ir::Procedure> tangent_procedures(const adjoint::TangentPlan& plan) {
  return {plan.init, plan.advance, plan.loss};
}

Provider::Provider(std::shared_ptr<const Compilation> compilation, Facts facts, Options options)
    : compilation_(std::move(compilation)), facts_(std::move(facts)), options_(std::move(options)) {}

double Provider::compile_seconds() const { return compilation_->seconds() + seconds_; }

std::vector<runtime::Procedure> Provider::make_native(std::vector<ir::Procedure> procedures) {
  procedures = planned(*compilation_->prepared, std::move(procedures));
  std::vector<const ir::Procedure*> pointers;
  for (const ir::Procedure& p : procedures) pointers.push_back(&p);
  std::string error;
  auto module = codegen::compile(*compilation_->prepared, pointers, compile_options(facts_, options_), error);
  if (!module) internal_error(fmt::format("no machine code could be made: {}", error));
  ++modules_;
  cached_ += module->from_cache;
  auto shared = std::make_shared<const codegen::Module>(std::move(*module));
  std::vector<runtime::Procedure> result;
  for (size_t k = 0; k < procedures.size(); ++k) result.push_back(wrap(shared, compilation_, procedures[k], k));
  return result;
}

std::vector<runtime::Procedure> Provider::make(std::vector<ir::Procedure> procedures) {
  if (!options_.interpreted) return make_native(std::move(procedures));
  std::vector<runtime::Procedure> result;
  for (ir::Procedure& p : procedures) {
    verify_or_report(*compilation_->prepared, p, "differentiation");
    result.push_back(interpreted(compilation_, std::move(p), facts_, options_.real == Real::f32));
  }
  return result;
}

void Provider::make_start() {
  if (!start_.empty()) return;
  Clock clock{seconds_};
  std::vector<ir::Procedure> procedures{compilation_->prepared->init};
  for (const ir::Procedure& loss : compilation_->prepared->losses) procedures.push_back(loss);
  start_ = make(std::move(procedures));
}

const runtime::Procedure& Provider::init() {
  make_start();
  return start_[0];
}

const runtime::Procedure& Provider::loss(int index) {
  make_start();
  return start_[static_cast<size_t>(index) + 1];
}

const runtime::Procedure& Provider::advance() {
  if (advance_.empty()) {
    Clock clock{seconds_};
    advance_ = make({make_advance(*compilation_->prepared)});
  }
  return advance_[0];
}

const runtime::GradientProcedures& Provider::gradient(int loss, const std::vector<int>& wrt) {
  auto found = gradients_.find({loss, wrt});
  if (found != gradients_.end()) return found->second;
  Clock clock{seconds_};
  adjoint::GradientPlan plan = adjoint::plan_gradient(*compilation_->prepared, loss, wrt);
  std::vector<runtime::Procedure> made = make(gradient_procedures(plan));
  runtime::GradientProcedures result;
  result.wrt = plan.wrt;
  result.active_globals = plan.active_globals;
  result.active_states = plan.active_states;
  result.kept_states = plan.kept_states;
  result.loss_depends = plan.loss_depends;
  for (size_t k = 0; k < wrt.size(); ++k) {
    result.reasons.push_back(plan.loss_depends[k] ? "" : independence_reason(*compilation_, loss, wrt[k]));
  }
  result.advance_keeping = std::move(made[0]);
  result.reverse_steps = std::move(made[1]);
  result.loss_adjoint = std::move(made[2]);
  result.init_adjoint = std::move(made[3]);
  return gradients_.emplace(Key{loss, wrt}, std::move(result)).first->second;
}

const runtime::TangentProcedures& Provider::tangent(int loss, const std::vector<int>& wrt) {
  auto found = tangents_.find({loss, wrt});
  if (found != tangents_.end()) return found->second;
  Clock clock{seconds_};
  adjoint::TangentPlan plan = adjoint::plan_tangent(*compilation_->prepared, loss, wrt);
  std::vector<runtime::Procedure> made = make(tangent_procedures(plan));
  runtime::TangentProcedures result;
  result.wrt = plan.wrt;
  result.active_globals = plan.active_globals;
  result.active_states = plan.active_states;
  result.init = std::move(made[0]);
  result.advance = std::move(made[1]);
  result.loss = std::move(made[2]);
  return tangents_.emplace(Key{loss, wrt}, std::move(result)).first->second;
}

}  // namespace adjoule::driver
