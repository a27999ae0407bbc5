// Elements and components: u[c], h[k], m[i, j], v.x, references made of integers, offsets on grids.
#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

std::string reference_example(const Checker& c, SpaceId space, const std::string& argument) {
  const int dims = dims_of(c, space);
  if (dims <= 1) return space_name(c, space) + "(" + argument + ")";
  return space_name(c, space) + (dims == 2 ? "(i, j)" : "(i, j, k)");
}

void check_field_position(Checker& c, const Expr& position, SpaceId space) {
  const Type type = check_expression(c, position);
  if (type.is_none() && c.info(position).space != no_space) {
    c.diagnostics.error(position.span, quoted(position.text) + " is a whole space, not one of its elements",
                        "loop over it: for p in " + position.text + " { … [p] … }");
    return;
  }
  if (type.is_none() || type == reference_type(space)) return;
  const std::string wanted = quoted(space_name(c, space));
  std::string help;
  if (type.is_int())
    help = "write " + reference_example(c, space, short_text(position));
  else if (type.is_reference())
    help = "fields are indexed by the spaces of their declaration, in that order";
  else if (type.is_real())
    help = "make whole numbers of it: " + reference_example(c, space, "int(" + short_text(position) + ")");
  c.diagnostics.error(position.span,
                      "this is " + a_type(c, type) + ", but a reference to " + wanted + " is wanted here", help);
}

Type index_field(Checker& c, const Expr& e, const Type& field) {
  const size_t given = e.args.size() - 1;
  if (given != field.spaces.size()) {
    for (size_t i = 1; i < e.args.size(); ++i) {
      if (e.args[i].kind != ExprKind::tuple) check_value(c, e.args[i]);
    }
    std::string help = "give one reference a space";
    if (field.spaces.size() == 1 && is_grid(c, field.spaces[0]))
      help = "write " + short_text(e.args[0]) + "[" + reference_example(c, field.spaces[0], "i") + "]";
    c.diagnostics.error(e.span,
                        quoted(short_text(e.args[0])) + " is a field " + type_name(c, field) + ": it takes " +
                            counted(field.spaces.size(), "index") + ", not " + std::to_string(given),
                        help);
    return value_of(field);
  }
  for (size_t i = 0; i < given; ++i) check_field_position(c, e.args[i + 1], field.spaces[i]);
  return value_of(field);
}

/// Index number `i` of an array, vector or matrix: an int, in range when it is known now.
void check_component(Checker& c, const Expr& index, int32_t count, const std::string& of) {
  const Type type = check_value(c, index);
  if (type.is_none()) return;
  if (type.is_reference()) {
    c.diagnostics.error(index.span, "this is " + a_type(c, type) + ", but " + of + " is indexed by ints",
                        conversion_help(c, index, int_type()));
    return;
  }
  if (!coerce(c, index, int_type(), "as an index")) return;
  const std::optional<int64_t> value = evaluate_int(c, index);
  if (!value || (*value >= 0 && *value < count)) return;
  c.diagnostics.error(index.span, "index " + std::to_string(*value) + " is outside of " + of,
                      "its indices are 0 to " + std::to_string(count - 1));
}

Type index_value(Checker& c, const Expr& e, const Type& type) {
  const size_t given = e.args.size() - 1;
  const size_t wanted = type.is_matrix() ? 2 : 1;
  if (given != wanted) {
    for (size_t i = 1; i < e.args.size(); ++i) check_value(c, e.args[i]);
    c.diagnostics.error(e.span,
                        a_type(c, type) + " takes " + counted(wanted, "index") + ", not " + std::to_string(given),
                        type.is_matrix()        ? "an entry of a matrix is m[row, column]"
                        : type.array.size() > 1 ? "write a[i][j]"
                                                : "");
    return {};
  }
  const int32_t count = type.is_array() ? type.array[0] : type.size;
  for (size_t i = 1; i < e.args.size(); ++i) check_component(c, e.args[i], count, a_type(c, type));
  return type.is_array() ? array_element(type) : real_type();
}

void report_no_index(Checker& c, const Expr& e, const Type& type) {
  const Expr& base = e.args[0];
  std::string help;
  if (type.stack)
    help = "a stack gives only its last value: pop()";
  else if (base.kind == ExprKind::name && c.info(base).symbol != no_symbol &&
           c.symbol(c.info(base).symbol).kind == SymbolKind::field)
    help = "to have one for every element declare it over a space: " + base.text + "[Space]";
  c.diagnostics.error(base.span, quoted(short_text(base)) + " is " + a_type(c, type) + " and has no elements to index",
                      help);
}

void report_early_space(Checker& c, const Expr& e) {
  c.diagnostics.error(e.span, "spaces are not laid out yet where " + c.place.owner + " is fixed",
                      "use the sizes that the space is made of");
}

Type space_member(Checker& c, const Expr& e, SpaceId space) {
  ExprInfo& info = c.info(e);
  if (e.text == "count") {
    if (c.place.code == Code::constant) report_early_space(c, e);
    info.member = MemberKind::count;
    info.space = space;
    return int_type();
  }
  const std::string name = space_name(c, space);
  if (e.text == "interior" || e.text == "boundary") {
    c.diagnostics.error(e.span,
                        quoted(name + "." + e.text) + " is a region of a grid: it stands in the head of a loop only",
                        "for c in " + name + "." + e.text + "(1) { … }");
  } else {
    c.diagnostics.error(e.span, "a space has no " + quoted(e.text),
                        suggestion(e.text, {"count", "interior", "boundary"}));
  }
  return {};
}

