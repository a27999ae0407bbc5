// Kernels: each `loop` and `serial` becomes a function of its own, which takes what its body captures as arguments.
//
// A parallel loop is written as nested counters, the last axis innermost: a *row*. Where the body looks at neighbours by
// constant offsets, a row is cut into a middle part, where no boundary rule can act and the body is free of tests, and its
// two ends, which run a second, general copy of the body:
//
//   for each row:  for phase in 0..2:  general body on the low (then the high) end
//                                      after phase 0: plain body on the middle
//
// Loops that reduce keep the values of a row (or of the whole loop) and combine them afterwards (reductions.cpp), so that
// their bodies stay parallel too. Metadata says so to LLVM, except where the body touches memory that iterations share.
#include "codegen/rows.hpp"

namespace adjoule::codegen {

using ir::Opcode;

// --- what a body needs from outside, and what it contains

void Emitter::collect_captured(ir::BlockId block, std::vector<bool>& inside, std::vector<ir::Value>& captured) const {
  auto use = [&](ir::Value v) {
    if (inside[static_cast<size_t>(v)]) return;
    inside[static_cast<size_t>(v)] = true;   // once is enough
    captured.push_back(v);
  };
  for (ir::Value v : p.block(block).arguments) inside[static_cast<size_t>(v)] = true;
  for (ir::OpId id : p.block(block).ops) {
    const ir::Op& op = p.op(id);
    for (ir::Value v : op.operands) use(v);
    for (ir::BlockId inner : op.blocks) collect_captured(inner, inside, captured);
    for (ir::Value v : op.results) inside[static_cast<size_t>(v)] = true;
  }
  for (ir::Value v : p.block(block).yields) use(v);
}

bool Emitter::contains(ir::BlockId block, const std::function<bool(const ir::Op&)>& wanted) const {
  for (ir::OpId id : p.block(block).ops) {
    if (wanted(p.op(id))) return true;
    for (ir::BlockId inner : p.op(id).blocks) {
      if (contains(inner, wanted)) return true;
    }
  }
  return false;
}

bool Emitter::can_fault(const ir::Op& op) const {
  return contains(op.blocks[0], [](const ir::Op& inner) {
    return inner.code == Opcode::check_index || inner.code == Opcode::check_nonzero || inner.code == Opcode::pop;
  });
}

// --- the function of a kernel

/// Calls the kernel with everything that is not a constant passed as an argument; one argument for each different value, so
/// that a buffer which is both read as a version and updated stays one pointer and `noalias` stays true.
void Emitter::emit_kernel(ir::OpId id) {
  const ir::Op& op = p.op(id);
  std::vector<bool> inside(p.values.size());
  std::vector<ir::Value> needed;
  collect_captured(op.blocks[0], inside, needed);
  std::vector<bool> updated(p.values.size());
  for (size_t i = 0; i < op.operands.size(); ++i) {
    needed.push_back(op.operands[i]);
    updated[static_cast<size_t>(op.operands[i])] = p.type(op.operands[i]).field;
  }
  KernelSignature signature = kernel_signature(op, needed);
  llvm::Function* f = signature.function;
  Emitter child(m, p);
  child.kernel = true;
  child.base_name = f->getName().str();
  child.begin_function(f);
  for (ir::Value v : needed) {
    Components components;
    for (llvm::Value* c : at(v)) {
      auto argument = signature.arguments.find(c);
      components.push_back(argument == signature.arguments.end() ? c : f->getArg(static_cast<unsigned>(argument->second)));
      if (!p.type(v).field || argument == signature.arguments.end()) continue;
      auto number = static_cast<unsigned>(argument->second);
      f->addParamAttr(number, llvm::Attribute::NoAlias);
      f->addParamAttr(number, llvm::Attribute::NonNull);
      f->addParamAttr(number, llvm::Attribute::getWithAlignment(m.context(), llvm::Align(64)));
    }
    child.set(v, std::move(components));
  }
  std::vector<Components> results;
  if (op.code == Opcode::loop) child.emit_loop_kernel(op, results);
  else child.emit_serial_kernel(op, results);
  child.return_from_kernel(results, signature.can_fault);
  child.finish_function();
  call_kernel(op, signature);
}

/// The function's type: the status when it can fault, then the components of scalars that the kernel gives back.
Emitter::KernelSignature Emitter::kernel_signature(const ir::Op& op, const std::vector<ir::Value>& needed) {
  KernelSignature signature;
  signature.can_fault = can_fault(op);
  std::vector<llvm::Type*> parameters{m.pointer()};
  signature.call = {context};
  for (ir::Value v : needed) {
    for (llvm::Value* c : at(v)) {
      if (llvm::isa<llvm::Constant>(c)) continue;
      if (!signature.arguments.try_emplace(c, parameters.size()).second) continue;
      parameters.push_back(c->getType());
      signature.call.push_back(c);
    }
  }
  std::vector<llvm::Type*> parts;
  if (signature.can_fault) parts.push_back(m.i32());
  for (ir::Value v : op.results) {
    if (!p.type(v).field) parts.insert(parts.end(), static_cast<size_t>(m.components(p.type(v))), m.scalar_type(p.type(v)));
  }
  llvm::Type* result = parts.empty() ? llvm::Type::getVoidTy(m.context())
                       : parts.size() == 1 && signature.can_fault ? m.i32() : llvm::StructType::get(m.context(), parts);
  std::string name = base_name + (op.code == Opcode::loop ? ".loop" : ".serial") + std::to_string(++kernel_count);
  signature.function = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                                              llvm::Function::InternalLinkage, name, m.module);
  signature.function->addFnAttr(llvm::Attribute::NoInline);
  return signature;
}

