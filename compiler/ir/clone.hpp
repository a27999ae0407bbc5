// Copies operations from one procedure into another through a map of values.
#pragma once
#include <span>
#include <vector>

#include "ir/builder.hpp"

namespace adjoule::ir {

/// By value of the source procedure: its counterpart in the target, or no_value.
using ValueMap = std::vector<Value>;

/// Appends a copy of `source.op(id)`, nested blocks and all, to the builder's current block; extends `map`.
void clone_op(Builder& builder, const Procedure& source, OpId id, ValueMap& map);

/// A copy of the operation itself, operands mapped, without results and blocks: for passes that build those themselves.
Op clone_header(const Op& op, const ValueMap& map);

/// Copies the body of `callee` with its inputs bound to `inputs`; returns the outputs.
std::vector<Value> inline_call(Builder& builder, const Procedure& callee, std::span<const Value> inputs);

}  // namespace adjoule::ir
