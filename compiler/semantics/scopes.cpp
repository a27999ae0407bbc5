// Names: what they mean where they stand, duplicates, shadowing, names that nobody uses.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

SymbolId find(const Scope& scope, const std::string& name) {
  const auto found = scope.find(name);
  return found == scope.end() ? no_symbol : found->second;
}

void report_duplicate(Checker& c, const Symbol& again, const Symbol& first) {
  const bool functions = again.kind == SymbolKind::function && first.kind == SymbolKind::function;
  Diagnostic& d =
      functions ? not_yet(c, again.span, "two functions named " + quoted(again.name), "give one of them another name")
                : c.diagnostics.error(again.span, quoted(again.name) + " is declared twice", "rename one of them");
  d.notes.push_back({first.span, quoted(first.name) + " is " + kind_name(c, first) + " here already"});
}

void warn_shadowing(Checker& c, const Symbol& inner, const Symbol& outer) {
  Diagnostic& d =
      c.diagnostics.warning(inner.span, quoted(inner.name) + " hides " + kind_name(c, outer) + " of the same name",
                            "rename it if the outer one is meant");
  d.notes.push_back({outer.span, quoted(outer.name) + " is declared here"});
}

void warn_unused(Checker& c, SymbolId id) {
  const Symbol& s = c.symbol(id);
  const bool local =
      s.kind == SymbolKind::local_let || s.kind == SymbolKind::local_var || s.kind == SymbolKind::local_field;
  if (!local || c.used[static_cast<size_t>(id)] || s.type.is_none() || s.name.starts_with("_")) return;
  c.diagnostics.warning(s.span, quoted(s.name) + " is never used", "remove it, or start its name with _");
}

void declare_builtin(Checker& c, const std::string& name, SymbolKind kind, Type type, int index = -1) {
  c.builtins[name] = add_symbol(c, {.kind = kind, .name = name, .type = std::move(type), .index = index});
}

}  // namespace

SymbolId lookup(const Checker& c, const std::string& name) {
  for (auto scope = c.locals.rbegin(); scope != c.locals.rend(); ++scope) {
    if (const SymbolId id = find(*scope, name); id != no_symbol) return id;
  }
  if (const SymbolId id = find(c.program, name); id != no_symbol) return id;
  return find(c.builtins, name);
}

SymbolId add_symbol(Checker& c, Symbol symbol) {
  c.out.symbols.push_back(std::move(symbol));
  c.used.push_back(false);
  return static_cast<SymbolId>(c.out.symbols.size() - 1);
}

SymbolId declare_global(Checker& c, Symbol symbol) {
  const SymbolId id = add_symbol(c, std::move(symbol));
  const auto [first, fresh] = c.program.emplace(c.symbol(id).name, id);
  if (!fresh) report_duplicate(c, c.symbol(id), c.symbol(first->second));
  return id;
}

void enter_local(Checker& c, SymbolId id) {
  const Symbol& s = c.symbol(id);
  if (const SymbolId first = find(c.locals.back(), s.name); first != no_symbol) {
    report_duplicate(c, s, c.symbol(first));
  } else if (const SymbolId outer = lookup(c, s.name); outer != no_symbol && !c.builtins.contains(s.name)) {
    warn_shadowing(c, s, c.symbol(outer));
  }
  c.locals.back()[s.name] = id;
}

SymbolId declare_local(Checker& c, Symbol symbol) {
  const SymbolId id = add_symbol(c, std::move(symbol));
  enter_local(c, id);
  return id;
}

void declare_builtins(Checker& c) {
  Type time;
  time.space = time_space;
  declare_builtin(c, "time", SymbolKind::space, time);
  declare_builtin(c, "now", SymbolKind::now, reference_type(time_space));
  declare_builtin(c, "steps", SymbolKind::steps, int_type());
  declare_builtin(c, "step_index", SymbolKind::step_index, int_type());
  // pi stands behind the program's own constants, as if it had been declared last.
  c.out.constants.push_back({"pi", real_type(), {std::numbers::pi}, {}, true});
  declare_builtin(c, "pi", SymbolKind::constant, real_type(), static_cast<int>(c.out.constants.size() - 1));
}

void open_scope(Checker& c) { c.locals.emplace_back(); }

void close_scope(Checker& c) {
  for (const auto& [name, id] : c.locals.back()) warn_unused(c, id);
  c.locals.pop_back();
}

std::vector<std::string> visible_names(const Checker& c) {
  std::vector<std::string> names;
  for (auto scope = c.locals.rbegin(); scope != c.locals.rend(); ++scope) {
    for (const auto& [name, id] : *scope) names.push_back(name);
  }
  for (const auto& [name, id] : c.program) names.push_back(name);
  for (const auto& [name, id] : c.builtins) names.push_back(name);
  std::sort(names.begin(), names.end());  // the suggestion must not depend on the order of a hash table
  return names;
}

std::vector<std::string> visible_spaces(const Checker& c) {
  std::vector<std::string> names = visible_names(c);
  std::erase_if(names, [&](const std::string& name) {
    const SymbolKind kind = c.symbol(lookup(c, name)).kind;
    return kind != SymbolKind::space && kind != SymbolKind::space_parameter;
  });
  return names;
}

void unknown_name(Checker& c, const Expr& name, const std::string& what, const std::vector<std::string>& candidates) {
  // With an import (not yet supported, reported at its place) the name may well be declared there.
  if (c.poisoned.contains(name.text) || !c.ast.imports.empty()) return;
  if (!c.unknown.insert(name.text).second) return;
  std::string help = suggestion(name.text, candidates);
  if (const std::string other = other_name(name.text); !other.empty()) help = other;
  c.diagnostics.error(name.span, "there is no " + what + " " + quoted(name.text), help);
}

SymbolId resolve(Checker& c, const Expr& name) {
  const SymbolId id = lookup(c, name.text);
  c.info(name).symbol = id;
  if (id != no_symbol) {
    c.used[static_cast<size_t>(id)] = true;
    return id;
  }
  if (is_builtin(name.text)) {
    c.diagnostics.error(name.span, quoted(name.text) + " is a built-in function: it needs its arguments",
                        "write " + name.text + "(…)");
  } else {
    unknown_name(c, name, "name", visible_names(c));
  }
  return no_symbol;
}

}  // namespace adjoule::semantics
