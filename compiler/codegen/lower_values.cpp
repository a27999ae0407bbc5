// Pure arithmetic, component by component. Every line here has its twin in ir/evaluate.cpp and must give the same bits: no
// fast-math flags anywhere, fma only where the IR says so, elementary functions by SLEEF's deterministic versions.
#include <cmath>

#include "codegen/emitter.hpp"

namespace adjoule::codegen {

using ir::Opcode;

namespace {

/// SLEEF's name of an elementary function, or null.
const char* math_name(Opcode code) {
  switch (code) {
    case Opcode::exponential: return "exp_u10";
    case Opcode::logarithm:
    case Opcode::logarithm_or_zero: return "log_u10";
    case Opcode::power: return "pow_u10";
    case Opcode::sine: return "sin_u10";
    case Opcode::cosine: return "cos_u10";
    case Opcode::tangent: return "tan_u10";
    case Opcode::arc_sine: return "asin_u10";
    case Opcode::arc_cosine: return "acos_u10";
    case Opcode::arc_tangent: return "atan_u10";
    case Opcode::arc_tangent2: return "atan2_u10";
    case Opcode::hyperbolic_sine: return "sinh_u10";
    case Opcode::hyperbolic_cosine: return "cosh_u10";
    case Opcode::hyperbolic_tangent: return "tanh_u10";
    case Opcode::hypotenuse: return "hypot_u05";
    default: return nullptr;
  }
}

bool is_real(llvm::Value* v) { return v->getType()->isFloatingPointTy(); }

}  // namespace

llvm::Value* Emitter::call_math(const char* name, std::initializer_list<llvm::Value*> operands) {
  llvm::Function* f = m.math(name, static_cast<int>(operands.size()));
  llvm::CallInst* call = b.CreateCall(f, llvm::ArrayRef<llvm::Value*>(operands.begin(), operands.size()));
  // The vectoriser looks for the variants on the call itself.
  if (f->hasFnAttribute("vector-function-abi-variant")) call->addFnAttr(f->getFnAttribute("vector-function-abi-variant"));
  return call;
}

llvm::Value* Emitter::fma(llvm::Value* a, llvm::Value* c, llvm::Value* d) {
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, c, d});
}

llvm::Value* Emitter::less_than(llvm::Value* a, llvm::Value* c) {
  return is_real(a) ? b.CreateFCmpOLT(a, c) : b.CreateICmpSLT(a, c);
}
llvm::Value* Emitter::lesser(llvm::Value* a, llvm::Value* c) { return b.CreateSelect(less_than(c, a), c, a); }
llvm::Value* Emitter::greater(llvm::Value* a, llvm::Value* c) { return b.CreateSelect(less_than(a, c), c, a); }

/// Floored division; by 0 it gives 0 (check_nonzero has stopped the program before), and -2^31 / -1 wraps.
llvm::Value* Emitter::floor_divide(llvm::Value* a, llvm::Value* c, bool remainder) {
  // A pure operation may be speculated past its check: never let the machine see 0 or the overflowing pair.
  llvm::Value* zero = b.getInt32(0);
  llvm::Value* minus = b.CreateICmpEQ(c, b.getInt32(-1));
  llvm::Value* unsafe = b.CreateOr(b.CreateICmpEQ(c, zero), minus);
  llvm::Value* divisor = b.CreateSelect(unsafe, b.getInt32(1), c);
  llvm::Value* quotient = b.CreateSDiv(a, divisor);
  llvm::Value* rest = b.CreateSub(a, b.CreateMul(quotient, divisor));
  llvm::Value* below = b.CreateAnd(b.CreateICmpNE(rest, zero), b.CreateICmpSLT(b.CreateXor(rest, divisor), zero));
  if (remainder) return b.CreateSelect(below, b.CreateAdd(rest, divisor), rest);
  llvm::Value* floored = b.CreateSub(quotient, b.CreateZExt(below, m.i32()));
  return b.CreateSelect(b.CreateICmpEQ(c, zero), zero, b.CreateSelect(minus, b.CreateNeg(a), floored));
}

