// Statements to operations; control flow carries the variables that its body assigns.
#pragma once
#include <functional>

#include "lowering/effects.hpp"
#include "lowering/environment.hpp"

namespace adjoule::lowering {

void lower_sequence(Context& c, const Sequence& statements);
void lower_statement(Context& c, const Stmt& s);
void lower_assignment(Context& c, const Stmt& s);  // assignments.cpp
void lower_loop(Context& c, const Stmt& s);        // loops.cpp: every `for`
void lower_while(Context& c, const Stmt& s);       // loops.cpp

/// The variables that control flow around statements with these effects must carry (no handles; in order).
std::vector<VariableId> carried_by(const Context& c, const Effects& effects);
/// An `if` whose two sides may assign `variables`.
void branch(Context& c, Value condition, const std::vector<VariableId>& variables, const std::function<void()>& then,
            const std::function<void()>& otherwise);
/// The body of a function or entry point that returns a value of `type` (as seen in the current frame).
Value lower_returning(Context& c, const syntax::Block& body, const Type& type);

}  // namespace adjoule::lowering
