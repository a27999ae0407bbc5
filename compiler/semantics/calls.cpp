// Calls: functions and procs with their parameters, references made of integers, stacks.
#include <algorithm>

#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

/// What a call binds: abstract spaces of the parameters to spaces of the caller.
using SpaceBinding = std::map<SpaceId, SpaceId>;

bool unify_space(SpaceBinding& binding, SpaceId parameter, SpaceId given) {
  if (!is_abstract(parameter)) return parameter == given;
  return binding.emplace(parameter, given).first->second == given;
}

/// Does a type of the caller match a parameter's type? Binds the abstract spaces that it meets first.
bool unify(SpaceBinding& binding, const Type& parameter, const Type& given) {
  Type a = parameter, b = given;
  if (a.spaces.size() != b.spaces.size()) return false;
  if ((a.space == no_space) != (b.space == no_space)) return false;
  for (size_t i = 0; i < a.spaces.size(); ++i) {
    if (!unify_space(binding, a.spaces[i], b.spaces[i])) return false;
  }
  if (a.space != no_space && !unify_space(binding, a.space, b.space)) return false;
  a.spaces.clear();
  b.spaces.clear();
  a.space = b.space = no_space;
  return a == b;
}

Type substitute(const SpaceBinding& binding, Type type) {
  const auto replace = [&](SpaceId& space) {
    if (const auto found = binding.find(space); found != binding.end()) space = found->second;
  };
  replace(type.space);
  for (SpaceId& space : type.spaces) replace(space);
  return type;
}

struct Callee {
  std::string name;
  Span span;  // its declaration
  const Routine* routine = nullptr;
};

bool check_count(Checker& c, const Expr& e, const Callee& callee) {
  const size_t wanted = callee.routine->parameters.size(), given = e.args.size() - 1;
  if (wanted == given) return true;
  std::string parameters;
  for (SymbolId id : callee.routine->parameters) parameters += (parameters.empty() ? "" : ", ") + c.symbol(id).name;
  c.diagnostics
      .error(e.span, quoted(callee.name) + " takes " + counted(wanted, "argument") + ", not " + std::to_string(given),
             parameters.empty() ? "" : "they are: " + parameters)
      .notes.push_back({callee.span, quoted(callee.name) + " is declared here"});
  return false;
}

void check_field_argument(Checker& c, const Expr& argument, const Symbol& parameter, SpaceBinding& binding,
                          const Callee& callee) {
  const Type& given = c.info(argument).type;
  if (given.is_none()) return;
  if (!given.stack && given.field && unify(binding, parameter.type, given)) return;
  std::string help = "the parameter is " + type_name(c, parameter.type);
  if (!given.field && argument.kind == ExprKind::index) help = "give the whole field: " + short_text(argument.args[0]);
  c.diagnostics
      .error(argument.span,
             "this is " + a_type(c, given) + ", but " + quoted(callee.name) + " wants " +
                 a_type(c, substitute(binding, parameter.type)) + " for " + quoted(parameter.name),
             help)
      .notes.push_back({parameter.span, quoted(parameter.name) + " is declared here"});
}

void check_value_argument(Checker& c, const Expr& argument, const Symbol& parameter, SpaceBinding& binding,
                          const Callee& callee) {
  const Type& given = c.info(argument).type;
  if (given.is_none() || unify(binding, parameter.type, given)) return;
  const Type wanted = substitute(binding, parameter.type);
  coerce(c, argument, wanted, "for " + quoted(parameter.name) + " of " + quoted(callee.name));
}

