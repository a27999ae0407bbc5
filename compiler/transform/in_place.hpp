// How a parallel loop uses the old contents of a field that it updates.
#pragma once
#include "ir/ir.hpp"

namespace adjoule::transform {

/// True when each element of the version `loop.operands[slot]` that an iteration reads can be written by that iteration
/// only, and is read before anything is stored: what forward_own_elements leaves (one load at the start, one store at
/// the end).
bool reads_only_own_elements(const ir::Procedure& procedure, const ir::Op& loop, size_t slot);

/// True when the loop stores every element of the handle in slot `slot` and reads none through it, so that what the
/// buffer held before does not matter: one unconditional store at exactly the loop's indices, over the whole of all its
/// spaces.
bool overwrites_whole(const ir::Procedure& procedure, const ir::Op& loop, size_t slot);

}  // namespace adjoule::transform
