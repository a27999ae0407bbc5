// Messages as the user sees them.
#include <gtest/gtest.h>

#include "base/diagnostics.hpp"

namespace adjoule {
namespace {

std::string rendered(std::string text, uint32_t begin, uint32_t end) {
  SourceMap sources;
  const int32_t file = sources.add("a.adj", std::move(text));
  Diagnostics diagnostics;
  diagnostics.error({file, begin, end}, "message");
  return render(diagnostics, sources);
}

TEST(Diagnostics, ShowsLineCaretNotesAndHelp) {
  SourceMap sources;
  const int32_t file = sources.add("spring.adj", "step {\n  x[p] = y;\n}\n");
  Diagnostics diagnostics;
  diagnostics.error({file, 9, 13}, "x is read and written", "split the loop").notes.push_back({{file, 16, 17}, "read here"});
  EXPECT_EQ(render(diagnostics, sources),
            "spring.adj:2:3: error: x is read and written\n"
            "   2 |   x[p] = y;\n"
            "     |   ^~~~\n"
            "spring.adj:2:10: note: read here\n"
            "   2 |   x[p] = y;\n"
            "     |          ^\n"
            "help: split the loop\n");
}

TEST(Diagnostics, TabsAndWideTextKeepTheCaretInPlace) {
  EXPECT_EQ(rendered("\tλ = λλ;", 6, 10), "a.adj:1:6: error: message\n   1 | \tλ = λλ;\n     | \t    ^~\n");
}

TEST(Diagnostics, CaretsStayOnTheFirstLine) {
  EXPECT_EQ(rendered("let a = {\n}\n", 8, 11), "a.adj:1:9: error: message\n   1 | let a = {\n     |         ^\n");
}

TEST(Diagnostics, EmptySpansAndTheEndOfTheFileHaveACaret) {
  EXPECT_EQ(rendered("abc", 3, 3), "a.adj:1:4: error: message\n   1 | abc\n     |    ^\n");
  EXPECT_EQ(rendered("", 0, 0), "a.adj:1:1: error: message\n   1 | \n     | ^\n");
}

TEST(Diagnostics, LongLinesAreCut) {
  const std::string text = rendered(std::string(100000, 'x'), 50000, 60000);
  EXPECT_LT(text.size(), 600u);
  EXPECT_NE(text.find("..."), std::string::npos);
}

TEST(Diagnostics, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(rendered("a\x1b[2J", 0, 1).find('\x1b'), std::string::npos);
}

TEST(Diagnostics, WithoutAPlace) {
  SourceMap sources;
  Diagnostics diagnostics;
  diagnostics.warning({}, "no step", "add one");
  EXPECT_EQ(render(diagnostics, sources), "warning: no step\nhelp: add one\n");
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST(Diagnostics, TidySortsAndDropsRepeats) {
  Diagnostics diagnostics;
  diagnostics.error({0, 9, 10}, "late");
  diagnostics.error({0, 1, 2}, "early");
  diagnostics.error({0, 9, 10}, "other");
  diagnostics.error({0, 9, 10}, "late");
  diagnostics.tidy();
  ASSERT_EQ(diagnostics.list.size(), 3u);
  EXPECT_EQ(diagnostics.list[0].message, "early");
  EXPECT_EQ(diagnostics.list[1].message, "late");
  EXPECT_EQ(diagnostics.list[2].message, "other");
}

TEST(DidYouMean, FindsTheNearest) {
  const std::vector<std::string> names{"stiffness", "velocity", "x", "mass"};
  EXPECT_EQ(did_you_mean("stifness", names), "stiffness");
  EXPECT_EQ(did_you_mean("velcoity", names), "velocity");  // two letters swapped
  EXPECT_EQ(did_you_mean("amss", names), "mass");
  EXPECT_EQ(did_you_mean("Mass", names), "mass");
  EXPECT_EQ(did_you_mean("X", names), "x");
  EXPECT_EQ(did_you_mean("y", names), "");
  EXPECT_EQ(did_you_mean("pressure", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
}

}  // namespace
}  // namespace adjoule