/// What the callee does with a space of its parameters must be possible with the space that the call binds.
void check_requirements(Checker& c, const Expr& e, const SpaceBinding& binding, const Callee& callee) {
  for (const auto& [parameter, given] : binding) {
    const AbstractSpace asked = c.abstract_spaces[static_cast<size_t>(parameter - first_abstract_space)];
    if (!is_abstract(given) && (!asked.grid || is_grid(c, given)) &&
        (asked.dims == 0 || asked.dims == dims_of(c, given)))
      continue;
    if (is_abstract(given)) {
      AbstractSpace& outer = c.abstract_spaces[static_cast<size_t>(given - first_abstract_space)];
      outer.grid = outer.grid || asked.grid;
      if (outer.dims == 0) outer.dims = asked.dims;
      if (asked.dims == 0 || outer.dims == asked.dims) continue;
    }
    const std::string wanted =
        asked.grid ? (asked.dims == 0 ? "a grid" : "a grid of " + counted(static_cast<size_t>(asked.dims), "axis"))
                   : "a space of " + counted(static_cast<size_t>(asked.dims), "axis");
    c.diagnostics
        .error(e.span,
               quoted(callee.name) + " uses " + quoted(asked.name) + " as " + wanted + ", but " +
                   quoted(space_name(c, given)) + " is none",
               "give it fields over " + wanted)
        .notes.push_back({asked.span, quoted(asked.name) + " is named here"});
  }
}

bool is_value_parameter(const Symbol& s) { return s.kind == SymbolKind::value_parameter; }

/// Types of the arguments: whole fields for field parameters, values for the others.
void check_arguments(Checker& c, const Expr& e, const Callee& callee, SpaceBinding& binding) {
  const std::vector<SymbolId> parameters = callee.routine->parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Expr& argument = e.args[i + 1];
    const SymbolKind kind = c.symbol(parameters[i]).kind;
    if (kind == SymbolKind::value_parameter)
      check_value(c, argument);
    else if (kind == SymbolKind::field_parameter && check_expression(c, argument).is_none())
      require_value(c, argument);
  }
  for (const bool values : {false, true}) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Symbol parameter = c.symbol(parameters[i]);
      if (parameter.type.is_none() || is_value_parameter(parameter) != values) continue;
      if (values)
        check_value_argument(c, e.args[i + 1], parameter, binding, callee);
      else if (parameter.kind == SymbolKind::field_parameter)
        check_field_argument(c, e.args[i + 1], parameter, binding, callee);
    }
  }
}

void check_loose_arguments(Checker& c, const Expr& e) {
  for (size_t i = 1; i < e.args.size(); ++i) check_expression(c, e.args[i]);
}

Type call_function(Checker& c, const Expr& e, int index, SymbolId symbol) {
  c.info(e).callee = CalleeKind::function;
  c.info(e).symbol = symbol;
  if (c.place.code == Code::constant) {
    c.diagnostics.error(e.span, "functions of the program cannot be called where " + c.place.owner + " is fixed",
                        "write the expression here, with built-in functions");
    return c.out.function_results[static_cast<size_t>(index)];
  }
  ensure_function(c, index, e.span);
  const auto& item = c.ast.functions[static_cast<size_t>(index)];
  const Routine routine = c.functions[static_cast<size_t>(index)];
  const Callee callee{item.name, item.name_span, &routine};
  SpaceBinding binding;
  if (!check_count(c, e, callee)) {
    check_loose_arguments(c, e);
    return substitute(binding, c.out.function_results[static_cast<size_t>(index)]);
  }
  check_arguments(c, e, callee, binding);
  check_requirements(c, e, binding, callee);
  return substitute(binding, c.out.function_results[static_cast<size_t>(index)]);
}

/// The fn that stands behind a name: itself, or the one that the proc's first call gave; -1 when there is none.
int function_behind(const Checker& c, SymbolId id) {
  if (id == no_symbol) return -1;
  const Symbol& s = c.symbol(id);
  if (s.kind == SymbolKind::function) return s.index;
  if (s.kind != SymbolKind::function_parameter || c.place.proc < 0) return -1;
  const Routine& proc = c.procs[static_cast<size_t>(c.place.proc)];
  for (size_t i = 0; i < proc.parameters.size(); ++i) {
    if (proc.parameters[i] == id) return proc.functions[i];
  }
  return -1;
}

bool same_signature(const Checker& c, int a, int b) {
  const Routine& left = c.functions[static_cast<size_t>(a)];
  const Routine& right = c.functions[static_cast<size_t>(b)];
  if (left.parameters.size() != right.parameters.size()) return false;
  // Abstract spaces correspond one to one: bind those of the left to those of the right.
  SpaceBinding binding;
  for (size_t i = 0; i < left.parameters.size(); ++i) {
    if (!unify(binding, c.symbol(left.parameters[i]).type, c.symbol(right.parameters[i]).type)) return false;
  }
  return unify(binding, c.out.function_results[static_cast<size_t>(a)], c.out.function_results[static_cast<size_t>(b)]);
}

