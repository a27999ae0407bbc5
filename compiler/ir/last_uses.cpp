// Liveness, backwards through the structured control flow (last_uses.hpp). Only values with storage of their own matter
// (fields and stacks), so only those are followed.
#include "ir/last_uses.hpp"

#include <algorithm>
#include <set>

namespace adjoule::ir {
namespace {

using Live = std::set<Value>;

class Finder {
 public:
  explicit Finder(const Procedure& procedure) : procedure_(procedure) {
    uses_.operands.resize(procedure.ops.size());
    uses_.yields.resize(procedure.blocks.size());
    captures_.resize(procedure.blocks.size());
  }

  LastUses run() {
    if (procedure_.blocks.empty()) return {};
    find_captures(procedure_.body);
    Live live;
    block(procedure_.body, live);
    return std::move(uses_);
  }

 private:
  const Procedure& procedure_;
  LastUses uses_;
  std::vector<Live> captures_;  // by block: stored values used in it and below, but made outside

  bool stored(Value v) const {
    const Type& type = procedure_.type(v);
    return type.field || type.stack;
  }

  void find_captures(BlockId id) {
    Live& used = captures_[static_cast<size_t>(id)];
    auto use = [&](Value v) {
      if (stored(v)) used.insert(v);
    };
    const Block& block = procedure_.block(id);
    for (OpId o : block.ops) {
      const Op& op = procedure_.op(o);
      for (Value v : op.operands) use(v);
      for (BlockId nested : op.blocks) {
        find_captures(nested);
        const Live& inner = captures_[static_cast<size_t>(nested)];
        used.insert(inner.begin(), inner.end());
      }
    }
    for (Value v : block.yields) use(v);
    for (Value v : block.arguments) used.erase(v);
    for (OpId o : block.ops) {
      for (Value v : procedure_.op(o).results) used.erase(v);
    }
  }

  /// Marks uses that are not live afterwards; of several uses by one user only the last.
  std::vector<bool> mark(const std::vector<Value>& used, const Live& live) const {
    std::vector<bool> last(used.size(), false);
    for (size_t i = 0; i < used.size(); ++i) {
      if (!stored(used[i]) || live.contains(used[i])) continue;
      last[i] = std::find(used.begin() + static_cast<std::ptrdiff_t>(i) + 1, used.end(), used[i]) == used.end();
    }
    return last;
  }

  void add(const std::vector<Value>& used, Live& live) const {
    for (Value v : used) {
      if (stored(v)) live.insert(v);
    }
  }

  /// `live`: after the block; becomes: before it.
  void block(BlockId id, Live& live) {
    const Block& block = procedure_.block(id);
    uses_.yields[static_cast<size_t>(id)] = mark(block.yields, live);
    add(block.yields, live);
    for (size_t k = block.ops.size(); k-- > 0;) operation(block.ops[k], live);
  }

  void operation(OpId id, Live& live) {
    const Op& op = procedure_.op(id);
    if (op.code == Opcode::if_) {
      Live then = live, otherwise = live;
      block(op.blocks[0], then);
      block(op.blocks[1], otherwise);
      live = std::move(then);
      live.insert(otherwise.begin(), otherwise.end());
    } else {
      // What a repeated block captures is needed at its next turn too.
      for (BlockId nested : op.blocks) {
        const Live& captured = captures_[static_cast<size_t>(nested)];
        live.insert(captured.begin(), captured.end());
      }
      for (BlockId nested : op.blocks) {
        Live inside = live;
        // A condition's arguments go on to the body.
        if (op.code == Opcode::while_ && nested == op.blocks[0]) add(procedure_.block(nested).arguments, inside);
        block(nested, inside);
      }
    }
    uses_.operands[static_cast<size_t>(id)] = mark(op.operands, live);
    add(op.operands, live);
  }
};

}  // namespace

LastUses find_last_uses(const Procedure& procedure) { return Finder(procedure).run(); }

}  // namespace adjoule::ir
