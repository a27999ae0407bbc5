// Assignments: what may be changed where, and which values fit.
#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

using syntax::Assign;

const Expr* root_of(const Expr& target) {
  const Expr* e = &target;
  while (e->kind == ExprKind::index || e->kind == ExprKind::member) e = &e->args[0];
  return e->kind == ExprKind::name ? e : nullptr;
}

std::string operator_text(Assign op) {
  switch (op) {
    case Assign::set: return "=";
    case Assign::add: return "+=";
    case Assign::subtract: return "-=";
    case Assign::multiply: return "*=";
    case Assign::divide: return "/=";
    case Assign::minimum: return "min=";
    case Assign::maximum: return "max=";
  }
  return "=";
}

Diagnostic& report_constant(Checker& c, const Expr& name, const Symbol& s, const std::string& why,
                            const std::string& help) {
  Diagnostic& d = c.diagnostics.error(name.span, quoted(s.name) + " is " + kind_name(c, s) + why, help);
  if (s.span.known()) d.notes.push_back({s.span, quoted(s.name) + " is declared here"});
  return d;
}

bool may_change_field(Checker& c, const Expr& name, const Symbol& s) {
  if (c.ast.fields[static_cast<size_t>(s.index)].role != FieldRole::state) {
    const std::string copy = s.type.field ? "var w[…]: " + type_name(c, value_of(s.type)) + "; w = " + s.name + ";"
                                          : "var w = " + s.name + ";";
    report_constant(c, name, s, ": the host gives it and it stays as it is", "make it a state, or copy it: " + copy);
    return false;
  }
  if (c.place.code == Code::function) {
    report_constant(c, name, s, ", and a function changes nothing outside of itself",
                    "give the new value back, or write a proc");
    return false;
  }
  if (c.place.loss) {
    c.diagnostics.warning(name.span, "a change of the state " + quoted(s.name) + " made in a loss ends with the loss",
                          "copy it into a `var` to make that plain");
  }
  return true;
}

bool may_change_parameter(Checker& c, const Expr& name, const Symbol& s) {
  if (s.kind == SymbolKind::field_parameter && c.place.code != Code::function) {
    mark_written(c, c.info(name).symbol);
    return true;
  }
  if (s.kind == SymbolKind::field_parameter) {
    report_constant(c, name, s, " of a function, which changes nothing outside of itself", "write a proc");
  } else {
    report_constant(c, name, s, " and is given by value", "copy it: var a = " + s.name + ";");
  }
  return false;
}

/// May this name be changed here at all?
bool may_change(Checker& c, const Expr& name) {
  const Symbol s = c.symbol(c.info(name).symbol);
  switch (s.kind) {
    case SymbolKind::local_var:
    case SymbolKind::local_field: return true;
    case SymbolKind::field: return may_change_field(c, name, s);
    case SymbolKind::field_parameter:
    case SymbolKind::value_parameter: return may_change_parameter(c, name, s);
    case SymbolKind::local_let:
      report_constant(c, name, s, " and keeps its value", "declare it with `var`");
      return false;
    case SymbolKind::loop_index:
      report_constant(c, name, s, " and cannot be changed", "`continue` goes on with the next one");
      return false;
    default:
      report_constant(c, name, s, " and cannot be changed",
                      s.kind == SymbolKind::size || s.kind == SymbolKind::constant ? "declare a `var`" : "");
      return false;
  }
}

/// A scalar of the whole step (or a state without a space) inside a parallel loop: every iteration would write it.
bool check_shared(Checker& c, const Expr& name, Assign op) {
  if (c.place.code != Code::parallel) return true;
  const Symbol& s = c.symbol(c.info(name).symbol);
  const bool shared = !s.type.field && !s.type.stack && (s.step_level || s.kind == SymbolKind::field);
  const bool reduces = op == Assign::add || op == Assign::subtract || op == Assign::minimum || op == Assign::maximum;
  if (!shared || reduces) return true;
  Diagnostic& d = c.diagnostics.error(
      name.span,
      quoted(s.name) + " is shared by all iterations of this parallel loop: they would overwrite one another with " +
          quoted(operator_text(op)),
      "reduce it with +=, min= or max=, declare it inside of the loop, or make the loop a `serial for`");
  if (s.span.known()) d.notes.push_back({s.span, quoted(s.name) + " is declared here, outside of the loop"});
  return false;
}

void report_operator(Checker& c, const Stmt& s, const Type& target, const std::string& help) {
  const Type& value = c.info(*s.value).type;
  c.diagnostics.error(s.value->span,
                      a_type(c, target) + " cannot take " + quoted(operator_text(s.op)) + " with " + a_type(c, value),
                      help);
}

/// target op value must have the target's type again: scalars of vectors and matrices broadcast.
bool scales(Checker& c, const Expr& value, const Type& target) {
  if (!target.is_vector() && !target.is_matrix()) return false;
  const Type& type = c.info(value).type;
  if (!type.is_real() && !is_fluid(c, value)) return false;
  make_real(c, value);
  return true;
}