/// A fn given by name to a proc. The first call decides the types that the proc's body is checked with.
bool check_function_argument(Checker& c, const Expr& argument, int proc, size_t i) {
  const Symbol parameter = c.symbol(c.procs[static_cast<size_t>(proc)].parameters[i]);
  const SymbolId id = argument.kind == ExprKind::name ? resolve(c, argument) : no_symbol;
  if (argument.kind == ExprKind::name && id == no_symbol) return false;
  const int given = function_behind(c, id);
  if (given < 0) {
    c.diagnostics
        .error(argument.span, "the name of a function is wanted for " + quoted(parameter.name),
               argument.kind == ExprKind::call ? "give the name alone: " + short_text(argument.args[0]) : "")
        .notes.push_back({parameter.span, quoted(parameter.name) + " has no type, so it stands for a function"});
    return false;
  }
  ensure_function(c, given, argument.span);
  int& first = c.procs[static_cast<size_t>(proc)].functions[i];
  if (first < 0) first = given;
  if (same_signature(c, first, given)) return true;
  not_yet(c, argument.span, "one proc with functions of different types",
          quoted(c.ast.functions[static_cast<size_t>(first)].name) + " was given to it before: write a second proc");
  return false;
}

SymbolId root_of(const Checker& c, const Expr& e) { return e.kind == ExprKind::name ? c.info(e).symbol : no_symbol; }

std::string unwritable(const Checker& c, const Symbol& s) {
  if (s.kind == SymbolKind::local_let) return "is a `let`";
  if (s.kind == SymbolKind::field && c.ast.fields[static_cast<size_t>(s.index)].role != FieldRole::state)
    return "is " + kind_name(c, s);
  return "";
}

/// Fields that the proc writes: they must be changeable, and no other argument may be the same field.
void check_written_arguments(Checker& c, const Expr& e, const Routine& routine, const Callee& callee) {
  for (size_t i = 0; i < routine.parameters.size(); ++i) {
    const SymbolId given = root_of(c, e.args[i + 1]);
    if (!routine.written[i] || given == no_symbol) continue;
    const Symbol field = c.symbol(given);
    if (const std::string why = unwritable(c, field); !why.empty()) {
      c.diagnostics.error(
          e.args[i + 1].span,
          quoted(callee.name) + " changes " + quoted(c.symbol(routine.parameters[i]).name) + ", but " +
              quoted(field.name) + " " + why + " and stays as it is",
          "copy it first: var w[…]: " + type_name(c, value_of(field.type)) + "; w = " + field.name + ";");
    }
    mark_written(c, given);
    for (size_t j = 0; j < routine.parameters.size(); ++j) {
      if (j == i || root_of(c, e.args[j + 1]) != given || !c.info(e.args[j + 1]).type.field ||
          (routine.written[j] && j < i))
        continue;
      c.diagnostics
          .error(e.args[std::max(i, j) + 1].span,
                 quoted(field.name) + " is given twice, and " + quoted(callee.name) + " changes it as " +
                     quoted(c.symbol(routine.parameters[i]).name),
                 "copy it first: let old = " + field.name + ";")
          .notes.push_back({e.args[std::min(i, j) + 1].span, "given here first"});
    }
  }
}

