// Expressions and types as source. Parentheses that the writer set are kept; where a tree made by the compiler needs
// more of them, they are added.
#include <charconv>
#include <cmath>

#include "syntax/print.hpp"

namespace adjoule::syntax {

namespace {

/// How tightly an expression holds together, loosest first, as in the grammar.
enum class Tightness { conditional, disjunction, conjunction, negation, comparison, sum, product, unary, power, postfix };

Tightness tightness(const Expr& e) {
  switch (e.kind) {
    case ExprKind::conditional: return Tightness::conditional;
    case ExprKind::any_of: return Tightness::disjunction;
    case ExprKind::all_of: return Tightness::conjunction;
    case ExprKind::negation: return Tightness::negation;
    case ExprKind::comparison: return Tightness::comparison;
    case ExprKind::sum: return Tightness::sum;
    case ExprKind::product: return Tightness::product;
    case ExprKind::negative: return Tightness::unary;
    case ExprKind::power: return Tightness::power;
    case ExprKind::integer: return e.integer < 0 ? Tightness::unary : Tightness::postfix;
    case ExprKind::real: return std::signbit(e.real) ? Tightness::unary : Tightness::postfix;
    default: return Tightness::postfix;
  }
}

class Printer {
 public:
  std::string out;

  /// `e` where something at least as tight as `wanted` must stand.
  void expr(const Expr& e, Tightness wanted) {
    const bool parens = e.kind != ExprKind::tuple && (e.parenthesised || tightness(e) < wanted);
    if (parens) out += '(';
    bare(e);
    if (parens) out += ')';
  }

 private:
  void bare(const Expr& e);
  void conditional(const Expr& e);
  void sum(const Expr& e);
  void product(const Expr& e);
  void power(const Expr& e);
  void chain(const Expr& e, const char* between, Tightness wanted);
  void list(const Expr& e, size_t first);
};

constexpr const char* comparison_text[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};

void Printer::bare(const Expr& e) {
  switch (e.kind) {
    case ExprKind::integer: out += std::to_string(e.integer); break;
    case ExprKind::real: out += real_literal(e.real); break;
    case ExprKind::boolean: out += e.integer ? "true" : "false"; break;
    case ExprKind::name: out += e.text; break;
    case ExprKind::conditional: conditional(e); break;
    case ExprKind::any_of: chain(e, " or ", Tightness::conjunction); break;
    case ExprKind::all_of: chain(e, " and ", Tightness::negation); break;
    case ExprKind::negation: out += "not "; expr(e.args[0], Tightness::negation); break;
    case ExprKind::comparison:
      expr(e.args[0], Tightness::sum);
      out += comparison_text[static_cast<size_t>(e.op)];
      expr(e.args[1], Tightness::sum);
      break;
    case ExprKind::sum: sum(e); break;
    case ExprKind::product: product(e); break;
    case ExprKind::negative: out += '-'; expr(e.args[0], Tightness::unary); break;
    case ExprKind::power: power(e); break;
    case ExprKind::call: expr(e.args[0], Tightness::postfix); out += '('; list(e, 1); out += ')'; break;
    case ExprKind::index: expr(e.args[0], Tightness::postfix); out += '['; list(e, 1); out += ']'; break;
    case ExprKind::member: expr(e.args[0], Tightness::postfix); out += '.' + e.text; break;
    case ExprKind::tuple: out += '('; list(e, 0); out += ')'; break;
    case ExprKind::array: out += '['; list(e, 0); out += ']'; break;
  }
}

void Printer::conditional(const Expr& e) {
  for (size_t i = 0; i + 1 < e.args.size(); i += 2) {
    expr(e.args[i], Tightness::disjunction);
    out += " ? ";
    expr(e.args[i + 1], Tightness::conditional);
    out += " : ";
  }
  expr(e.args.back(), Tightness::disjunction);
}

void Printer::chain(const Expr& e, const char* between, Tightness wanted) {
  for (size_t i = 0; i < e.args.size(); ++i) {
    if (i) out += between;
    expr(e.args[i], wanted);
  }
}

/// A sum or product whose first sign is not the neutral one can only come from the compiler: it is written with one.
void Printer::sum(const Expr& e) {
  for (size_t i = 0; i < e.args.size(); ++i) {
    const bool minus = e.signs[i] == '-';
    if (i) out += minus ? " - " : " + ";
    else if (minus) out += "0 - ";
    expr(e.args[i], Tightness::product);
  }
}

void Printer::product(const Expr& e) {
  for (size_t i = 0; i < e.args.size(); ++i) {
    const bool divide = e.signs[i] == '/';
    if (i) out += divide ? " / " : " * ";
    else if (divide) out += "1 / ";
    expr(e.args[i], Tightness::unary);
  }
}

/// The right side may carry signs and is itself a power: a ^ -b ^ c needs no parentheses.
void Printer::power(const Expr& e) {
  expr(e.args[0], Tightness::postfix);
  out += '^';
  expr(e.args[1], Tightness::unary);
}

void Printer::list(const Expr& e, size_t first) {
  for (size_t i = first; i < e.args.size(); ++i) {
    if (i > first) out += ", ";
    expr(e.args[i], Tightness::conditional);
  }
}

}  // namespace

std::string real_literal(double value) {
  if (std::isnan(value)) return "(0.0 / 0.0)";
  if (std::isinf(value)) return value > 0 ? "(1.0 / 0.0)" : "-(1.0 / 0.0)";
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, result.ptr);
  if (const size_t e = text.find('e'); e != std::string::npos) {  // 2e-04 -> 2e-4, 1e+10 -> 1e10
    size_t digits = e + 1;
    if (text[digits] == '+') text.erase(digits, 1);
    else if (text[digits] == '-') ++digits;
    while (text[digits] == '0' && digits + 1 < text.size()) text.erase(digits, 1);
  }
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string print(const Expr& expr) {
  Printer printer;
  printer.expr(expr, Tightness::conditional);
  return std::move(printer.out);
}

std::string print(const TypeExpr& type) {
  std::string text = type.name;
  if (!type.argument.empty()) text += "<" + print(type.argument[0]) + ">";
  for (size_t i = 0; i < type.brackets.size(); ++i) text += (i ? ", " : "[") + print(type.brackets[i]);
  return type.brackets.empty() ? text : text + "]";
}

}  // namespace adjoule::syntax
