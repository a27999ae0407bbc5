// Mistakes that show in single tokens: how other languages spell things, broken numbers, unknown characters. Each is
// reported once and repaired in place, so that the parser goes on and finds the other mistakes of the file.
#include "syntax/tokens.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "syntax/nesting.hpp"
#include "syntax/utf8.hpp"

namespace adjoule::syntax {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// What a wrong spelling stands for, and what to say.
struct Wrong {
  size_t token;
  size_t meant;
  const char* message;
  const char* help;
};

constexpr Wrong wrong_tokens[] = {
    {Tokens::WRONG_AND, Tokens::AND, "there is no '&&' or '&'", "write 'and'"},
    {Tokens::WRONG_OR, Tokens::OR, "there is no '||' or '|'", "write 'or'"},
    {Tokens::WRONG_NOT, Tokens::NOT, "there is no '!'", "write 'not'"},
    {Tokens::WRONG_POWER, Tokens::HAT, "there is no '**'", "write a ^ b for a power"},
    {Tokens::WRONG_MOD, Tokens::TIMES, "there is no '%'", "write mod(a, b) for the remainder"},
    {Tokens::WRONG_RANGE, Tokens::RANGE, "there is no '...'", "a range has two dots: 0..10 runs from 0 to 9"},
    {Tokens::WRONG_STRING, Tokens::STRING, "this string has no closing '\"' on its line", "close it with '\"'"},
};

/// Characters that typeset text has in place of ours.
struct Lookalike {
  std::string_view character;
  size_t meant;
  const char* write;
};

constexpr Lookalike lookalikes[] = {
    {"−", Tokens::MINUS, "-"}, {"–", Tokens::MINUS, "-"}, {"×", Tokens::TIMES, "*"}, {"·", Tokens::TIMES, "*"},
    {"÷", Tokens::DIVIDE, "/"}, {"≤", Tokens::LESS_EQUAL, "<="}, {"≥", Tokens::GREATER_EQUAL, ">="},
    {"≠", Tokens::NOT_EQUAL, "!="}, {"→", Tokens::ARROW, "->"},
};

bool is_letter_or_digit_of_ours(size_t type) { return type == Tokens::ID || type == Tokens::INT || is_name(type); }

/// 'x', or U+0000 where showing the character itself would show nothing.
std::string shown(std::string_view character) {
  if (character.size() == 1 && (character[0] < ' ' || character[0] == 0x7F)) {
    char code[16];
    std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(static_cast<unsigned char>(character[0])));
    return code;
  }
  if (character == "\xC2\xA0") return "U+00A0 (a no-break space)";
  return "'" + std::string(character) + "'";
}

}  // namespace

bool ErrorSink::wants(Span span) const {
  if (stopped_ || lines_.size() >= most_errors) return false;
  return std::none_of(lines_.begin(), lines_.end(),
      [&](Line line) { return span.begin >= line.begin && span.begin <= line.end; });
}

Diagnostic* ErrorSink::error(Span span, std::string message, std::string help) {
  any_ = true;
  if (!wants(span)) return nullptr;
  const std::string_view line = sources_.line_text(span);
  const auto begin = static_cast<uint32_t>(line.data() - sources_.files[static_cast<size_t>(span.file)].text.data());
  lines_.push_back({begin, begin + static_cast<uint32_t>(line.size())});
  return &diagnostics_.error(span, std::move(message), std::move(help));
}

TokenText::TokenText(const SourceMap& sources, int32_t file_number)
    : bytes(sources.files[static_cast<size_t>(file_number)].text), file(file_number) {
  if (bytes.starts_with(byte_order_mark)) mark = byte_order_mark.size();
  const std::string_view seen = bytes.substr(mark);
  offsets = code_point_offsets(seen);
  input.load(std::string(seen));
}

Span TokenText::span(const antlr4::Token* token) const {
  const size_t last = offsets.size() - 1;
  const size_t begin = std::min(token->getStartIndex(), last);
  const size_t end = token->getType() == antlr4::Token::EOF ? begin : std::min(token->getStopIndex() + 1, last);
  return {file, offsets[begin] + mark, offsets[std::max(begin, end)] + mark};
}

std::string_view TokenText::text(const antlr4::Token* token) const { return text(span(token)); }

std::unique_ptr<antlr4::Token> TokenReader::nextToken() { return std::move(tokens_[next_++]); }

bool TokenReader::read(ErrorSink& errors) {
  Nesting nesting;
  for (;;) {
    std::unique_ptr<antlr4::Token> token = AdjouleLexer::nextToken();
    if (token->getChannel() != antlr4::Token::DEFAULT_CHANNEL) continue;
    const bool at_end = token->getType() == antlr4::Token::EOF;
    if (!at_end && !nesting.accept(token->getType())) {
      errors.error(text_.span(token.get()),
                   "this nests too deeply (the limit is " + std::to_string(deepest_nesting) + " levels)",
                   "give parts of it names with let, or put them into a fn");
      return false;
    }
    if (at_end) tokens_.push_back(std::move(token));
    else take(std::move(token), errors);
    if (at_end) return true;
  }
}

void TokenReader::take(std::unique_ptr<antlr4::Token> token, ErrorSink& errors) {
  if (token->getLine() == skipped_line_) return;
  Token* common = static_cast<Token*>(token.get());  // the default token factory makes no other
  if (repair_number(common, errors) || repair_wrong(common, errors)) return;
  if (common->getType() == INT) check_int(common, errors);
  tokens_.push_back(std::move(token));
}

