// The definitions of evaluate.hpp in C++. Compiled without contraction: each product and sum rounds by itself.
#include "ir/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/elementary.hpp"
#include "ir/evaluate_integers.hpp"

namespace adjoule::ir {
namespace {

template <class Real>
Real power_constant(Real x, double e) {
  double magnitude = std::fabs(e);
  if (e == 0) return 1;
  if (!(magnitude <= 16) || 2 * magnitude != std::floor(2 * magnitude)) {
    return Elementary<Real>::power(x, static_cast<Real>(e));
  }
  auto n = static_cast<unsigned>(magnitude);
  Real product = 1, base = x;
  bool started = false;
  auto include = [&](Real factor) {
    product = started ? product * factor : factor;
    started = true;
  };
  while (n != 0) {
    if ((n & 1U) != 0) include(base);
    n >>= 1U;
    if (n != 0) base = base * base;
  }
  if (magnitude != std::floor(magnitude)) include(std::sqrt(x));
  return e < 0 ? 1 / product : product;
}

template <class Real>
Real unary(Opcode code, Real a) {
  using E = Elementary<Real>;
  switch (code) {
    case Opcode::negate: return -a;
    case Opcode::absolute: return std::fabs(a);
    case Opcode::sign: return a > 0 ? 1 : a < 0 ? -1 : 0;
    case Opcode::square_root: return std::sqrt(a);
    case Opcode::floor: return std::floor(a);
    case Opcode::ceiling: return std::ceil(a);
    case Opcode::round: return std::round(a);
    case Opcode::exponential: return E::exponential(a);
    case Opcode::logarithm: return E::logarithm(a);
    case Opcode::sine: return E::sine(a);
    case Opcode::cosine: return E::cosine(a);
    case Opcode::tangent: return E::tangent(a);
    case Opcode::arc_sine: return E::arc_sine(a);
    case Opcode::arc_cosine: return E::arc_cosine(a);
    case Opcode::arc_tangent: return E::arc_tangent(a);
    case Opcode::hyperbolic_sine: return E::hyperbolic_sine(a);
    case Opcode::hyperbolic_cosine: return E::hyperbolic_cosine(a);
    case Opcode::hyperbolic_tangent: return E::hyperbolic_tangent(a);
    case Opcode::reciprocal_or_zero: return a == 0 ? 0 : 1 / a;
    case Opcode::logarithm_or_zero: return a > 0 ? E::logarithm(a) : 0;
    default: return a;  // detach
  }
}

template <class Real>
Real binary(Opcode code, Real a, Real b) {
  using E = Elementary<Real>;
  switch (code) {
    case Opcode::add: return a + b;
    case Opcode::subtract: return a - b;
    case Opcode::multiply: return a * b;
    case Opcode::divide: return a / b;
    case Opcode::minimum: return b < a ? b : a;
    case Opcode::maximum: return a < b ? b : a;
    case Opcode::weigh: return a == 0 ? 0 : a * b;
    case Opcode::power: return E::power(a, b);
    case Opcode::arc_tangent2: return E::arc_tangent2(a, b);
    case Opcode::hypotenuse: return E::hypotenuse(a, b);
    default: return a;
  }
}

/// Computes operations whose operands and result are all real.
template <class Real>
class Reals {
 public:
  Reals(const Procedure& procedure, const Op& op, std::span<const Components> operands, std::span<double> result)
      : procedure_(procedure), op_(op), operands_(operands), result_(result) {}

  void elementwise() {
    size_t count = operands_.size();
    for (size_t i = 0; i < result_.size(); ++i) {
      if (op_.code == Opcode::power_constant) set(i, power_constant(get(0, i), op_.real));
      else if (count == 1) set(i, unary(op_.code, get(0, i)));
      else if (count == 2) set(i, binary(op_.code, get(0, i), get(1, i)));
      else set(i, std::fma(get(0, i), get(1, i), get(2, i)));
    }
  }

  void product() {
    switch (op_.code) {
      case Opcode::dot: return set(0, dot_all(0, 1));
      case Opcode::norm: return set(0, std::sqrt(dot_all(0, 0)));
      case Opcode::cross: return cross();
      case Opcode::outer: return outer();
      case Opcode::matrix_multiply: return matrix_multiply();
      default: return transpose();
    }
  }

 private:
  const Procedure& procedure_;
  const Op& op_;
  std::span<const Components> operands_;
  std::span<double> result_;

