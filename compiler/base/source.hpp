// Source text and places in it. Every construct of the AST and every operation of the IR carries a Span, so that any
// message can show the user's own line.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adjoule {

/// A half-open byte range [begin, end) of one file of a SourceMap. `file < 0`: no place (compiler-made code).
struct Span {
  int32_t file = -1;
  uint32_t begin = 0;
  uint32_t end = 0;
  bool known() const { return file >= 0; }
  bool operator==(const Span&) const = default;
};

/// From the start of `a` to the end of `b` (same file).
inline Span join(Span a, Span b) { return a.known() ? Span{a.file, a.begin, b.known() ? b.end : a.end} : b; }

struct SourceFile {
  std::string name;  // as the user wrote it
  std::string text;  // valid UTF-8
};

/// One-based line and column; columns count Unicode code points.
struct LineColumn {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// All files of one compilation. Files are only added, so spans stay valid.
struct SourceMap {
  std::vector<SourceFile> files;

  int32_t add(std::string name, std::string text);
  std::string_view text(Span span) const;
  LineColumn position(Span span) const;            // of span.begin
  std::string_view line_text(Span span) const;     // the whole line that contains span.begin, without its newline
  std::string describe(Span span) const;           // "file.adj:12:5", or "" when not known
};

}  // namespace adjoule
