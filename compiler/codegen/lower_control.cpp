// Procedures, blocks, structured control flow, faults.
//
// Values that a loop carries live in allocas of single scalars at the function's entry, which LLVM's first pass turns into
// registers; writing the phi nodes of nested loops by hand would say the same at greater length.
#include "codegen/emitter.hpp"
#include "ir/lane_sums.hpp"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace adjoule::codegen {

using ir::Opcode;

namespace {

constexpr int64_t stopped_site = -2;   // fault_site of a run that was interrupted

llvm::MDNode* unlikely(llvm::LLVMContext& context) { return llvm::MDBuilder(context).createBranchWeights(1, 1 << 20); }

}  // namespace

// --- functions

void Emitter::begin_function(llvm::Function* f) {
  function = f;
  f->addFnAttr("target-cpu", m.target.cpu);
  f->addFnAttr("target-features", m.target.features);
  f->setDoesNotThrow();
  b.SetInsertPoint(new_block("entry"));
  context = f->getArg(0);
  context->setName("context");
  f->addParamAttr(0, llvm::Attribute::NoAlias);
  f->addParamAttr(0, llvm::Attribute::NonNull);
  fault_exit = new_block("fault");
  values.resize(p.values.size());
  find_definitions();
}

void Emitter::finish_function() {
  if (fault_exit->use_empty()) {
    fault_exit->eraseFromParent();
    return;
  }
  fault_exit->moveAfter(&function->back());
  llvm::IRBuilder<> exit(fault_exit);
  llvm::Type* type = function->getReturnType();
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    std::vector<llvm::Constant*> parts{llvm::ConstantInt::get(m.i32(), 1)};
    for (unsigned i = 1; i < structure->getNumElements(); ++i) {
      parts.push_back(llvm::Constant::getNullValue(structure->getElementType(i)));
    }
    exit.CreateRet(llvm::ConstantStruct::get(structure, parts));
  } else {
    exit.CreateRet(llvm::ConstantInt::get(type, 1));
  }
}

void Emitter::find_definitions() {
  definition.assign(p.values.size(), -1);
  for (size_t i = 0; i < p.ops.size(); ++i) {
    for (ir::Value v : p.ops[i].results) definition[static_cast<size_t>(v)] = static_cast<ir::OpId>(i);
  }
}

llvm::AllocaInst* Emitter::entry_alloca(llvm::Type* type, const char* name) {
  llvm::BasicBlock& entry = function->getEntryBlock();
  return llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type, nullptr, name);
}

llvm::Function* Emitter::emit_procedure(const std::string& name) {
  base_name = name;
  auto* type = llvm::FunctionType::get(m.i32(), {m.pointer(), m.pointer(), m.pointer()}, false);
  auto* f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, m.module);
  begin_function(f);
  f->addParamAttr(1, llvm::Attribute::ReadOnly);
  int64_t slot = 0;
  for (ir::Value v : p.inputs()) {
    set(v, load_slots(f->getArg(1), slot, p.type(v)));
    slot += m.components(p.type(v));
  }
  emit_block(p.body);
  slot = 0;
  for (ir::Value v : p.outputs()) {
    store_slots(f->getArg(2), slot, p.type(v), at(v));
    slot += m.components(p.type(v));
  }
  b.CreateRet(b.getInt32(0));
  finish_function();
  return f;
}

Components Emitter::load_slots(llvm::Value* slots, int64_t first, const Type& type) {
  Components components;
  llvm::Type* scalar = m.scalar_type(type);
  for (int c = 0; c < m.components(type); ++c) {
    llvm::Value* place = b.CreateConstInBoundsGEP1_64(m.i64(), slots, static_cast<uint64_t>(first + c));
    if (scalar == m.i1()) components.push_back(b.CreateICmpNE(b.CreateAlignedLoad(m.i32(), place, llvm::Align(8)), b.getInt32(0)));
    else components.push_back(b.CreateAlignedLoad(scalar, place, llvm::Align(8)));
  }
  return components;
}

void Emitter::store_slots(llvm::Value* slots, int64_t first, const Type& type, const Components& components) {
  for (int c = 0; c < m.components(type); ++c) {
    llvm::Value* place = b.CreateConstInBoundsGEP1_64(m.i64(), slots, static_cast<uint64_t>(first + c));
    llvm::Value* v = components[static_cast<size_t>(c)];
    b.CreateAlignedStore(v->getType() == m.i1() ? b.CreateZExt(v, m.i32()) : v, place, llvm::Align(8));
  }
}

// --- blocks

void Emitter::emit_block(ir::BlockId block) {
  for (ir::OpId id : p.block(block).ops) emit_op(id);
}

