// Differentiation of one procedure, IR -> IR.
#pragma once
#include <string>
#include <vector>

#include "ir/ir.hpp"

namespace adjoule::adjoint {

/// Which inputs and outputs of a procedure take part in a derivative (by position).
struct Selection {
  std::vector<int> inputs;       // differentiated with respect to
  std::vector<int> outputs;      // whose adjoints (reverse) or tangents (forward) matter
  std::vector<int> accumulate;   // reverse: a subset of `inputs` whose adjoint comes in and goes out with the contributions added
};

/// Reverse mode.
///   f:        (x…) -> (y…)
///   adjoint:  (x…, ȳ for each of selection.outputs…, x̄ coming in for each of selection.accumulate…)
///             -> (x̄ for each of selection.inputs…)
ir::Procedure reverse(const ir::Program& program, const ir::Procedure& f, const Selection& selection, std::string name);

/// Forward mode.
///   tangent:  (x…, ẋ for each of selection.inputs…) -> (y…, ẏ for each of selection.outputs…)
ir::Procedure forward(const ir::Program& program, const ir::Procedure& f, const Selection& selection, std::string name);

}  // namespace adjoule::adjoint
