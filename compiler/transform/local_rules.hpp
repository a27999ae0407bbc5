// Rules that look at one pure operation and what defines its operands, and find the same bits for less:
//     multiply %x, 1          ->  %x
//     extract 1 of pack %a %b ->  %b
//     add %x, (negate %y)     ->  subtract %x, %y
#pragma once
#include <functional>
#include <optional>

#include "ir/ir.hpp"

namespace adjoule::transform {

/// What the rules see of the procedure that is being built, and how they add to it.
struct RuleSite {
  const ir::Program& program;
  std::function<const ir::Op*(ir::Value)> definition;  // the operation that gives the value; null for arguments
  std::function<const Type&(ir::Value)> type;
  std::function<ir::Value(ir::Op, const Type&)> make;  // a simplified operation, its one result
};

/// The value that `op`, of result type `type`, equals; no_value when no rule fits. It may also turn `op` into a cheaper
/// operation.
ir::Value apply_local_rules(const RuleSite& site, ir::Op& op, const Type& type);

/// A scalar constant of bool or int.
std::optional<int64_t> integer_constant(const RuleSite& site, ir::Value v);
/// The number that a real constant holds, or every component of a splat of one.
std::optional<double> real_constant(const RuleSite& site, ir::Value v);

/// A check that holds whatever the run.
bool always_holds(const RuleSite& site, const ir::Op& check);

}  // namespace adjoule::transform
