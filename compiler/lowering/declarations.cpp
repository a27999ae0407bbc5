// The program's tables and procedures: sizes, spaces, fields, and one IR procedure for each piece of code.
#include <algorithm>

#include "lowering/expressions.hpp"
#include "lowering/lower.hpp"
#include "lowering/statements.hpp"

namespace adjoule::lowering {
namespace {

void lower_tables(const semantics::CheckedProgram& checked, ir::Program& program) {
  for (const syntax::SizeItem& size : checked.ast->sizes) {
    program.sizes.push_back({size.name, size.name_span, size.value.has_value()});
  }
  for (const semantics::SpaceEntry& space : checked.spaces) {
    program.spaces.push_back({space.name, space.span, space.grid, space.dims, space.open, space.boundary});
  }
  for (size_t i = 0; i < checked.ast->fields.size(); ++i) {
    const syntax::FieldItem& field = checked.ast->fields[i];
    program.fields.push_back({field.name, field.name_span, field.role, checked.field_types[i]});
  }
  if (!program.spaces.empty()) program.spaces[time_space].open = true;
}

/// One procedure under construction: a context with an empty frame.
struct Construction {
  ir::Builder builder;
  Frame frame;
  Context context;

  Construction(const semantics::CheckedProgram& checked, ir::Program& program, Diagnostics& diagnostics,
               std::string name)
      : builder(program, std::move(name)), context{.checked = checked, .diagnostics = diagnostics, .program = program} {
    context.builder = &builder;
    context.frame = &frame;
  }
  Construction(const Construction&) = delete;
  Construction& operator=(const Construction&) = delete;
};

struct Lowering {
  const semantics::CheckedProgram& checked;
  ir::Program& program;
  Diagnostics& diagnostics;
};

ir::Procedure size_defaults(Lowering& l) {
  Construction made(l.checked, l.program, l.diagnostics, "size_defaults");
  std::vector<Value> outputs;
  for (const syntax::SizeItem& size : l.checked.ast->sizes) {
    if (size.value) outputs.push_back(lower_as(made.context, *size.value, int_type()));
  }
  made.builder.set_outputs(outputs);
  return made.builder.take();
}

ir::Procedure extents(Lowering& l) {
  Construction made(l.checked, l.program, l.diagnostics, "extents");
  std::vector<Value> outputs;
  for (const semantics::SpaceEntry& space : l.checked.spaces) {
    if (space.open || space.ast_index < 0) continue;
    for (const Expr& extent : l.checked.ast->spaces[static_cast<size_t>(space.ast_index)].extents) {
      outputs.push_back(lower_as(made.context, extent, int_type()));
    }
  }
  made.builder.set_outputs(outputs);
  return made.builder.take();
}

void lower_defaults(Lowering& l) {
  for (size_t i = 0; i < l.program.fields.size(); ++i) {
    const syntax::FieldItem& item = l.checked.ast->fields[i];
    if (!item.value) continue;
    Construction made(l.checked, l.program, l.diagnostics, "default " + item.name);
    Value v = lower_as(made.context, *item.value, value_of(l.program.fields[i].type));
    made.builder.set_outputs({for_storage(made.context, v)});
    l.program.fields[i].default_procedure = static_cast<int>(l.program.defaults.size());
    l.program.defaults.push_back(made.builder.take());
  }
}

/// Makes the fields of one kind the next inputs of the procedure; returns their variables.
std::vector<VariableId> add_inputs(Construction& made, bool states) {
  std::vector<VariableId> added;
  const std::vector<ir::FieldInfo>& fields = made.context.program.fields;
  made.context.field_variables.resize(fields.size(), no_variable);
  for (size_t i = 0; i < fields.size(); ++i) {
    if ((fields[i].role == FieldRole::state) != states) continue;
    Value v = made.builder.input(fields[i].type, fields[i].name);
    made.context.field_variables[i] = new_variable(made.context, fields[i].name, fields[i].type, v);
    added.push_back(made.context.field_variables[i]);
  }
  return added;
}

/// The inputs that init, step and losses share; returns the variables of the states.
std::vector<VariableId> add_signature(Construction& made) {
  add_inputs(made, false);
  std::vector<VariableId> states = add_inputs(made, true);
  made.context.now = made.builder.input(int_type(), "now");
  return states;
}

/// init or step: from states to states. `assigned` learns which states the code assigns on some path.
ir::Procedure advance(Lowering& l, const std::string& name, const std::vector<syntax::EntryItem>& entries,
                      std::vector<bool>* assigned) {
  Construction made(l.checked, l.program, l.diagnostics, name);
  std::vector<VariableId> states = add_signature(made);
  made.context.step_entry = name == "step";
  for (const syntax::EntryItem& entry : entries) {
    Sequence body = sequence(entry.body);
    Effects effects = effects_of(made.context, body);
    for (size_t i = 0; assigned && i < made.context.field_variables.size(); ++i) {
      if (effects.assigned.contains(made.context.field_variables[i])) (*assigned)[i] = true;
    }
    lower_sequence(made.context, body);
  }
  made.builder.set_outputs(currents(made.context, states));
  return made.builder.take();
}

ir::Procedure loss(Lowering& l, const syntax::EntryItem& entry) {
  Construction made(l.checked, l.program, l.diagnostics, entry.name.empty() ? "loss" : entry.name);
  add_signature(made);
  made.builder.set_outputs({lower_returning(made.context, entry.body, real_type())});
  return made.builder.take();
}

}  // namespace

std::optional<ir::Program> lower(const semantics::CheckedProgram& checked, Diagnostics& diagnostics) {
  ir::Program program;
  lower_tables(checked, program);
  Lowering l{checked, program, diagnostics};
  program.size_defaults = size_defaults(l);
  program.extents = extents(l);
  lower_defaults(l);
  program.set_by_init.assign(program.fields.size(), false);
  program.init = advance(l, "init", checked.ast->inits, &program.set_by_init);
  program.has_step = !checked.ast->steps.empty();
  program.step = advance(l, "step", checked.ast->steps, nullptr);
  for (const syntax::EntryItem& entry : checked.ast->losses) program.losses.push_back(loss(l, entry));
  if (diagnostics.has_errors()) return std::nullopt;
  return program;
}

}  // namespace adjoule::lowering
