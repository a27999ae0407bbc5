// The elementary functions of both precisions: SLEEF's deterministic scalar functions, the one implementation whose
// bits the compiler knows (evaluate.hpp). Nothing here may go through the host's libm except fma, which is exact.
#pragma once
#include <sleef.h>

namespace adjoule::ir {

template <class Real>
struct Elementary;

template <>
struct Elementary<double> {
  static double exponential(double x) { return Sleef_finz_expd1_u10purecfma(x); }
  static double logarithm(double x) { return Sleef_finz_logd1_u10purecfma(x); }
  static double power(double x, double y) { return Sleef_finz_powd1_u10purecfma(x, y); }
  static double sine(double x) { return Sleef_finz_sind1_u10purecfma(x); }
  static double cosine(double x) { return Sleef_finz_cosd1_u10purecfma(x); }
  static double tangent(double x) { return Sleef_finz_tand1_u10purecfma(x); }
  static double arc_sine(double x) { return Sleef_finz_asind1_u10purecfma(x); }
  static double arc_cosine(double x) { return Sleef_finz_acosd1_u10purecfma(x); }
  static double arc_tangent(double x) { return Sleef_finz_atand1_u10purecfma(x); }
  static double arc_tangent2(double y, double x) { return Sleef_finz_atan2d1_u10purecfma(y, x); }
  static double hyperbolic_sine(double x) { return Sleef_finz_sinhd1_u10purecfma(x); }
  static double hyperbolic_cosine(double x) { return Sleef_finz_coshd1_u10purecfma(x); }
  static double hyperbolic_tangent(double x) { return Sleef_finz_tanhd1_u10purecfma(x); }
  static double hypotenuse(double x, double y) { return Sleef_finz_hypotd1_u05purecfma(x, y); }
};

template <>
struct Elementary<float> {
  static float exponential(float x) { return Sleef_finz_expf1_u10purecfma(x); }
  static float logarithm(float x) { return Sleef_finz_logf1_u10purecfma(x); }
  static float power(float x, float y) { return Sleef_finz_powf1_u10purecfma(x, y); }
  static float sine(float x) { return Sleef_finz_sinf1_u10purecfma(x); }
  static float cosine(float x) { return Sleef_finz_cosf1_u10purecfma(x); }
  static float tangent(float x) { return Sleef_finz_tanf1_u10purecfma(x); }
  static float arc_sine(float x) { return Sleef_finz_asinf1_u10purecfma(x); }
  static float arc_cosine(float x) { return Sleef_finz_acosf1_u10purecfma(x); }
  static float arc_tangent(float x) { return Sleef_finz_atanf1_u10purecfma(x); }
  static float arc_tangent2(float y, float x) { return Sleef_finz_atan2f1_u10purecfma(y, x); }
  static float hyperbolic_sine(float x) { return Sleef_finz_sinhf1_u10purecfma(x); }
  static float hyperbolic_cosine(float x) { return Sleef_finz_coshf1_u10purecfma(x); }
  static float hyperbolic_tangent(float x) { return Sleef_finz_tanhf1_u10purecfma(x); }
  static float hypotenuse(float x, float y) { return Sleef_finz_hypotf1_u05purecfma(x, y); }
};

}  // namespace adjoule::ir
