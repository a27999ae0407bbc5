// The generated lexer and parser under short names. Only .cpp files of this room include it: ANTLR's headers are heavy.
#pragma once
#include "grammar/AdjouleLexer.h"
#include "grammar/AdjouleParser.h"

namespace adjoule::syntax {

using Tokens = parser::AdjouleLexer;    // token types: Tokens::SEMI
using Grammar = parser::AdjouleParser;  // contexts: Grammar::ExprContext

}  // namespace adjoule::syntax
