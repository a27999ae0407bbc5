// Sums, products, powers and comparisons: which operands go together, and where an int becomes real.
#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

/// Left to right over the operands of a sum or product: what has come together so far.
struct Running {
  Type type;
  bool fluid = true;       // all operands so far are fluid ints
  size_t first_solid = 0;  // the first operand that is an int and not fluid
};

Type add_types(const Type& a, const Type& b, char sign) {
  if (a == b && a.is_array() && sign == '+' && (a.differentiable() || a.element == Element::integer)) return a;
  return broadcast(a, b);
}

Type multiply_types(const Type& a, const Type& b) {
  if (a.is_matrix() && b.is_vector()) return a.size == b.size ? b : Type{};
  return broadcast(a, b);
}

Type divide_types(const Type& a, const Type& b) {
  if (b.is_matrix()) return {};
  return broadcast(a, b);
}

Type combine(const Type& a, const Type& b, char sign) {
  if (sign == '*') return multiply_types(a, b);
  if (sign == '/') return divide_types(a, b);
  return add_types(a, b, sign);
}

std::string combine_help(const Type& a, const Type& b, char sign) {
  if (sign == '/' && b.is_matrix()) return "multiply by inverse(…)";
  if (sign == '*' && a.is_vector() && b.is_matrix()) return "for v·M write transpose(M) * v";
  if (a.is_bool() || b.is_bool()) return "write (… ? 1.0 : 0.0) for a number";
  if (a.is_reference() || b.is_reference())
    return "index(p) is its number; an offset comes behind the reference: c + (1, 0)";
  if (a.is_array() || b.is_array()) return "arrays of one type can be added; else take elements: a[0]";
  if (a.is_vector() && b.is_vector()) return "vectors must have the same number of components";
  if (a.is_matrix() || b.is_matrix())
    return "matrices must have the same size; a vector is multiplied from the right: M * v";
  return "";
}

void report_combination(Checker& c, const Expr& e, size_t i, const Type& a, const Type& b) {
  const char sign = e.signs[i];
  std::string message = a_type(c, a) + " and " + a_type(c, b) + " cannot be " + (sign == '*' ? "multiplied" : "added");
  if (sign == '/') message = a_type(c, a) + " cannot be divided by " + a_type(c, b);
  if (sign == '-') message = a_type(c, b) + " cannot be subtracted from " + a_type(c, a);
  c.diagnostics.error(join(e.args[0].span, e.args[i].span), message, combine_help(a, b, sign));
}

/// An int that does not become real by itself stands beside a real.
void report_solid_int(Checker& c, const Expr& operand, const Type& other) {
  std::string help = "write real(" + short_text(operand) + ")";
  Diagnostic& d = c.diagnostics.error(
      operand.span,
      "this is an int beside " + a_type(c, other) + ": only literals, constants and sizes become real by themselves",
      help);
  const SymbolId id = c.info(operand).symbol;
  if (operand.kind == ExprKind::name && id != no_symbol && c.symbol(id).kind == SymbolKind::local_let) {
    d.notes.push_back(
        {c.symbol(id).span, quoted(operand.text) + " is declared here; 2.0 instead of 2 would make it real"});
  }
}

/// The operands before `end` are ints and the value becomes real here. Fluid ones convert one by one; a product of
/// others stays an int, and lowering converts what has come together.
void convert_operands(Checker& c, const Expr& e, size_t end, const Running& running) {
  if (!running.fluid && end > 1) return;
  for (size_t i = 0; i < end; ++i) make_real(c, e.args[i]);
}

/// The next operand of a division: ints become real on both sides.
Type divisor(Checker& c, const Expr& e, size_t i, Running& running) {
  Type right = c.info(e.args[i]).type;
  if (running.type.is_int() && arithmetic(right)) {
    convert_operands(c, e, i, running);
    running.type = real_type();
  }
  if (right.is_int() && arithmetic(running.type)) {
    make_real(c, e.args[i]);
    right = real_type();
  }
  return right;
}

/// The next operand of a sum or product. None after a mistake that was reported.
Type operand(Checker& c, const Expr& e, size_t i, Running& running) {
  const Expr& next = e.args[i];
  const Type right = c.info(next).type;
  if (running.type.is_int() && right.is_int()) {
    if (running.fluid && !is_fluid(c, next)) running.first_solid = i;
    running.fluid = running.fluid && is_fluid(c, next);
    return right;
  }
  if (running.type.is_int() && numeric(right)) {
    if (!running.fluid) {
      report_solid_int(c, e.args[running.first_solid], right);
      return {};
    }
    convert_operands(c, e, i, running);
    running.type = real_type();
  } else if (right.is_int() && numeric(running.type)) {
    if (!is_fluid(c, next)) {
      report_solid_int(c, next, running.type);
      return {};
    }
    make_real(c, next);
    return real_type();
  }
  return right;
}

