// Counting nesting on tokens.
#include "syntax/nesting.hpp"

#include "syntax/generated.hpp"

namespace adjoule::syntax {

bool is_name(size_t type) {
  switch (type) {
    case Tokens::ID: case Tokens::MIN: case Tokens::MAX: case Tokens::SIZE: case Tokens::SPACE: case Tokens::GRID:
    case Tokens::BOUNDARY: case Tokens::BY: case Tokens::STEP: case Tokens::LOSS: case Tokens::INIT: case Tokens::STATE:
    case Tokens::INPUT: case Tokens::SOLVE: case Tokens::IMPORT: return true;
    default: return false;
  }
}

bool ends_operand(size_t type) {
  switch (type) {
    case Tokens::INT: case Tokens::REAL: case Tokens::TRUE: case Tokens::FALSE: case Tokens::CLOSE:
    case Tokens::CLOSE_BRACKET: return true;
    default: return is_name(type);
  }
}

void Nesting::open() {
  levels_.push_back({0, 0, ends_operand(previous_)});
  ++depth_;
}

void Nesting::close() {
  if (levels_.size() == 1) return;  // the parser will complain
  set_chain(0);
  set_conditionals(0);
  const bool suffix = levels_.back().suffix;
  levels_.pop_back();
  --depth_;
  if (suffix) set_chain(levels_.back().chain + 1);
}

void Nesting::set_chain(int chain) {
  depth_ += chain - levels_.back().chain;
  levels_.back().chain = chain;
}

void Nesting::set_conditionals(int conditionals) {
  depth_ += conditionals - levels_.back().conditionals;
  levels_.back().conditionals = conditionals;
}

bool Nesting::accept(size_t type) {
  const Level& level = levels_.back();
  switch (type) {
    case Tokens::OPEN: case Tokens::OPEN_BRACKET: case Tokens::OPEN_BRACE: open(); break;
    case Tokens::CLOSE: case Tokens::CLOSE_BRACKET: close(); break;
    case Tokens::CLOSE_BRACE: close(); set_chain(0); set_conditionals(0); break;
    case Tokens::DOT: case Tokens::HAT: case Tokens::NOT: set_chain(level.chain + 1); break;
    case Tokens::PLUS: case Tokens::MINUS: set_chain(ends_operand(previous_) ? 0 : level.chain + 1); break;
    case Tokens::LESS:  // stack<stack<…
      set_chain(before_previous_ == Tokens::LESS && is_name(previous_) ? level.chain + 1 : 0);
      break;
    case Tokens::QUESTION: set_chain(0); set_conditionals(level.conditionals + 1); break;
    case Tokens::COLON: set_chain(0); set_conditionals(level.conditionals > 0 ? level.conditionals - 1 : 0); break;
    case Tokens::SEMI: case Tokens::COMMA: set_chain(0); set_conditionals(0); break;
    default:
      if (!is_name(type) && !ends_operand(type)) set_chain(0);  // a binary operator or a statement word
  }
  before_previous_ = previous_;
  previous_ = type;
  return depth_ <= deepest_nesting;
}

}  // namespace adjoule::syntax