void call_proc(Checker& c, const Expr& e, int index, SymbolId symbol) {
  c.info(e).callee = CalleeKind::proc;
  c.info(e).symbol = symbol;
  const auto& item = c.ast.procs[static_cast<size_t>(index)];
  if (c.place.kernel()) {
    c.diagnostics
        .error(e.span,
               "a proc is step-level code: it cannot be called " +
                   std::string(c.place.code == Code::function ? "in a function" : "inside a loop over a space"),
               "write a fn for what happens at one element")
        .notes.push_back({item.name_span, quoted(item.name) + " is declared here"});
    return check_loose_arguments(c, e);
  }
  const Routine before = c.procs[static_cast<size_t>(index)];
  if (const Callee callee{item.name, item.name_span, &before}; !check_count(c, e, callee))
    return check_loose_arguments(c, e);
  bool functions = true;
  for (size_t i = 0; i < before.parameters.size(); ++i) {
    if (c.symbol(before.parameters[i]).kind == SymbolKind::function_parameter) {
      functions = check_function_argument(c, e.args[i + 1], index, i) && functions;
    }
  }
  if (functions) ensure_proc(c, index, e.span);
  const Routine routine = c.procs[static_cast<size_t>(index)];
  const Callee callee{item.name, item.name_span, &routine};
  SpaceBinding binding;
  check_arguments(c, e, callee, binding);
  check_requirements(c, e, binding, callee);
  check_written_arguments(c, e, routine, callee);
}

Type call_symbol(Checker& c, const Expr& e, SymbolId id) {
  const Expr& callee = e.args[0];
  c.info(callee).symbol = id;
  c.used[static_cast<size_t>(id)] = true;
  const Symbol s = c.symbol(id);
  switch (s.kind) {
    case SymbolKind::space:
    case SymbolKind::space_parameter:
      c.info(callee).space = s.type.space;
      return check_reference_call(c, e, s.type.space);
    case SymbolKind::function: return call_function(c, e, s.index, id);
    case SymbolKind::function_parameter:
      if (const int index = function_behind(c, id); index >= 0) return call_function(c, e, index, id);
      check_loose_arguments(c, e);
      return {};
    case SymbolKind::proc:
      c.diagnostics.error(e.span, quoted(s.name) + " is a proc: it gives no value",
                          "call it in a statement of its own: " + s.name + "(…);");
      check_loose_arguments(c, e);
      return {};
    default: break;
  }
  std::string help = s.type.field || s.type.is_array() ? "square brackets index: " + s.name + "[…]" : "";
  if (is_builtin(s.name)) help = "it hides the built-in " + s.name + "(…) here: rename it";
  Diagnostic& d =
      c.diagnostics.error(callee.span, quoted(s.name) + " is " + kind_name(c, s) + " and cannot be called", help);
  if (s.span.known()) d.notes.push_back({s.span, quoted(s.name) + " is declared here"});
  check_loose_arguments(c, e);
  return {};
}

void report_method(Checker& c, const Expr& e) {
  const Expr& callee = e.args[0];
  const Expr& base = callee.args[0];
  const SymbolId id = base.kind == ExprKind::name ? lookup(c, base.text) : no_symbol;
  check_loose_arguments(c, e);
  if (id != no_symbol && c.symbol(id).type.stack) {
    c.used[static_cast<size_t>(id)] = true;
    if (callee.text == "pop") {
      c.diagnostics.error(e.span, "pop stands alone on the right side of `=`",
                          "let a = " + short_text(base) + ".pop();");
    } else if (callee.text == "push") {
      c.diagnostics.error(e.span, "push gives no value", "write it as a statement of its own");
    } else {
      c.diagnostics.error(callee.span, "a stack has no " + quoted(callee.text), "it has push(e) and pop()");
    }
    return;
  }
  // A space's member, a vector's component: said by the member itself.
  const size_t before = c.diagnostics.list.size();
  const Type member = check_expression(c, callee);
  if (c.diagnostics.list.size() == before && !member.is_none()) {
    c.diagnostics.error(callee.span, quoted(short_text(callee)) + " cannot be called",
                        callee.text == "count" ? "write it without brackets" : "");
  }
}

/// May the stack be used here? One of step level is shared by the iterations of a parallel loop.
void check_stack_place(Checker& c, const Expr& stack, SymbolId id) {
  if (id == no_symbol || c.place.code != Code::parallel || !c.symbol(id).step_level) return;
  c.diagnostics
      .error(stack.span,
             "the stack " + quoted(c.symbol(id).name) + " is shared by all iterations of this parallel loop",
             "declare it inside of the loop, or make the loop a `serial for`")
      .notes.push_back({c.symbol(id).span, "it is declared here, outside of the loop"});
}

