// Declarations: names in the order of the text, spaces with their boundary rules, constants, fields.
#include <algorithm>

#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

constexpr size_t deepest_chain = 200;

/// A name declared at the outermost level.
struct Global {
  Symbol symbol;
  size_t item = 0;  // its number among the items of its kind
};

Type space_type(SpaceId space) {
  Type type;
  type.space = space;
  return type;
}

std::vector<Global> globals_in_order(const Checker& c) {
  std::vector<Global> all;
  const auto add = [&](SymbolKind kind, const auto& items, const auto& name_span) {
    for (size_t i = 0; i < items.size(); ++i) {
      all.push_back(
          {{.kind = kind, .name = items[i].name, .span = name_span(items[i]), .index = static_cast<int>(i)}, i});
    }
  };
  const auto span = [](const auto& item) { return item.name_span; };
  add(SymbolKind::size, c.ast.sizes, span);
  add(SymbolKind::space, c.ast.spaces, span);
  add(SymbolKind::constant, c.ast.consts, span);
  add(SymbolKind::field, c.ast.fields, span);
  add(SymbolKind::function, c.ast.functions, span);
  add(SymbolKind::proc, c.ast.procs, span);
  std::stable_sort(all.begin(), all.end(),
                   [](const Global& a, const Global& b) { return a.symbol.span.begin < b.symbol.span.begin; });
  return all;
}

void declare_one(Checker& c, Global global) {
  Symbol& s = global.symbol;
  switch (s.kind) {
    case SymbolKind::size: s.type = int_type(); break;
    case SymbolKind::space: s.type = space_type(static_cast<SpaceId>(global.item + 1)); break;
    case SymbolKind::field: s.declaration = c.ast.fields[global.item].id; break;
    case SymbolKind::function:
      if (c.ast.functions[global.item].adjoint) return;  // bears the name of the function that it belongs to
      break;
    default: break;
  }
  const SymbolKind kind = s.kind;
  const SymbolId id = declare_global(c, std::move(s));
  switch (kind) {
    case SymbolKind::constant: c.constant_symbols[global.item] = id; break;
    case SymbolKind::field: c.out.declared[c.ast.fields[global.item].id] = id; break;
    case SymbolKind::function: c.functions[global.item].symbol = id; break;
    case SymbolKind::proc: c.procs[global.item].symbol = id; break;
    default: break;
  }
}

std::optional<Boundary> boundary_rule(const std::string& name) {
  if (name == "periodic") return Boundary::periodic;
  if (name == "clamp") return Boundary::clamp;
  if (name == "zero") return Boundary::zero;
  return {};
}

void enter_boundary(Checker& c, const syntax::SpaceItem& item, SpaceEntry& entry) {
  const auto axes = static_cast<size_t>(entry.dims);
  if (item.boundary.empty()) {
    c.diagnostics.warning(item.name_span,
                          "the grid " + quoted(item.name) + " does not say what lies outside of it: zero is taken",
                          "write `boundary zero`, `boundary clamp` or `boundary periodic`");
  } else if (item.boundary.size() != 1 && item.boundary.size() != axes) {
    c.diagnostics.error(
        join(item.boundary_spans.front(), item.boundary_spans.back()),
        quoted(item.name) + " has " + counted(axes, "axis") + " but " + counted(item.boundary.size(), "boundary rule"),
        "give one rule for all axes, or one an axis");
  }
  for (size_t i = 0; i < item.boundary.size(); ++i) {
    const std::optional<Boundary> rule = boundary_rule(item.boundary[i]);
    if (!rule) {
      std::string help = suggestion(item.boundary[i], {"periodic", "clamp", "zero"});
      if (help.empty()) help = "rules are periodic, clamp (the nearest element) and zero (reads outside give 0)";
      c.diagnostics.error(item.boundary_spans[i], "there is no boundary rule " + quoted(item.boundary[i]), help);
    }
    for (size_t axis = 0; axis < axes && axis < 3; ++axis) {
      if (axis == i || item.boundary.size() == 1) entry.boundary[axis] = rule.value_or(Boundary::zero);
    }
  }
}

void enter_spaces(Checker& c) {
  c.out.spaces.push_back({.name = "time", .open = true});
  for (size_t i = 0; i < c.ast.spaces.size(); ++i) {
    const syntax::SpaceItem& item = c.ast.spaces[i];
    SpaceEntry entry{.name = item.name,
                     .span = item.name_span,
                     .grid = item.grid,
                     .open = item.extents.empty(),
                     .ast_index = static_cast<int>(i)};
    entry.dims = std::clamp(static_cast<int>(item.extents.size()), 1, 3);
    if (item.extents.size() > (item.grid ? 3 : 1)) {
      c.diagnostics.error(
          item.name_span, quoted(item.name) + " has " + counted(item.extents.size(), "axis"),
          item.grid ? "a grid has one to three axes" : "a space has one extent; with several it is a grid");
    }
    if (item.grid) enter_boundary(c, item, entry);
    c.out.spaces.push_back(std::move(entry));
  }
}