void Emitter::return_from_kernel(const std::vector<Components>& results, bool fault) {
  llvm::Type* type = function->getReturnType();
  if (type->isVoidTy()) {
    b.CreateRetVoid();
    return;
  }
  if (!type->isStructTy()) {
    b.CreateRet(b.getInt32(0));
    return;
  }
  llvm::Value* structure = llvm::PoisonValue::get(type);
  unsigned next = 0;
  if (fault) structure = b.CreateInsertValue(structure, b.getInt32(0), next++);
  for (const Components& components : results) {
    for (llvm::Value* c : components) structure = b.CreateInsertValue(structure, c, next++);
  }
  b.CreateRet(structure);
}

void Emitter::call_kernel(const ir::Op& op, const KernelSignature& signature) {
  llvm::Value* call = b.CreateCall(signature.function, signature.call);
  unsigned next = 0;
  if (signature.can_fault) {
    llvm::Value* status = call->getType()->isStructTy() ? b.CreateExtractValue(call, next++) : call;
    llvm::BasicBlock* go_on = new_block("done");
    b.CreateCondBr(b.CreateICmpNE(status, b.getInt32(0)), fault_exit, go_on);
    b.SetInsertPoint(go_on);
  }
  size_t first = op.operands.size() - op.results.size();
  for (size_t i = 0; i < op.results.size(); ++i) {
    const Type& type = p.type(op.results[i]);
    if (type.field) {
      set(op.results[i], at(op.operands[first + i]));   // updated in place
      continue;
    }
    Components components;
    for (int c = 0; c < m.components(type); ++c) components.push_back(b.CreateExtractValue(call, next++));
    set(op.results[i], std::move(components));
  }
}

// --- serial loops

void Emitter::emit_serial_kernel(const ir::Op& op, std::vector<Components>& results) {
  const ir::Block& body = p.block(op.blocks[0]);
  bool range = op.domains[0].space == no_space;
  size_t indices = op.domains.size();
  size_t first = range ? 2 : 0;
  size_t fields = op.modes.size();
  hoist_stacks(op.blocks[0]);
  for (size_t i = 0; i < fields; ++i) set(body.arguments[indices + i], at(op.operands[first + i]));
  Carried carried = carry(op.operands.data() + first + fields, op.operands.size() - first - fields);
  auto iteration = [&] {
    read_carried(carried, body.arguments.data() + indices + fields);
    emit_block(op.blocks[0]);
    write_carried(carried, body.yields);
  };
  if (range) {
    llvm::Value* begin = b.CreateSExt(at(op.operands[0])[0], m.i64());
    llvm::Value* end = b.CreateSExt(at(op.operands[1])[0], m.i64());
    counted_loop(begin, end, {.reversed = op.domains[0].reversed}, [&](llvm::Value* i) {
      llvm::Value* index = b.CreateTrunc(i, m.i32());
      affine[index] = Affine{i, 0, 0, 0, no_space, 0};
      set(body.arguments[0], {index});
      iteration();
    });
  } else {
    ordered_nest(axis_ranges(op.domains), [&](llvm::ArrayRef<llvm::Value*> coordinates) {
      std::vector<Components> own = index_arguments(op.domains, coordinates);
      for (size_t i = 0; i < indices; ++i) set(body.arguments[i], own[i]);
      iteration();
    });
  }
  release_hoisted_stacks();
  for (const auto& cells : carried) {
    Components components;
    for (llvm::AllocaInst* cell : cells) components.push_back(b.CreateLoad(cell->getAllocatedType(), cell));
    results.push_back(std::move(components));
  }
}

