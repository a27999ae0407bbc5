// Parse tree -> AST, for texts without errors.
#pragma once
#include "syntax/ast.hpp"
#include "syntax/tokens.hpp"

namespace adjoule::syntax {

Program build_ast(parser::AdjouleParser::ProgramContext* tree, const TokenText& text);

}  // namespace adjoule::syntax
