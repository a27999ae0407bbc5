// Which uses of a value are its last, so that the interpreter may hand the value over instead of sharing it: a field
// version whose last use updates it is then changed in place.
#pragma once
#include <vector>

#include "ir/ir.hpp"

namespace adjoule::ir {

struct LastUses {
  std::vector<std::vector<bool>> operands;  // by OpId, by operand
  std::vector<std::vector<bool>> yields;    // by BlockId, by yield
};

LastUses find_last_uses(const Procedure& procedure);

}  // namespace adjoule::ir
