// Places inside of values: components, entries, array elements, elements of fields (expressions.hpp).
#include "lowering/constants.hpp"
#include "lowering/expressions.hpp"

namespace adjoule::lowering {
namespace {

using ir::Opcode;
using syntax::ExprKind;

/// One index into something of `length` elements.
Step index_step(Context& c, const Expr& e, int64_t length) {
  std::optional<int64_t> number = constant_int(c, e);
  if (number && *number >= 0 && *number < length) return {.number = *number};
  SpanScope at(c, e.span);
  Value v = lower_expression(c, e);
  check_index(c, v, no_space, length);
  return {.constant = false, .at = v};
}

Value step_value(Context& c, const Step& step) { return step.constant ? int_constant(c, step.number) : step.at; }

/// Row and column of a matrix to its row-major number.
Step matrix_step(Context& c, int size, const Expr& row, const Expr& column) {
  Step r = index_step(c, row, size), k = index_step(c, column, size);
  if (r.constant && k.constant) return {.number = r.number * size + k.number};
  Value start = c.ir().multiply(step_value(c, r), int_constant(c, size));
  return {.constant = false, .at = c.ir().add(start, step_value(c, k))};
}

/// coords(c)[k]: one coordinate, no array.
std::optional<Value> single_coordinate(Context& c, const Expr& e) {
  const Expr& base = e.args[0];
  if (base.kind != ExprKind::call || e.args.size() != 2 || base.args.size() != 2) return std::nullopt;
  if (c.info(base).callee != semantics::CalleeKind::builtin || c.info(base).builtin != "coords") return std::nullopt;
  std::optional<int64_t> axis = constant_int(c, e.args[1]);
  if (!axis) return std::nullopt;
  Value reference = lower_expression(c, base.args[1]);
  int dims = c.program.spaces[static_cast<size_t>(c.type(reference).space)].dims;
  if (*axis < 0 || *axis >= dims) return std::nullopt;
  return c.ir().coordinate(reference, static_cast<int>(*axis));
}

/// The version or handle that a name of a field stands for; no_value for anything else.
Value named_field(Context& c, const Expr& e) {
  if (e.kind != ExprKind::name) return ir::no_value;
  Binding binding = lookup(c, c.info(e).symbol);
  Value v = ir::no_value;
  if (binding.kind == BindingKind::variable && c.variable(binding.variable).type.field)
    v = current(c, binding.variable);
  if (binding.kind == BindingKind::value) v = binding.value;
  return v != ir::no_value && c.type(v).field ? v : ir::no_value;
}

}  // namespace

void check_index(Context& c, Value i, SpaceId space, int64_t length) {
  c.ir().append({.code = Opcode::check_index, .operands = {i}, .integer = length, .space = space}, {});
}

std::vector<Step> index_steps(Context& c, Type type, std::span<const Expr> indices) {
  std::vector<Step> steps;
  while (!indices.empty()) {
    if (type.is_array()) {
      steps.push_back(index_step(c, indices[0], type.array[0]));
      type = array_element(type);
      indices = indices.subspan(1);
    } else if (type.is_matrix() && indices.size() >= 2) {
      steps.push_back(matrix_step(c, type.size, indices[0], indices[1]));
      type = real_type();
      indices = indices.subspan(2);
    } else {
      steps.push_back(index_step(c, indices[0], type.is_vector() ? type.size : 1));
      type = real_type();
      indices = indices.subspan(1);
    }
  }
  return steps;
}

Value step_into(Context& c, Value v, const Step& step) {
  if (step.constant) return c.ir().extract(v, step.number);
  return c.ir().emit(Opcode::extract_at, {v, step.at});
}

Value with_replaced(Context& c, Value whole, std::span<const Step> path, Value leaf) {
  if (path.empty()) return leaf;
  Value part = path.size() == 1 ? leaf : with_replaced(c, step_into(c, whole, path[0]), path.subspan(1), leaf);
  if (path[0].constant) return c.ir().insert(whole, path[0].number, part);
  return c.ir().emit(Opcode::insert_at, {whole, path[0].at, part});
}

Value load_element(Context& c, Value field, const std::vector<Value>& indices, Span span) {
  if (c.loop && c.ir().procedure().values[static_cast<size_t>(field)].handle) {
    c.loop->accesses.push_back(
        {.handle = field, .kind = AccessKind::read, .operation = "", .indices = indices, .span = span});
  }
  return c.ir().load(field, indices);
}

Value lower_index(Context& c, const Expr& e) {
  std::span<const Expr> indices = std::span(e.args).subspan(1);
  Value field = named_field(c, e.args[0]);
  if (field != ir::no_value) {
    std::vector<Value> references;
    for (const Expr& index : indices) references.push_back(lower_expression(c, index));
    return load_element(c, field, references, e.span);
  }
  if (std::optional<Value> axis = single_coordinate(c, e)) return *axis;
  Value v = lower_expression(c, e.args[0]);
  for (const Step& step : index_steps(c, c.type(v), indices)) v = step_into(c, v, step);
  return v;
}

Value lower_member(Context& c, const Expr& e) {
  const semantics::ExprInfo& info = c.info(e);
  if (info.member == semantics::MemberKind::count) {
    SpaceId space = info.space != no_space ? info.space : c.info(e.args[0]).space;
    return c.ir().extent(actual_space(c, space));
  }
  return c.ir().extract(lower_expression(c, e.args[0]), info.component);
}

}  // namespace adjoule::lowering
