// What the gradient tests share: running a program from text or file through the public interface, and comparing numbers.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "adjoule/compile.hpp"
#include "npy.hpp"

namespace gradients {

using adjoule::Array;
using adjoule::Gradient;
using adjoule::Instance;
using adjoule::Options;
using adjoule::Program;

/// Values by field name: what a test binds.
using Bindings = std::map<std::string, Array>;

inline Array number(double x) { return Array::of(x); }
inline Array reals(std::vector<double> v) {
  auto n = static_cast<int64_t>(v.size());
  return Array::of_reals(std::move(v), {n});
}
inline Array reals(std::vector<double> v, std::vector<int64_t> shape) { return Array::of_reals(std::move(v), std::move(shape)); }
inline Array ints(std::vector<int64_t> v, std::vector<int64_t> shape) { return Array::of_integers(std::move(v), std::move(shape)); }

inline Instance instance(const Program& program, const Bindings& bindings, const Options& options = {}) {
  Instance made = program.instantiate(options);
  for (const auto& [name, value] : bindings) made.bind(name, value);
  return made;
}

inline double norm(const std::vector<double>& v) {
  long double sum = 0;
  for (double x : v) sum += static_cast<long double>(x) * x;
  return static_cast<double>(std::sqrt(sum));
}

/// |a - b| relative to |b|; 0 when both vanish.
inline double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  std::vector<double> difference(a.size());
  for (size_t k = 0; k < a.size(); ++k) difference[k] = a[k] - b[k];
  double d = norm(difference), scale = norm(b);
  return d == 0 ? 0 : scale == 0 ? d : d / scale;
}

/// Initial data of one program, made by tests/programs/generate_inputs.py.
struct Case {
  nlohmann::json json;
  Bindings bindings;
  std::map<std::string, int64_t> sizes;
  int64_t steps = 0;
  std::string path;
};

inline Case read_case(const std::string& name) {
  Case c;
  std::string folder = std::string(ADJOULE_INPUTS_DIR) + "/" + name + "/";
  c.json = nlohmann::json::parse(std::ifstream(folder + "case.json"));
  for (const auto& field : c.json["arrays"]) {
    std::string file = folder + field.get<std::string>() + ".npy";
    c.bindings[field] = adjoule::runtime::read_npy(file);
  }
  for (const auto& [size, value] : c.json["sizes"].items()) c.sizes[size] = value.get<int64_t>();
  c.steps = c.json["steps"];
  c.path = std::string(ADJOULE_PROGRAMS_DIR) + "/" + c.json["program"].get<std::string>();
  return c;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Central differences of the loss in every number of `field`, with steps h scaled to the value; the best of three steps is
/// not chosen: a fixed h and one Richardson extrapolation give about 1e-10.
inline std::vector<double> central_differences(const Program& program, const Bindings& bindings, const Options& options, int64_t steps,
                                               const std::string& field, const std::string& loss = "", double h = 1e-4) {
  Array base = bindings.at(field);
  std::vector<double> result;
  auto loss_at = [&](size_t k, double delta) {
    Bindings moved = bindings;
    moved[field].reals[k] += delta;
    Instance i = instance(program, moved, options);
    i.run(steps);
    return i.loss(loss);
  };
  for (size_t k = 0; k < base.reals.size(); ++k) {
    double scale = h * std::max(1.0, std::fabs(base.reals[k]));
    double coarse = (loss_at(k, scale) - loss_at(k, -scale)) / (2 * scale);
    double fine = (loss_at(k, scale / 2) - loss_at(k, -scale / 2)) / scale;
    result.push_back((4 * fine - coarse) / 3);
  }
  return result;
}

}  // namespace gradients
