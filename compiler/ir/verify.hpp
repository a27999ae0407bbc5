// Checks a procedure against the rules of ir.hpp: operand counts and types, visibility of values, yields, modes.
// A finding is a compiler bug, never a mistake of the user.
#pragma once
#include <string>
#include <vector>

#include "base/diagnostics.hpp"
#include "ir/ir.hpp"

namespace adjoule::ir {

std::vector<std::string> verify(const Program& program, const Procedure& procedure);
std::vector<std::string> verify(const Program& program);

}  // namespace adjoule::ir
