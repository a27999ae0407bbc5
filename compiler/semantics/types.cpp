// Types as written, the axes of spaces, and the few conversions that happen by themselves.
#include <algorithm>

#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

constexpr int64_t longest_array = 4096;

const std::vector<std::string> type_names = {"bool", "int",  "real", "vec2", "vec3",
                                             "vec4", "mat2", "mat3", "mat4", "stack"};

/// bool, int, real, vecN, matN; none for other names.
Type simple_type(const std::string& name) {
  if (name == "bool") return bool_type();
  if (name == "int") return int_type();
  if (name == "real") return real_type();
  if (name.size() == 4 && name[3] >= '2' && name[3] <= '4') {
    if (name.starts_with("vec")) return vector_type(name[3] - '0');
    if (name.starts_with("mat")) return matrix_type(name[3] - '0');
  }
  return {};
}

Type element_type(Checker& c, const syntax::TypeExpr& written) {
  const SymbolId id = lookup(c, written.name);
  if (id != no_symbol) {
    const Symbol& s = c.symbol(id);
    if (s.kind == SymbolKind::space || s.kind == SymbolKind::space_parameter) return reference_type(s.type.space);
  }
  if (Type simple = simple_type(written.name); !simple.is_none()) return simple;
  if (id != no_symbol) {
    const Symbol& s = c.symbol(id);
    c.diagnostics
        .error(written.span, quoted(written.name) + " is " + kind_name(c, s) + ", not a type",
               "types are bool, int, real, vec2 to vec4, mat2 to mat4, stack<…> and the names of spaces")
        .notes.push_back({s.span, quoted(s.name) + " is declared here"});
    return {};
  }
  if (c.poisoned.contains(written.name) || !c.ast.imports.empty()) return {};
  std::vector<std::string> candidates = visible_spaces(c);
  candidates.insert(candidates.end(), type_names.begin(), type_names.end());
  std::string help = suggestion(written.name, candidates);
  if (const std::string other = other_name(written.name); !other.empty()) help = other;
  c.diagnostics.error(written.span, "there is no type " + quoted(written.name), help);
  return {};
}

std::optional<int32_t> array_length(Checker& c, const Expr& e) {
  const Type type = constant_expression(c, e, "the length of an array", false);
  if (type.is_none()) return {};
  const std::optional<int64_t> length = evaluate_int(c, e);
  if (!type.is_int() || !length) {
    c.diagnostics.error(e.span, "the length of an array is a whole number that is fixed in the text",
                        "for a length that the host chooses declare a space and a field over it");
    return {};
  }
  if (*length < 1 || *length > longest_array) {
    c.diagnostics.error(
        e.span, "an array has 1 to " + std::to_string(longest_array) + " elements, not " + std::to_string(*length),
        "large tables are fields over a space");
    return {};
  }
  return static_cast<int32_t>(*length);
}

bool names_space(const Checker& c, const Expr& e) {
  if (e.kind != ExprKind::name) return false;
  const SymbolId id = lookup(c, e.text);
  if (id == no_symbol) return false;
  return c.symbol(id).kind == SymbolKind::space || c.symbol(id).kind == SymbolKind::space_parameter;
}

/// real[Cell] of stack<real[Cell]>, or an array.
Type with_brackets(Checker& c, Type type, const syntax::TypeExpr& written, bool in_stack) {
  for (const Expr& bracket : written.brackets) {
    if (names_space(c, bracket)) {
      const SpaceId space = resolve_space(c, bracket);
      if (!in_stack) {
        c.diagnostics.error(
            bracket.span, "a type is not over a space: only fields are",
            "put the space behind the field's name: `name[" + bracket.text + "]: " + written.name + "`");
        return {};
      }
      type.field = true;
      type.spaces.push_back(space);
    } else if (const std::optional<int32_t> length = array_length(c, bracket)) {
      type.array.push_back(*length);
    } else {
      return {};
    }
  }
  return type;
}

