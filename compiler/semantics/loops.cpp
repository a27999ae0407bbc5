// Loops: what they run over, whether they are parallel, and what their head may say.
#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

bool is_region(const Expr& e) {
  return e.kind == ExprKind::call && e.args[0].kind == ExprKind::member && e.args[0].args[0].kind == ExprKind::name &&
         (e.args[0].text == "interior" || e.args[0].text == "boundary");
}

/// x_low, x_high, y_low, …: the axis, or -1.
int side_axis(const Expr& e) {
  if (e.kind != ExprKind::name || e.text.size() < 5) return -1;
  const std::string end = e.text.substr(1);
  if (end != "_low" && end != "_high") return -1;
  return e.text[0] >= 'x' && e.text[0] <= 'z' ? e.text[0] - 'x' : -1;
}

void check_side(Checker& c, const Expr& side, SpaceId space) {
  const int axis = side_axis(side), dims = dims_of(c, space);
  if (axis < 0) {
    c.diagnostics.error(side.span, "a side of a grid is wanted here",
                        "sides are x_low, x_high, y_low, y_high, z_low, z_high");
    return;
  }
  if (is_abstract(space)) return;
  if (axis >= dims) {
    c.diagnostics.error(side.span, quoted(space_name(c, space)) + " has no side " + quoted(side.text) + ": it has " +
                                       counted(static_cast<size_t>(dims), "axis"));
  } else if (c.out.spaces[static_cast<size_t>(space)].boundary[static_cast<size_t>(axis)] == Boundary::periodic) {
    c.diagnostics.error(side.span,
                        quoted(space_name(c, space)) + " is periodic along this axis: it has no " + quoted(side.text),
                        "only axes with `clamp` or `zero` have sides");
  }
}

void check_width(Checker& c, const Expr& width) {
  if (!check_int(c, width, "as the width of a region")) return;
  const std::optional<int64_t> value = evaluate_int(c, width);
  if (!value) {
    c.diagnostics.error(width.span, "the width of a region is a whole number that is fixed in the text",
                        "write a number or a constant");
  } else if (*value < 0) {
    c.diagnostics.error(width.span, "the width of a region cannot be negative");
  }
}

/// Cell.interior(w), Cell.boundary(w), Cell.boundary(w, x_low).
SpaceId check_region(Checker& c, const Expr& e) {
  const Expr& callee = e.args[0];
  const SpaceId space = resolve_space(c, callee.args[0]);
  ExprInfo& info = c.info(e);
  info.callee = CalleeKind::region;
  info.builtin = callee.text;
  info.space = space;
  if (space == no_space) return space;
  if (is_abstract(space)) c.abstract_spaces[static_cast<size_t>(space - first_abstract_space)].grid = true;
  const std::string example = space_name(c, space) + "." + callee.text + "(1)";
  if (!is_grid(c, space)) {
    c.diagnostics.error(e.span, quoted(space_name(c, space)) + " is a plain space: it has no " + callee.text,
                        "only grids have one");
    return space;
  }
  const size_t given = e.args.size() - 1, most = callee.text == "boundary" ? 2 : 1;
  if (given < 1 || given > most) {
    c.diagnostics.error(e.span, "`" + callee.text + "` takes a width" + (most == 2 ? " and, if wanted, one side" : ""),
                        "write " + example);
    return space;
  }
  check_width(c, e.args[1]);
  if (given == 2) check_side(c, e.args[2], space);
  return space;
}

