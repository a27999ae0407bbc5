// Sums in the fixed order of the language: blocks of 1024 values, 16 lanes in a block, a fixed tree over the lanes, block
// sums in order and in f64. The order does not depend on how wide this machine's vectors are.
#include <cstring>

#include "native.hpp"

namespace {

constexpr int64_t block_length = 1024;
constexpr int lane_count = 16;

/// Sixteen lanes as one value: GCC splits it over the vector registers that there are.
template <typename Real>
struct Lanes {
  typedef Real Vector __attribute__((vector_size(lane_count * sizeof(Real))));
};

/// One block of `count` values, the first in lane 0.
template <typename Real>
double block_sum(const Real* values, int64_t count) {
  typename Lanes<Real>::Vector sums{};
  int64_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    typename Lanes<Real>::Vector next;
    std::memcpy(&next, values + i, sizeof next);
    sums += next;
  }
  Real lanes[lane_count];
  std::memcpy(lanes, &sums, sizeof lanes);
  for (int l = 0; i < count; ++i, ++l) lanes[l] += values[i];
  for (int half = lane_count / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return static_cast<double>(lanes[0]);
}

template <typename Real>
double add_blocks(Real* values, int64_t count, bool last, double total) {
  int64_t done = 0;
  for (; done + block_length <= count; done += block_length) total += block_sum(values + done, block_length);
  int64_t rest = count - done;
  if (last && rest > 0) total += block_sum(values + done, rest);
  else if (done > 0 && rest > 0) std::memmove(values, values + done, static_cast<size_t>(rest) * sizeof(Real));
  return total;
}

}  // namespace

extern "C" {

double adjoule_sum_f64(double* values, int64_t count, int32_t last, double total) {
  return add_blocks(values, count, last != 0, total);
}

double adjoule_sum_f32(float* values, int64_t count, int32_t last, double total) {
  return add_blocks(values, count, last != 0, total);
}
}
