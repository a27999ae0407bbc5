// Functions and procs: their parameters, and their bodies, which are checked once, when the first call needs them.
// Spaces of field parameters (G of u[G]) stay abstract; each call compares what the body asks of G with the space it
// gives.
#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

/// G of u[G]: a space of the program when there is one of that name, else a space that the call binds.
SpaceId parameter_space(Checker& c, const Expr& name, Routine& routine) {
  if (name.kind != ExprKind::name || lookup(c, name.text) != no_symbol) return resolve_space(c, name);
  const auto space = static_cast<SpaceId>(static_cast<size_t>(first_abstract_space) + c.abstract_spaces.size());
  c.abstract_spaces.push_back({.name = name.text, .span = name.span});
  Symbol symbol{.kind = SymbolKind::space_parameter, .name = name.text, .span = name.span, .declaration = name.id};
  symbol.type.space = space;
  const SymbolId id = add_symbol(c, std::move(symbol));
  routine.spaces.push_back(id);
  c.locals.back()[name.text] = id;
  return resolve_space(c, name);
}

Type parameter_type(Checker& c, const syntax::Parameter& p, const std::vector<SpaceId>& spaces) {
  Type type = resolve_type(c, *p.type);
  if (type.stack) {
    c.diagnostics.error(p.type->span, "a stack cannot be given to a function or proc: there are no copies of stacks",
                        "use it where it is declared");
    return {};
  }
  for (SpaceId space : spaces) {
    if (space == no_space) return {};
  }
  return type.is_none() || spaces.empty() ? type : field_of(type, spaces);
}

void enter_parameter(Checker& c, const syntax::Parameter& p, const std::vector<SpaceId>& spaces, Routine& routine,
                     bool proc) {
  const Span name{p.span.file, p.span.begin, p.span.begin + static_cast<uint32_t>(p.name.size())};
  Symbol symbol{.kind = p.spaces.empty() ? SymbolKind::value_parameter : SymbolKind::field_parameter,
                .name = p.name,
                .span = name,
                .index = static_cast<int>(routine.parameters.size()),
                .step_level = proc,
                .declaration = p.id};
  if (p.type) {
    symbol.type = parameter_type(c, p, spaces);
  } else if (proc && p.spaces.empty()) {
    symbol.kind = SymbolKind::function_parameter;
  } else {
    c.diagnostics.error(p.span, "the parameter " + quoted(p.name) + " needs a type", "write " + p.name + ": real");
  }
  const SymbolId id = add_symbol(c, std::move(symbol));
  c.out.declared[p.id] = id;
  routine.parameters.push_back(id);
  routine.written.push_back(false);
  routine.functions.push_back(-1);
}

/// Parameters first name their spaces, wherever G stands first; then their types may use G.
void enter_parameters(Checker& c, const std::vector<syntax::Parameter>& parameters, Routine& routine, bool proc) {
  std::vector<std::vector<SpaceId>> spaces(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    for (const Expr& name : parameters[i].spaces) spaces[i].push_back(parameter_space(c, name, routine));
  }
  for (size_t i = 0; i < parameters.size(); ++i) enter_parameter(c, parameters[i], spaces[i], routine, proc);
}

void check_result_type(Checker& c, size_t index) {
  const syntax::FunctionItem& item = c.ast.functions[index];
  if (item.results.size() != 1) {
    c.diagnostics.error(item.name_span, "a function gives one value",
                        "give a vector or an array, or write several functions");
    return;
  }
  const Type type = resolve_type(c, item.results[0]);
  if (type.stack)
    c.diagnostics.error(item.results[0].span, "a function cannot give a stack", "give the value on top of it");
  else
    c.out.function_results[index] = type;
}

/// A body with its parameters in a scope of their own, away from the scopes of whoever called.
void check_body(Checker& c, const Routine& routine, const syntax::Block& body, Place place) {
  const Swapped outside(c.locals, std::vector<Scope>{});
  const Swapped here(c.place, std::move(place));
  open_scope(c);
  for (SymbolId id : routine.spaces) c.locals.back()[c.symbol(id).name] = id;
  for (SymbolId id : routine.parameters) enter_local(c, id);
  check_block(c, body);
  close_scope(c);
}

void check_function_body(Checker& c, size_t index) {
  const syntax::FunctionItem& item = c.ast.functions[index];
  const Routine routine = c.functions[index];
  check_body(
      c, routine, item.body,
      {.code = Code::function, .result = c.out.function_results[index], .owner = "the function " + quoted(item.name)});
  if (always_returns(item.body)) return;
  c.diagnostics.error(item.name_span, quoted(item.name) + " does not return a value on every path",
                      item.body.empty() ? "write return …;" : "end it with return …;");
}

bool takes_functions(const Checker& c, const Routine& routine) {
  for (SymbolId id : routine.parameters) {
    if (c.symbol(id).kind == SymbolKind::function_parameter) return true;
  }
  return false;
}

}  // namespace

void check_signatures(Checker& c) {
  for (size_t i = 0; i < c.ast.functions.size(); ++i) {
    if (c.ast.functions[i].adjoint) continue;
    const Swapped outside(c.locals, std::vector<Scope>(1));
    enter_parameters(c, c.ast.functions[i].parameters, c.functions[i], false);
    check_result_type(c, i);
  }
  for (size_t i = 0; i < c.ast.procs.size(); ++i) {
    const Swapped outside(c.locals, std::vector<Scope>(1));
    enter_parameters(c, c.ast.procs[i].parameters, c.procs[i], true);
  }
}

void ensure_function(Checker& c, int index, Span use) {
  const auto i = static_cast<size_t>(index);
  if (c.functions[i].progress == Progress::done) return;
  const std::string& name = c.ast.functions[i].name;
  const bool running = c.functions[i].progress == Progress::running;
  if (!may_enter(c, name, running, use, "calls itself",
                 "functions are written out where they are called, so they cannot recur: use a loop"))
    return;
  c.functions[i].progress = Progress::running;
  c.active.push_back(name);
  check_function_body(c, i);
  c.active.pop_back();
  c.functions[i].progress = Progress::done;
}

void ensure_proc(Checker& c, int index, Span use) {
  const auto i = static_cast<size_t>(index);
  if (c.procs[i].progress == Progress::done) return;
  const syntax::ProcItem& item = c.ast.procs[i];
  const bool running = c.procs[i].progress == Progress::running;
  if (!may_enter(c, item.name, running, use, "calls itself",
                 "procs are written out where they are called, so they cannot recur: use a loop"))
    return;
  c.procs[i].progress = Progress::running;
  c.active.push_back(item.name);
  const Routine routine = c.procs[i];
  check_body(c, routine, item.body, {.code = Code::step, .proc = index, .owner = "the proc " + quoted(item.name)});
  c.active.pop_back();
  c.procs[i].progress = Progress::done;
}

void check_routines(Checker& c) {
  for (size_t i = 0; i < c.ast.functions.size(); ++i) {
    if (!c.ast.functions[i].adjoint) ensure_function(c, static_cast<int>(i), c.ast.functions[i].name_span);
  }
  for (size_t i = 0; i < c.ast.procs.size(); ++i) {
    if (!takes_functions(c, c.procs[i])) {
      ensure_proc(c, static_cast<int>(i), c.ast.procs[i].name_span);
    } else if (c.procs[i].progress == Progress::untouched) {
      c.diagnostics.warning(c.ast.procs[i].name_span,
                            quoted(c.ast.procs[i].name) + " is never called, so its body was not checked",
                            "call it with a function, or remove it");
    }
  }
}

}  // namespace adjoule::semantics
