// Tests a gradient against central differences and against the tangent. Both are asked the same question: how fast does
// the loss change in a direction d? The adjoint answers with the sum of g · d.
#pragma once
#include <string>
#include <vector>

#include "driver/options.hpp"
#include "instance.hpp"

namespace adjoule::driver {

struct CheckSettings {
  int64_t steps = 0;
  int loss = 0;
  std::vector<int> wrt;
  double difference_tolerance = 1e-6;
  double tangent_tolerance = 1e-12;
};

struct ParameterCheck {
  std::string name;
  int64_t numbers = 0;          // entries of the parameter
  int directions = 0;           // tried: entries one by one, and random directions
  double difference_error = 0;  // the worst of them, each at its best step size; relative
  double step_size = 0;         // of that one
  double tangent_error = 0;     // dot-product test over all random directions; relative
  bool passed = false;
};

/// `exact` (f64) gives the losses of the differences, `tested` the adjoint and the tangents; they may be the same.
/// Throws Error when a run fails. Fields with more than ten numbers are tried in two random directions and eight
/// entries.
std::vector<ParameterCheck> check_gradient(runtime::Instance& tested, runtime::Instance& exact,
                                           const CheckSettings& settings, std::vector<std::string>& warnings);

}  // namespace adjoule::driver
