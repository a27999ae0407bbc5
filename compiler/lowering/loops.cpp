// Loops. At step level a loop over spaces is a parallel `loop` (or `serial`), a loop over a range is one `serial` when
// it touches fields by single elements only, else a `for`. Inside of kernels and functions every loop is sequential: a
// `for`, or, when it may stop early, a `while` with a counter and the flag `go`.
#include "lowering/loops.hpp"

#include "lowering/constants.hpp"
#include "lowering/expressions.hpp"

namespace adjoule::lowering {
namespace {

using ir::Domain;
using ir::Opcode;
using semantics::CalleeKind;
using syntax::Iterator;

// --- domains

/// x_low, z_high, … of a boundary region.
ir::Side side_named(const std::string& name) {
  size_t split = name.find('_');
  if (split != 1 || name[0] < 'x' || name[0] > 'z') return {};
  return {.axis = static_cast<int8_t>(name[0] - 'x'), .high = name.substr(2) == "high"};
}

Domain region_of(Context& c, const Expr& call) {
  const Expr& callee = call.args[0];  // Cell.interior
  Domain domain{.space = actual_space(c, c.info(callee.args[0]).space)};
  domain.region = callee.text == "interior" ? ir::Region::interior : ir::Region::boundary;
  std::optional<int64_t> width = call.args.size() > 1 ? constant_int(c, call.args[1]) : std::nullopt;
  if (!width || *width < 0) {
    c.diagnostics.error(call.span, "the width of a region must be known when the program is compiled",
                        "write a literal or a constant, not a size");
  }
  domain.width = static_cast<int32_t>(width.value_or(1));
  if (call.args.size() > 2) domain.side = side_named(call.args[2].text);
  return domain;
}

}  // namespace

Domain domain_of(Context& c, const Iterator& iterator) {
  Domain domain;
  if (!iterator.last) {
    const semantics::ExprInfo& info = c.info(iterator.first);
    if (info.callee == CalleeKind::region)
      domain = region_of(c, iterator.first);
    else
      domain.space = actual_space(c, info.space);
  }
  domain.reversed = iterator.reversed;
  return domain;
}

std::vector<Value> bounds_of(Context& c, const Iterator& iterator) {
  if (!iterator.last) return {};
  return {lower_expression(c, iterator.first), lower_expression(c, *iterator.last)};
}

void bind_index(Context& c, const Iterator& iterator, Value index) {
  give_name(c, index, iterator.name);
  bind_value(c, c.declared(iterator.id), index);
}

// --- sequential loops

Sequential prepare(Context& c, const Stmt& s) {
  Sequential loop{.s = s, .body = sequence(s.body), .scope = {.outer = c.jumps}, .carried = {}};
  Effects effects = effects_of(c, loop.body);
  if (needs_live(loop.body)) loop.scope.live = new_variable(c, "", bool_type());
  Effects outside = effects;  // break and continue end here
  outside.breaks = outside.continues = false;
  loop.carried = carried_by(c, outside);
  if (effects.breaks || effects.returns) {
    loop.scope.go = new_variable(c, "go", bool_type(), c.ir().constant(true));
    loop.carried.push_back(loop.scope.go);
  }
  return loop;
}

void lower_body(Context& c, Sequential& loop) {
  Swap inside(c.jumps, &loop.scope);
  if (loop.scope.live != no_variable) set_current(c, loop.scope.live, c.ir().constant(true));
  lower_sequence(c, loop.body);
}

namespace {

void run_iterators(Context& c, Sequential& loop, size_t at);

void run_for(Context& c, Sequential& loop, size_t at) {
  const Iterator& iterator = loop.s.iterators[at];
  std::vector<Value> bounds = bounds_of(c, iterator);
  auto body = [&](Value index, std::span<const Value> carried) {
    set_currents(c, loop.carried, carried);
    bind_index(c, iterator, index);
    run_iterators(c, loop, at + 1);
    return currents(c, loop.carried);
  };
  std::vector<Value> initial = currents(c, loop.carried);
  set_currents(c, loop.carried, c.ir().for_(domain_of(c, iterator), std::move(bounds), std::move(initial), body));
}

/// The reference with number `number` of a space, in the order of its loops.
Value reference_numbered(Context& c, SpaceId space, Value number) {
  int dims = c.program.spaces[static_cast<size_t>(space)].dims;
  std::vector<Value> coordinates(static_cast<size_t>(dims), number);
  for (int axis = dims - 1; axis > 0; --axis) {
    Value extent = c.ir().extent(space, axis);
    coordinates[static_cast<size_t>(axis)] = c.ir().emit(Opcode::floor_modulo, {number, extent});
    number = c.ir().emit(Opcode::floor_divide, {number, extent});
  }
  coordinates[0] = number;
  return c.ir().make_reference(space, std::move(coordinates));
}

/// A loop that may stop early: while go and counter < upper.
void run_while_counting(Context& c, Sequential& loop, size_t at) {
  const Iterator& iterator = loop.s.iterators[at];
  Domain domain = domain_of(c, iterator);
  std::vector<Value> bounds = bounds_of(c, iterator);
  if (bounds.empty()) bounds = {int_constant(c, 0), c.ir().extent(domain.space)};
  Value one = int_constant(c, 1);
  Value start = domain.reversed ? c.ir().subtract(bounds[1], one) : bounds[0];
  auto condition = [&](std::span<const Value> carried) {
    set_currents(c, loop.carried, carried.first(loop.carried.size()));
    Value counter = carried.back();
    Value more = domain.reversed ? c.ir().emit(Opcode::less_equal, {bounds[0], counter})
                                 : c.ir().emit(Opcode::less, {counter, bounds[1]});
    return c.ir().emit(Opcode::logical_and, {current(c, loop.scope.go), more});
  };
  auto body = [&](std::span<const Value> carried) {
    set_currents(c, loop.carried, carried.first(loop.carried.size()));
    Value counter = carried.back();
    bind_index(c, iterator, domain.space == no_space ? counter : reference_numbered(c, domain.space, counter));
    run_iterators(c, loop, at + 1);
    std::vector<Value> yields = currents(c, loop.carried);
    yields.push_back(domain.reversed ? c.ir().subtract(counter, one) : c.ir().add(counter, one));
    return yields;
  };
  std::vector<Value> initial = currents(c, loop.carried);
  initial.push_back(start);
  std::vector<Value> results = c.ir().while_(std::move(initial), condition, body);
  results.pop_back();
  set_currents(c, loop.carried, results);
}

/// The iterators from number `at` on, one loop inside the other.
void run_iterators(Context& c, Sequential& loop, size_t at) {
  if (at == loop.s.iterators.size()) return lower_body(c, loop);
  if (loop.scope.go == no_variable) return run_for(c, loop, at);
  bool region = c.info(loop.s.iterators[at].first).callee == CalleeKind::region;
  if (!region) return run_while_counting(c, loop, at);
  // A region has no simple numbering: visit the rest of it without doing anything.
  const Iterator& iterator = loop.s.iterators[at];
  auto body = [&](Value index, std::span<const Value> carried) {
    set_currents(c, loop.carried, carried);
    bind_index(c, iterator, index);
    branch(c, current(c, loop.scope.go), loop.carried, [&] { run_iterators(c, loop, at + 1); }, [] {});
    return currents(c, loop.carried);
  };
  set_currents(c, loop.carried, c.ir().for_(domain_of(c, iterator), {}, currents(c, loop.carried), body));
}

void lower_sequential(Context& c, const Stmt& s) {
  Sequential loop = prepare(c, s);
  run_iterators(c, loop, 0);
}

/// Only the first index of a `serial` may run over a range, and none of a parallel loop.
bool mixes_ranges(Context& c, const Stmt& s) {
  for (size_t i = s.serial ? 1 : 0; i < s.iterators.size(); ++i) {
    if (!s.iterators[i].last) continue;
    c.diagnostics.error(s.iterators[i].span, "a range of integers stands beside a space in one loop",
                        "write two loops, one inside the other");
    return true;
  }
  return false;
}

bool over_ranges(const Stmt& s) {
  for (const Iterator& iterator : s.iterators) {
    if (!iterator.last) return false;
  }
  return true;
}

/// A step-level loop over one range that changes elements of fields and nothing larger.
bool is_element_loop(const Context& c, const Stmt& s) {
  Sequence body = sequence(s.body);
  if (s.iterators.size() != 1 || !touches_single_elements(c, body)) return false;
  for (VariableId v : effects_of(c, body).assigned) {
    if (c.variables[static_cast<size_t>(v)].type.field) return true;
  }
  return false;
}

}  // namespace

void lower_loop(Context& c, const Stmt& s) {
  if (c.kernel) return lower_sequential(c, s);
  if (!over_ranges(s)) {
    if (mixes_ranges(c, s)) return;
    return s.serial ? lower_serial(c, s) : lower_parallel(c, s);
  }
  if (is_element_loop(c, s)) return lower_serial(c, s);
  lower_sequential(c, s);
}

void lower_while(Context& c, const Stmt& s) {
  Sequential loop = prepare(c, s);
  auto condition = [&](std::span<const Value> carried) {
    set_currents(c, loop.carried, carried);
    auto test = [&] { return std::vector<Value>{lower_expression(c, *s.value)}; };
    if (loop.scope.go == no_variable) return test().front();
    Value go = current(c, loop.scope.go);
    if (is_cheap(c, *s.value)) return c.ir().emit(Opcode::logical_and, {go, test().front()});
    return c.ir().if_(go, test, [&] { return std::vector<Value>{c.ir().constant(false)}; }).front();
  };
  auto body = [&](std::span<const Value> carried) {
    set_currents(c, loop.carried, carried);
    lower_body(c, loop);
    return currents(c, loop.carried);
  };
  std::vector<Value> initial = currents(c, loop.carried);
  set_currents(c, loop.carried, c.ir().while_(std::move(initial), condition, body));
}

}  // namespace adjoule::lowering
