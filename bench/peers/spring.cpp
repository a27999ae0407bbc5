// Mass-spring lattice (n x n particles in 3-D), scatter over springs via index arrays.
// usage: spring n T [mode|all] [reps] [check]
#include "common.h"
using Real = double;
static const double DT = 1e-3, GRAV = 9.8, DAMP = 0.9995, KP = 1e4, MASS = 1.0, EPS2 = 1e-12;
static const double TGT[3] = {1.0, 0.5, 0.25}, DIAG[3] = {0.9, 0.7, 0.5};
// state: x[N] y[N] z[N] vx[N] vy[N] vz[N]   (N = n*n), force f[3N]
template <class R> static inline void forces(int N, int S, const int *__restrict si, const int *__restrict sj, const double *__restrict L0,
                                             const R *__restrict k, const R *s, R *__restrict f) {
  for (int i = 0; i < 3 * N; ++i) f[i] = 0;
  const R *x = s, *y = s + N, *z = s + 2 * N; R *fx = f, *fy = f + N, *fz = f + 2 * N;
  for (int e = 0; e < S; ++e) {
    int i = si[e], j = sj[e];
    R dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
    R l = sqrt(dx * dx + dy * dy + dz * dz + EPS2);
    R c = k[e] * (l - L0[e]) / l;
    R px = c * dx, py = c * dy, pz = c * dz;
    fx[i] += px; fy[i] += py; fz[i] += pz; fx[j] -= px; fy[j] -= py; fz[j] -= pz;
  }
}
template <class R> static inline void integrate(int N, const R *s, const R *f, R *sn) {
  for (int i = 0; i < N; ++i) {
    R Fz = f[2 * N + i] - MASS * GRAV; const R zi = s[2 * N + i];
    if (zi < 0.0) Fz += KP * (-zi);
    R vx = (s[3 * N + i] + DT / MASS * f[i]) * DAMP, vy = (s[4 * N + i] + DT / MASS * f[N + i]) * DAMP, vz = (s[5 * N + i] + DT / MASS * Fz) * DAMP;
    R x = s[i] + DT * vx, y = s[N + i] + DT * vy, z = zi + DT * vz;
    sn[i] = x; sn[N + i] = y; sn[2 * N + i] = z; sn[3 * N + i] = vx; sn[4 * N + i] = vy; sn[5 * N + i] = vz;
  }
}
template <class R> static void step_out(int N, int S, const int *si, const int *sj, const double *L0, const R *__restrict k, const R *__restrict s,
                                        R *__restrict f, R *__restrict sn) {
  forces<R>(N, S, si, sj, L0, k, s, f); integrate<R>(N, s, f, sn);
}
template <class R> static inline R loss_of(int N, const R *s) {
  R L = 0;
  for (int c = 0; c < 3; ++c) { R a = 0; for (int i = 0; i < N; ++i) a += s[c * N + i]; a = a / double(N) - TGT[c]; L += a * a;
    R d = s[c * N + N - 1] - s[c * N] - DIAG[c]; L += d * d; }
  return L;
}
template <class R> __attribute__((noinline)) static R sim(R *s, const R *k, R *f, const int *si, const int *sj, const double *L0, int N, int S, int T) {
  for (int t = 0; t < T; ++t) { forces<R>(N, S, si, sj, L0, k, s, f); integrate<R>(N, s, f, s); }
  return loss_of<R>(N, s);
}
static void step_adj(int N, int S, const int *__restrict si, const int *__restrict sj, const double *__restrict L0, const double *__restrict k,
                     const double *__restrict s, double *__restrict b, double *__restrict bk, double *__restrict t) {
  double *tx = t, *ty = t + N, *tz = t + 2 * N; const double *x = s, *y = s + N, *z = s + 2 * N;
  double *bx = b, *by = b + N, *bz = b + 2 * N;
  for (int i = 0; i < N; ++i) {
    double vx = (b[3 * N + i] + DT * bx[i]) * DAMP, vy = (b[4 * N + i] + DT * by[i]) * DAMP, vz = (b[5 * N + i] + DT * bz[i]) * DAMP;
    b[3 * N + i] = vx; b[4 * N + i] = vy; b[5 * N + i] = vz;
    tx[i] = vx * (DT / MASS); ty[i] = vy * (DT / MASS); tz[i] = vz * (DT / MASS);
    if (z[i] < 0.0) bz[i] -= KP * tz[i];
  }
  for (int e = 0; e < S; ++e) {
    int i = si[e], j = sj[e];
    double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
    double il = 1.0 / sqrt(dx * dx + dy * dy + dz * dz + EPS2), l0 = L0[e];
    double wx = tx[i] - tx[j], wy = ty[i] - ty[j], wz = tz[i] - tz[j];   // adjoint of p
    double wd = wx * dx + wy * dy + wz * dz, q = 1 - l0 * il;
    bk[e] += q * wd;
    double c = k[e] * q, h = k[e] * l0 * il * il * il * wd;               // dc/dl = k*l0/l^2, dl/dd = d/l
    double ax = c * wx + h * dx, ay = c * wy + h * dy, az = c * wz + h * dz;
    bx[j] += ax; by[j] += ay; bz[j] += az; bx[i] -= ax; by[i] -= ay; bz[i] -= az;
  }
}
int main(int ac, char **av) {
  int n = ac > 1 ? atoi(av[1]) : 16, T = ac > 2 ? atoi(av[2]) : 200;
  std::string mode = ac > 3 ? av[3] : "all"; int reps = ac > 4 ? atoi(av[4]) : 3; bool check = ac > 5;
  int N = n * n; size_t M = 6 * (size_t)N;
  std::vector<int> si, sj; std::vector<double> L0, k, s0(M), f(3 * N); double h = 1.0 / (n - 1), loss = 0;
  auto add = [&](int a, int b, double l) { L0.push_back(l); k.push_back(1000.0 * (0.75 + 0.5 * hash01(7000000u + (unsigned)si.size()))); si.push_back(a); sj.push_back(b); };
  for (int a = 0; a < n; ++a) for (int b = 0; b < n; ++b) {      // particle (a,b) has index a*n+b
    int p = a * n + b;
    if (a + 1 < n) add(p, p + n, h);
    if (b + 1 < n) add(p, p + 1, h);
    if (a + 1 < n && b + 1 < n) { add(p, p + n + 1, h * sqrt(2.0)); add(p + n, p + 1, h * sqrt(2.0)); }
  }
  int S = si.size();
  for (int a = 0; a < n; ++a) for (int b = 0; b < n; ++b) {
    int p = a * n + b; s0[p] = a * h; s0[N + p] = 0.8 * b * h; s0[2 * N + p] = 0.05 + 0.6 * b * h;
    s0[3 * N + p] = 0.5 + 0.1 * (hash01(3 * p) - 0.5); s0[4 * N + p] = 0.1 * (hash01(3 * p + 1) - 0.5); s0[5 * N + p] = -1.0 + 0.1 * (hash01(3 * p + 2) - 0.5);
  }
  std::vector<double> w, gs(M), gk(S);
  auto run = [&](const char *q) { return mode == "all" || mode == q; };
  const int *SI = si.data(), *SJ = sj.data(); const double *L = L0.data();
  double fwd = best_of(reps, [&] { w = s0; loss = sim<double>(w.data(), k.data(), f.data(), SI, SJ, L, N, S, T); });
  printf("spring n=%d N=%d S=%d T=%d fwd_s=%.6f loss=%.17g\n", n, N, S, T, fwd, loss);
  std::vector<size_t> is{(size_t)3 * N, (size_t)4 * N, (size_t)5 * N, M - 1}, ik{0, 1, 2, (size_t)S / 2, (size_t)S - 1};
  auto out = [&](const char *md, double g) {
    report({"spring", md, fwd, g, loss}); show("dS0", gs, is); show("dK", gk, ik);
    if (check) {
      auto fn = [&] { std::vector<double> q = s0; return sim<double>(q.data(), k.data(), f.data(), SI, SJ, L, N, S, T); };
      fdcheck("S0", fn, s0, gs, is, 1e-5); fdcheck("K", fn, k, gk, ik, 1e-2);
    }
  };
  auto seed = [&](const double *e) {
    std::fill(gs.begin(), gs.end(), 0.0); std::fill(gk.begin(), gk.end(), 0.0); loss = loss_of<double>(N, e);
    for (int c = 0; c < 3; ++c) { double a = 0; for (int i = 0; i < N; ++i) a += e[c * N + i]; a = a / N - TGT[c]; for (int i = 0; i < N; ++i) gs[c * N + i] = 2 * a / N;
      double d = 2 * (e[c * N + N - 1] - e[c * N] - DIAG[c]); gs[c * N + N - 1] += d; gs[c * N] -= d; }
  };
  if (run("hand")) {
    std::vector<double> traj(M * (T + 1)), t(3 * N);
    double g = best_of(reps, [&] {
      std::copy(s0.begin(), s0.end(), traj.begin());
      for (int q = 0; q < T; ++q) step_out<double>(N, S, SI, SJ, L, k.data(), &traj[q * M], f.data(), &traj[(q + 1) * M]);
      seed(&traj[T * M]);
      for (int q = T - 1; q >= 0; --q) step_adj(N, S, SI, SJ, L, k.data(), &traj[q * M], gs.data(), gk.data(), t.data());
    });
    out("hand", g);
  }
}
