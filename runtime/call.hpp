// Calling a compiled procedure with values, and cleaning up after one that ended in a fault.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "binding.hpp"
#include "manifest.hpp"

namespace adjoule::runtime {

/// A run that ended early: a fault of the program (Error, failed_run) or a stop asked for by the user (Ctrl-C).
struct Stopped {};
constexpr int32_t stopped_site = -2;

/// Calls; `inputs` in order. Inputs that the procedure consumes are empty afterwards, the others are unchanged (stacks:
/// as the procedure left them). Throws Error (failed_run) with the fault's place and words, or Stopped; the consumed
/// inputs and the stacks are empty then, and nothing leaks.
std::vector<Value> call(const Procedure& procedure, Context& context, const Manifest& manifest, const Extents& extents,
                        std::span<Value* const> inputs);

}  // namespace adjoule::runtime