void Emitter::emit_op(ir::OpId id) {
  const ir::Op& op = p.op(id);
  switch (op.code) {
    case Opcode::if_: return emit_if(op);
    case Opcode::for_: return emit_for(op);
    case Opcode::while_: return emit_while(op);
    case Opcode::loop:
    case Opcode::serial: return emit_kernel(id);
    case Opcode::load: return emit_load(op);
    case Opcode::store: return emit_store(op);
    case Opcode::reduce: return emit_reduce(id);
    case Opcode::set_element: return emit_set_element(op);
    case Opcode::fill: return emit_fill(op);
    case Opcode::copy: return emit_copy(op);
    case Opcode::drop: return emit_drop(op);
    case Opcode::add_fields: return emit_add_fields(op);
    case Opcode::stack_new: return emit_stack_new(id);
    case Opcode::push: return emit_push(op);
    case Opcode::pop: return emit_pop(id);
    case Opcode::check_index: return emit_check_index(id);
    case Opcode::check_nonzero: {
      llvm::Value* divisor = at(op.operands[0])[0];
      return check(id, b.CreateICmpNE(divisor, b.getInt32(0)), divisor, b.getInt64(0));
    }
    default: break;
  }
  if (emit_reference_op(op) || emit_vector_op(op) || emit_value_op(op)) return;
  llvm::report_fatal_error("no lowering for an operation of the IR");
}

/// A detour for when a condition holds.
void Emitter::when(llvm::Value* condition, const std::function<void()>& body) {
  llvm::BasicBlock* then = new_block("when");
  llvm::BasicBlock* end = new_block("when.end");
  b.CreateCondBr(condition, then, end);
  b.SetInsertPoint(then);
  body();
  b.CreateBr(end);
  b.SetInsertPoint(end);
}

void Emitter::emit_if(const ir::Op& op) {
  llvm::BasicBlock* ends[2];
  std::vector<Components> results[2], pending[2];
  std::vector<Components> before;
  for (const ReduceStatement& s : statements) before.push_back(s.pending);
  llvm::BasicBlock* starts[2] = {new_block("then"), new_block("else")};
  llvm::BasicBlock* end = new_block("if.end");
  b.CreateCondBr(at(op.operands[0])[0], starts[0], starts[1]);
  for (size_t side = 0; side < 2; ++side) {
    b.SetInsertPoint(starts[side]);
    for (size_t i = 0; i < statements.size(); ++i) statements[i].pending = before[i];
    emit_block(op.blocks[side]);
    for (ir::Value v : p.block(op.blocks[side]).yields) results[side].push_back(at(v));
    for (const ReduceStatement& s : statements) pending[side].push_back(s.pending);
    ends[side] = b.GetInsertBlock();
    b.CreateBr(end);
  }
  b.SetInsertPoint(end);
  auto merge = [&](const Components& a, const Components& c) {
    Components merged;
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] == c[i]) {
        merged.push_back(a[i]);
        continue;
      }
      llvm::PHINode* phi = b.CreatePHI(a[i]->getType(), 2);
      phi->addIncoming(a[i], ends[0]);
      phi->addIncoming(c[i], ends[1]);
      merged.push_back(phi);
    }
    return merged;
  };
  for (size_t i = 0; i < statements.size(); ++i) statements[i].pending = merge(pending[0][i], pending[1][i]);
  for (size_t i = 0; i < op.results.size(); ++i) set(op.results[i], merge(results[0][i], results[1][i]));
}

// --- loops that carry values

Emitter::Carried Emitter::carry(const ir::Value* initial, size_t n) {
  Carried carried;
  for (size_t i = 0; i < n; ++i) {
    std::vector<llvm::AllocaInst*> cells;
    for (llvm::Value* v : at(initial[i])) {
      cells.push_back(entry_alloca(v->getType(), "carried"));
      b.CreateStore(v, cells.back());
    }
    carried.push_back(std::move(cells));
  }
  return carried;
}

void Emitter::read_carried(const Carried& carried, const ir::Value* targets) {
  for (size_t i = 0; i < carried.size(); ++i) {
    Components components;
    for (llvm::AllocaInst* cell : carried[i]) components.push_back(b.CreateLoad(cell->getAllocatedType(), cell));
    set(targets[i], std::move(components));
  }
}

void Emitter::write_carried(const Carried& carried, const std::vector<ir::Value>& yields) {
  for (size_t i = 0; i < carried.size(); ++i) {
    for (size_t c = 0; c < carried[i].size(); ++c) b.CreateStore(at(yields[i])[c], carried[i][c]);
  }
}

void Emitter::emit_for(const ir::Op& op) {
  const ir::Block& body = p.block(op.blocks[0]);
  std::vector<bool> sums = ir::lane_sums(p, op);
  if (std::find(sums.begin(), sums.end(), true) != sums.end()) return emit_summing_for(op, sums);
  bool range = op.domains[0].space == no_space;
  size_t first = range ? 2 : 0;
  Carried carried = carry(op.operands.data() + first, op.operands.size() - first);
  auto iteration = [&](Components index) {
    set(body.arguments[0], std::move(index));
    read_carried(carried, body.arguments.data() + 1);
    if (!kernel) poll();
    emit_block(op.blocks[0]);
    write_carried(carried, body.yields);
  };
  if (range) {
    llvm::Value* begin = b.CreateSExt(at(op.operands[0])[0], m.i64());
    llvm::Value* end = b.CreateSExt(at(op.operands[1])[0], m.i64());
    counted_loop(begin, end, {.reversed = op.domains[0].reversed}, [&](llvm::Value* i) {
      llvm::Value* index = b.CreateTrunc(i, m.i32());
      affine[index] = Affine{i, 0, 0, 0, no_space, 0};
      iteration({index});
    });
  } else {
    ordered_nest(axis_ranges(op.domains), [&](llvm::ArrayRef<llvm::Value*> coordinates) {
      iteration(index_arguments(op.domains, coordinates)[0]);
    });
  }
  read_carried(carried, op.results.data());
}

