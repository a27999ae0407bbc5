// Finiteness and sign of values by one forward sweep (facts.hpp).
#include "adjoint/facts.hpp"

namespace adjoule::adjoint {
namespace {

using ir::Op;
using ir::Opcode;
using ir::Value;

struct Sweep {
  const ir::Procedure& procedure;
  Facts facts;

  bool finite(Value v) const { return facts.finite[static_cast<size_t>(v)]; }
  bool positive(Value v) const { return facts.positive[static_cast<size_t>(v)]; }
  bool nonnegative(Value v) const { return facts.nonnegative[static_cast<size_t>(v)]; }

  bool operands_finite(const Op& op) const {
    for (Value v : op.operands)
      if (!finite(v)) return false;
    return true;
  }
  void set(Value v, bool is_finite, bool is_positive, bool is_nonnegative) {
    facts.finite[static_cast<size_t>(v)] = is_finite;
    facts.positive[static_cast<size_t>(v)] = is_positive;
    facts.nonnegative[static_cast<size_t>(v)] = is_positive || is_nonnegative;
  }
  void visit_block(ir::BlockId block) {
    for (ir::OpId id : procedure.block(block).ops) visit(procedure.op(id));
  }
  void visit(const Op& op);
  void visit_sum(const Op& op, Value a, Value b);
};

void Sweep::visit_sum(const Op& op, Value a, Value b) {
  bool both = nonnegative(a) && nonnegative(b);
  set(op.results[0], operands_finite(op), both && (positive(a) || positive(b)), both);
}

void Sweep::visit(const Op& op) {
  for (ir::BlockId block : op.blocks) visit_block(block);
  if (op.results.size() != 1 || !op.blocks.empty()) return;
  Value r = op.results[0];
  auto a = [&] { return op.operands[0]; };
  auto b = [&] { return op.operands[1]; };
  bool all = operands_finite(op);
  switch (op.code) {
    case Opcode::constant: set(r, true, op.real > 0 || op.integer > 0, op.real >= 0 && op.integer >= 0); break;
    case Opcode::size:
    case Opcode::extent: set(r, true, false, true); break;
    case Opcode::add: visit_sum(op, a(), b()); break;
    case Opcode::multiply: {
      bool square = a() == b();
      set(r, all, positive(a()) && positive(b()), square || (nonnegative(a()) && nonnegative(b())));
      break;
    }
    case Opcode::fused_multiply_add: {
      Value c = op.operands[2];
      bool product = a() == b() || (nonnegative(a()) && nonnegative(b()));
      bool product_positive = positive(a()) && positive(b());
      set(r, all, product && nonnegative(c) && (positive(c) || product_positive), product && nonnegative(c));
      break;
    }
    case Opcode::divide:
      set(r, all && positive(b()), false, nonnegative(a()) && nonnegative(b()));
      break;
    case Opcode::absolute: set(r, all, positive(a()), true); break;
    case Opcode::maximum: set(r, all, positive(a()) || positive(b()), nonnegative(a()) || nonnegative(b())); break;
    case Opcode::minimum: set(r, all, positive(a()) && positive(b()), nonnegative(a()) && nonnegative(b())); break;
    case Opcode::dot: set(r, all, false, a() == b()); break;
    case Opcode::norm: set(r, all, false, true); break;
    case Opcode::hypotenuse: set(r, all, positive(a()) || positive(b()), true); break;
    case Opcode::square_root: set(r, all && nonnegative(a()), positive(a()), true); break;
    case Opcode::power_constant: {
      bool even = op.real == static_cast<double>(static_cast<int>(op.real)) && static_cast<int>(op.real) % 2 == 0;
      set(r, all && (op.real >= 0 || positive(a())), positive(a()), even || nonnegative(a()));
      break;
    }
    case Opcode::exponential: set(r, false, false, true); break;   // it may overflow, and it may underflow to 0
    case Opcode::logarithm: set(r, all && positive(a()), false, false); break;
    case Opcode::tangent:
    case Opcode::power:
    case Opcode::reciprocal_or_zero:
    case Opcode::hyperbolic_sine:
    case Opcode::hyperbolic_cosine: set(r, false, false, false); break;
    case Opcode::splat: set(r, all, positive(a()), nonnegative(a())); break;
    case Opcode::int_to_real: set(r, true, positive(a()), nonnegative(a())); break;
    case Opcode::load:
    case Opcode::pop: break;   // from outside of the expression
    default: set(r, all, false, false);
  }
}

}  // namespace

ir::OperandFacts Facts::of(const ir::Op& op) const {
  ir::OperandFacts result;
  for (size_t k = 0; k < op.operands.size() && k < 3; ++k) {
    result.finite[k] = finite[static_cast<size_t>(op.operands[k])];
    result.positive[k] = positive[static_cast<size_t>(op.operands[k])];
  }
  return result;
}

Facts find_facts(const ir::Procedure& procedure) {
  size_t n = procedure.values.size();
  Sweep sweep{procedure, {std::vector<bool>(n, true), std::vector<bool>(n, false), std::vector<bool>(n, false)}};
  sweep.visit_block(procedure.body);
  return sweep.facts;
}

}  // namespace adjoule::adjoint