void check_extents(Checker& c) {
  for (const syntax::SpaceItem& item : c.ast.spaces) {
    for (const Expr& extent : item.extents) {
      if (constant_expression(c, extent, "an extent", true).is_none()) continue;
      if (!coerce(c, extent, int_type(), "as an extent")) continue;
      const std::optional<int64_t> value = evaluate_int(c, extent);
      if (value && *value < 0)
        c.diagnostics.error(extent.span, "an extent cannot be negative: this is " + std::to_string(*value));
    }
  }
}

void check_sizes(Checker& c) {
  for (const syntax::SizeItem& item : c.ast.sizes) {
    if (!item.value || constant_expression(c, *item.value, "the default of a size", false).is_none()) continue;
    coerce(c, *item.value, int_type(), "for the size " + quoted(item.name));
  }
}

/// The value of a constant, when it is known now.
void evaluate_constant(Checker& c, size_t index, const Expr& value) {
  Constant& constant = c.out.constants[index];
  std::optional<Number> number = evaluate(c, value);
  constant.known = number.has_value() && !constant.type.is_array();
  if (!constant.known) return;
  widen(*number, constant.type);
  constant.reals = std::move(number->reals);
  constant.integers = std::move(number->integers);
}

void check_constant(Checker& c, size_t index) {
  const syntax::ConstItem& item = c.ast.consts[index];
  Type type = constant_expression(c, item.value, "a constant", true);
  if (item.type) {
    const Type written = resolve_type(c, *item.type);
    if (!type.is_none()) coerce(c, item.value, written, "for the constant " + quoted(item.name));
    type = written;
  }
  if (type.is_reference() || !type.is_value()) {
    c.diagnostics.error(
        item.value.span,
        "a constant is a number, a vector, a matrix, a bool or an array of them, not " + a_type(c, type));
    type = {};
  }
  c.out.constants[index].type = type;
  if (c.constant_symbols[index] != no_symbol) c.symbol(c.constant_symbols[index]).type = type;
  evaluate_constant(c, index, item.value);
}

void check_default(Checker& c, const syntax::FieldItem& item, const Type& element) {
  if (constant_expression(c, *item.value, "a default", true).is_none() || element.is_none()) return;
  if (element.element == Element::reference) {
    c.diagnostics.error(item.value->span, "references have no default", "the host binds them, or `init` sets them");
  } else {
    coerce(c, *item.value, element, "for " + quoted(item.name));
  }
}

void check_fields(Checker& c) {
  for (size_t i = 0; i < c.ast.fields.size(); ++i) {
    const syntax::FieldItem& item = c.ast.fields[i];
    std::vector<SpaceId> spaces;
    for (const Expr& space : item.spaces) spaces.push_back(resolve_space(c, space));
    Type element = resolve_type(c, item.type);
    if (element.stack) {
      c.diagnostics.error(item.type.span, "a stack lives inside of one entry point only",
                          "declare it there: var s: " + type_name(c, element) + ";");
      element = {};
    }
    if (item.value) check_default(c, item, element);
    const bool known = !element.is_none() && std::find(spaces.begin(), spaces.end(), no_space) == spaces.end();
    Type type = known ? element : Type{};
    if (known && !spaces.empty()) type = field_of(element, spaces);
    c.out.field_types[i] = type;
    if (const SymbolId id = c.out.declared[item.id]; id != no_symbol) c.symbol(id).type = type;
  }
}

}  // namespace

bool may_enter(Checker& c, const std::string& name, bool running, Span use, const std::string& what,
               const std::string& help) {
  if (running) {
    std::string cycle;
    const auto first = std::find(c.active.begin(), c.active.end(), name);
    for (auto at = first; at != c.active.end(); ++at) cycle += *at + " → ";
    c.diagnostics.error(use, quoted(name) + " " + what + ": " + cycle + name, help);
    return false;
  }
  if (c.active.size() < deepest_chain) return true;
  c.diagnostics.error(
      use, "functions and constants use one another more than " + std::to_string(deepest_chain) + " deep here",
      "write it flatter");
  return false;
}

Type constant_expression(Checker& c, const Expr& e, const std::string& owner, bool sizes) {
  const Swapped outside(c.locals, std::vector<Scope>{});
  const Swapped here(c.place, Place{.code = Code::constant, .owner = owner, .sizes = sizes});
  return check_value(c, e);
}

void ensure_constant(Checker& c, int index, Span use) {
  const auto i = static_cast<size_t>(index);
  if (i >= c.ast.consts.size() || c.constants[i] == Progress::done) return;  // pi stands behind them
  const std::string& name = c.ast.consts[i].name;
  if (!may_enter(c, name, c.constants[i] == Progress::running, use, "is defined by itself",
                 "give one of them a number"))
    return;
  c.constants[i] = Progress::running;
  c.active.push_back(name);
  check_constant(c, i);
  c.active.pop_back();
  c.constants[i] = Progress::done;
}

void declare_globals(Checker& c) {
  enter_spaces(c);
  for (Global& global : globals_in_order(c)) declare_one(c, std::move(global));
}

void check_declarations(Checker& c) {
  for (size_t i = 0; i < c.ast.consts.size(); ++i) {
    c.out.constants[i].name = c.ast.consts[i].name;
    ensure_constant(c, static_cast<int>(i), c.ast.consts[i].name_span);
  }
  check_sizes(c);
  check_extents(c);
  check_fields(c);
}

}  // namespace adjoule::semantics
