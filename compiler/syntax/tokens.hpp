// Text -> tokens for the parser, with the mistakes that single tokens show already reported and repaired.
#pragma once
#include <memory>
#include <string_view>

#include "base/diagnostics.hpp"
#include "syntax/generated.hpp"

namespace adjoule::syntax {

constexpr size_t most_errors = 20;  // of one run of the parser; more would only be noise

/// Where syntax errors go: at most `most_errors`, and one a line, for the second is nearly always caused by the first.
class ErrorSink {
 public:
  ErrorSink(Diagnostics& diagnostics, const SourceMap& sources) : diagnostics_(diagnostics), sources_(sources) {}
  /// Would an error here be shown?
  bool wants(Span span) const;
  /// The new diagnostic, or null when it was dropped.
  Diagnostic* error(Span span, std::string message, std::string help = "");
  /// Later errors would be noise.
  void stop() { stopped_ = true; }
  bool any() const { return any_; }

 private:
  struct Line { uint32_t begin, end; };

  Diagnostics& diagnostics_;
  const SourceMap& sources_;
  std::vector<Line> lines_;  // that have an error
  bool any_ = false;
  bool stopped_ = false;
};

/// The file's text as ANTLR sees it, and the way back to spans. Tokens and the parse tree point into it.
struct TokenText {
  TokenText(const SourceMap& sources, int32_t file);
  Span span(const antlr4::Token* token) const;
  std::string_view text(const antlr4::Token* token) const;
  std::string_view text(Span span) const { return bytes.substr(span.begin, span.end - span.begin); }

  std::string_view bytes;
  int32_t file = -1;
  uint32_t mark = 0;               // bytes of a byte order mark at the start, which ANTLR must not see
  std::vector<uint32_t> offsets;   // byte offset of each code point
  antlr4::ANTLRInputStream input;
};

/// The generated lexer, read ahead: `read` collects and repairs all tokens, the parser then takes them one by one.
class TokenReader : public parser::AdjouleLexer {
 public:
  explicit TokenReader(TokenText& text) : AdjouleLexer(&text.input), text_(text) { removeErrorListeners(); }
  /// False when the text nests too deeply to be parsed; reported.
  bool read(ErrorSink& errors);
  std::unique_ptr<antlr4::Token> nextToken() override;

 private:
  using Token = antlr4::CommonToken;

  void take(std::unique_ptr<antlr4::Token> token, ErrorSink& errors);
  bool repair_number(Token* token, ErrorSink& errors);
  bool repair_wrong(Token* token, ErrorSink& errors);
  bool repair_character(Token* token, ErrorSink& errors);
  void check_int(const Token* token, ErrorSink& errors);
  /// The token before the next one (1: the last that was kept), or null.
  Token* kept(size_t back) const;
  bool touches(const Token* left, const Token* right) const;
  Span span_of(const Token* first, const Token* last) const { return join(text_.span(first), text_.span(last)); }

  TokenText& text_;
  std::vector<std::unique_ptr<antlr4::Token>> tokens_;
  size_t skipped_line_ = 0;  // after '#', which begins a comment elsewhere
  size_t next_ = 0;
};

}  // namespace adjoule::syntax
