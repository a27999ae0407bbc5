// N-body, softened gravity, semi-implicit Euler.
// usage: nbody N T [mode|all] [reps] [check]
#include "common.h"
using Real = double;
static const double DT = 1e-3, EPS2 = 1e-2, G = 1.0;
static const double TGT[3] = {1.0, 0.5, -0.25};

// state layout (SoA): x[N] y[N] z[N] vx[N] vy[N] vz[N]
template <class R> static inline void kick(int N, const R *__restrict s, const R *__restrict m, const R *vin, R *vout) {
  const R *x = s, *y = s + N, *z = s + 2 * N;
  for (int i = 0; i < N; ++i) {
    R ax = 0, ay = 0, az = 0; const R xi = x[i], yi = y[i], zi = z[i];
    for (int j = 0; j < N; ++j) {
      R dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
      R r2 = dx * dx + dy * dy + dz * dz + EPS2;
      R inv = 1.0 / sqrt(r2);
      R w = m[j] * inv * inv * inv;
      ax += w * dx; ay += w * dy; az += w * dz;
    }
    vout[i] = vin[i] + DT * G * ax; vout[N + i] = vin[N + i] + DT * G * ay; vout[2 * N + i] = vin[2 * N + i] + DT * G * az;
  }
}
// out-of-place step
template <class R> static void step_out(int N, const R *__restrict s, const R *__restrict m, R *__restrict sn) {
  kick<R>(N, s, m, s + 3 * N, sn + 3 * N);
  for (int i = 0; i < 3 * N; ++i) sn[i] = s[i] + DT * sn[3 * N + i];
}
// in-place step
template <class R> static void step_in(int N, R *s, const R *m) {
  kick<R>(N, s, m, s + 3 * N, s + 3 * N);
  for (int i = 0; i < 3 * N; ++i) s[i] = s[i] + DT * s[3 * N + i];
}
template <class R> static inline R loss_of(int N, const R *s) {
  R a = s[0] - TGT[0], b = s[N] - TGT[1], c = s[2 * N] - TGT[2];
  return a * a + b * b + c * c;
}
// whole loop, state overwritten in place
template <class R> __attribute__((noinline)) static R sim(R *s, const R *m, int N, int T) {
  for (int t = 0; t < T; ++t) step_in<R>(N, s, m);
  return loss_of<R>(N, s);
}
// whole loop, whole trajectory kept by the program (T+1 states in one array)
__attribute__((noinline)) static double sim_traj(double *traj, const double *m, int N, int T) {
  for (int t = 0; t < T; ++t) step_out<double>(N, traj + (size_t)t * 6 * N, m, traj + (size_t)(t + 1) * 6 * N);
  return loss_of<double>(N, traj + (size_t)T * 6 * N);
}
static void init(int N, std::vector<double> &s, std::vector<double> &m) {
  s.resize(6 * N); m.resize(N);
  for (int i = 0; i < N; ++i) {
    for (int c = 0; c < 3; ++c) { s[c * N + i] = 2 * hash01(6 * i + c) - 1; s[(3 + c) * N + i] = 0.2 * (hash01(6 * i + 3 + c) - 0.5); }
    m[i] = (0.5 + hash01(1000003u + i)) / N;
  }
}
// ---- hand-written adjoint: store all states, one reverse step in gather form --------
static void step_adj(int N, const double *__restrict s, const double *__restrict m, double *__restrict b /*in: adj of new, out: adj of old*/,
                     double *__restrict bm, double *__restrict t /*3N scratch*/) {
  const double *x = s, *y = s + N, *z = s + 2 * N;
  double *bx = b, *bv = b + 3 * N;
  for (int i = 0; i < 3 * N; ++i) { bv[i] += DT * bx[i]; t[i] = DT * G * bv[i]; }  // t = adjoint of acceleration
  const double *tx = t, *ty = t + N, *tz = t + 2 * N;
  for (int i = 0; i < N; ++i) {
    double gx = 0, gy = 0, gz = 0, gm = 0;
    const double xi = x[i], yi = y[i], zi = z[i], mi = m[i], ax = tx[i], ay = ty[i], az = tz[i];
    for (int j = 0; j < N; ++j) {
      double dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
      double r2 = dx * dx + dy * dy + dz * dz + EPS2;
      double inv = 1.0 / sqrt(r2), inv2 = inv * inv, s3 = inv * inv2;
      gm -= s3 * (tx[j] * dx + ty[j] * dy + tz[j] * dz);
      double wx = mi * tx[j] - m[j] * ax, wy = mi * ty[j] - m[j] * ay, wz = mi * tz[j] - m[j] * az;
      double q = 3 * inv2 * (wx * dx + wy * dy + wz * dz);
      gx += s3 * (wx - q * dx); gy += s3 * (wy - q * dy); gz += s3 * (wz - q * dz);
    }
    bx[i] += gx; bx[N + i] += gy; bx[2 * N + i] += gz; bm[i] += gm;
  }
}
int main(int ac, char **av) {
  int N = ac > 1 ? atoi(av[1]) : 64, T = ac > 2 ? atoi(av[2]) : 100;
  std::string mode = ac > 3 ? av[3] : "all"; int reps = ac > 4 ? atoi(av[4]) : 3; bool check = ac > 5;
  std::vector<double> s0, m; init(N, s0, m);
  size_t S = 6 * (size_t)N; double loss = 0;
  auto run = [&](const char *k) { return mode == "all" || mode == k; };
  std::vector<double> gs(S), gm(N), w(S);
  double fwd = best_of(reps, [&] { w = s0; loss = sim<double>(w.data(), m.data(), N, T); });
  printf("nbody N=%d T=%d fwd_s=%.6f loss=%.17g\n", N, T, fwd, loss);
  auto out = [&](const char *md, double g) {
    report({"nbody", md, fwd, g, loss});
    show("dS0", gs, {0, (size_t)N, (size_t)3 * N, S - 1}); show("dM", gm, {0, 1, (size_t)N - 1});
    if (check) {
      auto f = [&] { std::vector<double> q = s0; return sim<double>(q.data(), m.data(), N, T); };
      fdcheck("S0", f, s0, gs, {0, (size_t)N, (size_t)3 * N, S - 1}, 1e-5); fdcheck("M", f, m, gm, {0, 1, (size_t)N - 1}, 1e-5 );
    }
  };
  if (run("hand")) {
    std::vector<double> traj(S * (T + 1)), t(3 * N);
    double g = best_of(reps, [&] {
      std::copy(s0.begin(), s0.end(), traj.begin());
      for (int k = 0; k < T; ++k) step_out<double>(N, &traj[k * S], m.data(), &traj[(k + 1) * S]);
      const double *e = &traj[T * S]; loss = loss_of<double>(N, e);
      std::fill(gs.begin(), gs.end(), 0.0); std::fill(gm.begin(), gm.end(), 0.0);
      for (int c = 0; c < 3; ++c) gs[c * N] = 2 * (e[c * N] - TGT[c]);
      for (int k = T - 1; k >= 0; --k) step_adj(N, &traj[k * S], m.data(), gs.data(), gm.data(), t.data());
    });
    out("hand", g);
  }
}
