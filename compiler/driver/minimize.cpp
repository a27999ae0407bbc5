// Variables are scaled so that a change of 1 is a typical one, and the function so that its first gradient has a modest
// length: L-BFGS takes its first step along the bare gradient. L-BFGS is begun again from the best point as long as
// that still gains something, which is how it gets out of a line search that gave up early.
#include "driver/minimize.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <nlopt.hpp>

namespace adjoule::driver {
namespace {

constexpr double first_step = 0.1;   // length of the scaled gradient at the start
constexpr double worthwhile = 1e-9;  // a relative gain that justifies another beginning

double norm_of(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x * x;
  return std::sqrt(sum);
}

/// The function in scaled variables y = x / scale, with the book kept: the best point, progress, the limit.
class Scaled {
 public:
  Scaled(const MinimizeProblem& problem, const MinimizeOptions& options) : problem_(problem), options_(options) {
    result_.best = problem.start;
    result_.value = std::numeric_limits<double>::infinity();
  }

  double operator()(const std::vector<double>& y, std::vector<double>& dy) {
    if (result_.iterations >= options_.iterations) {
      result_.reason = "no more iterations";
      throw StopMinimizing{};
    }
    std::vector<double> x = unscaled(y), g(y.size());
    double value = problem_.evaluate(x, g);
    if (++result_.iterations == 1) result_.first_value = value;
    if (value < result_.value) {
      result_.value = value;
      result_.best = x;
    }
    if (options_.progress && !options_.progress({result_.iterations, value, result_.value, norm_of(g)})) {
      throw StopMinimizing{};
    }
    for (size_t i = 0; i < y.size(); ++i) dy[i] = g[i] * problem_.scale[i];
    if (factor_ == 0 && std::isfinite(value)) factor_ = norm_of(dy) > 0 ? first_step / norm_of(dy) : 1;
    bool usable = std::isfinite(value) && std::isfinite(norm_of(dy));
    if (!usable) return refuse(dy);
    for (double& d : dy) d *= factor_;
    last_ = dy;
    return value * factor_;
  }

  std::vector<double> unscaled(const std::vector<double>& y) const {
    std::vector<double> x(y.size());
    for (size_t i = 0; i < y.size(); ++i) {
      x[i] = std::clamp(y[i] * problem_.scale[i], problem_.lower[i], problem_.upper[i]);
    }
    return x;
  }
  std::vector<double> scaled(const std::vector<double>& x) const {
    std::vector<double> y(x.size());
    for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] / problem_.scale[i];
    return y;
  }
  MinimizeResult& result() { return result_; }
  void rescale() { factor_ = 0; }

 private:
  const MinimizeProblem& problem_;
  const MinimizeOptions& options_;
  MinimizeResult result_;
  double factor_ = 0;
  std::vector<double> last_;

  /// Where the function has no value it is made very large, so that a line search turns back.
  double refuse(std::vector<double>& dy) {
    dy = last_.empty() ? std::vector<double>(dy.size(), 0.0) : last_;
    double factor = factor_ == 0 ? 1 : factor_;
    double base = std::isfinite(result_.value) ? std::fabs(result_.value) : 1;
    return factor * (base + 1) * 1e3;
  }
};

/// NLopt turns every exception into its own; the true one is kept here.
struct Guarded {
  Scaled& function;
  std::exception_ptr problem;

  static double evaluate(const std::vector<double>& y, std::vector<double>& g, void* data) {
    auto& self = *static_cast<Guarded*>(data);
    if (self.problem) throw nlopt::forced_stop();  // it asks a few times more
    std::vector<double> dy(y.size());
    try {
      double value = self.function(y, dy);
      if (!g.empty()) g = dy;
      return value;
    } catch (...) {
      self.problem = std::current_exception();
      throw nlopt::forced_stop();
    }
  }
};

void lbfgs(const MinimizeProblem& problem, Scaled& function) {
  auto n = static_cast<unsigned>(problem.start.size());
  std::vector<double> lower = function.scaled(problem.lower), upper = function.scaled(problem.upper);
  double before = std::numeric_limits<double>::infinity();
  while (true) {
    nlopt::opt solver(nlopt::LD_LBFGS, n);
    solver.set_lower_bounds(lower);
    solver.set_upper_bounds(upper);
    Guarded guarded{function, nullptr};
    solver.set_min_objective(&Guarded::evaluate, &guarded);
    solver.set_ftol_rel(1e-15);
    solver.set_xtol_rel(1e-12);
    std::vector<double> y = function.scaled(function.result().best);
    double value = 0;
    try {
      solver.optimize(y, value);
    } catch (const std::runtime_error&) {  // rounding, or a line search that failed: another beginning may help
    }
    if (guarded.problem) std::rethrow_exception(guarded.problem);
    double best = function.result().value;
    if (!(before - best > worthwhile * std::fabs(best))) break;
    before = best;
    function.rescale();
  }
  function.result().reason = "converged";
}

void adam(const MinimizeProblem& problem, const MinimizeOptions& options, Scaled& function) {
  constexpr double beta1 = 0.9, beta2 = 0.999, tiny = 1e-8;
  size_t n = problem.start.size();
  std::vector<double> y = function.scaled(problem.start), g(n), m(n, 0.0), v(n, 0.0);
  for (int t = 1;; ++t) {
    function(y, g);
    for (size_t i = 0; i < n; ++i) {
      m[i] = beta1 * m[i] + (1 - beta1) * g[i];
      v[i] = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
      double mean = m[i] / (1 - std::pow(beta1, t)), spread = v[i] / (1 - std::pow(beta2, t));
      y[i] -= options.rate * mean / (std::sqrt(spread) + tiny);
    }
    y = function.scaled(function.unscaled(y));  // back within the bounds
  }
}

}  // namespace

MinimizeResult minimize(const MinimizeProblem& problem, const MinimizeOptions& options) {
  Scaled function(problem, options);
  try {
    if (options.adam)
      adam(problem, options, function);
    else
      lbfgs(problem, function);
  } catch (const StopMinimizing&) {
    if (function.result().reason.empty()) function.result().reason = "stopped";
  }
  return function.result();
}

}  // namespace adjoule::driver