void Emitter::emit_while(const ir::Op& op) {
  const ir::Block& condition = p.block(op.blocks[0]);
  const ir::Block& body = p.block(op.blocks[1]);
  Carried carried = carry(op.operands.data(), op.operands.size());
  llvm::BasicBlock* head = new_block("while");
  llvm::BasicBlock* inside = new_block("while.body");
  llvm::BasicBlock* end = new_block("while.end");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  read_carried(carried, condition.arguments.data());
  if (!kernel) poll();
  emit_block(op.blocks[0]);
  b.CreateCondBr(at(condition.yields[0])[0], inside, end);
  b.SetInsertPoint(inside);
  read_carried(carried, body.arguments.data());
  emit_block(op.blocks[1]);
  write_carried(carried, body.yields);
  b.CreateBr(head);
  b.SetInsertPoint(end);
  read_carried(carried, op.results.data());
}

// --- faults and interrupts

/// Long loops of the program level end early when somebody asks for it.
void Emitter::poll() {
  if (!stop) {
    llvm::BasicBlock& entry_block = function->getEntryBlock();
    llvm::IRBuilder<> entry(&entry_block, entry_block.getFirstInsertionPt());
    llvm::GlobalVariable* never = m.module.getNamedGlobal("adjoule.never");
    if (!never) {
      never = new llvm::GlobalVariable(m.module, m.i32(), true, llvm::GlobalValue::InternalLinkage,
                                       llvm::ConstantInt::get(m.i32(), 0), "adjoule.never");
    }
    llvm::Value* place = entry.CreateConstInBoundsGEP1_64(m.i8(), context, offsetof(runtime::Context, stop));
    llvm::Value* flag = entry.CreateLoad(m.pointer(), place);
    stop = entry.CreateSelect(entry.CreateIsNull(flag), never, flag, "stop");
  }
  llvm::BasicBlock* stopped = new_block("stopped");
  llvm::BasicBlock* go_on = new_block("go.on");
  llvm::Value* flag = b.CreateLoad(m.i32(), stop, /*isVolatile=*/true);
  b.CreateCondBr(b.CreateICmpNE(flag, b.getInt32(0)), stopped, go_on, unlikely(m.context()));
  b.SetInsertPoint(stopped);
  llvm::Value* site = b.CreateConstInBoundsGEP1_64(m.i8(), context, offsetof(runtime::Context, fault_site));
  b.CreateStore(b.getInt32(static_cast<uint32_t>(stopped_site)), site);
  b.CreateBr(fault_exit);
  b.SetInsertPoint(go_on);
}

/// Goes on when `good`; else records the fault and leaves the function.
void Emitter::check(ir::OpId id, llvm::Value* good, llvm::Value* value, llvm::Value* extent) {
  int number = m.faults.numbers.at({&p, id});
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(good); known && known->isOne()) return;
  llvm::BasicBlock* bad = new_block("bad");
  llvm::BasicBlock* go_on = new_block("checked");
  b.CreateCondBr(b.CreateNot(good), bad, go_on, unlikely(m.context()));
  b.SetInsertPoint(bad);
  auto record = [&](size_t offset, llvm::Value* v) { b.CreateStore(v, b.CreateConstInBoundsGEP1_64(m.i8(), context, offset)); };
  record(offsetof(runtime::Context, fault_site), b.getInt32(static_cast<uint32_t>(number)));
  record(offsetof(runtime::Context, fault_value), b.CreateSExt(value, m.i64()));
  record(offsetof(runtime::Context, fault_extent), extent);
  b.CreateBr(fault_exit);
  b.SetInsertPoint(go_on);
}

void Emitter::emit_check_index(ir::OpId id) {
  const ir::Op& op = p.op(id);
  llvm::Value* value = at(op.operands[0])[0];
  llvm::Value* bound = op.space == no_space ? b.getInt64(static_cast<uint64_t>(op.integer)) : count(op.space);
  // A loop's own index over that space needs no test.
  auto known = affine.find(value);
  if (known != affine.end() && known->second.space == op.space && op.space != no_space && space(op.space).dims == 1 &&
      known->second.offset >= -known->second.low && known->second.offset <= known->second.high) {
    return;
  }
  llvm::Value* wide = b.CreateSExt(value, m.i64());
  check(id, b.CreateICmpULT(wide, bound), value, bound);
}

}  // namespace adjoule::codegen
