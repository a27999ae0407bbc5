// Copying operations between procedures (clone.hpp).
#include "ir/clone.hpp"

namespace adjoule::ir {
namespace {

BlockId clone_block(Builder& builder, const Procedure& source, BlockId id, ValueMap& map) {
  const Block& from = source.block(id);
  BlockId to = builder.new_block();
  for (Value v : from.arguments) {
    const ValueInfo& info = source.values[static_cast<size_t>(v)];
    map[static_cast<size_t>(v)] = builder.argument(to, info.type, info.name, info.handle);
  }
  BlockId previous = builder.enter(to);
  for (OpId op : from.ops) clone_op(builder, source, op, map);
  builder.enter(previous);
  std::vector<Value> yields;
  for (Value v : from.yields) yields.push_back(map[static_cast<size_t>(v)]);
  builder.yield(to, std::move(yields));
  return to;
}

}  // namespace

Op clone_header(const Op& op, const ValueMap& map) {
  Op copy = op;
  copy.results.clear();
  copy.blocks.clear();
  for (Value& v : copy.operands) v = map[static_cast<size_t>(v)];
  return copy;
}

void clone_op(Builder& builder, const Procedure& source, OpId id, ValueMap& map) {
  const Op& op = source.op(id);
  Op copy = clone_header(op, map);
  for (BlockId block : op.blocks) copy.blocks.push_back(clone_block(builder, source, block, map));
  std::vector<Type> types;
  for (Value v : op.results) types.push_back(source.type(v));
  Span outer = builder.span();
  builder.set_span(op.span);
  OpId made = builder.append(std::move(copy), types);
  builder.set_span(outer);
  for (size_t k = 0; k < op.results.size(); ++k) {
    Value v = builder.procedure().op(made).results[k];
    builder.name(v, source.values[static_cast<size_t>(op.results[k])].name);
    map[static_cast<size_t>(op.results[k])] = v;
  }
}

std::vector<Value> inline_call(Builder& builder, const Procedure& callee, std::span<const Value> inputs) {
  ValueMap map(callee.values.size(), no_value);
  for (size_t k = 0; k < inputs.size(); ++k) map[static_cast<size_t>(callee.inputs()[k])] = inputs[k];
  for (OpId op : callee.block(callee.body).ops) clone_op(builder, callee, op, map);
  std::vector<Value> outputs;
  for (Value v : callee.outputs()) outputs.push_back(map[static_cast<size_t>(v)]);
  return outputs;
}

}  // namespace adjoule::ir
