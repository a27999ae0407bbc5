// The procedures of one gradient: what the runtime's schedules call. All are plain IR procedures, compiled like any other.
//   globals: params and inputs in order; states in order; `wrt`: fields differentiated with respect to (params, inputs or states).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "adjoint/adjoint.hpp"
#include "ir/ir.hpp"

namespace adjoule::adjoint {

struct GradientPlan {
  std::vector<int> wrt;                 // field indices, in the order that was asked for
  std::vector<int> global_fields;       // field indices of the globals, in signature order
  std::vector<int> state_fields;        // field indices of the states, in signature order
  std::vector<int> active_globals;      // positions among the globals that have an adjoint (those in wrt)
  std::vector<int> active_states;       // positions among the states whose adjoint is carried backwards through the steps
  std::vector<int> kept_states;         // positions among the states that a reversed step reads: the history of each step
  std::vector<bool> loss_depends;       // by wrt: false when the loss does not depend on it at all

  // (globals…, states…, first: int, last: int) -> (states…)            steps first … last - 1
  ir::Procedure advance;
  // (globals…, states…, first, last, stack of each kept state…) -> (states…)   the same; pushes the kept states before each step
  ir::Procedure advance_keeping;
  // (globals…, first, last, stack of each kept state…, ȳ of each active state…, x̄ of each active global…)
  //   -> (x̄ of each active state…, x̄ of each active global…)          reverses steps last - 1 … first, popping
  ir::Procedure reverse_steps;
  // (globals…, states…, now) -> real
  ir::Procedure loss;
  // (globals…, states…, now, loss̄: real, x̄ of each active global…) -> (x̄ of each active state…, x̄ of each active global…)
  ir::Procedure loss_adjoint;
  // (globals…, states…, now, ȳ of each active state…, x̄ of each active global…) -> (x̄ of each active global…)
  ir::Procedure init_adjoint;
};

GradientPlan plan_gradient(const ir::Program& program, int loss, const std::vector<int>& wrt);

/// Forward mode of a whole run: tangents of states ride along.
struct TangentPlan {
  std::vector<int> wrt;
  std::vector<int> global_fields, state_fields;
  std::vector<int> active_globals;      // positions among the globals, each with a tangent input
  std::vector<int> active_states;       // positions among the states, each with a tangent
  // (globals…, states…, now, ẋ of each active global…) -> (states…, ẋ of each active state…)
  ir::Procedure init;
  // (globals…, states…, first, last, ẋ of each active global…, ẋ of each active state…) -> (states…, ẋ of each active state…)
  ir::Procedure advance;
  // (globals…, states…, now, ẋ of each active global…, ẋ of each active state…) -> (loss, loss̊)
  ir::Procedure loss;
};

/// A state in `wrt`: its tangent after init is an extra input: added to the tangent that init gives, by the caller.
TangentPlan plan_tangent(const ir::Program& program, int loss, const std::vector<int>& wrt);

}  // namespace adjoule::adjoint
