// Places in source text.
#include <gtest/gtest.h>

#include "base/source.hpp"

namespace adjoule {
namespace {

TEST(Source, PositionsCountLinesAndCodePoints) {
  SourceMap sources;
  const int32_t file = sources.add("a.adj", "one\nλx = 2;\r\n\nlast");
  EXPECT_EQ(sources.describe({file, 0, 1}), "a.adj:1:1");
  EXPECT_EQ(sources.describe({file, 3, 4}), "a.adj:1:4");  // the newline belongs to its line
  EXPECT_EQ(sources.describe({file, 6, 7}), "a.adj:2:2");  // after the two bytes of λ
  EXPECT_EQ(sources.describe({file, 15, 16}), "a.adj:4:1");
  EXPECT_EQ(sources.describe({file, 19, 19}), "a.adj:4:5");  // end of file
}

TEST(Source, LinesComeWithoutTheirEnds) {
  SourceMap sources;
  const int32_t file = sources.add("a.adj", "one\nλx = 2;\r\n\nlast");
  EXPECT_EQ(sources.line_text({file, 0, 1}), "one");
  EXPECT_EQ(sources.line_text({file, 3, 4}), "one");
  EXPECT_EQ(sources.line_text({file, 8, 9}), "λx = 2;");
  EXPECT_EQ(sources.line_text({file, 14, 14}), "");
  EXPECT_EQ(sources.line_text({file, 19, 19}), "last");
}

TEST(Source, TextOfASpan) {
  SourceMap sources;
  sources.add("a.adj", "abc");
  const int32_t second = sources.add("b.adj", "xyz");
  EXPECT_EQ(sources.text({second, 1, 3}), "yz");
  EXPECT_EQ(sources.text({second, 1, 99}), "yz");
}

TEST(Source, UnknownPlacesAreEmpty) {
  const SourceMap sources;
  EXPECT_EQ(sources.describe({}), "");
  EXPECT_EQ(sources.text({}), "");
  EXPECT_EQ(sources.line_text({}), "");
  EXPECT_EQ(sources.describe({7, 0, 0}), "");
}

TEST(Source, JoinKeepsWhatIsKnown) {
  EXPECT_EQ(join({0, 2, 4}, {0, 8, 9}), (Span{0, 2, 9}));
  EXPECT_EQ(join({}, {0, 8, 9}), (Span{0, 8, 9}));
  EXPECT_EQ(join({0, 2, 4}, {}), (Span{0, 2, 4}));
}

}  // namespace
}  // namespace adjoule
