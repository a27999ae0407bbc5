// Summaries of arrays and runs.
#include "driver/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "instance.hpp"
#include "memory.hpp"

namespace adjoule::driver {
namespace {

struct Extremes {
  double norm = 0, low = 0, high = 0;
};

Extremes extremes_of(const Array& array) {
  std::vector<double> numbers =
      array.integral ? std::vector<double>(array.integers.begin(), array.integers.end()) : array.reals;
  Extremes e;
  if (numbers.empty()) return e;
  e.low = std::numeric_limits<double>::infinity();
  e.high = -e.low;
  double largest = 0, sum = 0;
  for (double x : numbers) largest = std::max(largest, std::fabs(x));
  for (double x : numbers) {
    e.low = std::min(e.low, x);
    e.high = std::max(e.high, x);
    if (largest > 0) sum += (x / largest) * (x / largest);
  }
  e.norm = largest * std::sqrt(sum);
  return e;
}

/// JSON has no Inf and NaN.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(fmt::format("{}", x)); }

Json number_at(const Array& array, size_t i) {
  return array.integral ? Json(array.integers[i]) : number(array.reals[i]);
}

}  // namespace

Json summary(const Array& array, bool single_value) {
  if (single_value && array.count() == 1) return number_at(array, 0);
  Extremes e = extremes_of(array);
  Json json;
  json["shape"] = array.shape;
  json["norm"] = number(e.norm);
  json["min"] = number(e.low);
  json["max"] = number(e.high);
  if (single_value && array.count() <= 16) {
    Json values = Json::array();
    for (size_t i = 0; i < static_cast<size_t>(array.count()); ++i) values.push_back(number_at(array, i));
    json["values"] = values;
  }
  return json;
}

std::string summary_text(const Array& array, bool single_value) {
  if (single_value && array.count() <= 16) {
    std::vector<std::string> numbers;
    for (size_t i = 0; i < static_cast<size_t>(array.count()); ++i)
      numbers.push_back(array.integral ? fmt::format("{}", array.integers[i]) : fmt::format("{}", array.reals[i]));
    return numbers.size() == 1 ? "= " + numbers[0] : fmt::format("= ({})", fmt::join(numbers, ", "));
  }
  Extremes e = extremes_of(array);
  return fmt::format("{}  norm {}  min {}  max {}", runtime::shape_text(array.shape), e.norm, e.low, e.high);
}

Json begin_report(const Session& session, const std::string& file, const char* command) {
  Json report;
  report["command"] = command;
  report["file"] = file;
  report["real"] = session.options.real == Real::f32 ? "f32" : "f64";
  report["steps"] = session.steps;
  report["sizes"] = Json::object();
  for (const auto& [name, value] : session.instance.sizes()) report["sizes"][name] = value;
  return report;
}

void finish_report(Json& report, const Session& session) {
  Statistics s = session.instance.statistics();
  report["seconds"] = {
      {"compile", s.compile_seconds}, {"forward", s.forward_seconds}, {"gradient", s.gradient_seconds}};
  report["peak_bytes"] = s.peak_bytes;
  report["steps_advanced"] = s.steps_advanced;
  report["steps_redone"] = s.steps_redone;
}

void print_report(const Json& report) { std::printf("%s\n", report.dump(2).c_str()); }

bool is_single_value(const Session& session, const std::string& name) {
  for (const FieldDescription& field : session.instance.fields()) {
    if (field.name == name) return field.spaces.empty();
  }
  return false;
}

std::string closing_line(const Session& session, bool gradient) {
  Statistics s = session.instance.statistics();
  double seconds = gradient ? s.gradient_seconds : s.forward_seconds;
  return fmt::format("compiled in {:.3g} s, {} {} step{} in {:.3g} s, peak {}", s.compile_seconds,
                     gradient ? "differentiated" : "ran", s.steps, s.steps == 1 ? "" : "s", seconds,
                     runtime::human_bytes(s.peak_bytes));
}

void refuse_nan(Session& session, const std::vector<double>& losses) {
  bool found = false;
  for (double loss : losses) found = found || std::isnan(loss);
  const runtime::Manifest& manifest = session.instance.implementation().manifest();
  for (int f : manifest.states) {
    if (found) break;
    const Array values = session.instance.implementation().value(f);
    for (double x : values.reals) found = found || std::isnan(x);
  }
  if (!found) return;
  auto where = session.instance.implementation().first_nan(session.steps);
  throw Error(Failure::failed_run,
              where ? fmt::format("the result is NaN (not a number): {}", *where)
                    : "the loss is NaN (not a number), though no state is: it arises in the loss itself");
}

}  // namespace adjoule::driver
