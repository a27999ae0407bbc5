// Assignments: to locals and their components (SSA), to whole fields (new names for versions), to elements of fields
// (set_element at step level; store, or reduce, in the loops that update the field).
#include <limits>

#include "lowering/expressions.hpp"
#include "lowering/statements.hpp"

namespace adjoule::lowering {
namespace {

using ir::Mode;
using ir::Opcode;
using syntax::Assign;
using syntax::ExprKind;

/// What an assignment changes: a variable, or one element of a field, and the place inside of it.
struct Target {
  VariableId variable = no_variable;
  bool element = false;
  std::vector<Value> indices;
  std::vector<Step> path;
  Type type;  // of what stands at the path so far
};

Target resolve(Context& c, const Expr& e);

Target resolve_index(Context& c, const Expr& e) {
  Target target = resolve(c, e.args[0]);
  if (target.variable == no_variable) return target;
  std::span<const Expr> indices = std::span(e.args).subspan(1);
  if (target.type.field) {
    for (const Expr& index : indices) target.indices.push_back(lower_expression(c, index));
    target.element = true;
    target.type = value_of(target.type);
    return target;
  }
  for (const Step& step : index_steps(c, target.type, indices)) target.path.push_back(step);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (target.type.is_array()) {
      target.type = array_element(target.type);
    } else {
      target.type = real_type();  // a component or an entry: nothing lies below
      break;
    }
  }
  return target;
}

Target resolve(Context& c, const Expr& e) {
  if (e.kind == ExprKind::index) return resolve_index(c, e);
  if (e.kind == ExprKind::member) {
    Target target = resolve(c, e.args[0]);
    target.path.push_back({.number = c.info(e).component});
    target.type = real_type();
    return target;
  }
  Binding binding = e.kind == ExprKind::name ? lookup(c, c.info(e).symbol) : Binding{};
  if (binding.kind != BindingKind::variable) {
    c.diagnostics.error(e.span, "this cannot be assigned to");
    return {};
  }
  return {.variable = binding.variable, .type = c.variable(binding.variable).type};
}

/// if e < old { old = e }: not `minimum`, whose derivative at a tie is half each.
Value keep_extreme(Context& c, bool smallest, Value old, Value e) {
  Value better = smallest ? c.ir().emit(Opcode::less, {e, old}) : c.ir().emit(Opcode::less, {old, e});
  return c.ir().emit(Opcode::select, {better, e, old});
}

/// What stands at the target after `old op= e`.
Value updated(Context& c, Assign op, Value old, const Expr& e, const Type& type) {
  switch (op) {
    case Assign::set: return lower_as(c, e, type);
    case Assign::add: return coerce(c, accumulate(c, old, '+', e), type);
    case Assign::subtract: return coerce(c, accumulate(c, old, '-', e), type);
    case Assign::multiply: return coerce(c, multiply_values(c, old, '*', lower_expression(c, e)), type);
    case Assign::divide: return coerce(c, multiply_values(c, old, '/', lower_expression(c, e)), type);
    case Assign::minimum:
    case Assign::maximum: return keep_extreme(c, op == Assign::minimum, old, lower_as(c, e, type));
  }
  return old;
}

/// `whole` after the assignment to the place `path` inside of it; `whole` may be missing when it is replaced
/// altogether.
Value updated_whole(Context& c, const Stmt& s, Value whole, const Target& target) {
  Value old = whole;
  if (s.op != Assign::set) {
    for (const Step& step : target.path) old = step_into(c, old, step);
  }
  Value leaf = updated(c, s.op, old, *s.value, target.type);
  return with_replaced(c, whole, target.path, leaf);
}

// --- reductions

ir::Reduction reduction_of(Assign op) {
  if (op == Assign::minimum) return ir::Reduction::minimum;
  return op == Assign::maximum ? ir::Reduction::maximum : ir::Reduction::add;
}

/// The value that changes nothing when it is reduced into an element.
Value neutral(Context& c, const Type& type, ir::Reduction reduction) {
  if (reduction == ir::Reduction::add) return c.ir().zero(type);
  bool smallest = reduction == ir::Reduction::minimum;
  if (type.element == Element::integer) {
    using Limits = std::numeric_limits<int32_t>;
    return coerce(c, c.ir().constant(smallest ? Limits::max() : Limits::min()), type);
  }
  double infinity = std::numeric_limits<double>::infinity();
  return coerce(c, c.ir().constant(smallest ? infinity : -infinity), type);
}

const char* operation_text(Assign op) {
  switch (op) {
    case Assign::set: return "=";
    case Assign::add:
    case Assign::subtract: return "+=";
    case Assign::multiply: return "*=";
    case Assign::divide: return "/=";
    case Assign::minimum: return "min=";
    case Assign::maximum: return "max=";
  }
  return "";
}

Value negated(Context& c, Value v) {
  Type type = c.type(v);
  if (!type.is_array()) return negate_value(c, v);
  return add_values(c, c.ir().zero(type), '-', v);
}

void reduce_into(Context& c, const Stmt& s, const Target& target) {
  const Variable& variable = c.variable(target.variable);
  ir::Reduction reduction = reduction_of(s.op);
  Value handle = variable.current;
  Type element = value_of(variable.type);
  Value v = lower_as(c, *s.value, target.type);
  if (s.op == Assign::subtract) v = negated(c, v);
  if (!target.path.empty()) v = with_replaced(c, neutral(c, element, reduction), target.path, v);
  c.ir().reduce(handle, target.indices, v, reduction);
  if (c.loop && target.element) {
    c.loop->accesses.push_back({handle, AccessKind::reduce, operation_text(s.op), target.indices, s.span});
  }
}

// --- elements

/// An element of a field that the loop around updates in place.
void store_element(Context& c, const Stmt& s, const Target& target) {
  Value handle = c.variable(target.variable).current;
  bool reads = s.op != Assign::set || !target.path.empty();
  Value old = reads ? c.ir().load(handle, target.indices) : ir::no_value;  // at the place written: no access of its own
  Value v = for_storage(c, updated_whole(c, s, old, target));
  c.ir().store(handle, target.indices, v);
  if (c.loop) c.loop->accesses.push_back({handle, AccessKind::write, operation_text(s.op), target.indices, s.span});
}

/// An element at step level: a new version of its field.
void set_element(Context& c, const Stmt& s, const Target& target) {
  Value version = current(c, target.variable);
  bool reads = s.op != Assign::set || !target.path.empty();
  Value old = reads ? c.ir().load(version, target.indices) : ir::no_value;
  std::vector<Value> operands{version};
  operands.insert(operands.end(), target.indices.begin(), target.indices.end());
  operands.push_back(for_storage(c, updated_whole(c, s, old, target)));
  set_current(c, target.variable, c.ir().emit(Opcode::set_element, std::move(operands)));
}

/// f = g, f = scalar: no operation, or a fill. f += g: a sum of versions.
void assign_field(Context& c, const Stmt& s, const Target& target) {
  Type element = value_of(target.type);
  Value v = lower_as(c, *s.value, element);
  bool field = c.type(v).field;
  if (s.op == Assign::add && field) {
    v = c.ir().emit(Opcode::add_fields, {current(c, target.variable), v});
  } else if (s.op != Assign::set) {
    c.diagnostics.error(s.span, "a whole field is changed by `=` or by `+=` of another field",
                        "loop over its space to change each element");
    return;
  } else if (!field) {
    v = c.ir().emit(Opcode::fill, {for_storage(c, v)}, target.type);
  }
  set_current(c, target.variable, v);
}

}  // namespace

void lower_assignment(Context& c, const Stmt& s) {
  Target target = resolve(c, *s.target);
  if (target.variable == no_variable) return;
  const Variable& variable = c.variable(target.variable);
  bool reduces = variable.handle && variable.mode != Mode::own && variable.mode != Mode::any;
  if (reduces) return reduce_into(c, s, target);
  if (target.element) return variable.handle ? store_element(c, s, target) : set_element(c, s, target);
  if (target.type.field) return assign_field(c, s, target);
  if (variable.handle) return;  // a scalar that a parallel loop misuses: reported with the loop's modes
  set_current(c, target.variable, updated_whole(c, s, current(c, target.variable), target));
}

}  // namespace adjoule::lowering