  Real get(size_t operand, size_t i) const { return static_cast<Real>(operands_[operand].reals[i]); }
  void set(size_t i, Real r) { result_[i] = r; }

  /// The sum of a[i0 + k * di] * b[j0 + k * dj] over k < n, in the fixed order.
  Real dot(size_t n, size_t a, size_t i0, size_t di, size_t b, size_t j0, size_t dj) const {
    Real sum = get(a, i0) * get(b, j0);
    for (size_t k = 1; k < n; ++k) sum = std::fma(get(a, i0 + k * di), get(b, j0 + k * dj), sum);
    return sum;
  }
  Real dot_all(size_t a, size_t b) const { return dot(operands_[a].reals.size(), a, 0, 1, b, 0, 1); }

  void cross() {
    for (size_t i = 0; i < 3; ++i) {
      size_t j = (i + 1) % 3, k = (i + 2) % 3;
      set(i, std::fma(get(0, j), get(1, k), -(get(0, k) * get(1, j))));
    }
  }

  void outer() {
    size_t n = operands_[0].reals.size();
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) set(i * n + j, get(0, i) * get(1, j));
    }
  }

  void matrix_multiply() {
    size_t n = procedure_.type(op_.operands[0]).size;
    size_t columns = result_.size() / n;
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < columns; ++j) set(i * columns + j, dot(n, 0, i * n, 1, 1, j, columns));
    }
  }

  void transpose() {
    size_t n = procedure_.type(op_.operands[0]).size;
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) result_[i * n + j] = operands_[0].reals[j * n + i];
    }
  }
};

/// Copies one value's components into part of another's, starting at the given numbers.
void copy_into(ResultComponents to, size_t at_real, size_t at_integer, Components from) {
  std::ranges::copy(from.reals, to.reals.begin() + static_cast<std::ptrdiff_t>(at_real));
  std::ranges::copy(from.integers, to.integers.begin() + static_cast<std::ptrdiff_t>(at_integer));
}

void pack(std::span<const Components> operands, ResultComponents result) {
  size_t real = 0, integer = 0;
  for (const Components& part : operands) {
    copy_into(result, real, integer, part);
    real += part.reals.size();
    integer += part.integers.size();
  }
}

/// Component or array element number i of a value whose components come in parts like `part`.
bool extract(Components whole, int64_t i, ResultComponents part) {
  size_t reals = part.reals.size(), integers = part.integers.size(), n = static_cast<size_t>(i);
  if (i < 0 || (n + 1) * reals > whole.reals.size() || (n + 1) * integers > whole.integers.size()) return false;
  copy_into(part, 0, 0, {whole.reals.subspan(n * reals, reals), whole.integers.subspan(n * integers, integers)});
  return true;
}

bool insert(Components whole, int64_t i, Components part, ResultComponents result) {
  size_t reals = part.reals.size(), integers = part.integers.size(), n = static_cast<size_t>(i);
  if (i < 0 || (n + 1) * reals > whole.reals.size() || (n + 1) * integers > whole.integers.size()) return false;
  copy_into(result, 0, 0, whole);
  copy_into(result, n * reals, n * integers, part);
  return true;
}

bool constant(const Procedure& procedure, const Op& op, ResultComponents result, bool single) {
  if (procedure.type(op.results[0]).is_real()) result.reals[0] = single ? static_cast<float>(op.real) : op.real;
  else result.integers[0] = static_cast<int32_t>(op.integer);
  return true;
}

int32_t real_to_int(double r) {
  if (std::isnan(r)) return 0;
  if (r >= 2147483648.0) return std::numeric_limits<int32_t>::max();
  if (r <= -2147483648.0) return std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(r);
}

template <class T>
bool compare(Opcode code, T a, T b) {
  switch (code) {
    case Opcode::equal: return a == b;
    case Opcode::not_equal: return !(a == b);
    case Opcode::less: return a < b;
    default: return a <= b;
  }
}

bool comparison(const Op& op, std::span<const Components> operands, ResultComponents result) {
  const Components &a = operands[0], &b = operands[1];
  result.integers[0] = a.reals.empty() ? compare(op.code, a.integers[0], b.integers[0])
                                       : compare(op.code, a.reals[0], b.reals[0]);
  return true;
}

