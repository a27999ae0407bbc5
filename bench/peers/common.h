// Shared harness for the peer benchmarks (own code).
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <chrono>
#include <functional>
#include <algorithm>
#include <sys/resource.h>

// ---- deterministic pseudo-random field: exact in double ---------------------
// hash01(k) in [0,1): 32-bit murmur3 finaliser of (k*2654435761 + 0x9E3779B9), times 2^-32
static inline double hash01(uint32_t k) {
  uint32_t h = k * 2654435761u + 0x9E3779B9u;
  h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16;
  return h * (1.0 / 4294967296.0);
}
static inline double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}
static inline long peak_rss_kb() { rusage r; getrusage(RUSAGE_SELF, &r); return r.ru_maxrss; }
// minimum wall time of `reps` calls
template <class F> static double best_of(int reps, F f) {
  double b = 1e300;
  for (int r = 0; r < reps; ++r) { double t = now(); f(); b = std::min(b, now() - t); }
  return b;
}
struct Report {
  const char *name; const char *mode; double fwd, grad, loss;
};
static inline void report(const Report &r) {
  printf("%s mode=%s fwd_s=%.6f grad_s=%.6f ratio=%.3f loss=%.17g rss_MB=%ld\n", r.name, r.mode,
         r.fwd, r.grad, r.grad / r.fwd, r.loss, peak_rss_kb() / 1024);
}
static inline double norm2(const std::vector<double> &g) { long double s = 0; for (double v : g) s += (long double)v * v; return (double)sqrtl(s); }
static inline void show(const char *what, const std::vector<double> &g, std::vector<size_t> idx) {
  for (size_t i : idx) printf("  %s[%zu]=%.17g\n", what, i, g[i]);
  printf("  |%s|2=%.17g\n", what, norm2(g));
}
// central finite difference of f() with respect to *p
static inline double fd(const std::function<double()> &f, double *p, double h) {
  double s = *p; *p = s + h; double a = f(); *p = s - h; double b = f(); *p = s; return (a - b) / (2 * h);
}
static inline void fdcheck(const char *what, const std::function<double()> &f, std::vector<double> &p,
                           const std::vector<double> &g, std::vector<size_t> idx, double h) {
  for (size_t i : idx) {
    double d = fd(f, &p[i], h);
    printf("  FD %s[%zu]: fd=%.12g ad=%.12g rel=%.2e\n", what, i, d, g[i], std::fabs(d - g[i]) / (std::fabs(d) + 1e-300));
  }
}