std::string components_of(int size) { return size == 2 ? "x and y" : size == 3 ? "x, y and z" : "x, y, z and w"; }

Type vector_member(Checker& c, const Expr& e, const Type& type) {
  static const std::string letters = "xyzw";
  const size_t component = e.text.size() == 1 ? letters.find(e.text[0]) : std::string::npos;
  if (component >= type.size) {
    const bool swizzle = e.text.size() > 1 && e.text.find_first_not_of(letters) == std::string::npos;
    c.diagnostics.error(
        e.span, a_type(c, type) + " has no component " + quoted(e.text) + ": it has " + components_of(type.size),
        swizzle ? "take the components one by one: vec2(v.x, v.y)" : "");
    return {};
  }
  c.info(e).member = MemberKind::component;
  c.info(e).component = static_cast<int>(component);
  return real_type();
}

void report_no_member(Checker& c, const Expr& e, const Type& type) {
  std::string help;
  if (type.field)
    help = "take an element first: " + short_text(e.args[0]) + "[…]." + e.text;
  else if (type.stack)
    help = "a stack has push(e) and pop()";
  else if (type.is_matrix())
    help = "an entry of a matrix is m[row, column]";
  else if (type.is_array())
    help = "an element of an array is a[i]";
  else if (type.is_reference())
    help = "index(p) is its number, coords(c) its coordinates";
  c.diagnostics.error(e.span, a_type(c, type) + " has no " + quoted(e.text), help);
}

}  // namespace

Type check_index(Checker& c, const Expr& e) {
  const Expr& base = e.args[0];
  const Type type = check_expression(c, base);
  if (type.field && !type.stack) return index_field(c, e, type);
  if (type.is_array() || type.is_vector() || type.is_matrix()) return index_value(c, e, type);
  for (size_t i = 1; i < e.args.size(); ++i) {
    if (e.args[i].kind != ExprKind::tuple) check_expression(c, e.args[i]);
  }
  if (!type.is_none()) {
    report_no_index(c, e, type);
  } else if (const SpaceId space = c.info(base).space; space != no_space) {
    c.diagnostics.error(e.span,
                        "an element of the space " + quoted(space_name(c, space)) + " is made with round brackets",
                        "write " + reference_example(c, space, "i"));
  } else if (const SymbolId id = c.info(base).symbol;
             id != no_symbol && c.symbol(id).type.is_none() &&
             (c.symbol(id).kind == SymbolKind::function || c.symbol(id).kind == SymbolKind::proc)) {
    c.diagnostics.error(
        base.span, quoted(base.text) + " is " + kind_name(c, c.symbol(id)) + ": it is called with round brackets", "");
  }
  return {};
}

Type check_member(Checker& c, const Expr& e) {
  const Type type = check_expression(c, e.args[0]);
  if (const SpaceId space = c.info(e.args[0]).space; type.is_none() && space != no_space)
    return space_member(c, e, space);
  if (type.is_none()) return {};
  if (type.is_vector()) return vector_member(c, e, type);
  report_no_member(c, e, type);
  return {};
}

Type check_reference_call(Checker& c, const Expr& e, SpaceId space) {
  c.info(e).callee = CalleeKind::reference;
  c.info(e).space = space;
  const std::string name = space_name(c, space);
  if (c.place.code == Code::constant) {
    report_early_space(c, e);
    return {};
  }
  for (size_t i = 1; i < e.args.size(); ++i) check_int(c, e.args[i], "as a coordinate of " + quoted(name));
  const size_t given = e.args.size() - 1;
  if (is_abstract(space)) {
    AbstractSpace& a = c.abstract_spaces[static_cast<size_t>(space - first_abstract_space)];
    if (a.dims == 0) a.dims = static_cast<int>(given);
  }
  const auto wanted = static_cast<size_t>(dims_of(c, space));
  if (given != wanted) {
    c.diagnostics.error(
        e.span,
        "an element of " + quoted(name) + " is made of " + counted(wanted, "int") + ", not " + std::to_string(given),
        "write " + reference_example(c, space, "i"));
  }
  return reference_type(space);
}

Type check_offset(Checker& c, const Expr& e, const Type& reference) {
  for (size_t i = 1; i < e.args.size(); ++i) {
    const Expr& offset = e.args[i];
    size_t numbers = 1;
    bool right = true;
    if (offset.kind == ExprKind::tuple) {
      numbers = offset.args.size();
      for (const Expr& x : offset.args) right = check_int(c, x, "as an offset") && right;
    } else {
      const Type type = check_value(c, offset);
      if (type.is_reference()) {
        c.diagnostics.error(
            join(e.args[0].span, offset.span), "two references cannot be added or subtracted",
            "subtract their numbers, index(a) - index(b), or their coordinates, coords(a)[0] - coords(b)[0]");
        return reference;
      }
      right = !type.is_none() && coerce(c, offset, int_type(), "as an offset");
    }
    if (!right) continue;
    const bool instant = reference.space == time_space && numbers == 1;
    if (!instant && !require_axes(c, reference.space, static_cast<int>(numbers), offset.span, "an offset"))
      return reference;
  }
  return reference;
}

}  // namespace adjoule::semantics
