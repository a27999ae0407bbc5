// When may a parallel loop update a field in place although its body also reads the version that came in?
#pragma once
#include "ir/ir.hpp"

namespace adjoule::transform {

/// True when each element of the version `loop.operands[slot]` that an iteration reads can be written by that iteration only,
/// and is read before anything is stored: what forward_own_elements leaves (one load at the start, one store at the end).
bool reads_only_own_elements(const ir::Procedure& procedure, const ir::Op& loop, size_t slot);

}  // namespace adjoule::transform