Type stack_type(Checker& c, const syntax::TypeExpr& written) {
  if (written.argument.size() != 1) {
    c.diagnostics.error(written.span, "a stack needs the type of what it holds", "write stack<real>");
    return {};
  }
  const syntax::TypeExpr& held = written.argument[0];
  if (held.name == "stack") {
    c.diagnostics.error(held.span, "a stack of stacks does not exist", "a stack holds values or whole fields");
    return {};
  }
  Type element = element_type(c, held);
  if (element.is_none()) return {};
  element = with_brackets(c, element, held, true);
  if (element.is_none()) return {};
  if (!written.brackets.empty()) {
    c.diagnostics.error(written.span, "an array of stacks does not exist", "declare several stacks, or one of arrays");
    return {};
  }
  return stack_of(element);
}

}  // namespace

Type resolve_type(Checker& c, const syntax::TypeExpr& written) {
  if (written.name == "stack" && lookup(c, "stack") == no_symbol) return stack_type(c, written);
  if (!written.argument.empty()) {
    c.diagnostics.error(written.span, "only stack takes a type in < >", "");
    return {};
  }
  const Type element = element_type(c, written);
  return element.is_none() ? element : with_brackets(c, element, written, false);
}

SpaceId resolve_space(Checker& c, const Expr& name) {
  if (name.kind != ExprKind::name) {
    c.diagnostics.error(name.span, "the name of a space belongs here");
    return no_space;
  }
  const SymbolId id = lookup(c, name.text);
  c.info(name).symbol = id;
  if (id == no_symbol) {
    unknown_name(c, name, "space", visible_spaces(c));
    return no_space;
  }
  const Symbol& s = c.symbol(id);
  if (s.kind != SymbolKind::space && s.kind != SymbolKind::space_parameter) {
    c.diagnostics
        .error(name.span, quoted(name.text) + " is " + kind_name(c, s) + ", not a space",
               s.type.is_int() ? "declare a space with that extent: space P(" + name.text + ");" : "")
        .notes.push_back({s.span, quoted(s.name) + " is declared here"});
    return no_space;
  }
  c.info(name).space = s.type.space;
  return s.type.space;
}

bool is_abstract(SpaceId space) { return space >= first_abstract_space; }

bool is_grid(const Checker& c, SpaceId space) {
  if (is_abstract(space)) return c.abstract_spaces[static_cast<size_t>(space - first_abstract_space)].grid;
  return c.out.spaces[static_cast<size_t>(space)].grid;
}

int dims_of(const Checker& c, SpaceId space) {
  if (is_abstract(space)) return c.abstract_spaces[static_cast<size_t>(space - first_abstract_space)].dims;
  return c.out.spaces[static_cast<size_t>(space)].dims;
}

bool require_axes(Checker& c, SpaceId space, int dims, Span span, const std::string& use) {
  if (is_abstract(space)) {
    AbstractSpace& a = c.abstract_spaces[static_cast<size_t>(space - first_abstract_space)];
    a.grid = true;
    if (a.dims == 0) a.dims = dims;
  }
  const int have = dims_of(c, space);
  if (!is_grid(c, space)) {
    const std::string name = space_name(c, space);
    c.diagnostics.error(
        span, quoted(name) + " is a plain space: its elements have no neighbours, so " + use + " has no meaning",
        "declare a grid, or count: " + name + "(index(p) + 1)");
    return false;
  }
  if (have == dims) return true;
  const std::string example = have == 1 ? "1" : have == 2 ? "(1, 0)" : "(1, 0, 0)";
  c.diagnostics.error(span,
                      quoted(space_name(c, space)) + " has " + counted(static_cast<size_t>(have), "axis") + ", not " +
                          std::to_string(dims),
                      "an offset has one number an axis: c + " + example);
  return false;
}

bool arithmetic(const Type& type) { return type.is_int() || numeric(type); }
bool numeric(const Type& type) { return type.is_real() || type.is_vector() || type.is_matrix(); }

bool is_fluid(const Checker& c, const Expr& e) { return c.info(e).type.is_int() && c.fluid[e.id]; }

bool is_zero(const Expr& e) {
  return (e.kind == ExprKind::integer && e.integer == 0) || (e.kind == ExprKind::real && e.real == 0);
}

void make_real(Checker& c, const Expr& e) {
  if (c.info(e).type.is_int()) c.info(e).converts_to_real = true;
}

