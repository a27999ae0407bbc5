// Names to values: variables, frames, types with abstract spaces (environment.hpp).
#include "lowering/environment.hpp"

namespace adjoule::lowering {

Nesting::Nesting(Context& context, Span span) : context_(context) {
  if (++context_.depth > deepest && !context_.depth_reported) {
    context_.depth_reported = true;
    context_.diagnostics.error(
        span,
        "more than " + std::to_string(deepest) +
            " blocks stand inside one another here, counting called "
            "functions, else-if chains, and what follows each early `continue`, `break` or `return`",
        "put the cases into a field or an array and look the right one up");
  }
}

VariableId new_variable(Context& c, std::string name, Type type, Value value) {
  c.variables.push_back({.name = std::move(name), .type = std::move(type), .current = value});
  return static_cast<VariableId>(c.variables.size() - 1);
}

Binding lookup(const Context& c, const Frame& frame, SymbolId symbol) {
  if (symbol == semantics::no_symbol) return {};
  if (auto found = frame.names.find(symbol); found != frame.names.end()) return found->second;
  const semantics::Symbol& s = c.symbol(symbol);
  if (s.kind == semantics::SymbolKind::function) return {.kind = BindingKind::function, .function = symbol};
  if (s.kind != semantics::SymbolKind::field || c.field_variables.empty()) return {};
  return {.kind = BindingKind::variable, .variable = c.field_variables[static_cast<size_t>(s.index)]};
}

void bind_value(Context& c, SymbolId symbol, Value v) {
  c.frame->names[symbol] = {.kind = BindingKind::value, .value = v};
}

void bind_variable(Context& c, SymbolId symbol, VariableId v) {
  c.frame->names[symbol] = {.kind = BindingKind::variable, .variable = v};
}

SpaceId actual_space(const Context& c, SpaceId space) {
  if (space < semantics::first_abstract_space) return space;
  auto found = c.frame->spaces.find(space);
  return found == c.frame->spaces.end() ? space : found->second;
}

Type actual_type(const Context& c, Type type) {
  type.space = actual_space(c, type.space);
  for (SpaceId& space : type.spaces) space = actual_space(c, space);
  return type;
}

Value current(Context& c, VariableId v) {
  if (c.variable(v).current == ir::no_value) {
    // Not stored: the zero is visible in this block only, and the variable may be seen from another.
    Type type = c.variable(v).type;
    return c.ir().zero(type);
  }
  return c.variable(v).current;
}

std::vector<Value> currents(Context& c, const std::vector<VariableId>& variables) {
  std::vector<Value> values;
  values.reserve(variables.size());
  for (VariableId v : variables) values.push_back(current(c, v));
  return values;
}

void set_current(Context& c, VariableId v, Value value) {
  c.variable(v).current = value;
  give_name(c, value, c.variable(v).name);
}

void set_currents(Context& c, const std::vector<VariableId>& variables, std::span<const Value> values) {
  for (size_t i = 0; i < variables.size(); ++i) set_current(c, variables[i], values[i]);
}

void give_name(Context& c, Value v, const std::string& name) {
  if (v == ir::no_value || name.empty()) return;
  if (c.ir().procedure().values[static_cast<size_t>(v)].name.empty()) c.ir().name(v, name);
}

Value unsupported(Context& c, Span span, const std::string& what, const Type& type, const std::string& help) {
  c.diagnostics.error(span, what, help);
  if (type.is_none() || type.stack) return c.ir().constant(0.0);
  return c.ir().zero(actual_type(c, type));
}

}  // namespace adjoule::lowering
