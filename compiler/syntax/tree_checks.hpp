// What the grammar lets through so that it can be explained.
#pragma once
#include "syntax/tokens.hpp"

namespace adjoule::syntax {

/// Reports chains of comparisons, '=' in conditions, statements without effect and targets that cannot be assigned to.
/// Works on trees of texts with syntax errors too.
void check_tree(antlr4::ParserRuleContext* tree, const TokenText& text, ErrorSink& errors);

}  // namespace adjoule::syntax