/// Whole and half exponents up to 16: squarings from the lowest bit, then the square root, then the reciprocal.
llvm::Value* Emitter::power_constant(llvm::Value* a, double exponent) {
  double size = std::fabs(exponent);
  double twice = 2 * size;
  if (!(size <= 16) || twice != std::floor(twice)) return call_math("pow_u10", {a, real_constant(exponent)});
  llvm::Value* result = nullptr;
  llvm::Value* base = a;
  for (auto bits = static_cast<unsigned>(size); bits != 0; bits >>= 1) {
    if (bits & 1) result = result ? b.CreateFMul(result, base) : base;
    if (bits > 1) base = b.CreateFMul(base, base);
  }
  if (size != std::floor(size)) {
    llvm::Value* root = b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
    result = result ? b.CreateFMul(result, root) : root;
  }
  if (!result) result = real_constant(1);
  return exponent < 0 ? b.CreateFDiv(real_constant(1), result) : result;
}

llvm::Value* Emitter::unary(const ir::Op& op, llvm::Value* a) {
  llvm::Value* zero = zero_of(a->getType());
  bool real = is_real(a);
  switch (op.code) {
    case Opcode::negate: return real ? b.CreateFNeg(a) : b.CreateNeg(a);
    case Opcode::absolute:
      return real ? b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a) : b.CreateSelect(b.CreateICmpSLT(a, zero), b.CreateNeg(a), a);
    case Opcode::sign: {
      llvm::Value* one = real ? real_constant(1) : b.getInt32(1);
      llvm::Value* minus = real ? real_constant(-1) : b.getInt32(-1);
      return b.CreateSelect(less_than(zero, a), one, b.CreateSelect(less_than(a, zero), minus, zero));
    }
    case Opcode::square_root: return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
    case Opcode::floor: return b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a);
    case Opcode::ceiling: return b.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, a);
    case Opcode::round: return b.CreateUnaryIntrinsic(llvm::Intrinsic::round, a);
    case Opcode::power_constant: return power_constant(a, op.real);
    case Opcode::reciprocal_or_zero:
      return b.CreateSelect(b.CreateFCmpOEQ(a, zero), zero, b.CreateFDiv(real_constant(1), a));
    case Opcode::logarithm_or_zero: return b.CreateSelect(b.CreateFCmpOGT(a, zero), call_math("log_u10", {a}), zero);
    case Opcode::detach: return a;
    case Opcode::logical_not: return b.CreateNot(a);
    case Opcode::int_to_real: return b.CreateSIToFP(a, m.real());
    case Opcode::real_to_int: return b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {m.i32(), a->getType()}, {a});
    default: break;
  }
  const char* name = math_name(op.code);
  return name ? call_math(name, {a}) : nullptr;
}

llvm::Value* Emitter::compare(Opcode code, llvm::Value* a, llvm::Value* c) {
  bool real = is_real(a);
  switch (code) {
    case Opcode::equal: return real ? b.CreateFCmpOEQ(a, c) : b.CreateICmpEQ(a, c);
    case Opcode::not_equal: return real ? b.CreateFCmpUNE(a, c) : b.CreateICmpNE(a, c);
    case Opcode::less: return less_than(a, c);
    default: return real ? b.CreateFCmpOLE(a, c) : b.CreateICmpSLE(a, c);
  }
}

