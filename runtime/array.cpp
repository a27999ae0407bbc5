// Host arrays: small helpers of the public struct.
#include "adjoule/adjoule.hpp"

namespace adjoule {

int64_t Array::count() const {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

Array Array::of(double value) { return of_reals({value}, {}); }

Array Array::of_reals(std::vector<double> values, std::vector<int64_t> shape) {
  Array result;
  result.shape = std::move(shape);
  result.reals = std::move(values);
  return result;
}

Array Array::of_integers(std::vector<int64_t> values, std::vector<int64_t> shape) {
  Array result;
  result.shape = std::move(shape);
  result.integers = std::move(values);
  result.integral = true;
  return result;
}

}  // namespace adjoule