Type fold(Checker& c, const Expr& e) {
  Running running;
  running.type = c.info(e.args[0]).type;
  running.fluid = is_fluid(c, e.args[0]);
  for (size_t i = 1; i < e.args.size(); ++i) {
    if (running.type.is_none() || c.info(e.args[i]).type.is_none()) return {};
    const Type right = e.signs[i] == '/' ? divisor(c, e, i, running) : operand(c, e, i, running);
    if (right.is_none()) return {};
    const Type together = combine(running.type, right, e.signs[i]);
    if (together.is_none()) {
      report_combination(c, e, i, running.type, right);
      return {};
    }
    running.type = together;
  }
  c.fluid[e.id] = running.type.is_int() && running.fluid;
  return running.type;
}

}  // namespace

Type broadcast(const Type& a, const Type& b) {
  if (!arithmetic(a) || !arithmetic(b)) return {};
  if (a == b) return a;
  if (a.is_real() && !b.is_int()) return b;
  if (b.is_real() && !a.is_int()) return a;
  return {};
}

Type check_sum(Checker& c, const Expr& e) {
  const Type first = check_value(c, e.args[0]);
  if (first.is_reference()) return check_offset(c, e, first);
  for (size_t i = 1; i < e.args.size(); ++i) check_value(c, e.args[i]);
  return fold(c, e);
}

Type check_product(Checker& c, const Expr& e) {
  for (const Expr& x : e.args) check_value(c, x);
  return fold(c, e);
}

Type check_power(Checker& c, const Expr& e) {
  Type base = check_value(c, e.args[0]);
  Type exponent = check_value(c, e.args[1]);
  if (base.is_none() || exponent.is_none()) return {};
  for (const Expr& x : e.args) make_real(c, x);
  if (base.is_int()) base = real_type();
  if (exponent.is_int()) exponent = real_type();
  const Type together = base.is_matrix() || exponent.is_matrix() ? Type{} : broadcast(base, exponent);
  if (together.is_none()) {
    c.diagnostics.error(e.span, a_type(c, base) + " cannot be raised to " + a_type(c, exponent),
                        base.is_matrix() ? "multiply the matrix by itself: M * M" : "");
  }
  return together;
}

Type check_negative(Checker& c, const Expr& e) {
  const Expr& of = e.args[0];
  // −2147483648 is an int, though 2147483648 is none.
  const bool lowest = of.kind == ExprKind::integer && of.integer == int64_t{1} << 31;
  if (lowest) c.info(of).type = int_type();
  if (lowest) c.fluid[of.id] = true;
  const Type type = lowest ? int_type() : check_value(c, of);
  if (type.is_none() || arithmetic(type)) {
    c.fluid[e.id] = is_fluid(c, of);
    return type;
  }
  c.diagnostics.error(e.span, a_type(c, type) + " has no negative",
                      type.is_bool() ? "the opposite of a bool is `not`" : "");
  return {};
}

namespace {

/// int beside real: the int converts if it may. False after a mistake that was reported.
bool level_numbers(Checker& c, const Expr& a, const Expr& b) {
  const Type& left = c.info(a).type;
  const Type& right = c.info(b).type;
  if (left.is_int() == right.is_int()) return true;
  const Expr& integer = left.is_int() ? a : b;
  if (!is_fluid(c, integer)) {
    report_solid_int(c, integer, left.is_int() ? right : left);
    return false;
  }
  make_real(c, integer);
  return true;
}

std::string comparison_help(const Type& a, const Type& b) {
  if (a.is_vector() || b.is_vector()) return "compare components (a.x < b.x) or a distance (norm(a - b) < 1e-9)";
  if (a.is_bool() && b.is_bool()) return "bools are only == or !=";
  if (a.is_reference() || b.is_reference()) return "references to one space are == or !=; their numbers are index(p)";
  return "";
}

}  // namespace

Type check_comparison(Checker& c, const Expr& e) {
  const Type a = check_value(c, e.args[0]);
  const Type b = check_value(c, e.args[1]);
  if (a.is_none() || b.is_none()) return bool_type();
  const auto scalar = [](const Type& t) { return t.is_int() || t.is_real(); };
  const bool equality = e.op == syntax::Comparison::equal || e.op == syntax::Comparison::not_equal;
  if (scalar(a) && scalar(b)) {
    level_numbers(c, e.args[0], e.args[1]);
  } else if (!(equality && a == b && (a.is_bool() || a.is_reference()))) {
    c.diagnostics.error(e.span,
                        a_type(c, a) + " and " + a_type(c, b) + " cannot be compared" + (equality ? "" : " by size"),
                        comparison_help(a, b));
  }
  return bool_type();
}

}  // namespace adjoule::semantics
