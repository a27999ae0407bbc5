// AST -> text: as Adjoule source, and as a tree for people who work on the compiler.
#pragma once
#include <string>

#include "syntax/ast.hpp"

namespace adjoule::syntax {

/// Well-formatted source. Parsing it gives the same tree again; in a tree that the compiler made, literals below zero and
/// a first sign of '-' or '/' come back as the operations they are written with.
std::string print(const Program& program);
std::string print(const Expr& expr);
std::string print(const TypeExpr& type);

/// The shortest literal that reads back as this real: always with a dot or an exponent, so that it stays a real.
std::string real_literal(double value);

/// An indented tree, one node a line, without places: what `emit --stage ast` shows.
std::string dump(const Program& program);

}  // namespace adjoule::syntax
