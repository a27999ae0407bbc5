// A small reader of comma-separated values: numbers only, no locale, every complaint with file and line.
#include "csv.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/diagnostics.hpp"
#include "files.hpp"

namespace adjoule::runtime {
namespace {

[[noreturn]] void fail(const std::string& name, size_t line, const std::string& why) {
  throw Error(Failure::wrong_use, fmt::format("{}:{}: {}", name, line, why));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// Cells of one line; a quoted cell may hold commas, and "" stands for one quote. No cell runs over lines.
std::vector<std::string> cells_of(std::string_view line, const std::string& name, size_t number) {
  std::vector<std::string> cells;
  size_t at = 0;
  while (true) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    std::string cell;
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at >= line.size()) fail(name, number, "a quote is not closed");
        if (line[at] != '"')
          cell += line[at];
        else if (at + 1 < line.size() && line[at + 1] == '"')
          cell += line[++at];
        else
          break;
      }
      ++at;
      size_t comma = std::min(line.find(',', at), line.size());
      if (!trimmed(line.substr(at, comma - at)).empty())
        fail(name, number, "something stands between a closing quote and the comma");
      at = comma;
    } else {
      size_t comma = std::min(line.find(',', at), line.size());
      cell = trimmed(line.substr(at, comma - at));
      at = comma;
    }
    cells.push_back(cell);
    if (at >= line.size()) return cells;
    ++at;
  }
}

double number_of(const std::string& cell, const std::string& column, const std::string& name, size_t line) {
  double value = 0;
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  if (begin != end && *begin == '+') ++begin;
  auto [rest, problem] = std::from_chars(begin, end, value);
  if (problem != std::errc() || rest != end) {
    fail(name, line,
         cell.empty() ? fmt::format("nothing stands in column '{}'", column)
                      : fmt::format("'{}' in column '{}' is not a number", cell, column));
  }
  return value;
}

std::vector<size_t> places_of(const std::vector<std::string>& columns, const std::vector<std::string>& header,
                              const std::string& name, size_t line) {
  std::vector<size_t> places;
  for (const std::string& column : columns) {
    size_t i = 0;
    while (i < header.size() && header[i] != column) ++i;
    if (i == header.size()) {
      std::string guess = did_you_mean(column, header);
      fail(name, line,
           fmt::format("there is no column '{}'; {}", column,
                       guess.empty() ? fmt::format("the columns are {}", fmt::join(header, ", "))
                                     : fmt::format("did you mean '{}'?", guess)));
    }
    places.push_back(i);
  }
  return places;
}

}  // namespace

Array parse_csv(const std::string& text, const std::string& name, const std::vector<std::string>& columns) {
  std::vector<std::string> header;
  std::vector<size_t> places;
  Array array;
  int64_t rows = 0;
  std::string_view rest = text;
  if (rest.substr(0, 3) == "\xEF\xBB\xBF") rest.remove_prefix(3);
  for (size_t number = 1; !rest.empty(); ++number) {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> cells = cells_of(line, name, number);
    if (header.empty()) {
      header = std::move(cells);
      places = places_of(columns, header, name, number);
      continue;
    }
    if (cells.size() != header.size()) {
      fail(name, number, fmt::format("{} cells stand here, but the header has {}", cells.size(), header.size()));
    }
    for (size_t i = 0; i < places.size(); ++i)
      array.reals.push_back(number_of(cells[places[i]], columns[i], name, number));
    ++rows;
  }
  if (header.empty()) fail(name, 1, "the file is empty; a header line with the names of the columns is wanted");
  array.shape = {rows};
  if (columns.size() > 1) array.shape.push_back(static_cast<int64_t>(columns.size()));
  return array;
}

Array read_csv(const std::string& path, const std::vector<std::string>& columns) {
  return parse_csv(read_file(path), path, columns);
}

}  // namespace adjoule::runtime