SpaceId check_domain(Checker& c, const Expr& e) {
  if (is_region(e)) return check_region(c, e);
  if (e.kind == ExprKind::name) {
    const SymbolId id = lookup(c, e.text);
    if (id != no_symbol && c.symbol(id).type.is_int()) {
      c.diagnostics.error(e.span, quoted(e.text) + " is " + kind_name(c, c.symbol(id)) + ", not a space",
                          "to count write 0.." + e.text);
      return no_space;
    }
    if (id != no_symbol && c.symbol(id).type.field && !c.symbol(id).type.spaces.empty()) {
      const std::string space = space_name(c, c.symbol(id).type.spaces[0]);
      c.diagnostics.error(e.span, quoted(e.text) + " is a field, not a space",
                          "loop over its space: for p in " + space + " { … " + e.text + "[p] … }");
      return no_space;
    }
    return resolve_space(c, e);
  }
  const bool method = e.kind == ExprKind::call && e.args[0].kind == ExprKind::member;
  if (method && e.args[0].args[0].kind == ExprKind::name && resolve_space(c, e.args[0].args[0]) != no_space) {
    c.diagnostics.error(e.args[0].span, "a space has no region " + quoted(e.args[0].text),
                        suggestion(e.args[0].text, {"interior", "boundary"}));
    return no_space;
  }
  if (method) return no_space;
  const Type type = check_expression(c, e);
  c.diagnostics.error(e.span, "a loop runs over a space, a region of a grid, or a range",
                      type.is_int() ? "to count write 0.." + (short_text(e) == "…" ? std::string("(…)") : short_text(e))
                                    : "for p in Space, for c in Grid.interior(1), for k in 0..n");
  return no_space;
}

/// The type of a loop index; none after a mistake.
Type check_iterator(Checker& c, const syntax::Iterator& it) {
  if (it.last) {
    check_int(c, it.first, "as a bound of a loop");
    check_int(c, *it.last, "as a bound of a loop");
    return int_type();
  }
  const SpaceId space = check_domain(c, it.first);
  return space == no_space ? Type{} : reference_type(space);
}

/// How a loop in this place runs; says what its head may not contain.
void check_head(Checker& c, const Stmt& s) {
  const auto& iterators = s.iterators;
  bool ranges = false, spaces = false;
  for (const syntax::Iterator& it : iterators) (it.last ? ranges : spaces) = true;
  if (c.place.kernel()) {
    if (s.serial) {
      c.diagnostics.error(s.span, "inside of " + c.place.owner + " every loop runs in order",
                          "write `for` without `serial`");
    }
    if (iterators.size() > 1) {
      c.diagnostics.error(iterators[1].span, "a loop inside of " + c.place.owner + " has one index", "nest two loops");
    }
    return;
  }
  if (ranges && iterators.size() > 1) {
    c.diagnostics.error(iterators[1].span,
                        spaces ? "a range and a space cannot share one loop" : "a loop over a range has one index",
                        "nest two loops: the outer one runs in order");
  } else if (ranges && s.serial) {
    c.diagnostics.error(s.span, "a loop over a range runs in order anyway", "write `for` without `serial`");
  }
  if (ranges || s.serial) return;
  for (const syntax::Iterator& it : iterators) {
    if (it.reversed)
      c.diagnostics.error(it.span, "a parallel loop has no order, so it cannot run backwards",
                          "leave `reversed` out, or write `serial for`");
  }
}

Place place_of_body(const Checker& c, const Stmt& s) {
  Place place = c.place;
  const bool over_space = !s.iterators[0].last;
  place.loop = Loop::sequential;
  if (place.kernel() || !over_space) return place;
  place.code = s.serial ? Code::serial : Code::parallel;
  place.owner = s.serial ? "a `serial` loop" : "a parallel loop";
  if (!s.serial) place.loop = Loop::parallel;
  return place;
}

}  // namespace

void check_loop(Checker& c, const Stmt& s) {
  check_head(c, s);
  std::vector<Type> types;
  for (const syntax::Iterator& it : s.iterators) types.push_back(check_iterator(c, it));
  open_scope(c);
  for (size_t i = 0; i < s.iterators.size(); ++i) {
    const syntax::Iterator& it = s.iterators[i];
    c.out.declared[it.id] = declare_local(c, {.kind = SymbolKind::loop_index,
                                              .name = it.name,
                                              .span = it.name_span,
                                              .type = types[i],
                                              .step_level = !c.place.kernel() && it.last.has_value(),
                                              .declaration = it.id});
  }
  {
    const Swapped inside(c.place, place_of_body(c, s));
    check_block(c, s.body);
  }
  close_scope(c);
}

}  // namespace adjoule::semantics
