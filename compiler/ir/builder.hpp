// Builds one procedure, operation after operation, at the end of the current block. Each method returns the result value.
// Types of results follow from the operands (op_table.hpp); the builder folds nothing except where a comment says so.
#pragma once
#include <functional>
#include <span>

#include "ir/ir.hpp"

namespace adjoule::ir {

class Builder {
 public:
  explicit Builder(const Program& program, std::string name);

  Procedure take();                                  // finishes: the body's yields must have been set
  Procedure& procedure() { return procedure_; }
  const Program& program() const { return program_; }
  const Type& type(Value v) const { return procedure_.type(v); }

  Value input(Type type, std::string name);          // a further argument of the body
  void set_outputs(std::vector<Value> outputs);      // yields of the body
  void name(Value v, std::string name) { procedure_.values[static_cast<size_t>(v)].name = std::move(name); }
  void set_span(Span span) { span_ = span; }         // of the operations that follow
  Span span() const { return span_; }

  // --- blocks: make one, enter it, add operations, leave
  BlockId new_block();
  Value argument(BlockId block, Type type, std::string name = "", bool handle = false);
  BlockId enter(BlockId block);                      // returns the block that was current
  BlockId current() const { return current_; }
  void yield(BlockId block, std::vector<Value> values);

  // --- the general case: result types are inferred by the op table, or given for operations that need them
  OpId append(Op op, std::span<const Type> result_types);
  Value emit(Opcode code, std::vector<Value> operands);              // one result, its type inferred
  Value emit(Opcode code, std::vector<Value> operands, Type result); // one result of that type
  void effect(Opcode code, std::vector<Value> operands);             // no result

  // --- shorthands
  Value constant(bool b);
  Value constant(int32_t i);
  Value constant(double r);
  Value zero(const Type& type);                      // constant 0 for bool, int, real; `zero` for the rest of value types;
                                                     // `fill` of zero for a field type
  Value like(Value shape, double r);                 // the constant r, splatted to the type of `shape` (real, vector, matrix)
  Value add(Value a, Value b) { return emit(Opcode::add, {a, b}); }
  Value subtract(Value a, Value b) { return emit(Opcode::subtract, {a, b}); }
  Value multiply(Value a, Value b) { return emit(Opcode::multiply, {a, b}); }
  Value divide(Value a, Value b) { return emit(Opcode::divide, {a, b}); }
  Value negate(Value a) { return emit(Opcode::negate, {a}); }
  Value splat(Value scalar, const Type& type);       // scalar itself when `type` is real
  Value power_constant(Value a, double exponent);
  Value extract(Value v, int64_t i);
  Value insert(Value v, int64_t i, Value c);
  Value load(Value field, std::vector<Value> indices);
  void store(Value handle, std::vector<Value> indices, Value v);
  void reduce(Value handle, std::vector<Value> indices, Value v, Reduction reduction = Reduction::add);
  Value coordinate(Value reference, int axis);
  Value make_reference(SpaceId space, std::vector<Value> coordinates);
  Value extent(SpaceId space, int axis = -1);
  Value stack_new(Type held);                        // held: value or field type
  void push(Value stack, Value v) { effect(Opcode::push, {stack, v}); }
  Value pop(Value stack);

  // --- structured control flow: the callbacks fill the blocks and return the yields
  using Yields = std::vector<Value>;
  std::vector<Value> if_(Value condition, const std::function<Yields()>& then, const std::function<Yields()>& otherwise);
  /// `bounds` = {lower, upper} for an integer range (domain.space == no_space), else empty.
  std::vector<Value> for_(Domain domain, std::vector<Value> bounds, std::vector<Value> initial,
                          const std::function<Yields(Value index, std::span<const Value> carried)>& body);
  std::vector<Value> while_(std::vector<Value> initial, const std::function<Value(std::span<const Value>)>& condition,
                            const std::function<Yields(std::span<const Value>)>& body);
  std::vector<Value> loop(std::vector<Domain> domains, std::vector<Value> updated, std::vector<Mode> modes,
                          const std::function<void(std::span<const Value> indices, std::span<const Value> handles)>& body);
  std::vector<Value> serial(std::vector<Domain> domains, std::vector<Value> bounds, std::vector<Value> fields,
                            std::vector<Value> carried,
                            const std::function<Yields(std::span<const Value> indices, std::span<const Value> handles,
                                                       std::span<const Value> carried)>& body);

 private:
  const Program& program_;
  Procedure procedure_;
  BlockId current_ = 0;
  Span span_;
  Value new_value(Type type, std::string name = "", bool handle = false);
};

}  // namespace adjoule::ir
