// Central differences over a sweep of step sizes, with one Richardson extrapolation between neighbours; the best
// counts, for no single step size suits every loss. Differences that vanish in rounding are measured against a floor.
#include "driver/gradient_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace adjoule::driver {
namespace {

constexpr int most_single_entries = 10;
constexpr int entries_of_large = 8;
constexpr int sweep_length = 15;
const double sweep_ratio = std::sqrt(10.0);

/// A fixed sequence in [-1, 1), the same on every machine.
struct RandomNumbers {
  uint64_t state = 0x9E3779B97F4A7C15u;
  double next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1;
  }
};

double norm_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (double x : numbers) sum += x * x;
  return std::sqrt(sum);
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The size of the parameter's numbers: step sizes are relative to it.
double scale_of(const Array& array) {
  if (array.reals.empty()) return 1;
  double rms = norm_of(array.reals) / std::sqrt(static_cast<double>(array.reals.size()));
  return rms > 0 && std::isfinite(rms) ? rms : 1;
}

/// Directions to try: entries one by one, then random ones.
std::vector<std::vector<double>> directions_for(size_t count, RandomNumbers& random) {
  std::vector<std::vector<double>> result;
  auto entry = [&](size_t i) {
    result.emplace_back(count, 0.0);
    result.back()[i] = 1;
  };
  if (count <= most_single_entries) {
    for (size_t i = 0; i < count; ++i) entry(i);
    return result;
  }
  for (size_t k = 0; k < entries_of_large; ++k) entry(k * (count - 1) / (entries_of_large - 1));
  for (int r = 0; r < 2; ++r) {
    result.emplace_back(count);
    for (double& x : result.back()) x = random.next();
  }
  return result;
}

/// The loss of a run with one parameter changed.
struct Probe {
  runtime::Instance& instance;
  const CheckSettings& settings;
  int field;
  Array base;  // the parameter; for a state: zeros, for the change is added after init

  bool is_state() const { return instance.manifest().fields[static_cast<size_t>(field)].role == FieldRole::state; }
  const std::string& name() const { return instance.manifest().fields[static_cast<size_t>(field)].name; }

  double loss_at(const std::vector<double>& direction, double h) {
    Array changed = base;
    for (size_t i = 0; i < direction.size(); ++i) changed.reals[i] += h * direction[i];
    std::map<std::string, Array> after_init;
    runtime::RunHooks hooks;
    if (is_state()) {
      after_init[name()] = std::move(changed);
      hooks.after_init = &after_init;
    } else {
      instance.bind(name(), std::move(changed), "");
    }
    instance.run(settings.steps, hooks);
    return instance.loss(settings.loss);
  }
};

struct BestDifference {
  double error = std::numeric_limits<double>::infinity();
  double h = 0;
};

/// Compares with `expected` (the adjoint's answer) at every step size.
BestDifference sweep(Probe& probe, const std::vector<double>& direction, double scale, double expected, double floor) {
  BestDifference best;
  double before = 0;
  double h = 0.1 * scale;
  for (int k = 0; k < sweep_length; ++k, h /= sweep_ratio) {
    double difference = (probe.loss_at(direction, h) - probe.loss_at(direction, -h)) / (2 * h);
    double candidates[] = {difference, k == 0 ? difference : (10 * difference - before) / 9};
    for (double d : candidates) {
      if (!std::isfinite(d)) continue;
      double size = std::max({std::fabs(d), std::fabs(expected), floor});
      double error = size == 0 ? 0 : std::fabs(d - expected) / size;
      if (error < best.error) best = {error, h};
    }
    before = difference;
  }
  return best;
}

/// g · d against the tangent's answer, relative to the sum of |g d|: rounding of the terms is no error. Nor is a
/// tangent that is rounding of the loss where the gradient is exactly zero: `floor`.
double dot_product_test(runtime::Instance& tested, const CheckSettings& settings, int field, const Array& gradient,
                        RandomNumbers& random, double floor) {
  double worst = 0;
  const std::string& name = tested.manifest().fields[static_cast<size_t>(field)].name;
  for (int r = 0; r < 2; ++r) {
    Array direction = gradient;
    for (double& x : direction.reals) x = random.next();
    double size = 0;
    for (size_t i = 0; i < direction.reals.size(); ++i) size += std::fabs(direction.reals[i] * gradient.reals[i]);
    double by_tangent = tested.tangent(settings.steps, settings.loss, {{name, direction}}).derivative;
    double difference = std::fabs(dot(gradient.reals, direction.reals) - by_tangent);
    size = std::max({size, std::fabs(by_tangent), floor});
    double error = size == 0 ? 0 : difference / size;
    if (!(error <= worst)) worst = error;  // NaN counts as worse
  }
  return worst;
}

ParameterCheck check_parameter(runtime::Instance& tested, runtime::Instance& exact, const CheckSettings& settings,
                               int field, const Gradient& gradient, RandomNumbers& random) {
  ParameterCheck result;
  result.name = tested.manifest().fields[static_cast<size_t>(field)].name;
  const Array& g = gradient.of.at(result.name);
  result.numbers = g.count();

  Probe probe{exact, settings, field, exact.value(field)};
  double scale = scale_of(probe.base);
  result.tangent_error = dot_product_test(tested, settings, field, g, random, 1e-2 * std::fabs(gradient.loss) / scale);
  if (probe.is_state()) probe.base.reals.assign(probe.base.reals.size(), 0.0);
  double largest = 0;
  for (double x : g.reals) largest = std::max(largest, std::fabs(x));
  for (const std::vector<double>& direction : directions_for(g.reals.size(), random)) {
    ++result.directions;
    double floor = std::max(1e-3 * largest, 1e-7 * std::fabs(gradient.loss) / scale);
    BestDifference best = sweep(probe, direction, scale, dot(g.reals, direction), floor);
    if (!(best.error <= result.difference_error)) {
      result.difference_error = best.error;
      result.step_size = best.h;
    }
  }
  if (!probe.is_state()) exact.bind(result.name, std::move(probe.base), "");
  result.passed =
      result.difference_error <= settings.difference_tolerance && result.tangent_error <= settings.tangent_tolerance;
  return result;
}

}  // namespace

std::vector<ParameterCheck> check_gradient(runtime::Instance& tested, runtime::Instance& exact,
                                           const CheckSettings& settings, std::vector<std::string>& warnings) {
  Gradient gradient = tested.gradient(settings.steps, settings.loss, settings.wrt);
  warnings = gradient.warnings;
  exact.run(settings.steps);
  RandomNumbers random;
  std::vector<ParameterCheck> result;
  for (int field : settings.wrt) {
    result.push_back(check_parameter(tested, exact, settings, field, gradient, random));
    exact.run(settings.steps);  // a state's value is read again for the next parameter
  }
  return result;
}

}  // namespace adjoule::driver
