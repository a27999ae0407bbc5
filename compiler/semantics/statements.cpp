// Statements and their levels: step level (whole fields, loops over spaces) and kernel level (one element).
#include <algorithm>

#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

void declare(Checker& c, const Stmt& s, SymbolKind kind, Type type) {
  c.out.declared[s.id] = declare_local(c, {.kind = kind,
                                           .name = s.name,
                                           .span = s.name_span,
                                           .type = std::move(type),
                                           .step_level = !c.place.kernel(),
                                           .declaration = s.id});
}

/// The type that a `let` or `var` gets: as written, else that of its value.
Type declared_type(Checker& c, const Stmt& s) {
  Type value;
  if (s.value) value = check_right_side(c, *s.value);
  if (!s.type) {
    if (!s.value)
      c.diagnostics.error(s.name_span, quoted(s.name) + " needs a type or a value", "write var " + s.name + ": real;");
    return value;
  }
  const Type type = resolve_type(c, *s.type);
  if (type.is_none() || value.is_none()) return type;
  if (type.stack) {
    c.diagnostics.error(s.value->span, "a stack starts empty: it takes no value",
                        "write var " + s.name + ": " + type_name(c, type) + ";");
  } else if (value.field) {
    c.diagnostics.error(s.value->span,
                        "this is " + a_type(c, value) + ", but " + quoted(s.name) + " is " + a_type(c, type),
                        "leave the type out, or take one element");
  } else {
    coerce(c, *s.value, type, "for " + quoted(s.name));
  }
  return type;
}

/// var f[A, B]: type = value;
void check_field_variable(Checker& c, const Stmt& s) {
  std::vector<SpaceId> spaces;
  for (const Expr& space : s.spaces) spaces.push_back(resolve_space(c, space));
  Type value;
  if (s.value) value = check_right_side(c, *s.value);
  if (c.place.kernel()) {
    c.diagnostics.error(s.name_span, "a temporary field cannot be declared inside of " + c.place.owner,
                        "declare it before the loop, or use an array: var " + s.name + ": real[4];");
  }
  Type element;
  if (s.type)
    element = resolve_type(c, *s.type);
  else
    c.diagnostics.error(s.name_span, "the field " + quoted(s.name) + " needs a type",
                        "write var " + s.name + "[…]: real = 0;");
  if (element.stack) {
    c.diagnostics.error(s.type->span, "a field of stacks does not exist",
                        "a stack may hold whole fields: var s: stack<real[Cell]>;");
    element = {};
  }
  const bool known = !element.is_none() && std::find(spaces.begin(), spaces.end(), no_space) == spaces.end();
  const Type type = known ? field_of(element, spaces) : Type{};
  if (known && s.value && !value.is_none() && value != type) {
    if (value.field) {
      c.diagnostics.error(s.value->span,
                          "this is " + a_type(c, value) + ", but " + quoted(s.name) + " is " + a_type(c, type));
    } else {
      coerce(c, *s.value, element, "for every element of " + quoted(s.name));
    }
  }
  declare(c, s, SymbolKind::local_field, type);
}

void check_let(Checker& c, const Stmt& s) { declare(c, s, SymbolKind::local_let, declared_type(c, s)); }

void check_var(Checker& c, const Stmt& s) {
  if (!s.spaces.empty()) return check_field_variable(c, s);
  const Type type = declared_type(c, s);
  if (type.stack && type.field && c.place.kernel()) {
    c.diagnostics.error(s.name_span, "a stack of whole fields cannot be declared inside of " + c.place.owner,
                        "declare it before the loop");
  }
  declare(c, s, type.field && !type.stack ? SymbolKind::local_field : SymbolKind::local_var, type);
}

void check_if(Checker& c, const Stmt& s) {
  for (const syntax::Branch& branch : s.branches) {
    check_condition(c, branch.condition, "`if`");
    check_block(c, branch.body);
  }
  if (s.otherwise) check_block(c, *s.otherwise);
}

void check_while(Checker& c, const Stmt& s) {
  check_condition(c, *s.value, "`while`");
  Place place = c.place;
  place.loop = Loop::sequential;
  const Swapped inside(c.place, std::move(place));
  check_block(c, s.body);
}

void check_jump(Checker& c, const Stmt& s) {
  const bool leaves = s.kind == StmtKind::break_;
  if (c.place.loop == Loop::none) {
    c.diagnostics.error(s.span, quoted(leaves ? "break" : "continue") + " stands outside of any loop");
  } else if (leaves && c.place.loop == Loop::parallel) {
    c.diagnostics.error(s.span, "a parallel loop has no order, so `break` cannot stop the others",
                        "`continue` ends this iteration; `serial for` makes a loop that can be left");
  }
}

void check_return(Checker& c, const Stmt& s) {
  const bool in_space_loop = c.place.code == Code::parallel || c.place.code == Code::serial;
  const Type value = s.value ? check_value(c, *s.value) : Type{};
  if (c.place.result.is_none() && !c.place.loss && c.place.code != Code::function) {
    c.diagnostics.error(s.span, "`return` stands in functions and losses only",
                        in_space_loop ? "`continue` ends this iteration" : "use `if` around what follows");
  } else if (in_space_loop) {
    c.diagnostics.error(s.span, "`return` cannot leave " + c.place.owner,
                        "add into a `var` in the loop and return it behind the loop");
  } else if (!value.is_none()) {
    coerce(c, *s.value, c.place.result, "as the result of " + (c.place.loss ? std::string("a loss") : c.place.owner));
  }
}

void check_statement(Checker& c, const Stmt& s) {
  switch (s.kind) {
    case StmtKind::let: return check_let(c, s);
    case StmtKind::var: return check_var(c, s);
    case StmtKind::loop: return check_loop(c, s);
    case StmtKind::while_: return check_while(c, s);
    case StmtKind::if_: return check_if(c, s);
    case StmtKind::break_:
    case StmtKind::continue_: return check_jump(c, s);
    case StmtKind::return_: return check_return(c, s);
    case StmtKind::assign: return check_assignment(c, s);
    case StmtKind::call: return check_call_statement(c, *s.value);
    case StmtKind::block: return check_block(c, s.body);
    case StmtKind::solve:
      not_yet(c, s.name_span.known() ? s.name_span : s.span, "`solve`", "write the iteration as a loop");
      if (!s.name.empty()) c.poisoned.insert(s.name);
      return;
  }
}

}  // namespace

void check_block(Checker& c, const syntax::Block& block) {
  open_scope(c);
  for (const Stmt& s : block) check_statement(c, s);
  close_scope(c);
}

bool always_returns(const syntax::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
    if (s.kind == StmtKind::return_) return true;
    if (s.kind == StmtKind::block) return always_returns(s.body);
    if (s.kind != StmtKind::if_ || !s.otherwise || !always_returns(*s.otherwise)) return false;
    return std::all_of(s.branches.begin(), s.branches.end(),
                       [](const syntax::Branch& b) { return always_returns(b.body); });
  });
}

}  // namespace adjoule::semantics