// --- which neighbours a parallel loop looks at

/// Is this reference one of the loop's own, moved by constants? Then gives the number of its first axis and the offsets.
bool Emitter::offset_of_index(const ir::Op& loop, ir::Value reference, size_t& first_axis, std::vector<int64_t>& total) const {
  const std::vector<ir::Value>& arguments = p.block(loop.blocks[0]).arguments;
  first_axis = 0;
  for (size_t i = 0; i < loop.domains.size(); ++i) {
    auto dims = static_cast<size_t>(space(loop.domains[i].space).dims);
    if (arguments[i] == reference) {
      total.assign(dims, 0);
      return true;
    }
    first_axis += dims;
  }
  ir::OpId made_by = definition[static_cast<size_t>(reference)];
  if (made_by < 0 || p.op(made_by).code != Opcode::offset) return false;
  const ir::Op& op = p.op(made_by);
  if (!offset_of_index(loop, op.operands[0], first_axis, total)) return false;
  for (size_t axis = 0; axis < total.size(); ++axis) {
    ir::OpId by = definition[static_cast<size_t>(op.operands[axis + 1])];
    if (by < 0) return false;
    const ir::Op& constant = p.op(by);
    bool negated = constant.code == Opcode::negate && definition[static_cast<size_t>(constant.operands[0])] >= 0;
    const ir::Op& number = negated ? p.op(definition[static_cast<size_t>(constant.operands[0])]) : constant;
    if (number.code != Opcode::constant) return false;
    total[axis] += negated ? -number.integer : number.integer;
  }
  return true;
}

void Emitter::scan_offsets(ir::BlockId block, const ir::Op& loop, Margins& margins) const {
  for (ir::OpId id : p.block(block).ops) {
    const ir::Op& op = p.op(id);
    size_t first = 0;
    std::vector<int64_t> total;
    if (op.code == Opcode::offset && offset_of_index(loop, op.results[0], first, total)) {
      for (size_t axis = 0; axis < total.size(); ++axis) {
        margins.low[first + axis] = std::max(margins.low[first + axis], -total[axis]);
        margins.high[first + axis] = std::max(margins.high[first + axis], total[axis]);
      }
    }
    for (ir::BlockId inner : op.blocks) scan_offsets(inner, loop, margins);
  }
}

// --- parallel loops

void Emitter::emit_loop_kernel(const ir::Op& op, std::vector<Components>& results) {
  const ir::Block& body = p.block(op.blocks[0]);
  Rows rows;
  rows.axes = axis_ranges(op.domains);
  rows.margins.low.assign(rows.axes.size(), 0);
  rows.margins.high.assign(rows.axes.size(), 0);
  scan_offsets(op.blocks[0], op, rows.margins);
  for (size_t k = 0; k < rows.axes.size(); ++k) {
    const AxisRange& axis = rows.axes[k];
    if (rows.margins.low[k] > axis.low || rows.margins.high[k] > axis.high) rows.split = true;
    if (axis.in_rim_region || (op.domains.size() == 1 && op.domains[0].side.axis >= 0)) rows.rim = true;
  }
  if (rows.rim) rows.split = false;   // rims are short: the general body serves
  for (size_t i = 0; i < op.operands.size(); ++i) {
    Handle handle;
    handle.value = body.arguments[op.domains.size() + i];
    handle.mode = op.modes[i];
    handle.type = p.type(op.operands[i]);
    if (handle.type.field) set(handle.value, at(op.operands[i]));
    else begin_scalar(handle, at(op.operands[i]));
    handles.push_back(std::move(handle));
  }
  hoist_stacks(op.blocks[0]);
  int passes = plan_reductions(op);
  bool shares_memory = !hoisted_stacks.empty();
  for (const ReduceStatement& s : statements) shares_memory = shares_memory || s.shared;
  if (!shares_memory) access_group = llvm::MDNode::getDistinct(m.context(), {});
  for (active_pass = 0; active_pass + 1 < passes; ++active_pass) emit_trial_pass(op, rows);
  emit_pass(op, rows);
  release_hoisted_stacks();
  for (const Handle& handle : handles) {
    if (!handle.type.field) results.push_back(finish_scalar(handle));
  }
}

