// Expressions: their forms, and what binds how tightly.
#include "unit/syntax_support.hpp"

namespace adjoule::syntax {
namespace {

/// The expression with every operation in brackets: "(+ a (* b c))".
std::string shape(const Expr& e) {
  constexpr const char* comparisons[] = {"==", "!=", "<", "<=", ">", ">="};
  std::string head;
  switch (e.kind) {
    case ExprKind::integer: return std::to_string(e.integer);
    case ExprKind::real: return real_literal(e.real);
    case ExprKind::boolean: return e.integer ? "true" : "false";
    case ExprKind::name: return e.text;
    case ExprKind::conditional: head = "?"; break;
    case ExprKind::any_of: head = "or"; break;
    case ExprKind::all_of: head = "and"; break;
    case ExprKind::negation: head = "not"; break;
    case ExprKind::comparison: head = comparisons[static_cast<size_t>(e.op)]; break;
    case ExprKind::sum: case ExprKind::product: head = e.signs; break;
    case ExprKind::negative: head = "neg"; break;
    case ExprKind::power: head = "^"; break;
    case ExprKind::call: head = "call"; break;
    case ExprKind::index: head = "index"; break;
    case ExprKind::member: head = "." + e.text; break;
    case ExprKind::tuple: head = "tuple"; break;
    case ExprKind::array: head = "array"; break;
  }
  std::string text = "(" + head;
  for (const Expr& arg : e.args) text += " " + shape(arg);
  return text + ")";
}

std::string shape_of(const std::string& expression) {
  const Parsed parsed("const c = " + expression + ";");
  if (!parsed.program) return parsed.messages();
  EXPECT_EQ(parsed.text(parsed.program->consts[0].value.span), expression);
  expect_round_trip(*parsed.program);
  return shape(parsed.program->consts[0].value);
}

TEST(Expressions, Literals) {
  EXPECT_EQ(shape_of("42"), "42");
  EXPECT_EQ(shape_of("2147483647"), "2147483647");
  EXPECT_EQ(shape_of("-2147483648"), "(neg 2147483648)");
  EXPECT_EQ(shape_of("1.5"), "1.5");
  EXPECT_EQ(shape_of("1e-3"), "0.001");
  EXPECT_EQ(shape_of("2E+10"), "2e10");
  EXPECT_EQ(shape_of("1e-310"), "1e-310");
  EXPECT_EQ(shape_of("true"), "true");
  EXPECT_EQ(shape_of("false"), "false");
  EXPECT_EQ(shape_of("[1, 2, 3]"), "(array 1 2 3)");
  EXPECT_EQ(shape_of("(1, 2)"), "(tuple 1 2)");
}

TEST(Expressions, SumsAndProductsAreFlat) {
  EXPECT_EQ(shape_of("a + b - c + d"), "(++-+ a b c d)");
  EXPECT_EQ(shape_of("a * b / c"), "(**/ a b c)");
  EXPECT_EQ(shape_of("a + b * c - d"), "(++- a (** b c) d)");
  EXPECT_EQ(shape_of("(a + b) + c"), "(++ (++ a b) c)");
  EXPECT_EQ(shape_of("a - (b - c)"), "(+- a (+- b c))");
  EXPECT_EQ(shape_of("a or b or c and d and e"), "(or a b (and c d e))");
}

TEST(Expressions, Precedence) {
  EXPECT_EQ(shape_of("a or b and not c == d + e * -f^g"), "(or a (and b (not (== c (++ d (** e (neg (^ f g))))))))");
  EXPECT_EQ(shape_of("not a and b"), "(and (not a) b)");
  EXPECT_EQ(shape_of("not not a"), "(not (not a))");
  EXPECT_EQ(shape_of("a < b ? c : d"), "(? (< a b) c d)");
  EXPECT_EQ(shape_of("a or b ? c or d : e or f"), "(? (or a b) (or c d) (or e f))");
}

TEST(Expressions, Comparisons) {
  for (const std::string op : {"==", "!=", "<", "<=", ">", ">="}) EXPECT_EQ(shape_of("a " + op + " b"), "(" + op + " a b)");
}

TEST(Expressions, SignsAndPowers) {
  EXPECT_EQ(shape_of("-x^2"), "(neg (^ x 2))");
  EXPECT_EQ(shape_of("x^-2"), "(^ x (neg 2))");
  EXPECT_EQ(shape_of("x^-y^z"), "(^ x (neg (^ y z)))");
  EXPECT_EQ(shape_of("a^b^c"), "(^ a (^ b c))");
  EXPECT_EQ(shape_of("(a^b)^c"), "(^ (^ a b) c)");
  EXPECT_EQ(shape_of("(-x)^2"), "(^ (neg x) 2)");
  EXPECT_EQ(shape_of("a - -b"), "(+- a (neg b))");
  EXPECT_EQ(shape_of("--a"), "(neg (neg a))");
  EXPECT_EQ(shape_of("-a * b"), "(** (neg a) b)");
  EXPECT_EQ(shape_of("a * -b"), "(** a (neg b))");
  EXPECT_EQ(shape_of("2^x[p].y"), "(^ 2 (.y (index x p)))");
}

TEST(Expressions, APlusLeavesNoTrace) {
  const Parsed parsed("const c = +a * +b;");
  ASSERT_TRUE(parsed.program);
  EXPECT_EQ(shape(parsed.program->consts[0].value), "(** a b)");
}

TEST(Expressions, Suffixes) {
  EXPECT_EQ(shape_of("f()"), "(call f)");
  EXPECT_EQ(shape_of("f(a, b)"), "(call f a b)");
  EXPECT_EQ(shape_of("u[c + (1, 0)]"), "(index u (++ c (tuple 1 0)))");
  EXPECT_EQ(shape_of("ends[s][0]"), "(index (index ends s) 0)");
  EXPECT_EQ(shape_of("M[i, j]"), "(index M i j)");
  EXPECT_EQ(shape_of("Cell.boundary(1, x_low)"), "(call (.boundary Cell) 1 x_low)");
  EXPECT_EQ(shape_of("s.pop()"), "(call (.pop s))");
  EXPECT_EQ(shape_of("svd(A).u[0, 1]"), "(index (.u (call svd A)) 0 1)");
}

TEST(Expressions, ConditionalsChain) {
  EXPECT_EQ(shape_of("a ? 1 : b ? 2 : 3"), "(? a 1 b 2 3)");
  EXPECT_EQ(shape_of("a ? b ? 1 : 2 : 3"), "(? a (? b 1 2) 3)");
}

TEST(Expressions, WordsOfOnePlaceStayNames) {
  for (const std::string word : {"step", "state", "input", "size", "grid", "boundary", "loss", "init", "min", "max", "by",
                                 "solve", "space", "import", "zero", "real", "stack", "time"}) {
    EXPECT_EQ(shape_of(word + " + 1"), "(++ " + word + " 1)");
  }
}

TEST(Expressions, ParenthesesAreRemembered) {
  const Parsed parsed("const c = (a + b) * (c);");
  ASSERT_TRUE(parsed.program);
  const Expr& product = parsed.program->consts[0].value;
  EXPECT_FALSE(product.parenthesised);
  EXPECT_TRUE(product.args[0].parenthesised);
  EXPECT_TRUE(product.args[1].parenthesised);
  EXPECT_EQ(parsed.text(product.args[0].span), "(a + b)");
}

}  // namespace
}  // namespace adjoule::syntax
