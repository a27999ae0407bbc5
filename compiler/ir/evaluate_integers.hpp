// Arithmetic of the language's int: 32 bits that wrap (evaluate.hpp). Computed without sign, where C++ defines wrapping.
#pragma once
#include <cstdint>

#include "ir/ir.hpp"

namespace adjoule::ir {

inline int32_t integer_unary(Opcode code, int32_t a) {
  auto wrapped_negative = [](int32_t x) { return static_cast<int32_t>(0U - static_cast<uint32_t>(x)); };
  switch (code) {
    case Opcode::negate: return wrapped_negative(a);
    case Opcode::absolute: return a < 0 ? wrapped_negative(a) : a;
    case Opcode::sign: return a > 0 ? 1 : a < 0 ? -1 : 0;
    default: return a;  // detach, and what acts on the fraction only
  }
}

/// Floored quotient and remainder; by 0 both are 0.
inline int32_t floor_divide(int32_t a, int32_t b) {
  if (b == 0) return 0;
  if (b == -1) return integer_unary(Opcode::negate, a);
  int32_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

inline int32_t floor_modulo(int32_t a, int32_t b) {
  if (b == 0 || b == -1) return 0;
  int32_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

inline int32_t integer_binary(Opcode code, int32_t a, int32_t b) {
  auto x = static_cast<uint32_t>(a), y = static_cast<uint32_t>(b);
  switch (code) {
    case Opcode::add: return static_cast<int32_t>(x + y);
    case Opcode::subtract: return static_cast<int32_t>(x - y);
    case Opcode::multiply: return static_cast<int32_t>(x * y);
    case Opcode::weigh: return static_cast<int32_t>(x * y);
    case Opcode::minimum: return b < a ? b : a;
    case Opcode::maximum: return a < b ? b : a;
    case Opcode::floor_divide: return floor_divide(a, b);
    case Opcode::floor_modulo: return floor_modulo(a, b);
    default: return a;
  }
}

}  // namespace adjoule::ir