llvm::Value* Emitter::binary(const ir::Op& op, llvm::Value* a, llvm::Value* c) {
  bool real = is_real(a);
  llvm::Value* result = nullptr;
  switch (op.code) {
    case Opcode::add:
      result = real ? b.CreateFAdd(a, c) : b.CreateAdd(a, c);
      if (!real) note_affine(result, a, c, false);
      return result;
    case Opcode::subtract:
      result = real ? b.CreateFSub(a, c) : b.CreateSub(a, c);
      if (!real) note_affine(result, a, c, true);
      return result;
    case Opcode::multiply: return real ? b.CreateFMul(a, c) : b.CreateMul(a, c);
    case Opcode::divide: return b.CreateFDiv(a, c);
    case Opcode::minimum: return lesser(a, c);
    case Opcode::maximum: return greater(a, c);
    case Opcode::weigh: {
      llvm::Value* zero = zero_of(a->getType());
      return b.CreateSelect(compare(Opcode::equal, a, zero), zero, real ? b.CreateFMul(a, c) : b.CreateMul(a, c));
    }
    case Opcode::floor_divide: return floor_divide(a, c, false);
    case Opcode::floor_modulo: return floor_divide(a, c, true);
    case Opcode::equal:
    case Opcode::not_equal:
    case Opcode::less:
    case Opcode::less_equal: return compare(op.code, a, c);
    case Opcode::logical_and: return b.CreateAnd(a, c);
    case Opcode::logical_or: return b.CreateOr(a, c);
    default: break;
  }
  const char* name = math_name(op.code);
  return name ? call_math(name, {a, c}) : nullptr;
}

/// Remembers that an int is a loop's coordinate plus a constant.
void Emitter::note_affine(llvm::Value* result, llvm::Value* a, llvm::Value* c, bool subtract) {
  auto constant_of = [](llvm::Value* v) { return llvm::dyn_cast<llvm::ConstantInt>(v); };
  if (!subtract && constant_of(a)) std::swap(a, c);
  llvm::ConstantInt* constant = constant_of(c);
  auto known = affine.find(a);
  if (!constant || known == affine.end() || llvm::isa<llvm::Constant>(result)) return;
  Affine sum = known->second;
  sum.offset += subtract ? -constant->getSExtValue() : constant->getSExtValue();
  affine.emplace(result, sum);
}

llvm::Value* Emitter::dot(llvm::ArrayRef<llvm::Value*> a, llvm::ArrayRef<llvm::Value*> c) {
  llvm::Value* sum = b.CreateFMul(a[0], c[0]);
  for (size_t i = 1; i < a.size(); ++i) sum = fma(a[i], c[i], sum);
  return sum;
}

Components Emitter::cross(const Components& a, const Components& c) {
  Components result;
  for (size_t i = 0; i < 3; ++i) {
    size_t j = (i + 1) % 3, k = (i + 2) % 3;
    result.push_back(fma(a[j], c[k], b.CreateFNeg(b.CreateFMul(a[k], c[j]))));
  }
  return result;
}

Components Emitter::multiply_matrices(const ir::Op& op) {
  const Components& a = at(op.operands[0]);
  const Components& c = at(op.operands[1]);
  size_t n = p.type(op.operands[0]).size;
  size_t columns = p.type(op.operands[1]).is_vector() ? 1 : n;
  Components result, column(n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      for (size_t k = 0; k < n; ++k) column[k] = c[k * columns + j];
      result.push_back(dot(llvm::ArrayRef(a).slice(i * n, n), column));
    }
  }
  return result;
}

