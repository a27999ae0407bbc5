// Friendly syntax errors. ANTLR knows the offending token and what could have stood there; the tokens around it usually
// show what the writer had in mind.
#include "syntax/syntax_errors.hpp"

#include <algorithm>

#include "syntax/nesting.hpp"

namespace adjoule::syntax {

namespace {

using antlr4::Token;

/// One syntax error and its surroundings.
struct Scene {
  const TokenText& text;
  antlr4::TokenStream& stream;
  const antlr4::dfa::Vocabulary& vocabulary;
  Token* token;                       // that does not fit
  Token* before = nullptr;            // the two tokens before it, or null
  Token* before_that = nullptr;
  Token* opener = nullptr;            // the innermost bracket that is open there
  antlr4::misc::IntervalSet expected; // empty when unknown
  size_t rule = 0;                    // the innermost rule at work

  bool is(size_t type) const { return token->getType() == type; }
  bool after(size_t type) const { return before && before->getType() == type; }
  bool expects(size_t type) const { return expected.contains(type); }
  bool inside(size_t type) const { return opener && opener->getType() == type; }
  bool at_end() const { return token->getType() == Token::EOF; }
  bool on_new_line() const { return before && token->getLine() > before->getLine(); }
  Span span() const { return text.span(token); }
  std::string quoted(const Token* t) const { return "'" + std::string(text.text(t)) + "'"; }
  /// Just after the token before, where something is missing.
  Span gap() const {
    if (!before) return span();
    const uint32_t end = text.span(before).end;
    return {text.file, end, end};
  }
};

size_t closer_of(size_t opener) {
  switch (opener) {
    case Tokens::OPEN: return Tokens::CLOSE;
    case Tokens::OPEN_BRACKET: return Tokens::CLOSE_BRACKET;
    default: return Tokens::CLOSE_BRACE;
  }
}

const char* bracket_text(size_t type) {
  switch (type) {
    case Tokens::OPEN: return "'('";
    case Tokens::CLOSE: return "')'";
    case Tokens::OPEN_BRACKET: return "'['";
    case Tokens::CLOSE_BRACKET: return "']'";
    case Tokens::OPEN_BRACE: return "'{'";
    default: return "'}'";
  }
}

bool is_opener(size_t type) {
  return type == Tokens::OPEN || type == Tokens::OPEN_BRACKET || type == Tokens::OPEN_BRACE;
}

bool is_closer(size_t type) {
  return type == Tokens::CLOSE || type == Tokens::CLOSE_BRACKET || type == Tokens::CLOSE_BRACE;
}

/// The innermost bracket that is open before the token with this index. A closer closes the nearest opener of its kind.
Token* innermost_open(antlr4::TokenStream& stream, size_t index) {
  std::vector<Token*> open;
  for (size_t i = 0; i < index; ++i) {
    Token* token = stream.get(i);
    const size_t type = token->getType();
    if (is_opener(type)) open.push_back(token);
    if (!is_closer(type)) continue;
    const auto match = std::find_if(open.rbegin(), open.rend(),
        [&](Token* t) { return closer_of(t->getType()) == type; });
    if (match != open.rend()) open.erase(match.base() - 1, open.end());
  }
  return open.empty() ? nullptr : open.back();
}

bool begins_item(size_t type) {
  switch (type) {
    case Tokens::IMPORT: case Tokens::SIZE: case Tokens::SPACE: case Tokens::GRID: case Tokens::CONST: case Tokens::PARAM:
    case Tokens::INPUT: case Tokens::STATE: case Tokens::STRUCT: case Tokens::FN: case Tokens::ADJOINT: case Tokens::PROC:
    case Tokens::INIT: case Tokens::STEP: case Tokens::LOSS: return true;
    default: return false;
  }
}

bool begins_statement(size_t type) {
  switch (type) {
    case Tokens::LET: case Tokens::VAR: case Tokens::SERIAL: case Tokens::FOR: case Tokens::WHILE: case Tokens::IF:
    case Tokens::BREAK: case Tokens::CONTINUE: case Tokens::RETURN: return true;
    default: return false;
  }
}

/// A word that can never be a name.
bool is_reserved(size_t type) { return type >= Tokens::IMPORT && type <= Tokens::FALSE && !is_name(type); }

/// What a message may say was expected; empty when the list would be too long to help.
std::string expectation(const Scene& s) {
  if (s.expects(Tokens::INT) && s.expects(Tokens::OPEN)) {
    return s.expects(Tokens::LET) ? "a statement" : "an expression";
  }
  if (s.expects(Tokens::STRUCT) && s.expects(Tokens::FN)) return "a declaration";
  std::vector<std::string> words;
  if (s.expects(Tokens::ID)) words.push_back("a name");
  for (const auto& interval : s.expected.getIntervals()) {
    for (ssize_t type = interval.a; type <= interval.b; ++type) {
      if (type <= 0 || is_name(static_cast<size_t>(type))) continue;
      const std::string literal = s.vocabulary.getLiteralName(static_cast<size_t>(type));
      if (!literal.empty()) words.push_back(literal);
    }
  }
  if (words.empty() || words.size() > 4) return "";
  std::string text = words[0];
  for (size_t i = 1; i < words.size(); ++i) text += (i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

/// A rule about a scene: true when it knew what to say.
using Explanation = bool (*)(const Scene&, ErrorSink&);

void report(ErrorSink& errors, Span span, std::string message, std::string help = "", const Note& note = {}) {
  Diagnostic* diagnostic = errors.error(span, std::move(message), std::move(help));
  if (diagnostic && note.span.known()) diagnostic->notes.push_back(note);
}

Note opened_here(const Scene& s) { return {s.text.span(s.opener), "opened here"}; }

/// A declaration at the left margin, but some block is still open.
bool explain_unclosed_block(const Scene& s, ErrorSink& errors) {
  if (!s.opener) return false;
  for (const Token* word : {s.token, s.before}) {
    if (!word || !begins_item(word->getType()) || word->getCharPositionInLine() != 0) continue;
    report(errors, s.text.span(word), std::string(bracket_text(closer_of(s.opener->getType()))) + " is missing before " +
           s.quoted(word), "", opened_here(s));
    errors.stop();  // the rest would be read as part of the block
    return true;
  }
  return false;
}

bool explain_end_of_file(const Scene& s, ErrorSink& errors) {
  if (!s.at_end()) return false;
  if (!s.opener && errors.any() && !s.expects(Tokens::SEMI)) return true;  // a consequence of what was reported
  if (s.inside(Tokens::OPEN_BRACE)) {
    report(errors, s.gap(), "the file ends inside a block: '}' is missing", "", opened_here(s));
  } else if (s.opener) {
    report(errors, s.gap(), std::string("the file ends, but ") + bracket_text(closer_of(s.opener->getType())) + " is missing",
           "", opened_here(s));
  } else if (s.expects(Tokens::SEMI)) {
    report(errors, s.gap(), "expected ';' after this declaration");
  } else {
    report(errors, s.gap(), "the file ends in the middle of a declaration");
  }
  return true;
}

bool explain_closer(const Scene& s, ErrorSink& errors) {
  const size_t type = s.token->getType();
  if (!is_closer(type)) return false;
  if (!s.opener) {
    report(errors, s.span(), "unexpected " + s.quoted(s.token) + ": nothing is open here");
    return true;
  }
  const size_t wanted = closer_of(s.opener->getType());
  if (wanted == type && s.rule == Grammar::RuleProgram && errors.any()) return true;  // recovery left its block too early
  if (wanted == type || type == Tokens::CLOSE_BRACE || wanted == Tokens::CLOSE_BRACE) return false;
  report(errors, s.span(), std::string("expected ") + bracket_text(wanted) + " before " + s.quoted(s.token), "", opened_here(s));
  return true;
}

/// A statement goes on, or ends, inside ( or [.
bool explain_unclosed_bracket(const Scene& s, ErrorSink& errors) {
  if (!s.opener || s.inside(Tokens::OPEN_BRACE)) return false;
  const size_t closer = closer_of(s.opener->getType());
  const bool ends = s.is(Tokens::SEMI) || s.is(Tokens::OPEN_BRACE) || s.is(Tokens::CLOSE_BRACE) || (s.is(Tokens::SET) && s.inside(Tokens::OPEN_BRACKET)) ||
                    begins_statement(s.token->getType()) || s.on_new_line();
  if (!ends || !s.expects(closer)) return false;
  report(errors, s.gap(), std::string(bracket_text(closer)) + " is missing", "", opened_here(s));
  return true;
}

bool explain_increment(const Scene& s, ErrorSink& errors) {
  if (!s.before_that || !(s.is(Tokens::SEMI) || s.is(Tokens::CLOSE_BRACE))) return false;
  const bool plus = s.after(Tokens::PLUS) && s.before_that->getType() == Tokens::PLUS;
  const bool minus = s.after(Tokens::MINUS) && s.before_that->getType() == Tokens::MINUS;
  if (!plus && !minus) return false;
  report(errors, join(s.text.span(s.before_that), s.text.span(s.before)), plus ? "there is no '++'" : "there is no '--'",
         plus ? "write x += 1" : "write x -= 1");
  return true;
}

/// `fro p in P`, `int n = 3`: a name that should have been a word of the language, followed by another name.
bool explain_unknown_word(const Scene& s, ErrorSink& errors) {
  const bool item = s.rule == Grammar::RuleProgram && s.is(Tokens::ID);
  const bool statement = s.after(Tokens::ID) && s.expects(Tokens::SEMI) && !s.on_new_line() &&
                         (is_name(s.token->getType()) || is_reserved(s.token->getType()));
  if (!item && !statement) return false;
  const Token* word = item ? s.token : s.before;
  const std::string name(s.text.text(word));
  for (const char* type : {"real", "float", "double", "int", "bool", "auto", "vec2", "vec3", "vec4", "mat2", "mat3",
                           "mat4"}) {
    if (name != type || item) continue;
    const std::string variable(s.text.text(s.token));
    report(errors, join(s.text.span(word), s.span()), "a declaration begins with let or var",
           "write let " + variable + " = ...; or var " + variable + ": real = ...;");
    return true;
  }
  if (name == "def" || name == "function" || name == "func") {
    report(errors, s.text.span(word), "unexpected " + s.quoted(word), "a function begins with fn");
    return true;
  }
  const std::vector<std::string> words = item
      ? std::vector<std::string>{"import", "size", "space", "grid", "const", "param", "input", "state", "struct", "fn",
                                 "adjoint", "proc", "init", "step", "loss"}
      : std::vector<std::string>{"let", "var", "serial", "for", "while", "if", "else", "return", "break", "continue"};
  const std::string meant = did_you_mean(name, words);
  if (meant.empty()) return false;
  report(errors, s.text.span(word), "unexpected " + s.quoted(word), "did you mean '" + meant + "'?");
  return true;
}

bool explain_missing_semicolon(const Scene& s, ErrorSink& errors) {
  if (!s.expects(Tokens::SEMI)) return false;
  const size_t type = s.token->getType();
  if (!s.on_new_line() && !s.is(Tokens::CLOSE_BRACE) && !begins_statement(type)) return false;
  const bool statement = s.inside(Tokens::OPEN_BRACE) && s.rule != Grammar::RuleMember;
  report(errors, s.gap(), statement ? "expected ';' after this statement" : "expected ';' after this declaration");
  return true;
}

bool explain_missing_block(const Scene& s, ErrorSink& errors) {
  if (!s.expects(Tokens::OPEN_BRACE) || s.expects(Tokens::INT)) return false;
  if (s.rule == Grammar::RuleItem || s.rule == Grammar::RuleProgram) return false;
  report(errors, s.span(), "expected '{' before " + s.quoted(s.token), "what if, else, for and while govern stands in braces");
  return true;
}

bool explain_missing_result(const Scene& s, ErrorSink& errors) {
  if (!s.is(Tokens::OPEN_BRACE) || !s.expects(Tokens::ARROW)) return false;
  report(errors, s.gap(), "the type of the result is missing",
         "write fn f(x: real) -> real { ... }; what returns nothing is a proc");
  return true;
}

bool explain_for(const Scene& s, ErrorSink& errors) {
  if (s.after(Tokens::FOR) && s.is(Tokens::OPEN)) {
    report(errors, s.span(), "a loop has no parentheses", "write for i in 0..10 { ... } or for p in Particle { ... }");
    return true;
  }
  if (s.expects(Tokens::IN) && s.rule == Grammar::RuleIterator) {
    report(errors, s.span(), "expected 'in' before " + s.quoted(s.token), "write for i in 0..10 { ... } or for p in Particle { ... }");
    return true;
  }
  return false;
}

bool explain_reserved_name(const Scene& s, ErrorSink& errors) {
  if (!is_reserved(s.token->getType()) || !s.expects(Tokens::ID) || s.expects(Tokens::INT)) return false;
  report(errors, s.span(), s.quoted(s.token) + " is a reserved word and cannot be a name");
  return true;
}

bool explain_return(const Scene& s, ErrorSink& errors) {
  if (!s.after(Tokens::RETURN) || !s.is(Tokens::SEMI)) return false;
  report(errors, s.span(), "return needs a value", "a loop's iteration ends with continue; only fn and loss return");
  return true;
}

bool explain_several_values(const Scene& s, ErrorSink& errors) {
  if (!s.is(Tokens::COMMA) || !s.expects(Tokens::SEMI)) return false;
  const bool member = s.rule == Grammar::RuleMember;
  report(errors, s.span(), "expected ';', found ','",
         member ? "each member of a struct ends with ';'" : "several values stand in parentheses: return (a, b);");
  return true;
}

bool explain_foreign_else(const Scene& s, ErrorSink& errors) {
  const std::string_view word = s.before ? s.text.text(s.before) : std::string_view();
  if (word != "elif" && word != "elseif" && word != "elsif") return false;
  report(errors, s.text.span(s.before), "unexpected " + s.quoted(s.before), "write else if");
  return true;
}

bool explain_not(const Scene& s, ErrorSink& errors) {
  if (!s.is(Tokens::NOT)) return false;
  report(errors, s.span(), "'not' cannot stand here: it binds more loosely than what is before it", "write (not ...)");
  return true;
}

bool explain_equals(const Scene& s, ErrorSink& errors) {
  if (!s.is(Tokens::SET) || s.expects(Tokens::ID)) return false;
  report(errors, s.span(), "unexpected '='", "values are compared with ==; an assignment is a statement of its own");
  return true;
}

bool explain_otherwise(const Scene& s, ErrorSink& errors) {
  const std::string wanted = expectation(s);
  if (wanted.empty()) report(errors, s.span(), "unexpected " + s.quoted(s.token));
  else report(errors, s.span(), "expected " + wanted + ", found " + s.quoted(s.token));
  return true;
}

/// The first that knows speaks: from the plainest evidence to the most general.
constexpr Explanation explanations[] = {
    explain_unclosed_block, explain_end_of_file,    explain_closer,          explain_unclosed_bracket,
    explain_increment,      explain_foreign_else,   explain_unknown_word,    explain_missing_semicolon,
    explain_for,            explain_missing_result, explain_reserved_name,   explain_missing_block,
    explain_return,         explain_several_values, explain_not,             explain_equals,
    explain_otherwise,
};

/// What could have stood there. ANTLR knows it only where it stopped at the token itself, not while looking ahead.
antlr4::misc::IntervalSet expected_tokens(antlr4::Parser* parser, const Token* token, std::exception_ptr exception) {
  try {
    if (exception) std::rethrow_exception(exception);
  } catch (const antlr4::NoViableAltException& e) {
    if (e.getStartToken() != token) return {};
  } catch (const antlr4::RecognitionException& e) {
    return e.getExpectedTokens();
  }
  return parser->getExpectedTokens();
}

}  // namespace

void SyntaxErrors::syntaxError(antlr4::Recognizer* recognizer, Token* token, size_t, size_t, const std::string&,
                               std::exception_ptr exception) {
  auto* parser = static_cast<antlr4::Parser*>(recognizer);
  if (!errors_.wants(text_.span(token))) {
    errors_.error(text_.span(token), "");  // dropped, but the parse has failed
    return;
  }
  antlr4::TokenStream& stream = *parser->getTokenStream();
  const size_t index = token->getTokenIndex();
  Scene scene{text_, stream, parser->getVocabulary(), token};
  if (index >= 1) scene.before = stream.get(index - 1);
  if (index >= 2) scene.before_that = stream.get(index - 2);
  scene.opener = innermost_open(stream, index);
  scene.expected = expected_tokens(parser, token, exception);
  scene.rule = parser->getContext()->getRuleIndex();
  for (const Explanation explain : explanations) {
    if (explain(scene, errors_)) return;
  }
}

Token* Recovery::recoverInline(antlr4::Parser* parser) {
  Token* token = parser->getCurrentToken();
  const Token* before = parser->getTokenStream()->LT(-1);
  const bool wants_semicolon = getExpectedTokens(parser).contains(static_cast<size_t>(Tokens::SEMI));
  if (wants_semicolon && before && (token->getLine() > before->getLine() || begins_statement(token->getType()))) {
    reportMissingToken(parser);
    return getMissingSymbol(parser);
  }
  return DefaultErrorStrategy::recoverInline(parser);
}

/// Between items, ANTLR would give up at the first word that begins none: go on at the next line that begins one.
void Recovery::sync(antlr4::Parser* parser) {
  Token* token = parser->getCurrentToken();
  const bool between_items = parser->getContext()->getRuleIndex() == Grammar::RuleProgram;
  if (!between_items || begins_item(token->getType()) || token->getType() == Token::EOF) {
    DefaultErrorStrategy::sync(parser);
    return;
  }
  parser->notifyErrorListeners(token, "", nullptr);
  int open = 0;
  for (size_t line = token->getLine(); token->getType() != Token::EOF; token = parser->getCurrentToken()) {
    const bool first_on_line = token->getLine() != line;
    if (first_on_line && begins_item(token->getType()) && (open <= 0 || token->getCharPositionInLine() == 0)) break;
    if (token->getType() == Tokens::OPEN_BRACE) ++open;
    if (token->getType() == Tokens::CLOSE_BRACE) --open;
    line = token->getLine();
    parser->consume();
  }
}

}  // namespace adjoule::syntax
