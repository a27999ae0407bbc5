// Calls: functions and procs are inlined, each call in a frame of its own; constructors, references and conversions.
#include "lowering/constants.hpp"
#include "lowering/expressions.hpp"
#include "lowering/statements.hpp"

namespace adjoule::lowering {
namespace {

using ir::Opcode;
using semantics::CalleeKind;

/// A field parameter is another name of the caller's field, and its abstract spaces are the field's own.
void bind_field(Context& c, const syntax::Parameter& parameter, const Expr& arg, Frame& frame) {
  SymbolId symbol = c.declared(parameter.id);
  Binding binding = lookup(c, c.info(arg).symbol);
  if (binding.kind == BindingKind::none) binding = {.kind = BindingKind::value, .value = lower_expression(c, arg)};
  frame.names[symbol] = binding;
  const Type& type = binding.kind == BindingKind::variable ? c.variable(binding.variable).type : c.type(binding.value);
  const std::vector<SpaceId>& abstract = c.symbol(symbol).type.spaces;
  for (size_t i = 0; i < abstract.size() && i < type.spaces.size(); ++i) {
    if (abstract[i] >= semantics::first_abstract_space) frame.spaces[abstract[i]] = type.spaces[i];
  }
}

Frame bind_parameters(Context& c, const std::vector<syntax::Parameter>& parameters, std::span<const Expr> args) {
  Frame frame;
  for (size_t i = 0; i < parameters.size() && i < args.size(); ++i) {
    const syntax::Parameter& parameter = parameters[i];
    SymbolId symbol = c.declared(parameter.id);
    if (!parameter.spaces.empty()) {
      bind_field(c, parameter, args[i], frame);
    } else if (c.symbol(symbol).kind == semantics::SymbolKind::function_parameter) {
      frame.names[symbol] = lookup(c, c.info(args[i]).symbol);
    } else {
      Value v = lower_as(c, args[i], c.symbol(symbol).type);
      give_name(c, v, parameter.name);
      frame.names[symbol] = {.kind = BindingKind::value, .value = v};
    }
  }
  return frame;
}

Value call_function(Context& c, const Expr& e) {
  Binding callee = lookup(c, c.info(e).symbol);
  if (callee.kind != BindingKind::function)
    return unsupported(c, e.span, "this function is not known here", c.info(e).type);
  size_t index = static_cast<size_t>(c.symbol(callee.function).index);
  const syntax::FunctionItem& function = c.ast().functions[index];
  Frame frame = bind_parameters(c, function.parameters, std::span(e.args).subspan(1));
  Swap inside(c.frame, &frame);
  Swap kernel(c.kernel, true);
  Swap<JumpScope*> jumps(c.jumps, nullptr);
  return lower_returning(c, function.body, actual_type(c, c.checked.function_results[index]));
}

/// vec3(x, y, z), mat2(…): components; one argument fills them all; vectors and smaller parts are taken apart.
Value construct(Context& c, const Expr& e) {
  Type type = actual_type(c, c.info(e).type);
  std::vector<Value> components;
  for (const Expr& arg : std::span(e.args).subspan(1)) {
    Value v = lower_expression(c, arg);
    Type have = c.type(v);
    if (have == type && e.args.size() == 2) return v;
    if (!have.is_vector() && !have.is_matrix()) {
      components.push_back(to_real(c, v));
      continue;
    }
    for (int32_t i = 0; i < have.element_scalars(); ++i) components.push_back(c.ir().extract(v, i));
  }
  if (components.size() == 1 && type.element_scalars() > 1) return coerce(c, components[0], type);
  return c.ir().emit(Opcode::pack, std::move(components), type);
}

/// Particle(i), Node(i, j), time(k).
Value construct_reference(Context& c, const Expr& e) {
  SpaceId space = actual_space(c, c.info(e).type.space);
  std::vector<Value> coordinates;
  for (const Expr& arg : std::span(e.args).subspan(1)) coordinates.push_back(lower_expression(c, arg));
  if (!c.program.spaces[static_cast<size_t>(space)].grid) check_index(c, coordinates[0], space);
  return c.ir().make_reference(space, std::move(coordinates));
}

Value convert(Context& c, const Expr& e) {
  Value v = lower_expression(c, e.args[1]);
  bool to_int = c.info(e).type.element == Element::integer;
  if (c.type(v).is_bool()) {
    v = c.ir().emit(Opcode::select, {v, int_constant(c, 1), int_constant(c, 0)});
    return to_int ? v : to_real(c, v);
  }
  if (!to_int) return to_real(c, v);
  return c.type(v).is_real() ? c.ir().emit(Opcode::real_to_int, {v}) : v;
}

/// The stack of s.push(e), s.pop().
Value stack_of_call(Context& c, const Expr& e) { return lower_expression(c, e.args[0].args[0]); }

Value push(Context& c, const Expr& e) {
  Value stack = stack_of_call(c, e);
  Value v = lower_as(c, e.args[1], popped(c.type(stack)));
  c.ir().push(stack, v);
  return v;
}

}  // namespace

Value lower_call(Context& c, const Expr& e) {
  const semantics::ExprInfo& info = c.info(e);
  switch (info.callee) {
    case CalleeKind::function: return call_function(c, e);
    case CalleeKind::builtin: return lower_builtin(c, e, info.builtin);
    case CalleeKind::constructor: return construct(c, e);
    case CalleeKind::reference: return construct_reference(c, e);
    case CalleeKind::conversion: return convert(c, e);
    case CalleeKind::stack_push: return push(c, e);
    case CalleeKind::stack_pop: return c.ir().pop(stack_of_call(c, e));
    case CalleeKind::none:
    case CalleeKind::proc:
    case CalleeKind::region: break;
  }
  return unsupported(c, e.span, "this call gives no value", info.type);
}

void call_proc(Context& c, const Expr& e) {
  const syntax::ProcItem& proc = c.ast().procs[static_cast<size_t>(c.symbol(c.info(e).symbol).index)];
  Frame frame = bind_parameters(c, proc.parameters, std::span(e.args).subspan(1));
  Swap inside(c.frame, &frame);
  Swap<JumpScope*> jumps(c.jumps, nullptr);
  lower_sequence(c, sequence(proc.body));
}

}  // namespace adjoule::lowering
