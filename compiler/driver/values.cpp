// Values on the command line and in files: numbers, assignments, arrays, parameter files.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "csv.hpp"
#include "driver/options.hpp"
#include "files.hpp"
#include "npy.hpp"

namespace adjoule::driver {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void misuse(const std::string& text) { throw Error(Failure::wrong_use, text); }

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

double parse_number(const std::string& text, const std::string& option) {
  if (text == "true") return 1;
  if (text == "false") return 0;
  double value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  auto [rest, problem] = std::from_chars(begin, end, value);
  if (problem != std::errc() || rest != end) misuse(fmt::format("{}: '{}' is not a number", option, text));
  return value;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Nested lists of numbers -> numbers and a shape; ragged ones are refused.
void collect(const Json& value, size_t depth, Array& array, const std::string& what) {
  if (value.is_array()) {
    auto length = static_cast<int64_t>(value.size());
    if (array.shape.size() == depth) array.shape.push_back(length);
    if (array.shape[depth] != length) misuse(fmt::format("{}: the rows have different lengths", what));
    for (const Json& item : value) collect(item, depth + 1, array, what);
  } else if (value.is_number() || value.is_boolean()) {
    if (array.shape.size() != depth) misuse(fmt::format("{}: the rows have different lengths", what));
    double number = value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>();
    array.reals.push_back(number);
  } else {
    misuse(fmt::format("{}: numbers, or lists of numbers, are wanted", what));
  }
}

Json nested(const Array& array, size_t depth, size_t& next) {
  if (depth == array.shape.size()) {
    size_t i = next++;
    return array.integral ? Json(array.integers[i]) : Json(array.reals[i]);
  }
  Json list = Json::array();
  for (int64_t i = 0; i < array.shape[depth]; ++i) list.push_back(nested(array, depth + 1, next));
  return list;
}

}  // namespace

std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    misuse(fmt::format("{} wants NAME=VALUE, not '{}'", option, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<double> parse_numbers(const std::string& text, const std::string& option) {
  std::vector<double> numbers;
  for (const std::string& part : split(text, ',')) numbers.push_back(parse_number(part, option));
  return numbers;
}

int64_t parse_bytes(const std::string& text) {
  std::string digits = text;
  double factor = 1;
  while (!digits.empty() && (digits.back() == 'B' || digits.back() == 'i')) digits.pop_back();
  const std::string units = "KMGT";
  if (!digits.empty() && units.find(static_cast<char>(std::toupper(digits.back()))) != std::string::npos) {
    factor = std::pow(1024.0, 1 + static_cast<double>(units.find(static_cast<char>(std::toupper(digits.back())))));
    digits.pop_back();
  }
  double value = parse_number(digits, "--memory") * factor;
  if (!(value >= 1) || value > 9e18)
    misuse(fmt::format("--memory: '{}' is not an amount of memory (write 512M or 4G)", text));
  return static_cast<int64_t>(value);
}

Array load_array(const std::string& source) {
  size_t csv = source.rfind(".csv:");
  if (csv != std::string::npos) {
    std::vector<std::string> columns = split(source.substr(csv + 5), ',');
    return runtime::read_csv(source.substr(0, csv + 4), columns);
  }
  if (ends_with(source, ".csv")) misuse(fmt::format("{}: say which columns, as in {}:first,second", source, source));
  return runtime::read_npy(source);
}

std::vector<std::pair<std::string, Array>> read_params(const std::string& path) {
  Json json;
  try {
    json = Json::parse(runtime::read_file(path));
  } catch (const Json::parse_error& e) { misuse(fmt::format("{} is not readable as JSON (at byte {})", path, e.byte)); }
  if (!json.is_object()) misuse(fmt::format("{}: an object of names and numbers is wanted", path));
  std::vector<std::pair<std::string, Array>> result;
  for (const auto& [name, value] : json.items()) {
    Array array;
    collect(value, 0, array, fmt::format("{}: {}", path, name));
    result.emplace_back(name, std::move(array));
  }
  return result;
}

std::string params_json(const std::vector<std::pair<std::string, Array>>& params) {
  Json json = Json::object();
  for (const auto& [name, array] : params) {
    size_t next = 0;
    json[name] = nested(array, 0, next);
  }
  return json.dump(2) + "\n";
}

}  // namespace adjoule::driver