/// A pass before the last: own elements must be as they were when the next one starts. Handles that the body reads are
/// replaced by copies, the others are not stored to.
void Emitter::emit_trial_pass(const ir::Op& op, Rows& rows) {
  std::vector<std::pair<const Handle*, Components>> replaced;
  for (const Handle& handle : handles) {
    if (handle.mode != ir::Mode::own) continue;
    bool read = contains(op.blocks[0], [&](const ir::Op& inner) {
      return (inner.code == Opcode::load || inner.code == Opcode::reduce) && inner.operands[0] == handle.value;
    });
    if (!read) {
      muted.push_back(handle.value);
      continue;
    }
    replaced.emplace_back(&handle, at(handle.value));
    llvm::Value* bytes = field_bytes(handle.type);
    llvm::Value* copy = allocate(bytes);
    b.CreateMemCpy(copy, llvm::Align(64), at(handle.value)[0], llvm::Align(64), bytes);
    set(handle.value, {copy});
  }
  emit_pass(op, rows);
  for (auto& [handle, original] : replaced) {
    release(at(handle->value)[0], field_bytes(handle->type));
    set(handle->value, original);
  }
  muted.clear();
}

/// The whole loop once. More passes than one are needed only by reductions that cannot keep their values.
void Emitter::emit_pass(const ir::Op& op, Rows& rows) {
  begin_reductions(rows);
  std::vector<llvm::Value*> outer;
  emit_rows(op, rows, outer, b.getTrue());
  end_reductions(rows);
}

void Emitter::emit_rows(const ir::Op& op, Rows& rows, std::vector<llvm::Value*>& outer, llvm::Value* row_ok) {
  size_t level = outer.size();
  if (level + 1 == rows.axes.size()) return emit_row(op, rows, outer, row_ok);
  const AxisRange& axis = rows.axes[level];
  llvm::Value* end = axis.end;
  llvm::Value* flag = nullptr;
  if (axis.rim) std::tie(end, flag) = rim_row(rows.axes, level, outer);
  counted_loop(axis.begin, end, {}, [&](llvm::Value* i) {
    llvm::Value* counter = axis.rim ? rim_coordinate(axis, i, flag) : i;
    llvm::Value* ok = rows.split ? b.CreateAnd(row_ok, away_from_edges(axis, counter, rows.margins, level)) : row_ok;
    outer.push_back(counter);
    emit_rows(op, rows, outer, ok);
    outer.pop_back();
  });
}

llvm::Value* Emitter::away_from_edges(const AxisRange& axis, llvm::Value* counter, const Margins& margins, size_t level) {
  llvm::Value* ok = b.getTrue();
  if (margins.low[level] > axis.low) {
    ok = b.CreateAnd(ok, b.CreateICmpSGE(counter, b.getInt64(static_cast<uint64_t>(margins.low[level]))));
  }
  if (margins.high[level] > axis.high) {
    llvm::Value* limit = b.CreateSub(extent64(axis.space, axis.axis), b.getInt64(static_cast<uint64_t>(margins.high[level])));
    ok = b.CreateAnd(ok, b.CreateICmpSLT(counter, limit));
  }
  return ok;
}

/// The innermost axis. Where values are kept for a reduction, a long row is cut into chunks, so that they stay in cache.
void Emitter::emit_row(const ir::Op& op, Rows& rows, llvm::ArrayRef<llvm::Value*> outer, llvm::Value* row_ok) {
  const AxisRange& axis = rows.axes.back();
  llvm::Value* begin = axis.begin;
  llvm::Value* end = axis.end;
  llvm::Value* flag = nullptr;
  if (axis.rim) std::tie(end, flag) = rim_row(rows.axes, rows.axes.size() - 1, outer);
  if (!rows.keeps_rows) return emit_row_piece(op, rows, outer, {begin, end, row_ok, flag});
  llvm::Value* chunk = b.getInt64(row_chunk);
  llvm::Value* length = b.CreateSub(end, begin);
  llvm::Value* chunks = b.CreateSDiv(b.CreateAdd(length, b.getInt64(row_chunk - 1)), chunk);
  counted_loop(b.getInt64(0), chunks, {.slow = true}, [&](llvm::Value* c) {
    llvm::Value* from = b.CreateAdd(begin, b.CreateMul(c, chunk, "", true, true), "", true, true);
    llvm::Value* to = b.CreateAdd(from, chunk, "", true, true);
    to = b.CreateSelect(b.CreateICmpSLT(to, end), to, end);
    emit_row_piece(op, rows, outer, {from, to, row_ok, flag});
  });
}

