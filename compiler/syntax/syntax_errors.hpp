// Turns what ANTLR reports into messages that say what to write.
#pragma once
#include "syntax/tokens.hpp"

namespace adjoule::syntax {

class SyntaxErrors : public antlr4::BaseErrorListener {
 public:
  SyntaxErrors(const TokenText& text, ErrorSink& errors) : text_(text), errors_(errors) {}
  void syntaxError(antlr4::Recognizer* recognizer, antlr4::Token* token, size_t line, size_t column,
                   const std::string& message, std::exception_ptr exception) override;

 private:
  const TokenText& text_;
  ErrorSink& errors_;
};

/// ANTLR's recovery, except that a statement which ends with its line is taken to lack a ';', whatever follows, and that
/// an unknown declaration is skipped.
class Recovery : public antlr4::DefaultErrorStrategy {
 public:
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void sync(antlr4::Parser* parser) override;
};

}  // namespace adjoule::syntax
