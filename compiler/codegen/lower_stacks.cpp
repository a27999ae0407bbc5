// Stacks: growable memory of the runtime, with push and pop inline while there is room.
//
// A stack that a kernel makes is private to the iteration and dropped at the end of the block that made it, so one object a
// place in the program serves all iterations: it is made before the loop and emptied where the program says `stack_new`.
#include "codegen/emitter.hpp"

namespace adjoule::codegen {

namespace {

constexpr int64_t slot_bytes = sizeof(runtime::Slot);

}  // namespace

llvm::Value* Emitter::new_stack(const Type& held) {
  llvm::Value* item = b.getInt64(static_cast<uint64_t>(m.components(held) * slot_bytes));
  llvm::Value* bytes = held.field ? field_bytes(held) : b.getInt64(0);
  return b.CreateCall(m.runtime_function("adjoule_stack_new"), {context, item, bytes}, "stack");
}

void Emitter::drop_stack(llvm::Value* stack) {
  for (const auto& [op, hoisted] : hoisted_stacks) {
    if (hoisted == stack) return;   // released after the loop
  }
  b.CreateCall(m.runtime_function("adjoule_stack_release"), {context, stack});
}

void Emitter::emit_stack_new(ir::OpId id) {
  const ir::Op& op = p.op(id);
  auto hoisted = hoisted_stacks.find(id);
  if (hoisted == hoisted_stacks.end()) return set(op.results[0], {new_stack(popped(p.type(op.results[0])))});
  llvm::Value* size = b.CreateConstInBoundsGEP1_64(m.i8(), hoisted->second, offsetof(runtime::NativeStack, size));
  b.CreateStore(b.getInt64(0), size);
  set(op.results[0], {hoisted->second});
}

void Emitter::hoist_stacks(ir::BlockId block) {
  for (ir::OpId id : p.block(block).ops) {
    const ir::Op& op = p.op(id);
    if (op.code == ir::Opcode::stack_new) hoisted_stacks[id] = new_stack(popped(p.type(op.results[0])));
    for (ir::BlockId inner : op.blocks) hoist_stacks(inner);
  }
}

void Emitter::release_hoisted_stacks() {
  for (const auto& [op, stack] : hoisted_stacks) b.CreateCall(m.runtime_function("adjoule_stack_release"), {context, stack});
  hoisted_stacks.clear();
}

void Emitter::emit_push(const ir::Op& op) {
  llvm::Value* stack = at(op.operands[0])[0];
  Type held = popped(p.type(op.operands[0]));
  auto member = [&](size_t offset) { return b.CreateConstInBoundsGEP1_64(m.i8(), stack, offset); };
  llvm::Value* size = b.CreateLoad(m.i64(), member(offsetof(runtime::NativeStack, size)));
  llvm::Value* capacity = b.CreateLoad(m.i64(), member(offsetof(runtime::NativeStack, capacity)));
  when(b.CreateICmpEQ(size, capacity), [&] { b.CreateCall(m.runtime_function("adjoule_stack_grow"), {context, stack}); });
  llvm::Value* data = b.CreateLoad(m.pointer(), member(offsetof(runtime::NativeStack, data)));
  llvm::Value* offset = b.CreateMul(size, b.getInt64(static_cast<uint64_t>(m.components(held) * slot_bytes)), "", true, true);
  store_slots(b.CreateInBoundsGEP(m.i8(), data, offset), 0, held, at(op.operands[1]));
  b.CreateStore(b.CreateAdd(size, b.getInt64(1), "", true, true), member(offsetof(runtime::NativeStack, size)));
}

void Emitter::emit_pop(ir::OpId id) {
  const ir::Op& op = p.op(id);
  llvm::Value* stack = at(op.operands[0])[0];
  Type held = popped(p.type(op.operands[0]));
  auto member = [&](size_t offset) { return b.CreateConstInBoundsGEP1_64(m.i8(), stack, offset); };
  llvm::Value* size = b.CreateLoad(m.i64(), member(offsetof(runtime::NativeStack, size)));
  check(id, b.CreateICmpNE(size, b.getInt64(0)), b.getInt32(0), b.getInt64(0));
  llvm::Value* last = b.CreateSub(size, b.getInt64(1), "", true, true);
  b.CreateStore(last, member(offsetof(runtime::NativeStack, size)));
  llvm::Value* data = b.CreateLoad(m.pointer(), member(offsetof(runtime::NativeStack, data)));
  llvm::Value* offset = b.CreateMul(last, b.getInt64(static_cast<uint64_t>(m.components(held) * slot_bytes)), "", true, true);
  set(op.results[0], load_slots(b.CreateInBoundsGEP(m.i8(), data, offset), 0, held));
}

}  // namespace adjoule::codegen