bool Emitter::emit_vector_op(const ir::Op& op) {
  auto operand = [&](size_t i) -> const Components& { return at(op.operands[i]); };
  auto result_count = static_cast<size_t>(m.components(p.type(op.results[0])));
  Components result;
  switch (op.code) {
    case Opcode::splat: result.assign(result_count, operand(0)[0]); break;
    case Opcode::pack:
      for (ir::Value v : op.operands) result.append(at(v).begin(), at(v).end());
      break;
    case Opcode::extract:
      for (size_t i = 0; i < result_count; ++i) result.push_back(operand(0)[static_cast<size_t>(op.integer) * result_count + i]);
      break;
    case Opcode::insert: {
      result = operand(0);
      size_t part = operand(1).size();
      for (size_t i = 0; i < part; ++i) result[static_cast<size_t>(op.integer) * part + i] = operand(1)[i];
      break;
    }
    case Opcode::extract_at: {
      // A chain of selects: no local array in memory, so loops stay free of allocas.
      result.assign(operand(0).begin(), operand(0).begin() + static_cast<std::ptrdiff_t>(result_count));
      for (size_t k = 1; k * result_count < operand(0).size(); ++k) {
        llvm::Value* here = b.CreateICmpEQ(operand(1)[0], b.getInt32(static_cast<uint32_t>(k)));
        for (size_t i = 0; i < result_count; ++i) result[i] = b.CreateSelect(here, operand(0)[k * result_count + i], result[i]);
      }
      break;
    }
    case Opcode::insert_at: {
      result = operand(0);
      size_t part = operand(2).size();
      for (size_t k = 0; k * part < result.size(); ++k) {
        llvm::Value* here = b.CreateICmpEQ(operand(1)[0], b.getInt32(static_cast<uint32_t>(k)));
        for (size_t i = 0; i < part; ++i) result[k * part + i] = b.CreateSelect(here, operand(2)[i], result[k * part + i]);
      }
      break;
    }
    case Opcode::dot: result = {dot(operand(0), operand(1))}; break;
    case Opcode::norm: result = {b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, dot(operand(0), operand(0)))}; break;
    case Opcode::cross: result = cross(operand(0), operand(1)); break;
    case Opcode::outer:
      for (llvm::Value* x : operand(0)) {
        for (llvm::Value* y : operand(1)) result.push_back(b.CreateFMul(x, y));
      }
      break;
    case Opcode::matrix_multiply: result = multiply_matrices(op); break;
    case Opcode::transpose: {
      size_t n = p.type(op.operands[0]).size;
      for (size_t i = 0; i < n * n; ++i) result.push_back(operand(0)[i % n * n + i / n]);
      break;
    }
    default: return false;
  }
  set(op.results[0], std::move(result));
  return true;
}

bool Emitter::emit_value_op(const ir::Op& op) {
  Components result;
  switch (op.code) {
    case Opcode::constant: {
      const Type& type = p.type(op.results[0]);
      if (type.is_real()) result = {real_constant(op.real)};
      else if (type.is_bool()) result = {b.getInt1(op.integer != 0)};
      else result = {b.getInt32(static_cast<uint32_t>(op.integer))};
      break;
    }
    case Opcode::zero: {
      const Type& type = p.type(op.results[0]);
      result.assign(static_cast<size_t>(m.components(type)), zero_of(m.scalar_type(type)));
      break;
    }
    case Opcode::size: result = {b.getInt32(static_cast<uint32_t>(m.options.sizes[static_cast<size_t>(op.integer)]))}; break;
    case Opcode::extent:
      result = {op.integer >= 0 ? extent(op.space, static_cast<int>(op.integer)) : b.CreateTrunc(count(op.space), m.i32())};
      break;
    case Opcode::steps: {
      llvm::Value* place = b.CreateConstInBoundsGEP1_64(m.i8(), context, offsetof(runtime::Context, steps));
      result = {b.CreateLoad(m.i32(), place)};
      break;
    }
    case Opcode::select:
      for (size_t i = 0; i < at(op.operands[1]).size(); ++i) {
        result.push_back(b.CreateSelect(at(op.operands[0])[0], at(op.operands[1])[i], at(op.operands[2])[i]));
      }
      break;
    case Opcode::fused_multiply_add:
      for (size_t i = 0; i < at(op.operands[0]).size(); ++i) {
        result.push_back(fma(at(op.operands[0])[i], at(op.operands[1])[i], at(op.operands[2])[i]));
      }
      break;
    default: {
      if (op.operands.empty() || op.operands.size() > 2 || op.results.size() != 1) return false;
      for (size_t i = 0; i < at(op.operands[0]).size(); ++i) {
        llvm::Value* a = at(op.operands[0])[i];
        llvm::Value* value = op.operands.size() == 1 ? unary(op, a) : binary(op, a, at(op.operands[1])[i]);
        if (!value) return false;
        result.push_back(value);
      }
    }
  }
  set(op.results[0], std::move(result));
  return true;
}

}  // namespace adjoule::codegen
