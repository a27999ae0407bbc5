// Expressions: one function a kind, each giving the type and filling the side tables.
#include <limits>

#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

Type check_integer(Checker& c, const Expr& e) {
  if (e.integer > std::numeric_limits<int32_t>::max()) {
    c.diagnostics.error(e.span, "this integer does not fit in an int (32 bits, at most 2147483647)",
                        "if it is meant as a real, write it with .0 behind");
    return {};
  }
  c.fluid[e.id] = true;
  return int_type();
}

/// Names that are values but not yet known where only constants are.
bool known_early(const Symbol& s, const Place& place) {
  switch (s.kind) {
    case SymbolKind::constant:
    case SymbolKind::space:
    case SymbolKind::function:
    case SymbolKind::proc: return true;
    case SymbolKind::size: return place.sizes;
    default: return false;
  }
}

Type check_name(Checker& c, const Expr& e) {
  const SymbolId id = resolve(c, e);
  if (id == no_symbol) return {};
  if (c.place.code == Code::constant && !known_early(c.symbol(id), c.place)) {
    const Symbol& s = c.symbol(id);
    c.diagnostics.error(
        e.span, quoted(e.text) + " is " + kind_name(c, s) + " and not known yet where " + c.place.owner + " is fixed",
        c.place.sizes ? "only numbers, constants and sizes stand here" : "only numbers and constants stand here");
    return {};
  }
  switch (c.symbol(id).kind) {
    case SymbolKind::size: c.fluid[e.id] = true; return int_type();
    case SymbolKind::constant:
      ensure_constant(c, c.symbol(id).index, e.span);
      c.fluid[e.id] = c.symbol(id).type.is_int();
      return c.symbol(id).type;
    case SymbolKind::space:
    case SymbolKind::space_parameter: c.info(e).space = c.symbol(id).type.space; return {};
    case SymbolKind::function:
    case SymbolKind::function_parameter:
    case SymbolKind::proc: return {};
    default: return c.symbol(id).type;
  }
}

Type check_conditional(Checker& c, const Expr& e) {
  std::vector<const Expr*> values;
  bool fluid = true;
  for (size_t i = 0; i < e.args.size(); ++i) {
    const bool last = i + 1 == e.args.size();
    if (!last && i % 2 == 0) {
      check_condition(c, e.args[i], "`? :`");
    } else {
      check_value(c, e.args[i]);
      values.push_back(&e.args[i]);
      fluid = fluid && is_fluid(c, e.args[i]);
    }
  }
  const Type type = common_type(c, values, "both sides of `? :`");
  c.fluid[e.id] = type.is_int() && fluid;
  return type;
}

Type check_logic(Checker& c, const Expr& e) {
  const std::string word = e.kind == ExprKind::any_of ? "`or`" : e.kind == ExprKind::all_of ? "`and`" : "`not`";
  for (const Expr& x : e.args) check_condition(c, x, word);
  return bool_type();
}

Type check_array(Checker& c, const Expr& e) {
  std::vector<const Expr*> values;
  for (const Expr& x : e.args) {
    check_value(c, x);
    values.push_back(&x);
  }
  const Type element = common_type(c, values, "the elements of an array");
  return element.is_none() ? element : array_of(element, static_cast<int32_t>(e.args.size()));
}

Type check_tuple(Checker& c, const Expr& e) {
  for (const Expr& x : e.args) check_value(c, x);
  c.diagnostics.error(
      e.span, "a group of numbers in parentheses is no value: it is only an offset behind a grid reference, c + (1, 0)",
      e.args.size() <= 4 ? "for a vector write vec" + std::to_string(e.args.size()) + "(…)"
                         : "for an array write [a, b, …]");
  return {};
}

Type check_kind(Checker& c, const Expr& e) {
  switch (e.kind) {
    case ExprKind::integer: return check_integer(c, e);
    case ExprKind::real: return real_type();
    case ExprKind::boolean: return bool_type();
    case ExprKind::name: return check_name(c, e);
    case ExprKind::conditional: return check_conditional(c, e);
    case ExprKind::any_of:
    case ExprKind::all_of:
    case ExprKind::negation: return check_logic(c, e);
    case ExprKind::comparison: return check_comparison(c, e);
    case ExprKind::sum: return check_sum(c, e);
    case ExprKind::product: return check_product(c, e);
    case ExprKind::negative: return check_negative(c, e);
    case ExprKind::power: return check_power(c, e);
    case ExprKind::call: return check_call(c, e);
    case ExprKind::index: return check_index(c, e);
    case ExprKind::member: return check_member(c, e);
    case ExprKind::tuple: return check_tuple(c, e);
    case ExprKind::array: return check_array(c, e);
  }
  return {};
}

/// A name that is no value of its own: a space, a function.
void report_no_value(Checker& c, const Expr& e) {
  const SymbolId id = c.info(e).symbol;
  if (e.kind != ExprKind::name || id == no_symbol) return;
  const Symbol& s = c.symbol(id);
  std::string help;
  switch (s.kind) {
    case SymbolKind::space:
    case SymbolKind::space_parameter:
      help = e.text + ".count is its extent, " + e.text + "(i) one of its elements, `for p in " + e.text +
             "` visits them all";
      break;
    case SymbolKind::function:
    case SymbolKind::function_parameter: help = "call it: " + e.text + "(…)"; break;
    case SymbolKind::proc: help = "call it in a statement of its own: " + e.text + "(…);"; break;
    default: return;
  }
  c.diagnostics.error(e.span, quoted(e.text) + " is " + kind_name(c, s) + ", not a value", help);
}

std::string field_help(const Checker& c, const Expr& e, const Type& type) {
  std::string indices;
  for (SpaceId space : type.spaces) indices += (indices.empty() ? "" : ", ") + ("a " + space_name(c, space));
  const std::string name = short_text(e);
  if (c.place.kernel()) return "index it by " + indices + ": " + name + "[…]";
  return "write a loop over " + space_name(c, type.spaces.empty() ? no_space : type.spaces[0]) +
         ", or index it: " + name + "[…]";
}

}  // namespace

Type check_expression(Checker& c, const Expr& e) {
  const Type type = check_kind(c, e);
  c.info(e).type = type;
  return type;
}

Type check_value(Checker& c, const Expr& e) {
  check_expression(c, e);
  return require_value(c, e);
}

Type require_value(Checker& c, const Expr& e) {
  const Type type = c.info(e).type;
  if (type.is_none()) {
    report_no_value(c, e);
    return {};
  }
  if (type.is_value()) return type;
  if (type.stack) {
    c.diagnostics.error(e.span, quoted(short_text(e)) + " is a stack, not a value",
                        "take its last value: let a = " + short_text(e) + ".pop();");
  } else {
    c.diagnostics.error(
        e.span, quoted(short_text(e)) + " is a whole field " + type_name(c, type) + " where one value is needed",
        field_help(c, e, type));
  }
  c.info(e).type = {};
  return {};
}

void check_condition(Checker& c, const Expr& e, const std::string& owner) {
  if (!check_value(c, e).is_none()) coerce(c, e, bool_type(), "as a condition of " + owner);
}

bool check_int(Checker& c, const Expr& e, const std::string& use) {
  const Type type = check_value(c, e);
  return !type.is_none() && coerce(c, e, int_type(), use);
}

}  // namespace adjoule::semantics