Type check_pop(Checker& c, const Expr& e) {
  const Expr& stack = e.args[0].args[0];
  const Type type = check_expression(c, stack);
  ExprInfo& info = c.info(e);
  info.callee = CalleeKind::stack_pop;
  info.symbol = root_of(c, stack);
  check_stack_place(c, stack, info.symbol);
  if (e.args.size() > 1) {
    c.diagnostics.error(e.args[1].span, "pop takes no argument");
    check_loose_arguments(c, e);
  }
  c.info(e).type = popped(type);
  return popped(type);
}

void check_push(Checker& c, const Expr& e) {
  const Expr& stack = e.args[0].args[0];
  const Type held = popped(check_expression(c, stack));
  ExprInfo& info = c.info(e);
  info.callee = CalleeKind::stack_push;
  info.symbol = root_of(c, stack);
  check_stack_place(c, stack, info.symbol);
  if (e.args.size() != 2) {
    c.diagnostics.error(e.span, "push takes 1 argument, not " + std::to_string(e.args.size() - 1));
    return check_loose_arguments(c, e);
  }
  const Type given = held.field ? check_expression(c, e.args[1]) : check_value(c, e.args[1]);
  if (!given.is_none()) coerce(c, e.args[1], held, "for this stack");
}

/// base.text(…) where base is a stack.
bool is_stack_method(const Checker& c, const Expr& e, const char* method) {
  if (e.kind != ExprKind::call || e.args[0].kind != ExprKind::member || e.args[0].text != method) return false;
  const Expr& base = e.args[0].args[0];
  if (base.kind != ExprKind::name) return false;
  const SymbolId id = lookup(c, base.text);
  return id != no_symbol && c.symbol(id).type.stack;
}

}  // namespace

bool is_pop(const Checker& c, const Expr& e) { return is_stack_method(c, e, "pop"); }

Type check_right_side(Checker& c, const Expr& e) {
  if (is_pop(c, e)) return check_pop(c, e);
  const Type type = check_expression(c, e);
  // Spaces, functions and stacks are no right-hand side; the check as a value says so.
  if (type.is_none() || type.stack || (type.field && c.place.kernel())) return require_value(c, e);
  return type;
}

Type check_call(Checker& c, const Expr& e) {
  const Expr& callee = e.args[0];
  if (callee.kind == ExprKind::member) {
    report_method(c, e);
    return {};
  }
  if (callee.kind != ExprKind::name) {
    c.diagnostics.error(callee.span, "this cannot be called", "a call is name(…)");
    check_loose_arguments(c, e);
    return {};
  }
  const SymbolId id = lookup(c, callee.text);
  if (id != no_symbol) return call_symbol(c, e, id);
  if (is_builtin(callee.text)) return check_builtin(c, e, callee.text);
  std::vector<std::string> candidates = builtin_names();
  for (const std::string& name : visible_names(c)) {
    const SymbolKind kind = c.symbol(lookup(c, name)).kind;
    if (kind == SymbolKind::function || kind == SymbolKind::function_parameter || kind == SymbolKind::space)
      candidates.push_back(name);
  }
  unknown_name(c, callee, "function", candidates);
  check_loose_arguments(c, e);
  return {};
}

void check_call_statement(Checker& c, const Expr& e) {
  if (is_stack_method(c, e, "push")) return check_push(c, e);
  if (e.kind == ExprKind::call && e.args[0].kind == ExprKind::name) {
    const SymbolId id = lookup(c, e.args[0].text);
    if (id != no_symbol && c.symbol(id).kind == SymbolKind::proc) {
      c.info(e.args[0]).symbol = id;
      return call_proc(c, e, c.symbol(id).index, id);
    }
    if (id == no_symbol && !is_builtin(e.args[0].text)) {
      std::vector<std::string> procs;
      for (const auto& item : c.ast.procs) procs.push_back(item.name);
      unknown_name(c, e.args[0], "proc", procs);
      return check_loose_arguments(c, e);
    }
  }
  const size_t before = c.diagnostics.list.size();
  const Type type = check_value(c, e);
  if (c.diagnostics.list.size() == before && !type.is_none()) {
    c.diagnostics.error(e.span, "this statement does nothing: a function only gives a value",
                        "use the value: let a = …;");
  }
}

}  // namespace adjoule::semantics
