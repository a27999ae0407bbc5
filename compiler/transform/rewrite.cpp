#include "transform/rewrite.hpp"

#include <stdexcept>

namespace adjoule::transform {

using ir::no_value;
using ir::Value;

Rewriter::Rewriter(const ir::Procedure& from) : from_(from), map_(from.values.size(), no_value) {
  to_.name = from.name;
  to_.consumed = from.consumed;
  to_.values.reserve(from.values.size());
  to_.ops.reserve(from.ops.size());
  to_.body = current_ = new_block();
  for (Value input : from.inputs()) block().arguments.push_back(rename(input));
}

Value Rewriter::map(Value old) const {
  const Value v = map_[static_cast<size_t>(old)];
  if (v == no_value)
    throw std::logic_error(from_.name + ": a transform used value %" + std::to_string(old) + " before its definition");
  return v;
}

std::vector<Value> Rewriter::maps(const std::vector<Value>& olds) const {
  std::vector<Value> values;
  values.reserve(olds.size());
  for (Value v : olds) values.push_back(map(v));
  return values;
}

Value Rewriter::fresh(ir::ValueInfo info) {
  to_.values.push_back(std::move(info));
  return static_cast<Value>(to_.values.size() - 1);
}

Value Rewriter::rename(Value old) {
  const Value v = fresh(from_.values[static_cast<size_t>(old)]);
  bind(old, v);
  return v;
}

ir::BlockId Rewriter::new_block() {
  to_.blocks.emplace_back();
  return static_cast<ir::BlockId>(to_.blocks.size() - 1);
}

ir::BlockId Rewriter::enter(ir::BlockId block) {
  const ir::BlockId before = current_;
  current_ = block;
  return before;
}

Value Rewriter::argument(ir::BlockId block, ir::ValueInfo info) {
  const Value v = fresh(std::move(info));
  to_.blocks[static_cast<size_t>(block)].arguments.push_back(v);
  return v;
}

void Rewriter::append(ir::Op op) {
  to_.ops.push_back(std::move(op));
  block().ops.push_back(static_cast<ir::OpId>(to_.ops.size() - 1));
}

Value Rewriter::emit(ir::Op op, Type type, std::string name) {
  const Value v = fresh({.type = std::move(type), .name = std::move(name)});
  op.results = {v};
  append(std::move(op));
  return v;
}

ir::Op Rewriter::header(const ir::Op& old) {
  ir::Op op;
  op.code = old.code;
  op.span = old.span;
  op.integer = old.integer;
  op.real = old.real;
  op.space = old.space;
  op.reduction = old.reduction;
  op.domains = old.domains;
  op.modes = old.modes;
  return op;
}

void Rewriter::copy(ir::OpId old, const Hook& hook) {
  const ir::Op& source = from_.op(old);
  ir::Op op = header(source);
  op.operands = maps(source.operands);
  for (ir::BlockId b : source.blocks) op.blocks.push_back(copy_block(b, hook));
  for (Value r : source.results) op.results.push_back(rename(r));
  append(std::move(op));
}

void Rewriter::copy_ops(ir::BlockId old, const Hook& hook) {
  for (ir::OpId o : from_.block(old).ops)
    if (!hook || !hook(o)) copy(o, hook);
}

ir::BlockId Rewriter::copy_block(ir::BlockId old, const Hook& hook) {
  const ir::BlockId fresh_block = new_block();
  const ir::BlockId before = enter(fresh_block);
  for (Value a : from_.block(old).arguments) {
    const Value v = rename(a);  // may move to_.values, so before touching the block
    block().arguments.push_back(v);
  }
  copy_ops(old, hook);
  yield(maps(from_.block(old).yields));
  enter(before);
  return fresh_block;
}

}  // namespace adjoule::transform