bool fits(const Checker& c, const Expr& e, const Type& wanted) {
  const Type& type = c.info(e).type;
  if (type.is_none() || wanted.is_none() || type == wanted) return true;
  if (wanted.is_real()) return is_fluid(c, e);
  if (wanted.is_vector() || wanted.is_matrix()) return is_zero(e);
  if (wanted.is_array() && wanted.differentiable() && is_zero(e)) return true;
  if (wanted.is_array() && wanted.element == Element::integer && e.kind == ExprKind::integer) return is_zero(e);
  if (wanted.is_array() && e.kind == ExprKind::array && wanted.array[0] == static_cast<int32_t>(e.args.size())) {
    const Type element = array_element(wanted);
    return std::all_of(e.args.begin(), e.args.end(), [&](const Expr& x) { return fits(c, x, element); });
  }
  return false;
}

namespace {

void convert(Checker& c, const Expr& e, const Type& wanted) {
  const Type type = c.info(e).type;
  if (type.is_none() || wanted.is_none() || type == wanted) return;
  if (wanted.is_array() && e.kind == ExprKind::array) {
    for (const Expr& x : e.args) convert(c, x, array_element(wanted));
    c.info(e).type = wanted;
  } else if (!wanted.is_array() || wanted.differentiable()) {
    make_real(c, e);
  }
}

bool divides(const Expr& e) { return e.kind == ExprKind::product && e.signs.find('/') != std::string::npos; }

}  // namespace

std::string conversion_help(const Checker& c, const Expr& e, const Type& wanted) {
  const Type& have = c.info(e).type;
  const std::string text = short_text(e);
  if (have.field && value_of(have) == wanted) return "take one element of it: " + text + "[…]";
  if (have.is_int() && (wanted.is_real() || wanted.is_vector())) return "write real(" + text + ")";
  if (have.is_real() && wanted.is_int()) {
    return divides(e) ? "dividing gives a real; for a whole number write div(a, b)"
                      : "int(" + text + ") cuts the fraction off";
  }
  if (have.is_int() && wanted.is_reference()) return "write " + space_name(c, wanted.space) + "(" + text + ")";
  if (have.is_reference() && wanted.is_int()) return "index(" + text + ") is its number";
  if (have.is_bool() && wanted.is_real()) return "write (" + text + " ? 1.0 : 0.0)";
  if (have.is_bool() && wanted.is_int()) return "write (" + text + " ? 1 : 0)";
  if (have.is_real() && wanted.is_vector())
    return "write " + type_name(c, wanted) + "(…) with a value for every component";
  if (have.is_vector() && wanted.is_real()) return "take a component (.x), its norm(…), or a dot(…) product";
  if (arithmetic(have) && wanted.is_bool()) return "compare it: " + text + " != 0";
  return "";
}

bool coerce(Checker& c, const Expr& e, const Type& wanted, const std::string& use) {
  if (fits(c, e, wanted)) {
    convert(c, e, wanted);
    return true;
  }
  c.diagnostics.error(e.span,
                      "this is " + a_type(c, c.info(e).type) + ", but " + a_type(c, wanted) + " is wanted " + use,
                      conversion_help(c, e, wanted));
  return false;
}

Type common_type(Checker& c, const std::vector<const Expr*>& values, const std::string& what) {
  // The widest type among the values: anything over a real, a real over an int.
  Type wanted = c.info(*values[0]).type;
  for (const Expr* e : values) {
    const Type& type = c.info(*e).type;
    if (type.is_none()) return {};
    const bool wider = (wanted.is_int() && type != wanted) || (wanted.is_real() && !type.is_int() && type != wanted);
    if (wider) wanted = type;
  }
  for (const Expr* e : values) {
    if (fits(c, *e, wanted)) continue;
    c.diagnostics.error(e->span,
                        what + " must have one type, but this is " + a_type(c, c.info(*e).type) + " and another is " +
                            a_type(c, wanted),
                        conversion_help(c, *e, wanted));
    return {};
  }
  for (const Expr* e : values) convert(c, *e, wanted);
  return wanted;
}

}  // namespace adjoule::semantics
