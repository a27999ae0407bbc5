// What the user is told about a text that is no program.
#include <array>
#include <ctime>

#include "unit/syntax_support.hpp"

namespace adjoule::syntax {
namespace {

/// The one error of a step with this statement, without its place; all of them when there are several.
std::string error_in_step(const std::string& statement) {
  const Parsed parsed("step { " + statement + " }");
  EXPECT_FALSE(parsed.program);
  return parsed.diagnostics.list.size() == 1 ? parsed.diagnostics.list[0].message : parsed.messages();
}

std::string help_in_step(const std::string& statement) {
  const Parsed parsed("step { " + statement + " }");
  return parsed.diagnostics.list.size() == 1 ? parsed.diagnostics.list[0].help : parsed.messages();
}

TEST(SyntaxErrors, MissingSemicolons) {
  EXPECT_EQ(errors_of("step {\n  let a = 1\n  let b = 2;\n  x = a\n  y = b\n}\n"),
            "2:12: expected ';' after this statement\n"
            "4:8: expected ';' after this statement\n"
            "5:8: expected ';' after this statement\n");
  EXPECT_EQ(errors_of("const a = 1\nsize n\nstep { }\n"),
            "1:12: expected ';' after this declaration\n2:7: expected ';' after this declaration\n");
}

TEST(SyntaxErrors, UnknownCharacters) {
  EXPECT_EQ(errors_of("const a = 1 @ 2;\nconst dρ0 = 1;\nconst c = 2 − 1;\n# a note (\nconst d = 1;\n"),
            "1:13: unknown character '@'\n2:8: unknown character 'ρ'\n3:13: unknown character '−'\n"
            "4:1: unknown character '#'\n");
  EXPECT_EQ(errors_of(std::string("size n;\0", 8)), "1:8: unknown character U+0000\n");
}

TEST(SyntaxErrors, Numbers) {
  EXPECT_EQ(error_in_step("x = 1.;"), "a real needs digits on both sides of the dot: write 1.0");
  EXPECT_EQ(error_in_step("x = .5;"), "a real needs digits on both sides of the dot: write 0.5");
  EXPECT_EQ(error_in_step("x = 2y;"), "a number runs into a name");
  EXPECT_EQ(error_in_step("x = 2147483648;"), "this integer does not fit in an int (32 bits, at most 2147483647)");
  EXPECT_EQ(error_in_step("x = a - 2147483648;"), "this integer does not fit in an int (32 bits, at most 2147483647)");
  EXPECT_EQ(error_in_step("x = 99999999999999999999999;"), "this integer does not fit in an int (32 bits, at most 2147483647)");
  EXPECT_EQ(error_in_step("x = 1e400;"), "this real is out of range");
  EXPECT_EQ(error_in_step("x = 1e-400;"), "this real is out of range");
  EXPECT_EQ(error_in_step("for i in 0...3 { }"), "there is no '...'");
}

TEST(SyntaxErrors, BracketsNameTheirOpening) {
  const Parsed parsed("step {\n  let a = (1 + 2;\n  x[1 = 3;\n  f((a, b];\n}\n");
  ASSERT_EQ(parsed.diagnostics.list.size(), 3u) << parsed.messages();
  EXPECT_EQ(parsed.diagnostics.list[0].message, "')' is missing");
  EXPECT_EQ(parsed.sources.describe(parsed.diagnostics.list[0].notes.at(0).span), "t.adj:2:11");
  EXPECT_EQ(parsed.diagnostics.list[1].message, "']' is missing");
  EXPECT_EQ(parsed.diagnostics.list[2].message, "expected ')' before ']'");
}

TEST(SyntaxErrors, UnclosedBlocks) {
  const Parsed at_end("step {\n  if a {\n    x = 1;\n  }\n");
  ASSERT_EQ(at_end.diagnostics.list.size(), 1u);
  EXPECT_EQ(at_end.diagnostics.list[0].message, "the file ends inside a block: '}' is missing");
  EXPECT_EQ(at_end.sources.describe(at_end.diagnostics.list[0].notes.at(0).span), "t.adj:1:6");
  EXPECT_EQ(errors_of("init {\n  if a {\n  x = 1;\n}\nstep {\n}\nloss { return 1; }\n"), "5:1: '}' is missing before 'step'\n");
  EXPECT_EQ(errors_of("init {\n  x = 1;\nfn f(a: real) -> real {\n return a;\n}\n"), "3:1: '}' is missing before 'fn'\n");
  EXPECT_EQ(errors_of("step { } }\nsize n;\n"), "1:10: unexpected '}': nothing is open here\n");
}

TEST(SyntaxErrors, StringsAndComments) {
  EXPECT_EQ(errors_of("import \"a.adj;\nsize n;\n"), "1:8: this string has no closing '\"' on its line\n");
  EXPECT_EQ(errors_of("/* a\n b */\nsize n;\n"), "1:1: there are no /* */ comments\n");
  EXPECT_EQ(errors_of("size n; /* never closed"), "1:9: there are no /* */ comments\n");
}

TEST(SyntaxErrors, Comparisons) {
  EXPECT_EQ(error_in_step("x = a < b < c;"), "comparisons do not chain: write a < b and b < c");
  EXPECT_EQ(error_in_step("x = 0 <= a + 1 < b;"), "comparisons do not chain: write 0 <= a + 1 and a + 1 < b");
  EXPECT_EQ(error_in_step("if a = b { }"), "a condition compares with '==', not '='");
  EXPECT_EQ(error_in_step("while a = b { }"), "a condition compares with '==', not '='");
  EXPECT_EQ(error_in_step("let c = a = b;"), "unexpected '='");
}

TEST(SyntaxErrors, SpellingsOfOtherLanguages) {
  EXPECT_EQ(help_in_step("if a && b { }"), "write 'and'");
  EXPECT_EQ(help_in_step("if a || b { }"), "write 'or'");
  EXPECT_EQ(help_in_step("if !a { }"), "write 'not'");
  EXPECT_EQ(help_in_step("x = a % 2;"), "write mod(a, b) for the remainder");
  EXPECT_EQ(help_in_step("x = a ** 2;"), "write a ^ b for a power");
  EXPECT_EQ(help_in_step("x++;"), "write x += 1");
  EXPECT_EQ(help_in_step("x--;"), "write x -= 1");
  EXPECT_EQ(help_in_step("if a { } elif b { }"), "write else if");
  EXPECT_EQ(help_in_step("fro p in P { }"), "did you mean 'for'?");
  EXPECT_EQ(help_in_step("float a = 3;"), "write let a = ...; or var a: real = ...;");
}

TEST(SyntaxErrors, StatementsWithoutEffect) {
  EXPECT_EQ(error_in_step("x;"), "this statement does nothing");
  EXPECT_EQ(help_in_step("x == 3;"), "an assignment is written with '='");
  EXPECT_EQ(error_in_step("f(x) = 3;"), "this cannot be assigned to");
  EXPECT_EQ(error_in_step("a + b = 3;"), "this cannot be assigned to");
}

TEST(SyntaxErrors, Others) {
  EXPECT_EQ(error_in_step("if a x = 1;"), "expected '{' before 'x'");
  EXPECT_EQ(error_in_step("for (i = 0; i < 3; i += 1) { }"), "a loop has no parentheses");
  EXPECT_EQ(error_in_step("for i of A { }"), "expected 'in' before 'of'");
  EXPECT_EQ(error_in_step("return;"), "return needs a value");
  EXPECT_EQ(error_in_step("let if = 3;"), "'if' is a reserved word and cannot be a name");
  EXPECT_EQ(error_in_step("x = ;"), "expected an expression, found ';'");
  EXPECT_EQ(error_in_step("let = 3;"), "expected a name, found '='");
  EXPECT_EQ(error_in_step("x = a ? b;"), "expected ':', found ';'");
  EXPECT_EQ(error_in_step("x = a + not b;"), "'not' cannot stand here: it binds more loosely than what is before it");
  EXPECT_EQ(help_in_step("return a, b;"), "several values stand in parentheses: return (a, b);");
  EXPECT_EQ(error_in_step("else { }"), "expected a statement, found 'else'");
}

TEST(SyntaxErrors, Declarations) {
  EXPECT_EQ(errors_of("stat x: real;\nsize n;\ndef f() {\n let a = 1;\n}\nparam: real;\n"),
            "1:1: unexpected 'stat'\n3:1: unexpected 'def'\n6:6: expected a name, found ':'\n");
  EXPECT_EQ(errors_of("fn f(x: real) { return x; }\nsize n\n"),
            "1:14: the type of the result is missing\n2:7: expected ';' after this declaration\n");
  EXPECT_EQ(errors_of("struct B { x: vec2, v: vec2 }"), "1:19: expected ';', found ','\n");
}

TEST(SyntaxErrors, AtMostTwentyAndOneALine) {
  std::string text = "step {\n";
  for (int i = 0; i < 50; ++i) text += "  x = + ; y = * ;\n";
  EXPECT_EQ(Parsed(text + "}\n").diagnostics.list.size(), 20u);
}

TEST(SyntaxErrors, InvalidUtf8) {
  EXPECT_EQ(errors_of("size n;\nsize \xFF;\n"), "2:6: this is not valid UTF-8: byte 13 of the file is 0xFF\n");
  for (const char* bytes : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80",
                            "\xF0\x9F\x98", "\xF4\x90\x80\x80", "\xF8"}) {
    const Parsed parsed(std::string("// ") + bytes);
    ASSERT_EQ(parsed.diagnostics.list.size(), 1u);
    EXPECT_EQ(parsed.diagnostics.list[0].span.begin, 3u);
  }
  EXPECT_TRUE(Parsed("// λ 中 😀").program);
}

double seconds(const std::string& text, bool expect_program, std::string* messages = nullptr) {
  const std::clock_t start = std::clock();  // of this process: other work on the machine must not fail a test
  const Parsed parsed(text);
  EXPECT_EQ(parsed.program.has_value(), expect_program);
  EXPECT_EQ(parsed.diagnostics.has_errors(), !expect_program);
  if (messages) *messages = parsed.messages();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::string repeated(const std::string& text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i) result += text;
  return result;
}

TEST(Size, NestingHasALimit) {
  std::string messages;
  EXPECT_LT(seconds("const a = " + repeated("(", 5000) + "1" + repeated(")", 5000) + ";", false, &messages), 2);
  EXPECT_NE(messages.find("nests too deeply"), std::string::npos);
  EXPECT_LT(seconds(repeated("(", 1 << 20), false), 2);
  for (const auto& [open, middle, close] : {std::array{"(", "1", ")"}, std::array{"-", "1", ""}, std::array{"x[", "1", "]"},
                                            std::array{"", "1", "^2"}, std::array{"a ? ", "1", " : 2"}, std::array{"", "a", ".x"},
                                            std::array{"not ", "a", ""}, std::array{"", "f", "()"}}) {
    const auto text = [&](size_t n) { return "const a = " + repeated(open, n) + middle + repeated(close, n) + ";"; };
    EXPECT_LT(seconds(text(250), true), 5) << open << close;
    EXPECT_LT(seconds(text(300), false), 2) << open << close;
  }
  EXPECT_LT(seconds("step { var s: " + repeated("stack<", 300) + "real" + repeated(">", 300) + "; }", false), 2);
  EXPECT_LT(seconds("step " + repeated("{ ", 300) + repeated("}", 300), false), 2);
}

TEST(Size, WhatDoesNotNestHasNone) {
  EXPECT_LT(seconds("const a = x" + repeated(" + x[i].y^-2 * -f(1)", 2000) + ";", true), 10);
  EXPECT_LT(seconds("const a = 1" + repeated(" + x", 40000) + ";", true), 10);  // about 1 s alone
  EXPECT_LT(seconds("const a = " + repeated("a < 1 ? 2 : ", 5000) + "3;", true), 10);
  EXPECT_LT(seconds("step { if a { }" + repeated(" else if b { }", 5000) + " }", true), 10);
  EXPECT_LT(seconds("step { " + repeated("x = -x; ", 10000) + "}", true), 10);
}

TEST(Size, GarbageIsRefusedInTime) {
  EXPECT_LT(seconds(repeated("x = ( ] ; } { fn 3 . ", 5000), false), 10);
  EXPECT_LT(seconds(repeated("}", 100000), false), 10);
  EXPECT_LT(seconds("const a = " + repeated("!", 100000) + ";", false), 10);
}

}  // namespace
}  // namespace adjoule::syntax