void check_add(Checker& c, const Stmt& s, const Type& target, const std::string& use) {
  const bool array =
      target.is_array() && s.op == Assign::add && (target.differentiable() || target.element == Element::integer);
  if (!arithmetic(target) && !array) {
    std::string help;
    if (target.is_reference()) help = "write c = c + (1, 0)";
    if (target.is_array()) help = "take the elements: a[i] -= …";
    return report_operator(c, s, target, help);
  }
  if (!scales(c, *s.value, target)) coerce(c, *s.value, target, use);
}

void check_scale(Checker& c, const Stmt& s, const Type& target, const std::string& use) {
  const Type value = c.info(*s.value).type;
  if (!arithmetic(target)) return report_operator(c, s, target, "");
  if (target.is_int() && s.op == Assign::divide)
    return report_operator(c, s, target, "dividing gives a real; for ints write i = div(i, n)");
  if (target.is_matrix() && value.is_matrix() && s.op == Assign::divide)
    return report_operator(c, s, target, "multiply by inverse(…)");
  if (s.op == Assign::divide && target.is_real() && value.is_int()) return make_real(c, *s.value);
  if (!scales(c, *s.value, target)) coerce(c, *s.value, target, use);
}

void check_extreme(Checker& c, const Stmt& s, const Type& target, const std::string& use) {
  if (!target.is_int() && !target.is_real())
    return report_operator(c, s, target, "`min=` and `max=` compare single numbers: take a component");
  coerce(c, *s.value, target, use);
}

void check_value_assignment(Checker& c, const Stmt& s, const Type& target, const std::string& name) {
  const std::string use = "for " + quoted(name);
  switch (s.op) {
    case Assign::set: coerce(c, *s.value, target, use); break;
    case Assign::add:
    case Assign::subtract: check_add(c, s, target, use); break;
    case Assign::multiply:
    case Assign::divide: check_scale(c, s, target, use); break;
    case Assign::minimum:
    case Assign::maximum: check_extreme(c, s, target, use); break;
  }
}

void check_field_assignment(Checker& c, const Stmt& s, const Type& field, const std::string& name) {
  if (c.place.kernel()) {
    c.diagnostics.error(s.target->span,
                        quoted(name) + " is a whole field: inside of " + c.place.owner + " only its elements change",
                        "index it: " + name + "[…] " + operator_text(s.op) + " …");
    return;
  }
  if (s.op != Assign::set) {
    c.diagnostics.error(s.target->span, quoted(operator_text(s.op)) + " does not work on a whole field",
                        "write a loop: for p in " + space_name(c, field.spaces[0]) + " { " + name + "[p] " +
                            operator_text(s.op) + " …; }");
    return;
  }
  const Type& value = c.info(*s.value).type;
  if (value.is_none() || value == field) return;
  if (value.field) {
    c.diagnostics.error(s.value->span,
                        "this is " + a_type(c, value) + ", but " + quoted(name) + " is " + a_type(c, field),
                        "a whole field can only be given to one of the same type over the same spaces");
    return;
  }
  coerce(c, *s.value, value_of(field), "for every element of " + quoted(name));
}

}  // namespace

void mark_written(Checker& c, SymbolId field) {
  if (c.place.proc < 0) return;
  Routine& proc = c.procs[static_cast<size_t>(c.place.proc)];
  for (size_t i = 0; i < proc.parameters.size(); ++i) {
    if (proc.parameters[i] == field) proc.written[i] = true;
  }
}

void check_assignment(Checker& c, const Stmt& s) {
  const Expr* root = root_of(*s.target);
  // Writing a name is not using it: the mark that reading leaves is taken back.
  const SymbolId before = root ? lookup(c, root->text) : no_symbol;
  const bool used = before != no_symbol && c.used[static_cast<size_t>(before)];
  const Type target = check_expression(c, *s.target);
  if (before != no_symbol) c.used[static_cast<size_t>(before)] = used;
  if (target.stack) {
    c.diagnostics.error(s.target->span, "a stack cannot be assigned: there are no copies of stacks",
                        "use push(e) and pop()");
    return;
  }
  const Type value = check_right_side(c, *s.value);
  if (!root) {
    c.diagnostics.error(s.target->span, "this cannot be assigned to",
                        "the left side is a variable, an element or a component of one");
    return;
  }
  if (c.info(*root).symbol == no_symbol || !may_change(c, *root) || target.is_none()) return;
  if (!check_shared(c, *root, s.op) || value.is_none()) return;
  if (target.field) return check_field_assignment(c, s, target, root->text);
  if (value.field) {
    require_value(c, *s.value);
    return;
  }
  check_value_assignment(c, s, target, short_text(*s.target) == "…" ? root->text : short_text(*s.target));
}

}  // namespace adjoule::semantics