void Emitter::emit_row_piece(const ir::Op& op, Rows& rows, llvm::ArrayRef<llvm::Value*> outer, RowPiece piece) {
  begin_row(rows, piece.begin);
  if (rows.split) {
    emit_split_row(op, rows, outer, piece);
  } else {
    counted_loop(piece.begin, piece.end, {.parallel = access_group != nullptr}, [&](llvm::Value* i) {
      emit_iteration(op, rows, outer, piece, i, false);
    });
  }
  end_row(rows, b.CreateSub(piece.end, piece.begin));
}

void Emitter::emit_split_row(const ir::Op& op, Rows& rows, llvm::ArrayRef<llvm::Value*> outer, RowPiece piece) {
  const AxisRange& axis = rows.axes.back();
  size_t last = rows.axes.size() - 1;
  auto lesser_of = [&](llvm::Value* a, llvm::Value* c) { return b.CreateSelect(b.CreateICmpSLT(a, c), a, c); };
  auto greater_of = [&](llvm::Value* a, llvm::Value* c) { return b.CreateSelect(b.CreateICmpSLT(a, c), c, a); };
  llvm::Value* low = b.getInt64(static_cast<uint64_t>(rows.margins.low[last]));
  llvm::Value* high = b.CreateSub(extent64(axis.space, axis.axis), b.getInt64(static_cast<uint64_t>(rows.margins.high[last])));
  llvm::Value* from = lesser_of(greater_of(piece.begin, low), piece.end);
  from = b.CreateSelect(piece.ok, from, piece.end);
  llvm::Value* to = greater_of(lesser_of(high, piece.end), from);
  counted_loop(b.getInt64(0), b.getInt64(2), {.slow = true}, [&](llvm::Value* phase) {
    llvm::Value* first = b.CreateICmpEQ(phase, b.getInt64(0));
    llvm::Value* general_begin = b.CreateSelect(first, piece.begin, to);
    llvm::Value* general_end = b.CreateSelect(first, from, piece.end);
    counted_loop(general_begin, general_end, {.slow = true}, [&](llvm::Value* i) {
      emit_iteration(op, rows, outer, piece, i, false);
    });
    when(first, [&] {
      counted_loop(from, to, {.parallel = access_group != nullptr}, [&](llvm::Value* i) {
        emit_iteration(op, rows, outer, piece, i, true);
      });
    });
  });
}

/// One iteration; `inner`: all its constant offsets stay inside.
void Emitter::emit_iteration(const ir::Op& op, Rows& rows, llvm::ArrayRef<llvm::Value*> outer, const RowPiece& piece,
                             llvm::Value* i, bool inner) {
  std::vector<llvm::Value*> coordinates;
  for (size_t k = 0; k < rows.axes.size(); ++k) {
    const AxisRange& axis = rows.axes[k];
    llvm::Value* counter = k < outer.size() ? outer[k] : axis.rim ? rim_coordinate(axis, i, piece.rim_flag) : i;
    int64_t low = inner ? std::max(axis.low, rows.margins.low[k]) : axis.low;
    int64_t high = inner ? std::max(axis.high, rows.margins.high[k]) : axis.high;
    coordinates.push_back(own_coordinate(axis, counter, low, high));
  }
  std::vector<Components> own = index_arguments(op.domains, coordinates);
  for (size_t k = 0; k < own.size(); ++k) set(p.block(op.blocks[0]).arguments[k], own[k]);
  begin_pending();
  if (rows.whole_shift) ordinal = b.CreateAdd(i, rows.whole_shift);
  emit_block(op.blocks[0]);
  store_pending(rows, i);
}

}  // namespace adjoule::codegen
