// Builds a new procedure from an old one, operation by operation, through a map of values. A pass walks the old blocks,
// lets `copy` take over what it does not change, and binds the old results of what it replaces to new values.
//     Rewriter to(old);                                   // the inputs of `old` are there and bound
//     to.copy_ops(old.body, [&](OpId o) { return mine(o) ? (replace(o), true) : false; });
//     to.yield(to.maps(old.outputs()));
//     return to.take();
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ir/ir.hpp"

namespace adjoule::transform {

/// Sees each old operation before it is copied; true: dealt with, do not copy.
using Hook = std::function<bool(ir::OpId)>;

class Rewriter {
 public:
  explicit Rewriter(const ir::Procedure& from);

  const ir::Procedure& from() const { return from_; }
  ir::Procedure& to() { return to_; }
  const ir::Procedure& to() const { return to_; }
  ir::Procedure take() { return std::move(to_); }

  // --- values
  ir::Value map(ir::Value old) const;  // what stands for it; throws std::logic_error when nothing does
  std::vector<ir::Value> maps(const std::vector<ir::Value>& olds) const;
  bool bound(ir::Value old) const { return map_[static_cast<size_t>(old)] != ir::no_value; }
  void bind(ir::Value old, ir::Value fresh) { map_[static_cast<size_t>(old)] = fresh; }
  ir::Value fresh(ir::ValueInfo info);  // a new value, of nobody yet
  ir::Value rename(ir::Value old);      // a new value like `old`, bound to it
  const Type& type(ir::Value fresh) const { return to_.type(fresh); }

  // --- blocks
  ir::BlockId new_block();
  ir::BlockId enter(ir::BlockId block);  // makes it current; returns the one that was
  ir::BlockId current() const { return current_; }
  ir::Value argument(ir::BlockId block, ir::ValueInfo info);
  void yield(std::vector<ir::Value> values) { block().yields = std::move(values); }  // of the current block

  // --- operations, at the end of the current block
  void append(ir::Op op);                                       // operands and results are new values
  ir::Value emit(ir::Op op, Type type, std::string name = "");  // gives it one new result
  /// Everything of an old operation but operands, results and blocks.
  static ir::Op header(const ir::Op& old);
  /// One old operation, its nested blocks through `hook`.
  void copy(ir::OpId old, const Hook& hook = nullptr);
  /// The operations of an old block, without its arguments and yields.
  void copy_ops(ir::BlockId old, const Hook& hook = nullptr);
  /// A whole old block as a new one: arguments, operations, yields.
  ir::BlockId copy_block(ir::BlockId old, const Hook& hook = nullptr);

 private:
  const ir::Procedure& from_;
  ir::Procedure to_;
  ir::BlockId current_ = 0;
  std::vector<ir::Value> map_;  // by old value
  ir::Block& block() { return to_.blocks[static_cast<size_t>(current_)]; }
};

}  // namespace adjoule::transform
