// What the tests of the parser share.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "syntax/parse.hpp"
#include "syntax/print.hpp"

namespace adjoule::syntax {

struct Parsed {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<Program> program;

  explicit Parsed(std::string text) { program = parse(sources, sources.add("t.adj", std::move(text)), diagnostics); }
  std::string messages() const { return render(diagnostics, sources); }
  std::string text(Span span) const { return std::string(sources.text(span)); }
};

/// "line:column: message" of each error, one a line.
inline std::string errors_of(const std::string& text) {
  const Parsed parsed(text);
  std::string result;
  for (const Diagnostic& d : parsed.diagnostics.list) {
    result += parsed.sources.describe(d.span).substr(6) + ": " + d.message + "\n";
  }
  return result;
}

/// Prints a program and parses it again: the same tree and, printed once more, the same text.
inline void expect_round_trip(const Program& program) {
  const std::string printed = print(program);
  const Parsed again(printed);
  ASSERT_TRUE(again.program) << again.messages() << printed;
  EXPECT_EQ(dump(*again.program), dump(program)) << printed;
  EXPECT_EQ(print(*again.program), printed);
}

}  // namespace adjoule::syntax
