// Whole programs as source: declarations of the original, gradients as states, both sweeps in `init`.
#include <algorithm>
#include <string>

#include "ir/builder.hpp"
#include "ir/clone.hpp"
#include "lifting/lift.hpp"
#include "lifting/writer.hpp"
#include "syntax/print.hpp"
#include "transform/transform.hpp"

namespace adjoule::lifting {
namespace {

/// The declarations that both sweeps need: sizes, spaces, constants (extents and defaults use them), params and inputs.
std::string declarations(const syntax::Program& source) {
  syntax::Program kept;
  kept.sizes = source.sizes;
  kept.spaces = source.spaces;
  kept.consts = source.consts;
  for (const syntax::FieldItem& field : source.fields)
    if (field.role != FieldRole::state) kept.fields.push_back(field);
  kept.id_count = source.id_count;
  return syntax::print(kept);
}

std::string declaration(const Writer& w, const char* role, const std::string& name, const Type& type, const char* value) {
  return std::string(role) + " " + name + spaces_text(w, type) + ": " + type_text(w, type) + value + ";\n";
}

struct Composition {
  ir::Builder builder;
  std::vector<Value> globals;
  std::vector<Value> states;
};

/// Inputs: the globals. The states start at their defaults, or 0, and go through init.
Composition begin(const ir::Program& program, const std::string& name) {
  Composition c{ir::Builder(program, name), {}, {}};
  for (const ir::FieldInfo& field : program.fields)
    if (field.role != FieldRole::state) c.globals.push_back(c.builder.input(field.type, field.name));
  return c;
}

void default_states(Composition& c, const ir::Program& program) {
  for (const ir::FieldInfo& field : program.fields) {
    if (field.role != FieldRole::state) continue;
    Value value = field.default_procedure < 0 ? c.builder.zero(value_of(field.type))
                                              : ir::inline_call(c.builder, program.defaults[at(field.default_procedure)], {})[0];
    c.states.push_back(field.type.field ? c.builder.emit(Opcode::fill, {value}, field.type) : value);
    c.builder.name(c.states.back(), field.name);
  }
}

std::vector<Value> joined(std::initializer_list<std::vector<Value>> lists) {
  std::vector<Value> all;
  for (const std::vector<Value>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Value zero_field(ir::Builder& b, const ir::FieldInfo& field) {
  Value v = b.zero(field.type);
  b.name(v, field.name + "_bar");
  return v;
}

/// The name of a derivative: x_bar, and x_bar2 in the adjoint of a program that has an x_bar itself.
std::string derivative_name(const ir::Program& program, const std::string& field, const std::string& suffix) {
  auto exists = [&](const std::string& name) {
    return std::any_of(program.fields.begin(), program.fields.end(), [&](const ir::FieldInfo& f) { return f.name == name; });
  };
  std::string name = field + suffix;
  for (int order = 2; exists(name); ++order) name = field + suffix + std::to_string(order);
  return name;
}

/// Writes the composed procedure, tidied and planned, as the body of init.
std::string init_text(const syntax::Program& source, const ir::Program& program, ir::Procedure procedure,
                      const std::vector<std::string>& outputs) {
  std::vector<std::string> constants;
  for (const syntax::ConstItem& constant : source.consts) constants.push_back(constant.name);
  ir::Procedure tidy = transform::finish(program, procedure);
  ir::Procedure planned = transform::plan_buffers(program, tidy);
  return "\ninit {\n" + statements(program, planned, outputs, constants) + "}\n";
}

}  // namespace

std::string adjoint_source(const syntax::Program& source, const ir::Program& program, const adjoint::GradientPlan& plan) {
  Composition c = begin(program, "adjoint");
  ir::Builder& b = c.builder;
  default_states(c, program);
  Value zero = b.constant(int32_t{0}), steps = b.emit(Opcode::steps, {}, int_type());
  if (!program.has_step) steps = zero;
  std::vector<Value> initial = c.states;
  std::vector<Value> started = ir::inline_call(b, program.init, joined({c.globals, initial, {zero}}));
  std::vector<Value> stacks;
  for (int k : plan.kept_states) {
    const ir::FieldInfo& field = program.fields[at(plan.state_fields[at(k)])];
    stacks.push_back(b.stack_new(field.type));
    b.name(stacks.back(), field.name + "_h");
  }
  std::vector<Value> last = ir::inline_call(b, plan.advance_keeping, joined({c.globals, started, {zero, steps}, stacks}));
  std::vector<Value> global_bars, all_bars;
  for (int k : plan.active_globals) global_bars.push_back(zero_field(b, program.fields[at(plan.global_fields[at(k)])]));
  all_bars = ir::inline_call(b, plan.loss_adjoint, joined({c.globals, last, {steps, b.constant(1.0)}, global_bars}));
  all_bars = ir::inline_call(b, plan.reverse_steps, joined({c.globals, {zero, steps}, stacks, all_bars}));
  std::vector<Value> state_bars(all_bars.begin(), all_bars.begin() + static_cast<std::ptrdiff_t>(plan.active_states.size()));
  std::vector<Value> totals = ir::inline_call(b, plan.init_adjoint, joined({c.globals, initial, {zero}, all_bars}));

  Writer w(program, program.init);
  std::vector<Value> outputs;
  std::vector<std::string> names;
  std::string text = declarations(source);
  for (int field_index : plan.wrt) {
    const ir::FieldInfo& field = program.fields[at(field_index)];
    names.push_back(derivative_name(program, field.name, "_bar"));
    text += declaration(w, "state", names.back(), field.type, field.type.is_array() || value_of(field.type).is_array() ? "" : " = 0");
    auto position = [&](const std::vector<int>& fields, const std::vector<int>& active) {
      for (size_t k = 0; k < active.size(); ++k)
        if (fields[at(active[k])] == field_index) return static_cast<int>(k);
      return -1;
    };
    bool state = field.role == FieldRole::state;
    int k = state ? position(plan.state_fields, plan.active_states) : position(plan.global_fields, plan.active_globals);
    outputs.push_back(k < 0 ? b.zero(field.type) : state ? state_bars[at(k)] : totals[at(k)]);
  }
  b.set_outputs(outputs);
  return text + init_text(source, program, b.take(), names);
}

std::string tangent_source(const syntax::Program& source, const ir::Program& program, const adjoint::TangentPlan& plan) {
  Composition c = begin(program, "tangent");
  ir::Builder& b = c.builder;
  Writer w(program, program.init);
  std::string text = declarations(source);
  std::vector<Value> global_dots;
  for (int k : plan.active_globals) {
    const ir::FieldInfo& field = program.fields[at(plan.global_fields[at(k)])];
    std::string name = derivative_name(program, field.name, "_dot");
    global_dots.push_back(b.input(field.type, name));
    text += declaration(w, "input", name, field.type, "");
  }
  default_states(c, program);
  Value zero = b.constant(int32_t{0}), steps = b.emit(Opcode::steps, {}, int_type());
  if (!program.has_step) steps = zero;
  std::vector<Value> all = ir::inline_call(b, plan.init, joined({c.globals, c.states, {zero}, global_dots}));
  auto split = static_cast<std::ptrdiff_t>(c.states.size());
  std::vector<Value> states(all.begin(), all.begin() + split), dots(all.begin() + split, all.end());
  all = ir::inline_call(b, plan.advance, joined({c.globals, states, {zero, steps}, global_dots, dots}));
  states.assign(all.begin(), all.begin() + split);
  dots.assign(all.begin() + split, all.end());
  std::vector<Value> result = ir::inline_call(b, plan.loss, joined({c.globals, states, {steps}, global_dots, dots}));
  std::vector<std::string> outputs{derivative_name(program, "loss", "_value"), derivative_name(program, "loss", "_dot")};
  for (const std::string& output : outputs) text += "state " + output + ": real = 0;\n";
  b.set_outputs(result);
  return text + init_text(source, program, b.take(), outputs);
}

}  // namespace adjoule::lifting
