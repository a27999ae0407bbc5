// 1-D reaction-diffusion, backward Euler, Newton (NIT fixed iterations from w=u) with a tridiagonal (Thomas) solve.
// hand = implicit-function adjoint (one transposed tridiagonal solve a step).
// usage: implicit n T [mode|all] [reps] [check]
#include "common.h"
static const double DT = 1e-3; static const int NIT = 5;
// p[0]=kappa, p[1]=r
static inline void thomas(int n, const double *diag, double off, double *rhs /*in: b, out: x*/, double *cp) {
  double m = diag[0]; cp[0] = off / m; rhs[0] /= m;
  for (int i = 1; i < n; ++i) { m = diag[i] - off * cp[i - 1]; cp[i] = off / m; rhs[i] = (rhs[i] - off * rhs[i - 1]) / m; }
  for (int i = n - 2; i >= 0; --i) rhs[i] -= cp[i] * rhs[i + 1];
}
static void step_out(int n, const double *u, const double *p, double *w, double *wk /*3n scratch*/) {
  const double a = DT * p[0] * (n + 1.0) * (n + 1.0), r = p[1]; double *d = wk, *F = wk + n, *cp = wk + 2 * n;
  for (int i = 0; i < n; ++i) w[i] = u[i];
  for (int k = 0; k < NIT; ++k) {
    for (int i = 0; i < n; ++i) {
      double wl = i > 0 ? w[i - 1] : 0.0, wr = i < n - 1 ? w[i + 1] : 0.0, wc = w[i];
      F[i] = wc - u[i] - a * (wl - 2 * wc + wr) + DT * r * wc * wc * wc; d[i] = 1 + 2 * a + 3 * DT * r * wc * wc;
    }
    thomas(n, d, -a, F, cp);
    for (int i = 0; i < n; ++i) w[i] -= F[i];
  }
}
static inline double misfit(int n, const double *w, const double *tgt) { double L = 0; for (int i = 0; i < n; ++i) { double e = w[i] - tgt[i]; L += e * e; } return L; }
__attribute__((noinline)) static double sim(double *u, double *w, double *wk, const double *p, const double *tgt, int n, int T) {
  for (int t = 0; t < T; ++t) { step_out(n, u, p, w, wk); for (int i = 0; i < n; ++i) u[i] = w[i]; }
  return misfit(n, u, tgt);
}
int main(int ac, char **av) {
  int n = ac > 1 ? atoi(av[1]) : 64, T = ac > 2 ? atoi(av[2]) : 50;
  std::string mode = ac > 3 ? av[3] : "all"; int reps = ac > 4 ? atoi(av[4]) : 3; bool check = ac > 5;
  std::vector<double> u0(n), tgt(n), p{0.1, 2.0}, u(n), w(n), wk(3 * n), gu(n), gp(2); double loss = 0; const double PI = 3.14159265358979323846;
  for (int i = 0; i < n; ++i) { double x = (i + 1.0) / (n + 1); u0[i] = sin(PI * x) + 0.3 * sin(3 * PI * x); tgt[i] = 0.5 * sin(2 * PI * x); }
  auto run = [&](const char *q) { return mode == "all" || mode == q; };
  double fwd = best_of(reps, [&] { u = u0; loss = sim(u.data(), w.data(), wk.data(), p.data(), tgt.data(), n, T); });
  printf("implicit n=%d T=%d fwd_s=%.6f loss=%.17g\n", n, T, fwd, loss); std::vector<size_t> iu{0, (size_t)n / 4, (size_t)n / 2};
  auto out = [&](const char *md, double g) {
    report({"implicit", md, fwd, g, loss}); show("dU0", gu, iu); show("dP", gp, {0, 1});
    if (check) { auto f = [&] { u = u0; return sim(u.data(), w.data(), wk.data(), p.data(), tgt.data(), n, T); }; fdcheck("U0", f, u0, gu, iu, 1e-5); fdcheck("P", f, p, gp, {0, 1}, 1e-5); }
  };
  std::vector<double> tr((size_t)n * (T + 1));
  auto forward = [&](std::vector<double> &b) {
    std::copy(u0.begin(), u0.end(), tr.begin()); for (int t = 0; t < T; ++t) step_out(n, &tr[(size_t)t * n], p.data(), &tr[(size_t)(t + 1) * n], wk.data());
    const double *e = &tr[(size_t)T * n]; loss = misfit(n, e, tgt.data()); for (int i = 0; i < n; ++i) b[i] = 2 * (e[i] - tgt[i]); gp[0] = gp[1] = 0;
  };
  if (run("hand")) {
    std::vector<double> b(n), d(n), cp(n);
    double g = best_of(reps, [&] {
      forward(b); const double s2 = DT * (n + 1.0) * (n + 1.0), a = s2 * p[0];
      for (int t = T; t >= 1; --t) {
        const double *x = &tr[(size_t)t * n]; for (int i = 0; i < n; ++i) d[i] = 1 + 2 * a + 3 * DT * p[1] * x[i] * x[i];
        thomas(n, d.data(), -a, b.data(), cp.data());   // J symmetric: J^T lambda = b
        double gk = 0, gr = 0;
        for (int i = 0; i < n; ++i) { double l = i > 0 ? x[i - 1] : 0, r = i < n - 1 ? x[i + 1] : 0; gk += b[i] * s2 * (l - 2 * x[i] + r); gr -= b[i] * DT * x[i] * x[i] * x[i]; }
        gp[0] += gk; gp[1] += gr;
      }
      gu = b;
    });
    out("hand_implicit", g);
  }
}
