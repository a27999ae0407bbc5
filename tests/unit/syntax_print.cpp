// Printing: the layout, literals, parentheses that a tree needs, and all programs there and back.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "unit/syntax_support.hpp"

namespace adjoule::syntax {
namespace {

std::string printed(const std::string& text) {
  const Parsed parsed(text);
  EXPECT_TRUE(parsed.program) << parsed.messages();
  return parsed.program ? print(*parsed.program) : "";
}

TEST(Print, Layout) {
  EXPECT_EQ(printed("size n=3;state x[ P ]:vec2;step{let a=1;for p in P{x[p]=a;}if a{x=1;y=2;z=3;}else{x=2;}while b{}}"),
            "size n = 3;\n"
            "state x[P]: vec2;\n"
            "\n"
            "step {\n"
            "  let a = 1;\n"
            "  for p in P { x[p] = a; }\n"
            "  if a {\n"
            "    x = 1;\n"
            "    y = 2;\n"
            "    z = 3;\n"
            "  } else { x = 2; }\n"
            "  while b { }\n"
            "}\n");
}

TEST(Print, RealsAreShortAndStayReals) {
  EXPECT_EQ(real_literal(2), "2.0");
  EXPECT_EQ(real_literal(0.1), "0.1");
  EXPECT_EQ(real_literal(1e-3), "0.001");
  EXPECT_EQ(real_literal(2e-4), "2e-4");
  EXPECT_EQ(real_literal(1e300), "1e300");
  EXPECT_EQ(real_literal(-0.0), "-0.0");
  EXPECT_EQ(real_literal(std::numeric_limits<double>::infinity()), "(1.0 / 0.0)");
}

TEST(Print, RealsReadBackTheSame) {
  for (double value : {1e5, 1e16, 123456789.125, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, 1.0 / 3, 1e22, 1e23}) {
    const Parsed parsed("const c = " + real_literal(value) + ";");
    ASSERT_TRUE(parsed.program) << parsed.messages();
    EXPECT_EQ(parsed.program->consts[0].value.kind, ExprKind::real) << real_literal(value);
    EXPECT_EQ(parsed.program->consts[0].value.real, value);
  }
}

Expr made(ExprKind kind, std::vector<Expr> args, std::string text = "") {
  Expr e;
  e.kind = kind;
  e.args = std::move(args);
  if (kind == ExprKind::sum || kind == ExprKind::product) e.signs = std::move(text);
  else e.text = std::move(text);
  return e;
}

Expr name(const char* text) { return made(ExprKind::name, {}, text); }

TEST(Print, ParenthesesWhereATreeNeedsThem) {
  const Expr a = name("a"), b = name("b"), c = name("c");
  const Expr sum = made(ExprKind::sum, {a, b}, "++");
  const Expr power = made(ExprKind::power, {a, b});
  const Expr negative = made(ExprKind::negative, {a});
  EXPECT_EQ(print(made(ExprKind::product, {sum, c}, "**")), "(a + b) * c");
  EXPECT_EQ(print(made(ExprKind::sum, {c, sum}, "+-")), "c - (a + b)");
  EXPECT_EQ(print(made(ExprKind::sum, {sum, c}, "++")), "(a + b) + c");
  EXPECT_EQ(print(made(ExprKind::power, {power, c})), "(a^b)^c");
  EXPECT_EQ(print(made(ExprKind::power, {c, power})), "c^a^b");
  EXPECT_EQ(print(made(ExprKind::power, {negative, c})), "(-a)^c");
  EXPECT_EQ(print(made(ExprKind::power, {c, negative})), "c^-a");
  EXPECT_EQ(print(made(ExprKind::negative, {sum})), "-(a + b)");
  EXPECT_EQ(print(made(ExprKind::member, {sum}, "x")), "(a + b).x");
  EXPECT_EQ(print(made(ExprKind::negation, {made(ExprKind::all_of, {a, b})})), "not (a and b)");
  EXPECT_EQ(print(made(ExprKind::comparison, {made(ExprKind::negation, {a}), b})), "(not a) == b");
  const Expr choice = made(ExprKind::conditional, {a, b, c});
  EXPECT_EQ(print(made(ExprKind::conditional, {choice, choice, choice})), "(a ? b : c) ? a ? b : c : (a ? b : c)");
}

TEST(Print, ItemsWithoutPlacesComeKindByKind) {
  Program program;
  program.losses.push_back({{}, "", {}, {}});
  program.sizes.push_back({{}, "n", {}, std::nullopt});
  EXPECT_EQ(print(program), "size n;\n\nloss {\n}\n");
}

TEST(Dump, IsATree) {
  const Parsed parsed("const c = 1 + x[p];\nstep { serial for k in reversed(0..3) { y min= -2.0; } }");
  ASSERT_TRUE(parsed.program);
  EXPECT_EQ(dump(*parsed.program),
            "const c\n"
            "  sum ++\n"
            "    integer 1\n"
            "    index\n"
            "      name x\n"
            "      name p\n"
            "step\n"
            "  serial for\n"
            "    iterator k reversed range\n"
            "      integer 0\n"
            "      integer 3\n"
            "    assign min=\n"
            "      name y\n"
            "      negative\n"
            "        real 2.0\n");
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Print, AllProgramsThereAndBack) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ADJOULE_PROGRAMS_DIR)) {
    if (entry.path().extension() != ".adj") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const Parsed parsed(read(entry.path()));
    ASSERT_TRUE(parsed.program) << parsed.messages();
    EXPECT_TRUE(parsed.diagnostics.list.empty());
    expect_round_trip(*parsed.program);
    ++count;
  }
  EXPECT_GE(count, 33);
}

}  // namespace
}  // namespace adjoule::syntax
