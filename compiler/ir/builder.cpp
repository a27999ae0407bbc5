// Building procedures (builder.hpp). The arenas may move while a callback fills a nested block, so nothing here holds a
// reference into them across a callback.
#include "ir/builder.hpp"

#include <utility>

#include "ir/op_table.hpp"

namespace adjoule::ir {
namespace {

size_t at(int32_t id) { return static_cast<size_t>(id); }

void join(std::vector<Value>& to, const std::vector<Value>& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace

Builder::Builder(const Program& program, std::string name) : program_(program) {
  procedure_.name = std::move(name);
  procedure_.body = new_block();
  current_ = procedure_.body;
}

Procedure Builder::take() { return std::move(procedure_); }

Value Builder::new_value(Type type, std::string name, bool handle) {
  procedure_.values.push_back({std::move(type), std::move(name), handle});
  return static_cast<Value>(procedure_.values.size() - 1);
}

Value Builder::input(Type type, std::string name) {
  return argument(procedure_.body, std::move(type), std::move(name));
}

void Builder::set_outputs(std::vector<Value> outputs) { yield(procedure_.body, std::move(outputs)); }

// --- blocks

BlockId Builder::new_block() {
  procedure_.blocks.emplace_back();
  return static_cast<BlockId>(procedure_.blocks.size() - 1);
}

Value Builder::argument(BlockId block, Type type, std::string name, bool handle) {
  Value v = new_value(std::move(type), std::move(name), handle);
  procedure_.blocks[at(block)].arguments.push_back(v);
  return v;
}

BlockId Builder::enter(BlockId block) { return std::exchange(current_, block); }

void Builder::yield(BlockId block, std::vector<Value> values) {
  procedure_.blocks[at(block)].yields = std::move(values);
}

// --- the general case

OpId Builder::append(Op op, std::span<const Type> result_types) {
  if (!op.span.known()) op.span = span_;
  op.results.clear();
  for (const Type& type : result_types) op.results.push_back(new_value(type));
  procedure_.ops.push_back(std::move(op));
  OpId id = static_cast<OpId>(procedure_.ops.size() - 1);
  procedure_.blocks[at(current_)].ops.push_back(id);
  return id;
}

namespace {

/// Appends an operation with one result of type `result`.
Value append_one(Builder& builder, Op op, const Type& result) {
  OpId id = builder.append(std::move(op), std::span(&result, 1));
  return builder.procedure().op(id).results.front();
}

/// Appends an operation with one result whose type its operands tell.
Value append_inferred(Builder& builder, Op op) {
  Type result = infer_type(builder.program(), builder.procedure(), op);
  return append_one(builder, std::move(op), result);
}

}  // namespace

Value Builder::emit(Opcode code, std::vector<Value> operands) {
  return append_inferred(*this, {.code = code, .operands = std::move(operands)});
}

Value Builder::emit(Opcode code, std::vector<Value> operands, Type result) {
  return append_one(*this, {.code = code, .operands = std::move(operands)}, result);
}

void Builder::effect(Opcode code, std::vector<Value> operands) {
  append({.code = code, .operands = std::move(operands)}, {});
}

// --- shorthands

Value Builder::constant(bool b) { return append_one(*this, {.code = Opcode::constant, .integer = b}, bool_type()); }
Value Builder::constant(int32_t i) { return append_one(*this, {.code = Opcode::constant, .integer = i}, int_type()); }
Value Builder::constant(double r) { return append_one(*this, {.code = Opcode::constant, .real = r}, real_type()); }

Value Builder::zero(const Type& type) {
  if (type.is_bool()) return constant(false);
  if (type.is_int()) return constant(int32_t{0});
  if (type.is_real()) return constant(0.0);
  if (type.field) return emit(Opcode::fill, {zero(value_of(type))}, type);
  return emit(Opcode::zero, {}, type);
}

Value Builder::like(Value shape, double r) {
  Type type = this->type(shape);  // a copy: the arena moves
  return splat(constant(r), type);
}

Value Builder::splat(Value scalar, const Type& type) {
  return type.is_real() ? scalar : emit(Opcode::splat, {scalar}, type);
}

Value Builder::power_constant(Value a, double exponent) {
  return append_inferred(*this, {.code = Opcode::power_constant, .operands = {a}, .real = exponent});
}

Value Builder::extract(Value v, int64_t i) {
  return append_inferred(*this, {.code = Opcode::extract, .operands = {v}, .integer = i});
}

Value Builder::insert(Value v, int64_t i, Value c) {
  return append_inferred(*this, {.code = Opcode::insert, .operands = {v, c}, .integer = i});
}

Value Builder::load(Value field, std::vector<Value> indices) {
  indices.insert(indices.begin(), field);
  return emit(Opcode::load, std::move(indices));
}

void Builder::store(Value handle, std::vector<Value> indices, Value v) {
  indices.insert(indices.begin(), handle);
  indices.push_back(v);
  effect(Opcode::store, std::move(indices));
}

void Builder::reduce(Value handle, std::vector<Value> indices, Value v, Reduction reduction) {
  indices.insert(indices.begin(), handle);
  indices.push_back(v);
  append({.code = Opcode::reduce, .operands = std::move(indices), .reduction = reduction}, {});
}

Value Builder::coordinate(Value reference, int axis) {
  return append_inferred(*this, {.code = Opcode::coordinate, .operands = {reference}, .integer = axis});
}

Value Builder::make_reference(SpaceId space, std::vector<Value> coordinates) {
  return append_inferred(*this, {.code = Opcode::make_reference, .operands = std::move(coordinates), .space = space});
}

Value Builder::extent(SpaceId space, int axis) {
  return append_inferred(*this, {.code = Opcode::extent, .integer = axis, .space = space});
}

Value Builder::stack_new(Type held) { return emit(Opcode::stack_new, {}, stack_of(std::move(held))); }

Value Builder::pop(Value stack) { return emit(Opcode::pop, {stack}); }

// --- structured control flow

namespace {

std::vector<Type> types_of(const Builder& builder, const std::vector<Value>& values) {
  std::vector<Type> types;
  for (Value v : values) types.push_back(builder.type(v));
  return types;
}

std::vector<Value> append_all(Builder& builder, Op op, const std::vector<Type>& types) {
  OpId id = builder.append(std::move(op), types);
  return builder.procedure().op(id).results;
}

std::vector<Value> arguments(Builder& builder, BlockId block, const std::vector<Type>& types, bool handle = false) {
  std::vector<Value> values;
  for (const Type& type : types) values.push_back(builder.argument(block, type, "", handle));
  return values;
}

std::vector<Value> index_arguments(Builder& builder, BlockId block, const std::vector<Domain>& domains) {
  std::vector<Value> values;
  for (const Domain& domain : domains) {
    Type type = domain.space == no_space ? int_type() : reference_type(domain.space);
    values.push_back(builder.argument(block, std::move(type)));
  }
  return values;
}

/// Runs `fill` with `block` as the current one; what it returns becomes the block's yields.
template <class Fill>
void fill_block(Builder& builder, BlockId block, Fill fill) {
  BlockId outer = builder.enter(block);
  std::vector<Value> yields = fill();
  builder.yield(block, std::move(yields));
  builder.enter(outer);
}

}  // namespace

std::vector<Value> Builder::if_(Value condition, const std::function<Yields()>& then,
                                const std::function<Yields()>& otherwise) {
  Op op{.code = Opcode::if_, .span = span_, .operands = {condition}, .blocks = {new_block(), new_block()}};
  fill_block(*this, op.blocks[0], then);
  fill_block(*this, op.blocks[1], otherwise);
  std::vector<Type> types = types_of(*this, procedure_.block(op.blocks[0]).yields);
  return append_all(*this, std::move(op), types);
}

std::vector<Value> Builder::for_(Domain domain, std::vector<Value> bounds, std::vector<Value> initial,
                                 const std::function<Yields(Value, std::span<const Value>)>& body) {
  Op op{
      .code = Opcode::for_, .span = span_, .operands = std::move(bounds), .blocks = {new_block()}, .domains = {domain}};
  join(op.operands, initial);
  std::vector<Type> types = types_of(*this, initial);
  Value index = index_arguments(*this, op.blocks[0], op.domains).front();
  std::vector<Value> carried = arguments(*this, op.blocks[0], types);
  fill_block(*this, op.blocks[0], [&] { return body(index, carried); });
  return append_all(*this, std::move(op), types);
}

std::vector<Value> Builder::while_(std::vector<Value> initial,
                                   const std::function<Value(std::span<const Value>)>& condition,
                                   const std::function<Yields(std::span<const Value>)>& body) {
  Op op{.code = Opcode::while_, .span = span_, .operands = std::move(initial), .blocks = {new_block(), new_block()}};
  std::vector<Type> types = types_of(*this, op.operands);
  std::vector<Value> tested = arguments(*this, op.blocks[0], types);
  fill_block(*this, op.blocks[0], [&] { return Yields{condition(tested)}; });
  std::vector<Value> carried = arguments(*this, op.blocks[1], types);
  fill_block(*this, op.blocks[1], [&] { return body(carried); });
  return append_all(*this, std::move(op), types);
}

std::vector<Value> Builder::loop(std::vector<Domain> domains, std::vector<Value> updated, std::vector<Mode> modes,
                                 const std::function<void(std::span<const Value>, std::span<const Value>)>& body) {
  Op op{.code = Opcode::loop,
        .span = span_,
        .operands = std::move(updated),
        .blocks = {new_block()},
        .domains = std::move(domains),
        .modes = std::move(modes)};
  std::vector<Type> types = types_of(*this, op.operands);
  std::vector<Value> indices = index_arguments(*this, op.blocks[0], op.domains);
  std::vector<Value> handles = arguments(*this, op.blocks[0], types, true);
  fill_block(*this, op.blocks[0], [&] { return body(indices, handles), Yields{}; });
  return append_all(*this, std::move(op), types);
}

std::vector<Value> Builder::serial(
    std::vector<Domain> domains, std::vector<Value> bounds, std::vector<Value> fields, std::vector<Value> carried,
    const std::function<Yields(std::span<const Value>, std::span<const Value>, std::span<const Value>)>& body) {
  Op op{.code = Opcode::serial,
        .span = span_,
        .operands = std::move(bounds),
        .blocks = {new_block()},
        .domains = std::move(domains),
        .modes = std::vector<Mode>(fields.size(), Mode::any)};
  join(op.operands, fields);
  join(op.operands, carried);
  std::vector<Type> types = types_of(*this, fields), carried_types = types_of(*this, carried);
  std::vector<Value> indices = index_arguments(*this, op.blocks[0], op.domains);
  std::vector<Value> handles = arguments(*this, op.blocks[0], types, true);
  std::vector<Value> inside = arguments(*this, op.blocks[0], carried_types);
  fill_block(*this, op.blocks[0], [&] { return body(indices, handles, inside); });
  types.insert(types.end(), carried_types.begin(), carried_types.end());
  return append_all(*this, std::move(op), types);
}

}  // namespace adjoule::ir
