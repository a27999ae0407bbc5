// 2-D nonlinear diffusion + advection, forward Euler, Dirichlet boundary.
// usage: heat n T [mode|all] [reps] [check]
#include "common.h"
using Real = double;
static const double DT = 0.1, DX = 1.0, BETA = 0.5, AX = 0.3, AY = -0.2;
static const double CD = DT / (DX * DX), CX = DT * AX / (2 * DX), CY = DT * AY / (2 * DX);
// K(p) = k[p] (1 + BETA u^2); face coefficient = mean of the two cells
template <class R> static inline void step(int n, const R *u, const R *k, R *un) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j) {
      int p = i * n + j;
      R uc = u[p], ul = u[p - 1], ur = u[p + 1], ud = u[p - n], uu = u[p + n];
      R kc = k[p] * (1.0 + BETA * uc * uc), kl = k[p - 1] * (1.0 + BETA * ul * ul), kr = k[p + 1] * (1.0 + BETA * ur * ur),
        kd = k[p - n] * (1.0 + BETA * ud * ud), ku = k[p + n] * (1.0 + BETA * uu * uu);
      R flux = 0.5 * ((kc + kr) * (ur - uc) - (kl + kc) * (uc - ul) + (kc + ku) * (uu - uc) - (kd + kc) * (uc - ud));
      un[p] = uc + CD * flux - CX * (ur - ul) - CY * (uu - ud);
    }
}
template <class R> static void step_out(int n, const R *__restrict u, const R *__restrict k, R *__restrict un) { step<R>(n, u, k, un); }
template <class R> static inline R misfit(int n, const R *u, const double *tgt) { R L = 0; for (int p = 0; p < n * n; ++p) { R d = u[p] - tgt[p]; L += d * d; } return L; }
template <class R> __attribute__((noinline)) static R sim(R *a, R *b, const R *k, const double *tgt, int n, int T) {
  R *u = a, *un = b;
  for (int t = 0; t < T; ++t) { step<R>(n, u, k, un); R *x = u; u = un; un = x; }
  return misfit<R>(n, u, tgt);
}
__attribute__((noinline)) static double sim_traj(double *U, const double *k, const double *tgt, int n, int T) {
  size_t M = (size_t)n * n;
  for (int t = 0; t < T; ++t) step_out<double>(n, U + t * M, k, U + (t + 1) * M);
  return misfit<double>(n, U + T * M, tgt);
}
// hand adjoint in gather form. bn = adjoint of un with boundary entries 0 (boundary of un never feeds the loss through step).
// b (written on the interior) = adjoint of u.  d(un_q)/d(u_p), d(un_q)/d(k_p) for q in {p, 4 neighbours}.
static void step_adj(int n, const double *__restrict u, const double *__restrict k, const double *__restrict bn, double *__restrict b, double *__restrict bk) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j) {
      int p = i * n + j;
      double uc = u[p], ul = u[p - 1], ur = u[p + 1], ud = u[p - n], uu = u[p + n];
      double mc = 1.0 + BETA * uc * uc, kc = k[p] * mc, kl = k[p - 1] * (1.0 + BETA * ul * ul), kr = k[p + 1] * (1.0 + BETA * ur * ur),
             kd = k[p - n] * (1.0 + BETA * ud * ud), ku = k[p + n] * (1.0 + BETA * uu * uu);
      double bc = bn[p], wl = bc - bn[p - 1], wr = bc - bn[p + 1], wd = bc - bn[p - n], wu = bc - bn[p + n];
      // faces: un_p += .5 CD (kc+kr)(ur-uc), un_r -= same  => face weight (bn_p - bn_r)
      double S = wr * (ur - uc) + wl * (ul - uc) + wu * (uu - uc) + wd * (ud - uc);   // = sum w * (nbr - centre)
      double bK = 0.5 * CD * S;                                                      // adjoint of K_p
      double D = 0.5 * CD * ((kc + kr) * wr + (kc + kl) * wl + (kc + ku) * wu + (kc + kd) * wd);
      bk[p] += bK * mc;
      b[p] = bc - D + bK * k[p] * 2.0 * BETA * uc - CX * (bn[p - 1] - bn[p + 1]) - CY * (bn[p - n] - bn[p + n]);
    }
}
int main(int ac, char **av) {
  int n = ac > 1 ? atoi(av[1]) : 32, T = ac > 2 ? atoi(av[2]) : 50;
  std::string mode = ac > 3 ? av[3] : "all"; int reps = ac > 4 ? atoi(av[4]) : 3; bool check = ac > 5;
  size_t M = (size_t)n * n; std::vector<double> u0(M), k(M), tgt(M), a, b, gu(M), gk(M); double loss = 0, sg = n / 16.0;
  for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) {
    size_t p = (size_t)i * n + j; bool in = i > 0 && j > 0 && i < n - 1 && j < n - 1;
    double r1 = (i - 0.5 * n) * (i - 0.5 * n) + (j - 0.5 * n) * (j - 0.5 * n), r2 = (i - 0.4 * n) * (i - 0.4 * n) + (j - 0.6 * n) * (j - 0.6 * n);
    u0[p] = in ? exp(-r1 / (2 * sg * sg)) + 0.1 * hash01(500000u + (uint32_t)p) : 0.0; tgt[p] = in ? 0.5 * exp(-r2 / (2 * sg * sg)) : 0.0; k[p] = 0.5 + 0.5 * hash01((uint32_t)p);
  }
  auto run = [&](const char *q) { return mode == "all" || mode == q; };
  double fwd = best_of(reps, [&] { a = u0; b = u0; loss = sim<double>(a.data(), b.data(), k.data(), tgt.data(), n, T); });
  printf("heat n=%d T=%d fwd_s=%.6f loss=%.17g\n", n, T, fwd, loss);
  size_t ctr = (size_t)(n / 2) * n + n / 2; std::vector<size_t> ix{ctr, ctr + 3, (size_t)n + 1, ctr + 2 * n + 1};
  auto out = [&](const char *md, double g) {
    for (auto *G : {&gu, &gk}) for (int i = 0; i < n; ++i) (*G)[i] = (*G)[M - 1 - i] = (*G)[(size_t)i * n] = (*G)[(size_t)i * n + n - 1] = 0;
    report({"heat", md, fwd, g, loss}); show("dU0", gu, ix); show("dK", gk, ix);
    if (check) {
      auto fn = [&] { a = u0; b = u0; return sim<double>(a.data(), b.data(), k.data(), tgt.data(), n, T); };
      fdcheck("U0", fn, u0, gu, ix, 1e-5); fdcheck("K", fn, k, gk, ix, 1e-5);
    }
  };
  auto seed = [&](const double *e, double *bn) {
    loss = misfit<double>(n, e, tgt.data()); std::fill(gk.begin(), gk.end(), 0.0); std::fill(bn, bn + M, 0.0);
    for (int i = 1; i < n - 1; ++i) for (int j = 1; j < n - 1; ++j) { size_t p = (size_t)i * n + j; bn[p] = 2 * (e[p] - tgt[p]); }
  };
  if (run("hand")) {
    std::vector<double> U(M * (T + 1), 0.0), B[2] = {std::vector<double>(M), std::vector<double>(M)};
    double g = best_of(reps, [&] {
      std::copy(u0.begin(), u0.end(), &U[0]);
      for (int t = 0; t < T; ++t) step_out<double>(n, &U[t * M], k.data(), &U[(t + 1) * M]);
      double *bn = B[0].data(), *bb = B[1].data(); seed(&U[T * M], bn); std::fill(bb, bb + M, 0.0);
      for (int t = T - 1; t >= 0; --t) { step_adj(n, &U[t * M], k.data(), bn, bb, gk.data()); std::swap(bn, bb); }
      std::copy(bn, bn + M, gu.begin());
    });
    out("hand", g);
  }
}
