// Where things are in a procedure, for passes that look around: how the operands, block arguments, yields and results
// of a structured operation belong together, and what defines each value.
//   for_    operands: control… carried…          body arguments: index, carried…            yields: carried…
//   while_  operands:          carried…          condition and body arguments: carried…     body yields: carried…
//   loop    operands:          handles…          body arguments: indices…, handles…         no yields
//   serial  operands: control… handles… carried… body arguments: indices…, handles…, carried…  yields: carried…
//   if_     operands: condition                  no arguments                               both yield one value a
//   result
// Slot k is the k-th of (handles…, carried…), or of the results of an if_.
#pragma once
#include <vector>

#include "ir/ir.hpp"

namespace adjoule::transform {

struct Slots {
  size_t control = 0;  // operands before the first slot: condition or bounds
  size_t indices = 0;  // arguments of the body before the first slot
  size_t handles = 0;  // slots that are handles inside
  size_t count = 0;    // all slots; results.size()
};

Slots slots(const ir::Op& op);

inline bool structured(const ir::Op& op) { return !op.blocks.empty(); }
/// The block whose arguments are the slots: the last one (of while_: the body).
inline ir::BlockId body_of(const ir::Op& op) { return op.blocks.back(); }

/// What a value is: result number `position` of `op`, or argument number `position` of `block` (then op is -1).
struct Definition {
  ir::OpId op = -1;
  ir::BlockId block = -1;
  size_t position = 0;
};

/// Definitions and nesting of everything reachable from the body of a procedure.
struct Structure {
  explicit Structure(const ir::Procedure& procedure);

  const Definition& definition(ir::Value v) const { return definitions[static_cast<size_t>(v)]; }
  ir::BlockId block_of(ir::OpId o) const { return blocks_of_ops[static_cast<size_t>(o)]; }
  ir::OpId owner(ir::BlockId b) const { return owners[static_cast<size_t>(b)]; }  // -1: the body of the procedure

  std::vector<Definition> definitions;     // by value
  std::vector<ir::BlockId> blocks_of_ops;  // by op; -1: not reachable
  std::vector<ir::OpId> owners;            // by block
  std::vector<ir::OpId> order;             // all reachable operations, a structured one before what it holds

 private:
  void enter(const ir::Procedure& procedure, ir::BlockId block, ir::OpId owner);
};

}  // namespace adjoule::transform
