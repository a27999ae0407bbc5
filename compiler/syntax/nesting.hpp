// How deep the text nests, decided on tokens. The generated parser and every later walk over the tree recurse once per
// level, so a text that nests too deeply must be refused before any of them sees it.
#pragma once
#include <cstddef>
#include <vector>

namespace adjoule::syntax {

constexpr int deepest_nesting = 256;

/// Bounds the depth of the tree: open brackets, and what nests without brackets (signs, `not`, `^`, `? :`, suffixes).
class Nesting {
 public:
  /// Takes the next token (a type of the generated lexer); false when it lies too deep.
  bool accept(size_t type);

 private:
  struct Level {
    int chain = 0;         // signs, powers and suffixes since the last binary operator
    int conditionals = 0;  // '?' whose ':' has not come
    bool suffix = false;   // opened by a call or an index
  };

  void open();
  void close();
  void set_chain(int chain);
  void set_conditionals(int conditionals);

  std::vector<Level> levels_ = std::vector<Level>(1);
  int depth_ = 0;
  size_t previous_ = 0;
  size_t before_previous_ = 0;
};

/// Can an expression end with a token of this type, so that '(' calls, '[' indexes and '-' subtracts?
bool ends_operand(size_t type);
/// Is it a name: an identifier, or a word that is reserved in one place only?
bool is_name(size_t type);

}  // namespace adjoule::syntax
