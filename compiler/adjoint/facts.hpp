// Which values are certainly finite or bounded away from zero, as far as their own expressions tell: a product with such a
// partial derivative needs no guard (`weigh`). Values that come from outside of an expression (inputs, loads, carried
// values) count as finite: where the state itself is Inf or NaN, so is the result.
#pragma once
#include <vector>

#include "ir/derivatives.hpp"
#include "ir/ir.hpp"

namespace adjoule::adjoint {

struct Facts {
  std::vector<bool> finite, positive, nonnegative;   // by value of the procedure
  ir::OperandFacts of(const ir::Op& op) const;
};

Facts find_facts(const ir::Procedure& procedure);

}  // namespace adjoule::adjoint
