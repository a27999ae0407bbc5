// Parsing and checking small programs for the tests of the semantics.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "semantics/check.hpp"
#include "syntax/parse.hpp"

namespace adjoule::semantics {

/// A program with its messages; `program` lives as long as `checked`, which points into it.
struct Checked {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<syntax::Program> program;
  CheckedProgram checked;

  std::string messages() const { return render(diagnostics, sources); }
};

inline std::unique_ptr<Checked> check_text(const std::string& text) {
  auto result = std::make_unique<Checked>();
  const int32_t file = result->sources.add("test.adj", text);
  result->program = syntax::parse(result->sources, file, result->diagnostics);
  if (result->program) result->checked = check(*result->program, result->diagnostics);
  result->diagnostics.tidy();
  return result;
}

inline size_t count_errors(const Checked& c) {
  size_t errors = 0;
  for (const Diagnostic& d : c.diagnostics.list) errors += d.severity == Severity::error ? 1 : 0;
  return errors;
}

/// The program is right (warnings do not count).
inline void expect_good(const std::string& text) {
  const auto c = check_text(text);
  EXPECT_EQ(count_errors(*c), 0u) << text << "\n" << c->messages();
}

/// The program has exactly one error; its message, its place (the marked text) and its help contain what is given.
inline void expect_error(const std::string& text, const std::string& message, const std::string& place = "",
                         const std::string& help = "") {
  const auto c = check_text(text);
  ASSERT_EQ(count_errors(*c), 1u) << text << "\n" << c->messages();
  for (const Diagnostic& d : c->diagnostics.list) {
    if (d.severity != Severity::error) continue;
    EXPECT_NE(d.message.find(message), std::string::npos) << c->messages();
    EXPECT_TRUE(place.empty() || c->sources.text(d.span) == place) << c->messages();
    EXPECT_NE(d.help.find(help), std::string::npos) << c->messages();
  }
}

inline void expect_warning(const std::string& text, const std::string& message) {
  const auto c = check_text(text);
  EXPECT_EQ(count_errors(*c), 0u) << text << "\n" << c->messages();
  for (const Diagnostic& d : c->diagnostics.list) {
    if (d.severity == Severity::warning && d.message.find(message) != std::string::npos) return;
  }
  ADD_FAILURE() << "no warning: " << message << "\n" << text << "\n" << c->messages();
}

/// The declarations that most small tests need, with one statement list in a step.
inline std::string in_step(const std::string& statements) {
  return "size n = 4; const c = 2; const half = 0.5; space P(n); space Q; grid G(n, n) boundary clamp; grid L(n) "
         "boundary zero;\n"
         "param k: real = 1; param w[P]: real; input ends[Q]: P[2]; input table[P]: int;\n"
         "state a: real = 0; state u[P]: real; state v[P]: vec2; state g[G]: real; state m[P]: mat2; state l[L]: "
         "real;\n"
         "step {\n" +
         statements + "\n}\n";
}

inline std::string in_loop(const std::string& statements) { return in_step("for p in P {\n" + statements + "\n}"); }

inline void good_step(const std::string& statements) { expect_good(in_step(statements)); }
inline void good_loop(const std::string& statements) { expect_good(in_loop(statements)); }
inline void bad_step(const std::string& statements, const std::string& message, const std::string& place = "",
                     const std::string& help = "") {
  expect_error(in_step(statements), message, place, help);
}
inline void bad_loop(const std::string& statements, const std::string& message, const std::string& place = "",
                     const std::string& help = "") {
  expect_error(in_loop(statements), message, place, help);
}

/// The type of `let x = <value>;` in a parallel loop.
inline Type type_in_loop(const std::string& value) {
  const auto c = check_text(in_loop("let x = " + value + ";"));
  EXPECT_EQ(count_errors(*c), 0u) << value << "\n" << c->messages();
  for (const Symbol& s : c->checked.symbols) {
    if (s.name == "x") return s.type;
  }
  return {};
}

}  // namespace adjoule::semantics
