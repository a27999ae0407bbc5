// How names, types and kinds read in a message.
#include "semantics/checker.hpp"

namespace adjoule::semantics {

std::string quoted(const std::string& name) { return "`" + name + "`"; }

std::string space_name(const Checker& c, SpaceId space) {
  if (is_abstract(space)) return c.abstract_spaces[static_cast<size_t>(space - first_abstract_space)].name;
  if (space < 0 || static_cast<size_t>(space) >= c.out.spaces.size()) return "?";
  return c.out.spaces[static_cast<size_t>(space)].name;
}

std::string type_name(const Checker& c, const Type& type) {
  // Abstract spaces have large ids: the type is renumbered over just the spaces that it speaks of.
  Type local = type;
  std::vector<std::string> names;
  const auto renumber = [&](SpaceId& space) {
    if (space == no_space) return;
    names.push_back(space_name(c, space));
    space = static_cast<SpaceId>(names.size() - 1);
  };
  renumber(local.space);
  for (SpaceId& space : local.spaces) renumber(space);
  return to_string(local, names);
}

std::string a_type(const Checker& c, const Type& type) {
  const std::string name = type_name(c, type);
  if (type.stack) return "a " + name;
  if (type.field) return "a whole field " + name;
  if (type.is_array()) return "an array " + name;
  if (type.is_reference()) return "a reference to " + quoted(name);
  return (type.is_int() ? "an " : "a ") + name;
}

std::string kind_name(const Checker& c, const Symbol& symbol) {
  switch (symbol.kind) {
    case SymbolKind::size: return "a size";
    case SymbolKind::space: return symbol.type.space == time_space ? "the space of instants" : "a space";
    case SymbolKind::constant: return "a constant";
    case SymbolKind::field:
      switch (c.ast.fields[static_cast<size_t>(symbol.index)].role) {
        case FieldRole::param: return "a param";
        case FieldRole::input: return "an input";
        case FieldRole::state: return "a state";
      }
      return "a field";
    case SymbolKind::function: return "a function";
    case SymbolKind::proc: return "a proc";
    case SymbolKind::local_let: return "a `let`";
    case SymbolKind::local_var: return "a `var`";
    case SymbolKind::local_field: return "a temporary field";
    case SymbolKind::loop_index: return "a loop index";
    case SymbolKind::value_parameter: return "a parameter";
    case SymbolKind::field_parameter: return "a field parameter";
    case SymbolKind::function_parameter: return "a function parameter";
    case SymbolKind::space_parameter: return "a space parameter";
    case SymbolKind::now: return "the present instant";
    case SymbolKind::steps: return "the number of steps";
    case SymbolKind::step_index: return "the number of the present step";
  }
  return "a name";
}

std::string short_text(const Expr& e) {
  switch (e.kind) {
    case ExprKind::name: return e.text;
    case ExprKind::integer: return std::to_string(e.integer);
    case ExprKind::member: {
      const std::string base = short_text(e.args[0]);
      return base == "…" ? base : base + "." + e.text;
    }
    case ExprKind::index:
    case ExprKind::call: {
      std::string text = short_text(e.args[0]);
      if (text == "…") return text;
      text += e.kind == ExprKind::index ? "[" : "(";
      for (size_t i = 1; i < e.args.size(); ++i) {
        const std::string argument = short_text(e.args[i]);
        if (argument == "…") return argument;
        text += (i > 1 ? ", " : "") + argument;
      }
      return text + (e.kind == ExprKind::index ? "]" : ")");
    }
    default: return "…";
  }
}

std::string suggestion(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string best = did_you_mean(name, candidates);
  return best.empty() ? "" : "did you mean " + quoted(best) + "?";
}

std::string counted(size_t count, const std::string& singular) {
  if (count == 1) return "1 " + singular;
  const std::string plural = singular == "index" ? "indices" : singular == "axis" ? "axes" : singular + "s";
  return std::to_string(count) + " " + plural;
}

Diagnostic& not_yet(Checker& c, Span span, const std::string& what, const std::string& help) {
  return c.diagnostics.error(span, "not yet supported: " + what, help);
}

}  // namespace adjoule::semantics
