// Activity: which values depend differentiably on the chosen inputs and reach the chosen outputs. Only they have adjoints.
#pragma once
#include <vector>

#include "adjoint/adjoint.hpp"
#include "ir/ir.hpp"

namespace adjoule::adjoint {

/// By value: handles and stacks included.
std::vector<bool> varied_values(const ir::Procedure& procedure, const std::vector<int>& inputs);
std::vector<bool> useful_values(const ir::Procedure& procedure, const std::vector<int>& outputs);
std::vector<bool> active_values(const ir::Procedure& procedure, const Selection& selection);

}  // namespace adjoule::adjoint
