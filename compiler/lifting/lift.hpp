// IR -> Adjoule source: the inverse of lowering. What it prints passes the checker, runs, gives the same bits when compiled
// again, and can be differentiated again.
#pragma once
#include <string>

#include "adjoint/gradient.hpp"
#include "ir/ir.hpp"
#include "syntax/ast.hpp"

namespace adjoule::lifting {

/// Statements of one procedure after transform::plan_buffers, indented by two spaces: its field inputs are variables of their
/// names; output k is assigned to the variable `outputs[k]`. New variables avoid these, the program's names and `taken`.
std::string statements(const ir::Program& program, const ir::Procedure& procedure, const std::vector<std::string>& outputs,
                       const std::vector<std::string>& taken);

/// The adjoint of a whole program as a program without `step`: `init` holds both sweeps, each step's kept states lie on
/// stacks, one step is redone at a time; the gradients are states named after what was asked for, `stiffness_bar`.
std::string adjoint_source(const syntax::Program& source, const ir::Program& program, const adjoint::GradientPlan& plan);

/// The same in forward mode: tangents of what was asked for are inputs (`stiffness_dot`); the state `loss_dot` is the tangent.
std::string tangent_source(const syntax::Program& source, const ir::Program& program, const adjoint::TangentPlan& plan);

}  // namespace adjoule::lifting
