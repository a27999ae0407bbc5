// 2-D wave equation, leapfrog, zero Dirichlet boundary.
// usage: wave n T [mode|all] [reps] [check]
#include "common.h"
using Real = double;
static const double DT = 0.5, DX = 1.0, R2 = (DT / DX) * (DT / DX);
// un = 2 u - up + R2 c^2 lap(u) on the interior; boundary cells of un are 0
template <class R> static inline void step(int n, const R *u, const R *up, const R *c, R *un) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j) {
      int p = i * n + j;
      R lap = u[p - n] + u[p + n] + u[p - 1] + u[p + 1] - 4.0 * u[p];
      un[p] = 2.0 * u[p] - up[p] + R2 * c[p] * c[p] * lap;
    }
}
template <class R> static void step_out(int n, const R *__restrict u, const R *__restrict up, const R *__restrict c, R *__restrict un) { step<R>(n, u, up, c, un); }
template <class R> static inline R misfit(int n, const R *u, const double *tgt) { R L = 0; for (int p = 0; p < n * n; ++p) { R d = u[p] - tgt[p]; L += d * d; } return L; }
// whole loop, two buffers, un written over up (same index only)
template <class R> __attribute__((noinline)) static R sim(R *a, R *b, const R *c, const double *tgt, int n, int T) {
  R *u = a, *up = b;       // a = u at t=0, b = u at t=-1
  for (int t = 0; t < T; ++t) { step<R>(n, u, up, c, up); R *x = u; u = up; up = x; }
  return misfit<R>(n, u, tgt);
}
// whole loop, the whole trajectory kept by the program: slices U[0]=u(-1), U[1]=u(0), ..., U[T+1]=u(T)
__attribute__((noinline)) static double sim_traj(double *U, const double *c, const double *tgt, int n, int T) {
  size_t M = (size_t)n * n;
  for (int t = 1; t <= T; ++t) step_out<double>(n, U + t * M, U + (t - 1) * M, c, U + (t + 1) * M);
  return misfit<double>(n, U + (T + 1) * M, tgt);
}
// hand adjoint, given u at time t: bn = adj u(t+1), b = adj u(t) (accumulated), bp = adj u(t-1) (written); gather form; the boundary of bn must be 0
static void step_adj(int n, const double *__restrict u, const double *__restrict w /* R2 c^2 */, const double *__restrict bn, double *__restrict b,
                     double *__restrict bp, double *__restrict acc /* adjoint of w */) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j) {
      int p = i * n + j; double lap = u[p - n] + u[p + n] + u[p - 1] + u[p + 1] - 4.0 * u[p], x = bn[p];
      acc[p] += lap * x; bp[p] = -x;
      b[p] += (2.0 - 4.0 * w[p]) * x + (w[p - n] * bn[p - n] + w[p + n] * bn[p + n] + w[p - 1] * bn[p - 1] + w[p + 1] * bn[p + 1]);
    }
}
int main(int ac, char **av) {
  int n = ac > 1 ? atoi(av[1]) : 32, T = ac > 2 ? atoi(av[2]) : 50;
  std::string mode = ac > 3 ? av[3] : "all"; int reps = ac > 4 ? atoi(av[4]) : 3; bool check = ac > 5;
  size_t M = (size_t)n * n; std::vector<double> u0(M), c(M), tgt(M), a, b, gu(M), gc(M); double loss = 0, sg = n / 16.0;
  for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) {
    size_t p = (size_t)i * n + j; bool in = i > 0 && j > 0 && i < n - 1 && j < n - 1;
    double r1 = (i - 0.5 * n) * (i - 0.5 * n) + (j - 0.5 * n) * (j - 0.5 * n), r2 = (i - 0.4 * n) * (i - 0.4 * n) + (j - 0.6 * n) * (j - 0.6 * n);
    u0[p] = in ? exp(-r1 / (2 * sg * sg)) : 0.0; tgt[p] = in ? 0.5 * exp(-r2 / (2 * sg * sg)) : 0.0; c[p] = 0.5 + 0.5 * hash01((uint32_t)p);
  }
  auto run = [&](const char *q) { return mode == "all" || mode == q; };
  double fwd = best_of(reps, [&] { a = u0; b = u0; loss = sim<double>(a.data(), b.data(), c.data(), tgt.data(), n, T); });
  printf("wave n=%d T=%d fwd_s=%.6f loss=%.17g\n", n, T, fwd, loss);
  size_t ctr = (size_t)(n / 2) * n + n / 2; std::vector<size_t> ix{ctr, ctr + 3, (size_t)n + 1, ctr + 2 * n + 1};
  auto out = [&](const char *md, double g) {
    for (int i = 0; i < n; ++i) gu[i] = gu[M - 1 - i] = gu[(size_t)i * n] = gu[(size_t)i * n + n - 1] = 0;  // boundary cells are not inputs
    report({"wave", md, fwd, g, loss}); show("dU0", gu, ix); show("dC", gc, ix);
    if (check) {
      auto fn = [&] { a = u0; b = u0; return sim<double>(a.data(), b.data(), c.data(), tgt.data(), n, T); };
      fdcheck("U0", fn, u0, gu, ix, 1e-4); fdcheck("C", fn, c, gc, ix, 1e-5);
    }
  };
  std::vector<double> cw(M);
  auto prep = [&] { for (size_t p = 0; p < M; ++p) cw[p] = R2 * c[p] * c[p]; std::fill(gc.begin(), gc.end(), 0.0); };
  auto fin = [&] { for (size_t p = 0; p < M; ++p) gc[p] *= 2.0 * R2 * c[p]; };
  if (run("hand")) {
    std::vector<double> U(M * (T + 2), 0.0), B[3] = {std::vector<double>(M), std::vector<double>(M), std::vector<double>(M)};
    double g = best_of(reps, [&] {
      std::copy(u0.begin(), u0.end(), &U[0]); std::copy(u0.begin(), u0.end(), &U[M]);
      for (int t = 1; t <= T; ++t) step_out<double>(n, &U[t * M], &U[(t - 1) * M], c.data(), &U[(t + 1) * M]);
      loss = misfit<double>(n, &U[(T + 1) * M], tgt.data());
      prep();
      double *bn = B[0].data(), *bb = B[1].data(), *bp = B[2].data(); const double *e = &U[(T + 1) * M];
      for (size_t p = 0; p < M; ++p) { bn[p] = 2 * (e[p] - tgt[p]); bb[p] = 0; bp[p] = 0; }
      for (int t = T; t >= 1; --t) { step_adj(n, &U[t * M], cw.data(), bn, bb, bp, gc.data()); double *x = bn; bn = bb; bb = bp; bp = x; }
      fin(); for (size_t p = 0; p < M; ++p) gu[p] = bn[p] + bb[p];
    });
    out("hand", g);
  }
  if (run("hand_ckpt")) {   // two-level checkpointing: keep (u,up) every K steps, recompute a segment of K steps, store-all inside it
    int K = (int)ceil(sqrt((double)T)); int NS = (T + K - 1) / K;
    std::vector<double> CK((size_t)NS * 2 * M), U(M * (K + 2), 0.0), B[3] = {std::vector<double>(M), std::vector<double>(M), std::vector<double>(M)};
    double g = best_of(reps, [&] {
      double *bn = B[0].data(), *bb = B[1].data(), *bp = B[2].data();
      std::copy(u0.begin(), u0.end(), &U[0]); std::copy(u0.begin(), u0.end(), &U[M]);
      auto seg = [&](int q) { int L = std::min(K, T - q * K); for (int t = 1; t <= L; ++t) step_out<double>(n, &U[t * M], &U[(t - 1) * M], c.data(), &U[(t + 1) * M]); return L; };
      for (int q = 0; q < NS; ++q) { memcpy(&CK[q * 2 * M], &U[0], 2 * M * sizeof(double)); int L = seg(q); if (q + 1 < NS) memcpy(&U[0], &U[L * M], 2 * M * sizeof(double)); }
      int L = T - (NS - 1) * K; const double *e = &U[(L + 1) * M]; loss = misfit<double>(n, e, tgt.data()); prep();
      for (size_t p = 0; p < M; ++p) { bn[p] = 2 * (e[p] - tgt[p]); bb[p] = 0; bp[p] = 0; }
      for (int q = NS - 1; q >= 0; --q) {
        if (q < NS - 1) { memcpy(&U[0], &CK[q * 2 * M], 2 * M * sizeof(double)); L = seg(q); }
        for (int t = L; t >= 1; --t) { step_adj(n, &U[t * M], cw.data(), bn, bb, bp, gc.data()); double *x = bn; bn = bb; bb = bp; bp = x; }
      }
      fin(); for (size_t p = 0; p < M; ++p) gu[p] = bn[p] + bb[p];
    });
    out("hand_ckpt", g);
  }
  for (int NC : {10, 32}) if (run(NC == 10 ? "hand_revolve10" : "hand_revolve32")) {  // binomial (revolve) schedule, NC snapshots of (u,up)
    long steps = 0;
    std::vector<double> CK((size_t)(NC + 1) * 2 * M), W[3] = {std::vector<double>(M, 0.0), std::vector<double>(M, 0.0), std::vector<double>(M, 0.0)}, B[3] = {std::vector<double>(M), std::vector<double>(M), std::vector<double>(M)};
    auto C = [](int a, int b) { double r = 1; for (int i = 1; i <= b; ++i) r = r * (a - b + i) / i; return (long)(r + 0.5); };
    double g = best_of(reps, [&] {
      steps = 0; double *bn = B[0].data(), *bb = B[1].data(), *bp = B[2].data(); bool first = true;
      double *u = W[0].data(), *up = W[1].data(), *un = W[2].data();
      auto load = [&](int slot) { memcpy(u, &CK[(size_t)slot * 2 * M], M * 8); memcpy(up, &CK[((size_t)slot * 2 + 1) * M], M * 8); };
      auto adv = [&] { step_out<double>(n, u, up, c.data(), un); double *x = up; up = u; u = un; un = x; ++steps; };
      // reverse steps [a, a+l) given snapshot of state a in `slot`, with `fr` further free slots
      std::function<void(int, int)> rev = [&](int l, int slot) {
        int fr = NC - slot - 1;   // free slots after this one
        if (l == 1) {
          load(slot);
          if (first) { first = false; adv(); loss = misfit<double>(n, u, tgt.data()); for (size_t p = 0; p < M; ++p) { bn[p] = 2 * (u[p] - tgt[p]); bb[p] = 0; bp[p] = 0; }
            step_adj(n, up, cw.data(), bn, bb, bp, gc.data()); }
          else step_adj(n, u, cw.data(), bn, bb, bp, gc.data());
          double *x = bn; bn = bb; bb = bp; bp = x; return;
        }
        if (fr == 0) { for (int k = l; k >= 1; --k) { load(slot); for (int i = 0; i + 1 < k; ++i) adv();
            if (first) { first = false; adv(); loss = misfit<double>(n, u, tgt.data()); for (size_t p = 0; p < M; ++p) { bn[p] = 2 * (u[p] - tgt[p]); bb[p] = 0; bp[p] = 0; } step_adj(n, up, cw.data(), bn, bb, bp, gc.data()); }
            else step_adj(n, u, cw.data(), bn, bb, bp, gc.data());
            double *x = bn; bn = bb; bb = bp; bp = x; } return; }
        int cc = fr + 1, r = 0; while (C(cc + r, cc) < l) ++r;              // beta(cc, r) >= l > beta(cc, r-1)
        long b1 = C(cc - 1 + r - 1, cc - 1), b2 = r >= 2 ? C(cc + r - 2, cc) : 0, b3 = C(cc + r - 1, cc);   // Griewank-Walther step: k between bounds
        long k = l - b1 > b2 ? std::min((long)l - b1, b3) : b2; if (k < 1) k = 1; if (k > l - 1) k = l - 1;
        load(slot); for (long i = 0; i < k; ++i) adv();
        memcpy(&CK[(size_t)(slot + 1) * 2 * M], u, M * 8); memcpy(&CK[((size_t)(slot + 1) * 2 + 1) * M], up, M * 8);
        rev(l - k, slot + 1); rev(k, slot);
      };
      prep(); memcpy(&CK[0], u0.data(), M * 8); memcpy(&CK[M], u0.data(), M * 8);
      rev(T, 0);
      fin(); for (size_t p = 0; p < M; ++p) gu[p] = bn[p] + bb[p];
    });
    int r = 0; while (C(NC + r, NC) < T) ++r;
    printf("revolve NC=%d forward_steps=%ld optimal=%ld\n", NC, steps - 1, (long)r * T - C(NC + r, NC + 1));
    out(NC == 10 ? "hand_revolve10" : "hand_revolve32", g);
  }
}
