// Which pure operations have been computed already and are visible where a pass stands: a hash table with scopes, one a
// block.
#pragma once
#include <unordered_map>
#include <vector>

#include "ir/ir.hpp"

namespace adjoule::transform {

/// Holds operations of `procedure` by number; equal means: the same bits for sure (operation, operands, attributes,
/// type).
class ValueTable {
 public:
  explicit ValueTable(const ir::Procedure& procedure) : procedure_(procedure) {}

  void open() { scopes_.emplace_back(); }
  void close();  // forgets what was added since open()
  /// An equal operation added before, or -1. `type`: of the result; none for checks.
  ir::OpId find(const ir::Op& op, const Type& type) const;
  void add(ir::OpId op);

 private:
  using Entries = std::unordered_multimap<size_t, ir::OpId>;
  const ir::Procedure& procedure_;
  Entries entries_;
  std::vector<std::vector<Entries::iterator>> scopes_{1};
};

}  // namespace adjoule::transform
