// What the compiler tells the user: errors and warnings with a place, a sentence in a physicist's words, and the way out.
// Diagnostics are collected, never thrown; a phase that reported an error stops the pipeline at its end.
#pragma once
#include <string>
#include <vector>

#include "base/source.hpp"

namespace adjoule {

enum class Severity { error, warning };

/// A second place that belongs to the message ("written here").
struct Note {
  Span span;
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::error;
  Span span;
  std::string message;  // what is wrong; no trailing period, no capital unless a name
  std::string help;     // the way out; may be empty
  std::vector<Note> notes;
};

struct Diagnostics {
  std::vector<Diagnostic> list;

  Diagnostic& error(Span span, std::string message, std::string help = "");
  Diagnostic& warning(Span span, std::string message, std::string help = "");
  bool has_errors() const;
  /// Drops repeats (same place and message: a function body checked at two calls) and sorts by place.
  void tidy();
};

/// file:line:column: error: message / source line / caret range / notes / help.
std::string render(const Diagnostic& diagnostic, const SourceMap& sources);
std::string render(const Diagnostics& diagnostics, const SourceMap& sources);

/// The candidate nearest to `name` in edit distance, when near enough to be what was meant; else "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace adjoule
