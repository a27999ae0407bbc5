// Minimisers of a function with a gradient: L-BFGS (NLopt's) and Adam, within bounds, in scaled variables.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace adjoule::driver {

/// `evaluate` may throw it to end the search; the best point so far is the result.
struct StopMinimizing {};

struct MinimizeProblem {
  /// The function and its gradient (same length as the variables). A value that is not finite is a place to stay
  /// away from. What else it throws ends the search and reaches the caller.
  std::function<double(const std::vector<double>& x, std::vector<double>& gradient)> evaluate;
  std::vector<double> start, lower, upper;  // bounds may be infinite
  std::vector<double> scale;                // a typical change of each variable, positive
};

struct MinimizeProgress {
  int iteration = 0;  // from 1
  double value = 0;
  double best = 0;
  double gradient_norm = 0;  // in the user's variables
};

struct MinimizeOptions {
  bool adam = false;
  int iterations = 200;                                   // evaluations of function and gradient
  double rate = 0.05;                                     // Adam: the step, relative to the scale
  std::function<bool(const MinimizeProgress&)> progress;  // false: stop now
};

struct MinimizeResult {
  std::vector<double> best;
  double value = 0;
  double first_value = 0;
  int iterations = 0;
  std::string reason;  // "converged", "no more iterations", "stopped"
};

MinimizeResult minimize(const MinimizeProblem& problem, const MinimizeOptions& options);

}  // namespace adjoule::driver
