// Which operands and results each operation takes: the part of verification that looks at one operation alone.
#pragma once
#include <string>

#include "ir/ir.hpp"

namespace adjoule::ir {

/// What is wrong with the operands, results or attributes of `op`, or "". Values must exist; control flow (if, for,
/// while, loop, serial) is checked with its blocks in verify.cpp.
std::string type_error(const Program& program, const Procedure& procedure, const Op& op);

}  // namespace adjoule::ir
