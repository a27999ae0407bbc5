// In place:                                       not in place (another iteration may have stored %q already):
//     %2 = loop P (%h = %1 own) (%p) {                %2 = loop P (%h = %1 own) (%p) {
//       %3 = load %1, %p                                %3 = load %1, %q
//       %4 = add %3, %dt                                store %h, %p, %3
//       store %h, %p, %4                              }
//     }
#include "transform/in_place.hpp"

#include <algorithm>

#include "transform/structure.hpp"

namespace adjoule::transform {

namespace {

using ir::Opcode;

using ir::Value;

struct Reads {
  Value version, handle;
  std::vector<const ir::Op*> loads;   // of the version, in the body and what is nested in it
  std::vector<const ir::Op*> stores;  // into the handle
  size_t last_load = 0;               // positions in the loop's body block, of what is or holds them
  size_t first_store = SIZE_MAX;
  bool only_loads = true;  // the version is used in no other way
};

void find(const ir::Procedure& procedure, ir::BlockId block, const size_t* top, Reads& reads) {
  const ir::Block& b = procedure.block(block);
  for (size_t i = 0; i < b.ops.size(); ++i) {
    const ir::Op& op = procedure.op(b.ops[i]);
    const size_t position = top ? *top : i;
    const auto uses = std::count(op.operands.begin(), op.operands.end(), reads.version);
    if (op.code == Opcode::load && uses == 1) {
      reads.loads.push_back(&op);
      reads.last_load = std::max(reads.last_load, position);
    } else if (uses > 0) {
      reads.only_loads = false;
    }
    if ((op.code == Opcode::store || op.code == Opcode::reduce) && op.operands[0] == reads.handle) {
      reads.stores.push_back(&op);
      reads.first_store = std::min(reads.first_store, position);
    }
    for (ir::BlockId nested : op.blocks) find(procedure, nested, &position, reads);
  }
  if (std::find(b.yields.begin(), b.yields.end(), reads.version) != b.yields.end()) reads.only_loads = false;
}

/// Does the loop index stand alone at one same position in every access?
bool separates(Value index, size_t spaces, const Reads& reads) {
  for (size_t i = 1; i <= spaces; ++i) {
    const auto at_position = [&](const ir::Op* op) { return op->operands[i] == index; };
    if (std::all_of(reads.loads.begin(), reads.loads.end(), at_position) &&
        std::all_of(reads.stores.begin(), reads.stores.end(), at_position))
      return true;
  }
  return false;
}

/// Is the handle touched by stores alone, in this block and what is nested in it?
bool only_stored(const ir::Procedure& procedure, ir::BlockId block, Value handle) {
  return std::ranges::all_of(procedure.block(block).ops, [&](ir::OpId o) {
    const ir::Op& op = procedure.op(o);
    const bool uses = std::ranges::find(op.operands, handle) != op.operands.end();
    return (!uses || op.code == Opcode::store) &&
           std::ranges::all_of(op.blocks, [&](ir::BlockId b) { return only_stored(procedure, b, handle); });
  });
}

/// Are these the loop's indices, each once, in any order?
bool all_indices(const ir::Op& store, const ir::Block& body, size_t indices) {
  if (store.operands.size() != indices + 2) return false;
  return std::is_permutation(body.arguments.begin(), body.arguments.begin() + static_cast<std::ptrdiff_t>(indices),
                             store.operands.begin() + 1, store.operands.end() - 1);
}

}  // namespace

bool reads_only_own_elements(const ir::Procedure& procedure, const ir::Op& loop, size_t slot) {
  const Slots s = slots(loop);
  const ir::Block& body = procedure.block(body_of(loop));
  Reads reads{.version = loop.operands[slot], .handle = body.arguments[s.indices + slot]};
  find(procedure, body_of(loop), nullptr, reads);
  if (!reads.only_loads) return false;
  if (reads.stores.empty()) return true;
  if (loop.modes[slot] != ir::Mode::own || reads.last_load >= reads.first_store) return false;
  const size_t spaces = procedure.type(reads.version).spaces.size();
  return std::all_of(body.arguments.begin(), body.arguments.begin() + static_cast<std::ptrdiff_t>(s.indices),
                     [&](Value index) { return separates(index, spaces, reads); });
}

bool overwrites_whole(const ir::Procedure& procedure, const ir::Op& loop, size_t slot) {
  const Slots s = slots(loop);
  const ir::Block& body = procedure.block(body_of(loop));
  const Value handle = body.arguments[s.indices + slot];
  const auto whole = [](const ir::Domain& d) { return d.region == ir::Region::whole; };
  if (loop.modes[slot] != ir::Mode::own || !std::ranges::all_of(loop.domains, whole)) return false;
  if (!procedure.type(handle).field || !only_stored(procedure, body_of(loop), handle)) return false;
  return std::ranges::any_of(body.ops, [&](ir::OpId o) {
    const ir::Op& op = procedure.op(o);
    return op.code == Opcode::store && op.operands[0] == handle && all_indices(op, body, s.indices);
  });
}

}  // namespace adjoule::transform