bool elementwise(const Procedure& procedure, const Op& op, std::span<const Components> operands,
                 ResultComponents result, bool single) {
  for (size_t i = 0; i < result.integers.size(); ++i) {
    int32_t a = operands[0].integers[i];
    result.integers[i] = operands.size() == 1 ? integer_unary(op.code, a)
                                              : integer_binary(op.code, a, operands[1].integers[i]);
  }
  if (single) Reals<float>(procedure, op, operands, result.reals).elementwise();
  else Reals<double>(procedure, op, operands, result.reals).elementwise();
  return true;
}

bool product(const Procedure& procedure, const Op& op, std::span<const Components> operands, ResultComponents result,
             bool single) {
  if (single) Reals<float>(procedure, op, operands, result.reals).product();
  else Reals<double>(procedure, op, operands, result.reals).product();
  return true;
}

bool references(const Op& op, std::span<const Components> operands, ResultComponents result) {
  switch (op.code) {
    case Opcode::make_reference: pack(operands, result); return true;
    case Opcode::coordinate: result.integers[0] = operands[0].integers[static_cast<size_t>(op.integer)]; return true;
    default:
      for (size_t i = 0; i < result.integers.size(); ++i) {
        result.integers[i] = integer_binary(Opcode::add, operands[0].integers[i], operands[i + 1].integers[0]);
      }
      return true;
  }
}

}  // namespace

bool evaluate(const Procedure& procedure, const Op& op, std::span<const Components> operands, ResultComponents result,
              bool single) {
  switch (op.code) {
    case Opcode::constant: return constant(procedure, op, result, single);
    case Opcode::zero:
      std::ranges::fill(result.reals, 0.0);
      std::ranges::fill(result.integers, 0);
      return true;
    case Opcode::add: case Opcode::subtract: case Opcode::multiply: case Opcode::divide: case Opcode::negate:
    case Opcode::absolute: case Opcode::sign: case Opcode::minimum: case Opcode::maximum: case Opcode::weigh:
    case Opcode::fused_multiply_add: case Opcode::floor_divide: case Opcode::floor_modulo: case Opcode::square_root:
    case Opcode::floor: case Opcode::ceiling: case Opcode::round: case Opcode::exponential: case Opcode::logarithm:
    case Opcode::power: case Opcode::power_constant: case Opcode::sine: case Opcode::cosine: case Opcode::tangent:
    case Opcode::arc_sine: case Opcode::arc_cosine: case Opcode::arc_tangent: case Opcode::arc_tangent2:
    case Opcode::hyperbolic_sine: case Opcode::hyperbolic_cosine: case Opcode::hyperbolic_tangent:
    case Opcode::hypotenuse:
    case Opcode::reciprocal_or_zero: case Opcode::logarithm_or_zero: case Opcode::detach:
      return elementwise(procedure, op, operands, result, single);
    case Opcode::equal: case Opcode::not_equal: case Opcode::less: case Opcode::less_equal:
      return comparison(op, operands, result);
    case Opcode::logical_and: result.integers[0] = operands[0].integers[0] & operands[1].integers[0]; return true;
    case Opcode::logical_or: result.integers[0] = operands[0].integers[0] | operands[1].integers[0]; return true;
    case Opcode::logical_not: result.integers[0] = operands[0].integers[0] == 0; return true;
    case Opcode::select: copy_into(result, 0, 0, operands[operands[0].integers[0] != 0 ? 1 : 2]); return true;
    case Opcode::int_to_real: {
      int32_t i = operands[0].integers[0];
      result.reals[0] = single ? static_cast<double>(static_cast<float>(i)) : static_cast<double>(i);
      return true;
    }
    case Opcode::real_to_int: result.integers[0] = real_to_int(operands[0].reals[0]); return true;
    case Opcode::splat: std::ranges::fill(result.reals, operands[0].reals[0]); return true;
    case Opcode::pack: pack(operands, result); return true;
    case Opcode::extract: return extract(operands[0], op.integer, result);
    case Opcode::insert: return insert(operands[0], op.integer, operands[1], result);
    case Opcode::extract_at: return extract(operands[0], operands[1].integers[0], result);
    case Opcode::insert_at: return insert(operands[0], operands[1].integers[0], operands[2], result);
    case Opcode::dot: case Opcode::norm: case Opcode::cross: case Opcode::outer: case Opcode::matrix_multiply:
    case Opcode::transpose:
      return product(procedure, op, operands, result, single);
    case Opcode::make_reference: case Opcode::offset: case Opcode::coordinate: return references(op, operands, result);
    default: return false;
  }
}

}  // namespace adjoule::ir