TokenReader::Token* TokenReader::kept(size_t back) const {
  return back > tokens_.size() ? nullptr : static_cast<Token*>(tokens_[tokens_.size() - back].get());
}

bool TokenReader::touches(const Token* left, const Token* right) const {
  return left && left->getStopIndex() + 1 == right->getStartIndex();
}

/// `1.`, `.5`, `2x`; true when the token was merged into the one before it. Also looks at the value of a good real.
bool TokenReader::repair_number(Token* token, ErrorSink& errors) {
  const size_t type = token->getType();
  Token* before = kept(1);
  const size_t before_type = before ? before->getType() : 0;
  if (type == DOT && before_type == INT && touches(before, token)) {
    const std::string digits(text_.text(before));
    errors.error(span_of(before, token), "a real needs digits on both sides of the dot: write " + digits + ".0");
    before->setType(REAL);
    before->setStopIndex(token->getStopIndex());
    return true;
  }
  if ((type == INT || type == REAL) && before_type == DOT && touches(before, token)) {
    Token* owner = kept(2);
    if (!owner || !ends_operand(owner->getType())) {
      const std::string digits(text_.text(token));
      errors.error(span_of(before, token), "a real needs digits on both sides of the dot: write 0." + digits);
      before->setType(REAL);
      before->setStopIndex(token->getStopIndex());
      return true;
    }
  }
  if (type == ID && (before_type == INT || before_type == REAL) && touches(before, token)) {
    const std::string number(text_.text(before)), name(text_.text(token));
    errors.error(span_of(before, token), "a number runs into a name",
                 "write " + number + " * " + name + " for a product; numbers have no suffixes");
    before->setStopIndex(token->getStopIndex());
    return true;
  }
  if (type == REAL) {
    const std::string_view digits = text_.text(token);
    double value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const std::string_view mantissa = digits.substr(0, digits.find_first_of("eE"));
    const bool zero = mantissa.find_first_not_of("0.") == std::string_view::npos;
    const bool lost = result.ec != std::errc() || std::isinf(value) || (value == 0 && !zero);
    if (lost && !zero) {
      errors.error(text_.span(token), "this real is out of range", "a real lies between about 1e-308 and 1e308");
    }
  }
  return false;
}

void TokenReader::check_int(const Token* token, ErrorSink& errors) {
  const std::string_view digits = text_.text(token);
  int64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const Token* sign = kept(1);
  const Token* before_sign = kept(2);
  const bool negated = sign && sign->getType() == MINUS && !(before_sign && ends_operand(before_sign->getType()));
  const int64_t largest = negated ? int64_t{2147483648} : int64_t{2147483647};
  if (result.ec == std::errc() && value <= largest) return;
  errors.error(text_.span(token), "this integer does not fit in an int (32 bits, at most 2147483647)",
               "if it is meant as a real, write " + std::string(digits.substr(0, 40)) + ".0");
}

/// Spellings of other languages; true when the token is to be left out.
bool TokenReader::repair_wrong(Token* token, ErrorSink& errors) {
  for (const Wrong& wrong : wrong_tokens) {
    if (token->getType() != wrong.token) continue;
    errors.error(text_.span(token), wrong.message, wrong.help);
    token->setType(wrong.meant);
    return false;
  }
  if (token->getType() == WRONG_COMMENT) {
    Span span = text_.span(token);
    span.end = span.begin + 2;
    errors.error(span, "there are no /* */ comments", "comments run from // to the end of the line");
    return true;
  }
  if (token->getType() == WRONG) return repair_character(token, errors);
  // The rest of a name that an unknown letter began.
  Token* before = kept(1);
  if (before && before->getType() == WRONG && is_letter_or_digit_of_ours(token->getType()) && touches(before, token)) {
    before->setStopIndex(token->getStopIndex());
    return true;
  }
  if (before && before->getType() == WRONG) before->setType(ID);
  return false;
}

/// A character that no token begins with. Letters of other alphabets are read as part of a name: they are kept as WRONG
/// until the next token shows where that name ends.
bool TokenReader::repair_character(Token* token, ErrorSink& errors) {
  const Span span = text_.span(token);
  const std::string_view character = text_.text(span);
  for (const Lookalike& other : lookalikes) {
    if (character != other.character) continue;
    errors.error(span, "unknown character " + shown(character), std::string("write ") + other.write);
    token->setType(other.meant);
    return false;
  }
  std::string help;
  if (character == "#") {
    help = "comments begin with //";
    skipped_line_ = token->getLine();
  } else if (character == "'") {
    help = "strings stand in double quotes";
  }
  const bool letter = static_cast<unsigned char>(character[0]) >= 0x80 && character != "\xC2\xA0";
  if (letter) help = "names are made of the letters a to z and A to Z, digits and _";
  errors.error(span, "unknown character " + shown(character), help);
  if (!letter) return true;

  Token* before = kept(1);
  const bool continues = before && touches(before, token) &&
                         (before->getType() == WRONG || is_letter_or_digit_of_ours(before->getType()));
  if (!continues) return false;
  before->setType(WRONG);
  before->setStopIndex(token->getStopIndex());
  return true;
}

}  // namespace adjoule::syntax
