// 2-D MLS-MPM, fixed-corotated elasticity, as DiffMPM.
// usage: mpm m g T [mode|all] [reps] [check]      (n = m*m particles, g*g grid)
#include "common.h"
using Real = double;
static inline int toint(double x) { return (int)x; }
static const double DT = 2e-4, GRAV = 9.8, MASS = 1.0, VOL = 1.0, TGT[2] = {0.6, 0.2};
static const int BND = 3;
// state, SoA, 12 arrays of n: x0 x1 v0 v1 C00 C01 C10 C11 F00 F01 F10 F11.   grid: m[g*g] vx[g*g] vy[g*g]
template <class R> static inline void p2g(int n, int g, const R *s, const R *__restrict E, R *__restrict gr, R *Fo /* 4n: new F */) {
  const int G = g * g; const double inv_dx = g, dx = 1.0 / g;
  R *gm = gr, *gx = gr + G, *gy = gr + 2 * G;
  for (int i = 0; i < 3 * G; ++i) gr[i] = 0;
  for (int p = 0; p < n; ++p) {
    const R X = s[p] * inv_dx, Y = s[n + p] * inv_dx, vx = s[2 * n + p], vy = s[3 * n + p];
    const R c00 = s[4 * n + p], c01 = s[5 * n + p], c10 = s[6 * n + p], c11 = s[7 * n + p], f00 = s[8 * n + p], f01 = s[9 * n + p], f10 = s[10 * n + p], f11 = s[11 * n + p];
    int bi = toint(X - 0.5), bj = toint(Y - 0.5);
    R fx = X - (double)bi, fy = Y - (double)bj;
    R wx[3] = {0.5 * (1.5 - fx) * (1.5 - fx), 0.75 - (fx - 1.0) * (fx - 1.0), 0.5 * (fx - 0.5) * (fx - 0.5)};
    R wy[3] = {0.5 * (1.5 - fy) * (1.5 - fy), 0.75 - (fy - 1.0) * (fy - 1.0), 0.5 * (fy - 0.5) * (fy - 0.5)};
    R a = f00 + DT * (c00 * f00 + c01 * f10), b = f01 + DT * (c00 * f01 + c01 * f11), c = f10 + DT * (c10 * f00 + c11 * f10), d = f11 + DT * (c10 * f01 + c11 * f11);
    Fo[p] = a; Fo[n + p] = b; Fo[2 * n + p] = c; Fo[3 * n + p] = d;
    R J = a * d - b * c, px = a + d, py = c - b, il = 1.0 / sqrt(px * px + py * py), cs = px * il, sn = py * il;
    R p00 = a - cs, p01 = b + sn, p10 = c - sn, p11 = d - cs, e = E[p], h = e * J * (J - 1.0);  // P = F - R
    const double K = -(DT * VOL * 4.0 * inv_dx * inv_dx);
    R A00 = K * (2.0 * e * (p00 * a + p01 * b) + h) + MASS * c00, A01 = K * (2.0 * e * (p00 * c + p01 * d)) + MASS * c01,
      A10 = K * (2.0 * e * (p10 * a + p11 * b)) + MASS * c10, A11 = K * (2.0 * e * (p10 * c + p11 * d) + h) + MASS * c11;
    for (int q = 0; q < 3; ++q)
      for (int r = 0; r < 3; ++r) {
        R dxp = (double(q) - fx) * dx, dyp = (double(r) - fy) * dx, w = wx[q] * wy[r];
        int k = (bi + q) * g + bj + r;
        gm[k] += w * MASS; gx[k] += w * (MASS * vx + A00 * dxp + A01 * dyp); gy[k] += w * (MASS * vy + A10 * dxp + A11 * dyp);
      }
  }
}
template <class R> static inline void gridop(int g, R *gr) {
  const int G = g * g; R *gm = gr, *gx = gr + G, *gy = gr + 2 * G;
  for (int i = 0; i < g; ++i)
    for (int j = 0; j < g; ++j) {
      int k = i * g + j; R inv = 1.0 / (gm[k] + 1e-10); R vx = gx[k] * inv, vy = gy[k] * inv - DT * GRAV;
      if (i < BND && vx < 0.0) vx = 0.0; if (i > g - BND && vx > 0.0) vx = 0.0;
      if (j < BND && vy < 0.0) vy = 0.0; if (j > g - BND && vy > 0.0) vy = 0.0;
      gx[k] = vx; gy[k] = vy;
    }
}
template <class R> static inline void g2p(int n, int g, const R *s, const R *gr, R *sn) {
  const int G = g * g; const double inv_dx = g; const R *gx = gr + G, *gy = gr + 2 * G;
  for (int p = 0; p < n; ++p) {
    const R x = s[p], y = s[n + p], X = x * inv_dx, Y = y * inv_dx;
    int bi = toint(X - 0.5), bj = toint(Y - 0.5);
    R fx = X - (double)bi, fy = Y - (double)bj;
    R wx[3] = {0.5 * (1.5 - fx) * (1.5 - fx), 0.75 - (fx - 1.0) * (fx - 1.0), 0.5 * (fx - 0.5) * (fx - 0.5)};
    R wy[3] = {0.5 * (1.5 - fy) * (1.5 - fy), 0.75 - (fy - 1.0) * (fy - 1.0), 0.5 * (fy - 0.5) * (fy - 0.5)};
    R vx = 0, vy = 0, c00 = 0, c01 = 0, c10 = 0, c11 = 0;
    for (int q = 0; q < 3; ++q)
      for (int r = 0; r < 3; ++r) {
        int k = (bi + q) * g + bj + r; R w = wx[q] * wy[r], ux = w * gx[k], uy = w * gy[k], dxp = double(q) - fx, dyp = double(r) - fy;
        vx += ux; vy += uy; c00 += ux * dxp; c01 += ux * dyp; c10 += uy * dxp; c11 += uy * dyp;
      }
    sn[p] = x + DT * vx; sn[n + p] = y + DT * vy; sn[2 * n + p] = vx; sn[3 * n + p] = vy;
    sn[4 * n + p] = 4.0 * inv_dx * c00; sn[5 * n + p] = 4.0 * inv_dx * c01; sn[6 * n + p] = 4.0 * inv_dx * c10; sn[7 * n + p] = 4.0 * inv_dx * c11;
  }
}
template <class R> static void step_out(int n, int g, const R *__restrict s, const R *__restrict E, R *__restrict gr, R *__restrict sn) {
  p2g<R>(n, g, s, E, gr, sn + 8 * n); gridop<R>(g, gr); g2p<R>(n, g, s, gr, sn);
}
template <class R> static inline R loss_of(int n, const R *s) {
  R a = 0, b = 0; for (int p = 0; p < n; ++p) { a += s[p]; b += s[n + p]; }
  a = a / double(n) - TGT[0]; b = b / double(n) - TGT[1]; return a * a + b * b;
}
template <class R> __attribute__((noinline)) static R sim(R *s, const R *E, R *gr, int n, int g, int T) {
  for (int t = 0; t < T; ++t) { p2g<R>(n, g, s, E, gr, s + 8 * n); gridop<R>(g, gr); g2p<R>(n, g, s, gr, s); }
  return loss_of<R>(n, s);
}
// hand adjoint: state s, grid (m, v after gridop) of this step, b: adjoint of new state in / old state out, bg: 3G scratch
static void step_adj(int n, int g, const double *__restrict s, const double *__restrict E, const double *__restrict gr, double *__restrict b, double *__restrict bE, double *__restrict bg) {
  const int G = g * g; const double inv_dx = g, dx = 1.0 / g; const double *gm = gr, *gx = gr + G, *gy = gr + 2 * G; double *hm = bg, *hx = bg + G, *hy = bg + 2 * G;
  for (int i = 0; i < 3 * G; ++i) bg[i] = 0;
  for (int p = 0; p < n; ++p) {                                    // g2p
    const double X = s[p] * inv_dx, Y = s[n + p] * inv_dx; int bi = (int)(X - 0.5), bj = (int)(Y - 0.5); double fx = X - bi, fy = Y - bj;
    double wx[3] = {0.5 * (1.5 - fx) * (1.5 - fx), 0.75 - (fx - 1) * (fx - 1), 0.5 * (fx - 0.5) * (fx - 0.5)}, dwx[3] = {fx - 1.5, -2 * (fx - 1), fx - 0.5};
    double wy[3] = {0.5 * (1.5 - fy) * (1.5 - fy), 0.75 - (fy - 1) * (fy - 1), 0.5 * (fy - 0.5) * (fy - 0.5)}, dwy[3] = {fy - 1.5, -2 * (fy - 1), fy - 0.5};
    double bvx = b[2 * n + p] + DT * b[p], bvy = b[3 * n + p] + DT * b[n + p];
    double k00 = 4 * inv_dx * b[4 * n + p], k01 = 4 * inv_dx * b[5 * n + p], k10 = 4 * inv_dx * b[6 * n + p], k11 = 4 * inv_dx * b[7 * n + p];
    double bfx = 0, bfy = 0;
    for (int q = 0; q < 3; ++q)
      for (int r = 0; r < 3; ++r) {
        int k = (bi + q) * g + bj + r; double w = wx[q] * wy[r], dxp = q - fx, dyp = r - fy;
        double ax = bvx + k00 * dxp + k01 * dyp, ay = bvy + k10 * dxp + k11 * dyp;   // adjoint of w*gv
        hx[k] += w * ax; hy[k] += w * ay;
        double bw = gx[k] * ax + gy[k] * ay;
        bfx += bw * dwx[q] * wy[r] - w * (gx[k] * k00 + gy[k] * k10); bfy += bw * wx[q] * dwy[r] - w * (gx[k] * k01 + gy[k] * k11);
      }
    b[p] += bfx * inv_dx; b[n + p] += bfy * inv_dx;
  }
  for (int i = 0; i < g; ++i)
    for (int j = 0; j < g; ++j) {                                  // grid
      int k = i * g + j; double inv = 1.0 / (gm[k] + 1e-10), ax = hx[k], ay = hy[k];
      if ((i < BND || i > g - BND) && gx[k] == 0.0) ax = 0; if ((j < BND || j > g - BND) && gy[k] == 0.0) ay = 0;
      hx[k] = ax * inv; hy[k] = ay * inv; hm[k] = -inv * (ax * gx[k] + ay * (gy[k] + DT * GRAV));
    }
  for (int p = 0; p < n; ++p) {                                    // p2g
    const double X = s[p] * inv_dx, Y = s[n + p] * inv_dx, vx = s[2 * n + p], vy = s[3 * n + p];
    const double c00 = s[4 * n + p], c01 = s[5 * n + p], c10 = s[6 * n + p], c11 = s[7 * n + p], f00 = s[8 * n + p], f01 = s[9 * n + p], f10 = s[10 * n + p], f11 = s[11 * n + p];
    int bi = (int)(X - 0.5), bj = (int)(Y - 0.5); double fx = X - bi, fy = Y - bj;
    double wx[3] = {0.5 * (1.5 - fx) * (1.5 - fx), 0.75 - (fx - 1) * (fx - 1), 0.5 * (fx - 0.5) * (fx - 0.5)}, dwx[3] = {fx - 1.5, -2 * (fx - 1), fx - 0.5};
    double wy[3] = {0.5 * (1.5 - fy) * (1.5 - fy), 0.75 - (fy - 1) * (fy - 1), 0.5 * (fy - 0.5) * (fy - 0.5)}, dwy[3] = {fy - 1.5, -2 * (fy - 1), fy - 0.5};
    double a = f00 + DT * (c00 * f00 + c01 * f10), bb = f01 + DT * (c00 * f01 + c01 * f11), c = f10 + DT * (c10 * f00 + c11 * f10), d = f11 + DT * (c10 * f01 + c11 * f11);
    double J = a * d - bb * c, px = a + d, py = c - bb, il = 1.0 / sqrt(px * px + py * py), cs = px * il, sn = py * il;
    double p00 = a - cs, p01 = bb + sn, p10 = c - sn, p11 = d - cs, e = E[p], h = e * J * (J - 1.0);
    const double K = -(DT * VOL * 4.0 * inv_dx * inv_dx);
    double s00 = p00 * a + p01 * bb, s01 = p00 * c + p01 * d, s10 = p10 * a + p11 * bb, s11 = p10 * c + p11 * d;   // P F^T
    double A00 = K * (2 * e * s00 + h) + MASS * c00, A01 = K * 2 * e * s01 + MASS * c01, A10 = K * 2 * e * s10 + MASS * c10, A11 = K * (2 * e * s11 + h) + MASS * c11;
    double bvx = 0, bvy = 0, b00 = 0, b01 = 0, b10 = 0, b11 = 0, bfx = 0, bfy = 0;
    for (int q = 0; q < 3; ++q)
      for (int r = 0; r < 3; ++r) {
        int k = (bi + q) * g + bj + r; double dxp = (q - fx) * dx, dyp = (r - fy) * dx, w = wx[q] * wy[r], ux = hx[k], uy = hy[k];
        double wux = w * ux, wuy = w * uy;
        bvx += wux; bvy += wuy; b00 += wux * dxp; b01 += wux * dyp; b10 += wuy * dxp; b11 += wuy * dyp;
        double bw = ux * (MASS * vx + A00 * dxp + A01 * dyp) + uy * (MASS * vy + A10 * dxp + A11 * dyp) + MASS * hm[k];
        bfx += bw * dwx[q] * wy[r] - dx * (A00 * wux + A10 * wuy); bfy += bw * wx[q] * dwy[r] - dx * (A01 * wux + A11 * wuy);
      }
    b[p] += bfx * inv_dx; b[n + p] += bfy * inv_dx; b[2 * n + p] = MASS * bvx; b[3 * n + p] = MASS * bvy;
    double t00 = K * b00, t01 = K * b01, t10 = K * b10, t11 = K * b11, tr = t00 + t11;         // adjoint of Cauchy
    bE[p] += 2 * (t00 * s00 + t01 * s01 + t10 * s10 + t11 * s11) + J * (J - 1) * tr;
    double g00 = 2 * e * (t00 * a + t01 * c), g01 = 2 * e * (t00 * bb + t01 * d), g10 = 2 * e * (t10 * a + t11 * c), g11 = 2 * e * (t10 * bb + t11 * d);  // bP = 2e t F
    double bF00 = b[8 * n + p] + g00 + 2 * e * (t00 * p00 + t10 * p10), bF01 = b[9 * n + p] + g01 + 2 * e * (t00 * p01 + t10 * p11);
    double bF10 = b[10 * n + p] + g10 + 2 * e * (t01 * p00 + t11 * p10), bF11 = b[11 * n + p] + g11 + 2 * e * (t01 * p01 + t11 * p11);
    double bJ = e * (2 * J - 1) * tr; bF00 += bJ * d; bF11 += bJ * a; bF01 -= bJ * c; bF10 -= bJ * bb;
    double bcs = -(g00 + g11), bsn = -(g10 - g01), bth = (cs * bsn - sn * bcs) * il; double bpx = -sn * bth, bpy = cs * bth;
    bF00 += bpx; bF11 += bpx; bF10 += bpy; bF01 -= bpy;
    b[4 * n + p] = MASS * b00 + DT * (bF00 * f00 + bF01 * f01); b[5 * n + p] = MASS * b01 + DT * (bF00 * f10 + bF01 * f11);
    b[6 * n + p] = MASS * b10 + DT * (bF10 * f00 + bF11 * f01); b[7 * n + p] = MASS * b11 + DT * (bF10 * f10 + bF11 * f11);
    b[8 * n + p] = bF00 + DT * (c00 * bF00 + c10 * bF10); b[9 * n + p] = bF01 + DT * (c00 * bF01 + c10 * bF11);
    b[10 * n + p] = bF10 + DT * (c01 * bF00 + c11 * bF10); b[11 * n + p] = bF11 + DT * (c01 * bF01 + c11 * bF11);
  }
}
int main(int ac, char **av) {
  int m = ac > 1 ? atoi(av[1]) : 16, g = ac > 2 ? atoi(av[2]) : 32, T = ac > 3 ? atoi(av[3]) : 200;
  std::string mode = ac > 4 ? av[4] : "all"; int reps = ac > 5 ? atoi(av[5]) : 3; bool check = ac > 6;
  int n = m * m, G = g * g; size_t M = 12 * (size_t)n; double loss = 0;
  std::vector<double> s0(M, 0.0), E(n), gr(3 * G), w, gs(M), gE(n);
  for (int a = 0; a < m; ++a) for (int b = 0; b < m; ++b) {
    int p = a * m + b; s0[p] = 0.3 + 0.25 * (a + 0.5) / m; s0[n + p] = 0.1 + 0.25 * (b + 0.5) / m;
    s0[2 * n + p] = 1.0 + 0.2 * (hash01(2 * p) - 0.5); s0[3 * n + p] = -2.0 + 0.2 * (hash01(2 * p + 1) - 0.5);
    s0[8 * n + p] = s0[11 * n + p] = 1.0; E[p] = 100.0 * (0.75 + 0.5 * hash01(9000000u + p));
  }
  auto run = [&](const char *q) { return mode == "all" || mode == q; };
  double fwd = best_of(reps, [&] { w = s0; loss = sim<double>(w.data(), E.data(), gr.data(), n, g, T); });
  printf("mpm n=%d g=%d T=%d fwd_s=%.6f loss=%.17g\n", n, g, T, fwd, loss);
  std::vector<size_t> is{(size_t)2 * n, (size_t)3 * n, (size_t)3 * n + n / 2, 4 * (size_t)n - 1}, ie{0, 1, (size_t)n / 2, (size_t)n - 1};
  auto out = [&](const char *md, double gt) {
    report({"mpm", md, fwd, gt, loss}); std::vector<double> gv(gs.begin() + 2 * n, gs.begin() + 4 * n); show("dS0", gs, is); printf("  |dV0|2=%.17g\n", norm2(gv)); show("dE", gE, ie);
    if (check) {
      auto fn = [&] { std::vector<double> q = s0, r(3 * G); return sim<double>(q.data(), E.data(), r.data(), n, g, T); };
      fdcheck("S0", fn, s0, gs, is, 1e-5); fdcheck("E", fn, E, gE, ie, 1e-3);
    }
  };
  auto seed = [&](const double *e) {
    std::fill(gs.begin(), gs.end(), 0.0); std::fill(gE.begin(), gE.end(), 0.0); loss = loss_of<double>(n, e);
    for (int c = 0; c < 2; ++c) { double a = 0; for (int i = 0; i < n; ++i) a += e[c * n + i]; a = a / n - TGT[c]; for (int i = 0; i < n; ++i) gs[c * n + i] = 2 * a / n; }
  };
  if (run("hand")) {
    std::vector<double> tr(M * (T + 1)), tg(3 * (size_t)G * T), bg(3 * G);
    double gt = best_of(reps, [&] {
      std::copy(s0.begin(), s0.end(), tr.begin());
      for (int t = 0; t < T; ++t) step_out<double>(n, g, &tr[t * M], E.data(), &tg[(size_t)t * 3 * G], &tr[(t + 1) * M]);
      seed(&tr[T * M]);
      for (int t = T - 1; t >= 0; --t) step_adj(n, g, &tr[t * M], E.data(), &tg[(size_t)t * 3 * G], gs.data(), gE.data(), bg.data());
    });
    out("hand", gt);
  }
}
