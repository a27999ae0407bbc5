// Makes the procedures of an instance when they are first needed: derives, finishes, plans buffers, compiles.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "adjoint/gradient.hpp"
#include "codegen/compile.hpp"
#include "driver/compilation.hpp"
#include "driver/facts.hpp"
#include "manifest.hpp"

namespace adjoule::driver {

class Provider : public runtime::Provider {
 public:
  Provider(std::shared_ptr<const Compilation> compilation, Facts facts, Options options);

  const runtime::Procedure& init() override;
  const runtime::Procedure& advance() override;
  const runtime::Procedure& loss(int index) override;
  const runtime::GradientProcedures& gradient(int loss, const std::vector<int>& wrt) override;
  const runtime::TangentProcedures& tangent(int loss, const std::vector<int>& wrt) override;
  double compile_seconds() const override;

  bool all_from_cache() const { return modules_ > 0 && cached_ == modules_; }

 private:
  using Key = std::pair<int, std::vector<int>>;
  std::shared_ptr<const Compilation> compilation_;
  Facts facts_;
  Options options_;
  std::vector<runtime::Procedure> start_;  // init, then the losses
  std::vector<runtime::Procedure> advance_;
  std::map<Key, runtime::GradientProcedures> gradients_;
  std::map<Key, runtime::TangentProcedures> tangents_;
  double seconds_ = 0;
  int modules_ = 0, cached_ = 0;

  void make_start();
  std::vector<runtime::Procedure> make(std::vector<ir::Procedure> procedures);
  std::vector<runtime::Procedure> make_native(std::vector<ir::Procedure> procedures);
};

codegen::CompileOptions compile_options(const Facts& facts, const Options& options);

/// The last passes before code: buffers planned, verified.
std::vector<ir::Procedure> planned(const ir::Program& program, std::vector<ir::Procedure> procedures);

/// The procedures that `emit` shows: a plain run's (init, advance, losses).
std::vector<ir::Procedure> primal_procedures(const Compilation& compilation);
std::vector<ir::Procedure> gradient_procedures(const adjoint::GradientPlan& plan);
std::vector<ir::Procedure> tangent_procedures(const adjoint::TangentPlan& plan);

}  // namespace adjoule::driver
