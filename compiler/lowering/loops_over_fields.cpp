// Loops whose bodies update fields: parallel and serial ones over spaces, and ranges that touch single elements. Inside
// of the body the updated fields are handles; a parallel loop gives each a mode that follows from how it is used, and
// what the body did is then checked against the modes.
#include "lowering/loops.hpp"

namespace adjoule::lowering {
namespace {

using ir::Domain;
using ir::Mode;
using syntax::Iterator;

/// Makes fields (and reduced scalars) handles while a loop body is built; afterwards they are what the loop gives back.
void install_handles(Context& c, const std::vector<VariableId>& updated, std::span<const Value> handles,
                     const std::vector<Mode>& modes) {
  for (size_t i = 0; i < updated.size(); ++i) {
    set_current(c, updated[i], handles[i]);
    c.variable(updated[i]).handle = true;
    c.variable(updated[i]).mode = modes[i];
  }
}

void remove_handles(Context& c, const std::vector<VariableId>& updated, std::span<const Value> versions) {
  for (VariableId v : updated) c.variable(v).handle = false;
  set_currents(c, updated, versions);
}

}  // namespace

void lower_serial(Context& c, const Stmt& s) {
  Sequential loop = prepare(c, s);
  std::vector<VariableId> fields, scalars;
  for (VariableId v : loop.carried) (c.variable(v).type.field ? fields : scalars).push_back(v);
  std::vector<Domain> domains;
  for (const Iterator& iterator : s.iterators) domains.push_back(domain_of(c, iterator));
  std::vector<Value> bounds = bounds_of(c, s.iterators[0]);
  loop.carried = scalars;
  auto body = [&](std::span<const Value> indices, std::span<const Value> handles, std::span<const Value> carried) {
    Swap kernel(c.kernel, true);
    install_handles(c, fields, handles, std::vector<Mode>(fields.size(), Mode::any));
    set_currents(c, scalars, carried);
    for (size_t i = 0; i < s.iterators.size(); ++i) bind_index(c, s.iterators[i], indices[i]);
    if (loop.scope.go == no_variable)
      lower_body(c, loop);
    else
      branch(c, current(c, loop.scope.go), scalars, [&] { lower_body(c, loop); }, [] {});
    return currents(c, scalars);
  };
  std::vector<Value> before = currents(c, fields), initial = currents(c, scalars);
  std::vector<Value> results =
      c.ir().serial(std::move(domains), std::move(bounds), std::move(before), std::move(initial), body);
  remove_handles(c, fields, std::span(results).first(fields.size()));
  set_currents(c, scalars, std::span(results).subspan(fields.size()));
}

// --- parallel loops

namespace {

Mode mode_of_reduction(const std::string& operation) {
  if (operation == "min=") return Mode::reduce_minimum;
  return operation == "max=" ? Mode::reduce_maximum : Mode::reduce_add;
}

void scalar_error(Context& c, const Variable& variable, const Use& use) {
  auto quoted = "`" + variable.name + "`";
  std::string help = "declare a `var` inside of the loop, or make it a `serial for`";
  if (use.stored) {
    c.diagnostics.error(use.stored_at,
                        quoted + " is one value for all iterations of this parallel loop, it cannot be set here",
                        help + "; a sum over the iterations is written with `+=`");
  } else if (use.read) {
    auto& d =
        c.diagnostics.error(use.read_at, quoted + " is read here while the iterations of the loop still reduce it",
                            "read it after the loop, or make it a `serial for`");
    d.notes.push_back({use.reduced.begin()->second, "reduced here with `" + use.reduced.begin()->first + "`"});
  } else {
    auto second = std::next(use.reduced.begin());
    auto& d =
        c.diagnostics.error(second->second, quoted + " is reduced by two operators in one loop", "split the loop");
    d.notes.push_back({use.reduced.begin()->second, "reduced here with `" + use.reduced.begin()->first + "`"});
  }
}

/// How the loop updates the variable; nothing when it only reads it.
std::optional<Mode> mode_of(Context& c, const Variable& variable, const Use& use) {
  if (variable.handle || variable.type.stack || (!use.stored && use.reduced.empty())) return std::nullopt;
  bool one_reduction = !use.stored && !use.read && use.reduced.size() == 1;
  if (!variable.type.field) {
    if (!one_reduction) scalar_error(c, variable, use);
    return one_reduction ? mode_of_reduction(use.reduced.begin()->first) : Mode::reduce_add;
  }
  if (one_reduction && !use.own_only()) return mode_of_reduction(use.reduced.begin()->first);
  return Mode::own;
}

/// The record for the access modes of the loop whose body is being built.
ParallelLoop open_record(Context& c, const Stmt& s, std::span<const Value> indices, std::span<const Value> handles,
                         const std::vector<VariableId>& updated, const std::vector<Mode>& modes) {
  ParallelLoop record;
  record.indices.assign(indices.begin(), indices.end());
  for (const Iterator& iterator : s.iterators) record.index_names.push_back(iterator.name);
  record.handles.assign(handles.begin(), handles.end());
  for (VariableId v : updated) record.names.push_back(c.variable(v).name);
  record.modes = modes;
  return record;
}

}  // namespace

void lower_parallel(Context& c, const Stmt& s) {
  std::vector<SymbolId> index_symbols;
  std::vector<Domain> domains;
  for (const Iterator& iterator : s.iterators) {
    index_symbols.push_back(c.declared(iterator.id));
    domains.push_back(domain_of(c, iterator));
  }
  std::vector<VariableId> updated;
  std::vector<Mode> modes;
  for (const auto& [id, use] : uses_in(c, index_symbols, s.body)) {
    std::optional<Mode> mode = mode_of(c, c.variable(id), use);
    if (!mode) continue;
    updated.push_back(id);
    modes.push_back(*mode);
  }
  auto body = [&](std::span<const Value> indices, std::span<const Value> handles) {
    ParallelLoop record = open_record(c, s, indices, handles, updated, modes);
    Swap kernel(c.kernel, true);
    Swap recording(c.loop, &record);
    install_handles(c, updated, handles, modes);
    for (size_t i = 0; i < s.iterators.size(); ++i) bind_index(c, s.iterators[i], indices[i]);
    Sequential iteration{.s = s, .body = sequence(s.body), .scope = {}, .carried = {}};
    if (needs_live(iteration.body)) iteration.scope.live = new_variable(c, "", bool_type());
    lower_body(c, iteration);
    check_access_modes(c.program, c.ir().procedure(), record, c.diagnostics);
  };
  std::vector<Value> before = currents(c, updated);
  remove_handles(c, updated, c.ir().loop(std::move(domains), std::move(before), modes, body));
}

}  // namespace adjoule::lowering
