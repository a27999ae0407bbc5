// Prints the IR as text (`adjoule emit --stage ir`).
#pragma once
#include <string>

#include "ir/ir.hpp"

namespace adjoule::ir {

std::string print(const Program& program, const Procedure& procedure);
std::string print(const Program& program);

/// A value as it is printed: its number, and the user's name where there is one: %12.x
std::string value_text(const Procedure& procedure, Value v);

}  // namespace adjoule::ir
