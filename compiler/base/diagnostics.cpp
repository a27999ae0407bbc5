// Collecting messages and showing them with the source line they speak of.
#include "base/diagnostics.hpp"

#include <algorithm>
#include <tuple>

namespace adjoule {

namespace {

Diagnostic& append(Diagnostics& diagnostics, Severity severity, Span span, std::string message, std::string help) {
  diagnostics.list.push_back({severity, span, std::move(message), std::move(help), {}});
  return diagnostics.list.back();
}

/// Messages without a place come first; otherwise by file and offset.
auto place_key(const Diagnostic& d) { return std::tuple(d.span.file, d.span.begin, d.span.end); }

size_t code_points(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

constexpr size_t longest_line_shown = 160;  // code points; of a longer line, the part around the caret

/// The part of a source line that is shown, and where the span lies in it (bytes).
struct Excerpt {
  std::string_view text;
  size_t begin = 0, end = 0;
  bool cut_before = false, cut_after = false;
};

bool inside_code_point(std::string_view text, size_t offset) {
  return offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0u) == 0x80u;
}

Excerpt excerpt(Span span, const SourceMap& sources) {
  const std::string_view line = sources.line_text(span);
  const std::string_view whole = sources.files[static_cast<size_t>(span.file)].text;
  const size_t line_start = static_cast<size_t>(line.data() - whole.data());
  const size_t place = std::min<size_t>(span.begin, whole.size());
  const size_t begin = std::min(line.size(), place - line_start);
  const size_t end = std::clamp<size_t>(std::max<size_t>(span.end, place) - line_start, begin, line.size());
  if (line.size() <= longest_line_shown) return {line, begin, end, false, false};

  size_t first = begin > longest_line_shown / 2 ? begin - longest_line_shown / 2 : 0;
  while (inside_code_point(line, first)) --first;
  size_t last = std::min(line.size(), first + longest_line_shown);
  while (inside_code_point(line, last)) ++last;
  return {line.substr(first, last - first), begin - first, std::min(end, last) - first, first > 0, last < line.size()};
}

/// Control characters would move the terminal's cursor; a tab stays, for the caret line repeats it.
std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7F) c = '?';
  }
  return result;
}

/// Blanks as wide as `text`: tabs are kept, so the terminal expands them as on the line above.
std::string blanks_for(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '\t') result += '\t';
    else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) result += ' ';
  }
  return result;
}

/// "file:line:column: error: message", the source line and the caret range below it.
std::string render_place(Span span, std::string_view kind, const std::string& message, const SourceMap& sources) {
  const std::string place = sources.describe(span);
  std::string result = place.empty() ? "" : place + ": ";
  result += std::string(kind) + ": " + message + "\n";
  if (place.empty()) return result;

  const Excerpt shown = excerpt(span, sources);
  const std::string before = shown.cut_before ? "..." : "";
  const std::string number = std::to_string(sources.position(span).line);
  const std::string gutter(std::max<size_t>(number.size(), 4), ' ');
  result += std::string(gutter.size() - number.size(), ' ') + number + " | ";
  result += before + printable(shown.text) + (shown.cut_after ? "..." : "") + "\n";

  const size_t width = code_points(shown.text.substr(shown.begin, shown.end - shown.begin));
  result += gutter + " | " + std::string(before.size(), ' ') + blanks_for(shown.text.substr(0, shown.begin)) + '^';
  if (width > 1) result += std::string(width - 1, '~');
  return result + "\n";
}

/// Edit distance in which swapping two neighbours is one edit (optimal string alignment).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

}  // namespace

Diagnostic& Diagnostics::error(Span span, std::string message, std::string help) {
  return append(*this, Severity::error, span, std::move(message), std::move(help));
}

Diagnostic& Diagnostics::warning(Span span, std::string message, std::string help) {
  return append(*this, Severity::warning, span, std::move(message), std::move(help));
}

bool Diagnostics::has_errors() const {
  return std::any_of(list.begin(), list.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

void Diagnostics::tidy() {
  std::stable_sort(list.begin(), list.end(),
      [](const Diagnostic& a, const Diagnostic& b) { return place_key(a) < place_key(b); });
  std::vector<Diagnostic> kept;
  for (Diagnostic& d : list) {
    // Repeats have the same place, so after sorting they are at the end of what was kept.
    bool repeated = false;
    for (auto other = kept.rbegin(); other != kept.rend() && other->span == d.span && !repeated; ++other) {
      repeated = other->severity == d.severity && other->message == d.message;
    }
    if (!repeated) kept.push_back(std::move(d));
  }
  list = std::move(kept);
}

std::string render(const Diagnostic& diagnostic, const SourceMap& sources) {
  const std::string_view kind = diagnostic.severity == Severity::error ? "error" : "warning";
  std::string result = render_place(diagnostic.span, kind, diagnostic.message, sources);
  for (const Note& note : diagnostic.notes) result += render_place(note.span, "note", note.text, sources);
  if (!diagnostic.help.empty()) result += "help: " + diagnostic.help + "\n";
  return result;
}

std::string render(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics.list) result += render(diagnostic, sources);
  return result;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  // About one slip in three letters; for one- and two-letter names only the case may differ.
  const size_t allowed = name.size() <= 2 ? 0 : std::min<size_t>(3, (name.size() + 1) / 3);
  std::string best;
  size_t best_distance = allowed + 1;
  for (const std::string& candidate : candidates) {
    if (candidate == name) continue;
    const size_t longer = std::max(candidate.size(), name.size()), shorter = std::min(candidate.size(), name.size());
    if (longer - shorter > allowed) continue;
    const size_t distance = edit_distance(lower_case(name), lower_case(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace adjoule
