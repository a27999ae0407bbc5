// Places in source text: lines and columns are computed when a message is shown, so spans stay two numbers.
#include "base/source.hpp"

#include <algorithm>

namespace adjoule {

namespace {

const SourceFile* file_of(const SourceMap& sources, Span span) {
  if (span.file < 0 || static_cast<size_t>(span.file) >= sources.files.size()) return nullptr;
  return &sources.files[static_cast<size_t>(span.file)];
}

/// First byte of the line that contains `offset`.
size_t line_begin(std::string_view text, size_t offset) {
  if (offset == 0) return 0;
  const size_t newline = text.rfind('\n', offset - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

/// A UTF-8 continuation byte does not begin a code point.
bool begins_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }

}  // namespace

int32_t SourceMap::add(std::string name, std::string text) {
  files.push_back({std::move(name), std::move(text)});
  return static_cast<int32_t>(files.size()) - 1;
}

std::string_view SourceMap::text(Span span) const {
  const SourceFile* file = file_of(*this, span);
  if (!file) return {};
  const size_t begin = std::min<size_t>(span.begin, file->text.size());
  const size_t end = std::clamp<size_t>(span.end, begin, file->text.size());
  return std::string_view(file->text).substr(begin, end - begin);
}

LineColumn SourceMap::position(Span span) const {
  const SourceFile* file = file_of(*this, span);
  if (!file) return {};
  const size_t offset = std::min<size_t>(span.begin, file->text.size());
  const std::string_view before = std::string_view(file->text).substr(0, offset);
  const std::string_view on_line = before.substr(line_begin(file->text, offset));
  return {static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n') + 1),
          static_cast<uint32_t>(std::count_if(on_line.begin(), on_line.end(), begins_code_point) + 1)};
}

std::string_view SourceMap::line_text(Span span) const {
  const SourceFile* file = file_of(*this, span);
  if (!file) return {};
  const size_t begin = line_begin(file->text, std::min<size_t>(span.begin, file->text.size()));
  std::string_view line = std::string_view(file->text).substr(begin);
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string SourceMap::describe(Span span) const {
  const SourceFile* file = file_of(*this, span);
  if (!file) return "";
  const LineColumn place = position(span);
  return file->name + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

}  // namespace adjoule
