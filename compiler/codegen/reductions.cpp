// Reductions of parallel loops, in the fixed order of ir/reductions.hpp.
//
// A reduce statement that stands outside of inner loops gives at most one value an iteration. The body then only *keeps* the
// value (and the element's number), in a buffer at the iteration's own position: a parallel loop that LLVM can vectorise.
// Afterwards the kept values are combined in order:
//   row     after each row, or each 1024 iterations of it: sums in 16 lanes, everything else one by one; stays in cache
//   whole   after the whole loop: the second and later statements into one target, whose turn comes only then
// A statement inside inner loops has any number of values, and is carried out in place: sums of scalars lane by lane, the
// rest in the order of the loop. Where several such statements reduce into one target, the loop runs once for each of them
// (LLVM drops from each run what only the others need); until the last run, own elements are changed in a copy, if at all.
#include "codegen/rows.hpp"

#include <limits>

namespace adjoule::codegen {

using ir::Opcode;
using Way = ReduceStatement::Way;

namespace {

constexpr auto lane_count = static_cast<uint64_t>(ir::sum_lanes);

bool in_place(const ReduceStatement& s) { return s.way == Way::plain || s.way == Way::lanes; }

}  // namespace

// --- single steps

llvm::Value* Emitter::combine(ir::Reduction reduction, llvm::Value* a, llvm::Value* v) {
  switch (reduction) {
    case ir::Reduction::minimum: return lesser(a, v);
    case ir::Reduction::maximum: return greater(a, v);
    default: return a->getType()->isFloatingPointTy() ? b.CreateFAdd(a, v) : b.CreateAdd(a, v);
  }
}

/// Changes nothing when combined: what an iteration without a value keeps. (x + -0.0 is x, also for both zeros.)
llvm::Value* Emitter::neutral_element(ir::Reduction reduction, llvm::Type* type) {
  bool minimum = reduction == ir::Reduction::minimum;
  if (type->isFloatingPointTy()) {
    if (reduction == ir::Reduction::add) return llvm::ConstantFP::getNegativeZero(type);
    return llvm::ConstantFP::getInfinity(type, /*Negative=*/!minimum);
  }
  if (reduction == ir::Reduction::add) return b.getInt32(0);
  int32_t extreme = minimum ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int32_t>::min();
  return b.getInt32(static_cast<uint32_t>(extreme));
}

void Emitter::reduce_element(llvm::Value* buffer, const Type& field, ir::Reduction reduction, llvm::Value* number,
                             llvm::ArrayRef<llvm::Value*> value) {
  int bytes = m.stored_bytes(field);
  for (int c = 0; c < m.stored_components(field); ++c) {
    llvm::Value* place = element_pointer(buffer, field, c, number);
    llvm::Value* old = load_scalar(m.stored_type(field), place, bytes);
    store_scalar(combine(reduction, old, value[static_cast<size_t>(c)]), place, bytes);
  }
}

ir::Reduction Emitter::reduction_of(const Handle& handle) const {
  switch (handle.mode) {
    case ir::Mode::reduce_minimum: return ir::Reduction::minimum;
    case ir::Mode::reduce_maximum: return ir::Reduction::maximum;
    default: return ir::Reduction::add;
  }
}

bool Emitter::is_sum(const ReduceStatement& s) const {
  const Handle& handle = handles[s.handle];
  return !handle.type.field && handle.type.differentiable() && reduction_of(handle) == ir::Reduction::add;
}

size_t Emitter::pending_count(const ReduceStatement& s) const {
  const Type& type = handles[s.handle].type;
  return static_cast<size_t>(type.field ? m.stored_components(type) + 1 : m.components(type));
}

llvm::Type* Emitter::pending_type(const ReduceStatement& s, size_t i) const {
  const Type& type = handles[s.handle].type;
  bool number = type.field && i + 1 == pending_count(s);
  return number ? m.i64() : m.scalar_type(value_of(type));
}

void Emitter::begin_scalar(Handle& handle, const Components& initial) {
  for (llvm::Value* v : initial) {
    handle.scalars.push_back(entry_alloca(v->getType(), "scalar"));
    b.CreateStore(v, handle.scalars.back());
  }
}

Components Emitter::finish_scalar(const Handle& handle) {
  Components components;
  for (llvm::AllocaInst* cell : handle.scalars) components.push_back(b.CreateLoad(cell->getAllocatedType(), cell));
  return components;
}

// --- the plan

void Emitter::find_reductions(ir::BlockId block, bool nested, bool conditional, const ir::Op& loop) {
  for (ir::OpId id : p.block(block).ops) {
    const ir::Op& op = p.op(id);
    bool loops = op.code == Opcode::for_ || op.code == Opcode::while_;
    for (ir::BlockId inner : op.blocks) find_reductions(inner, nested || loops, conditional || op.code == Opcode::if_, loop);
    if (op.code != Opcode::reduce) continue;
    ReduceStatement s;
    s.op = id;
    while (handles[s.handle].value != op.operands[0]) ++s.handle;
    s.nested = nested;
    s.conditional = conditional;
    s.own = is_own_element(loop, op);
    statements.push_back(std::move(s));
  }
}

/// Does each loop index stand alone in it, as in own access?
bool Emitter::is_own_element(const ir::Op& loop, const ir::Op& reduce) const {
  const std::vector<ir::Value>& arguments = p.block(loop.blocks[0]).arguments;
  for (size_t i = 0; i < loop.domains.size(); ++i) {
    bool found = false;
    for (size_t k = 1; k + 1 < reduce.operands.size(); ++k) found = found || reduce.operands[k] == arguments[i];
    if (!found) return false;
  }
  return true;
}

/// Chooses how each statement is carried out; returns how often the loop must run.
int Emitter::plan_reductions(const ir::Op& op) {
  find_reductions(op.blocks[0], false, false, op);
  int passes = 1;
  for (size_t handle = 0; handle < handles.size(); ++handle) choose_ways(handle, passes);
  return passes;
}

void Emitter::choose_ways(size_t handle, int& passes) {
  std::vector<ReduceStatement*> mine;
  bool nested = false, own = true;
  for (ReduceStatement& s : statements) {
    if (s.handle != handle) continue;
    mine.push_back(&s);
    nested = nested || s.nested;
    // The same positions in all statements, or one iteration's own element is another's.
    auto begin = [&](const ReduceStatement* r) { return p.op(r->op).operands.begin() + 1; };
    own = own && s.own && std::equal(begin(&s), p.op(s.op).operands.end() - 1, begin(mine[0]), p.op(mine[0]->op).operands.end() - 1);
  }
  if (handles[handle].mode == ir::Mode::own) {   // in place, each at once, like a store
    for (ReduceStatement* s : mine) s->pass = ReduceStatement::every_pass;
    return;
  }
  bool repeat = nested && mine.size() > 1;
  for (size_t i = 0; i < mine.size(); ++i) {
    ReduceStatement& s = *mine[i];
    if (is_sum(s)) {
      s.way = s.nested ? Way::lanes : Way::row;
    } else if (nested || (own && handles[handle].type.field)) {
      s.way = Way::plain;
      s.pass = repeat ? static_cast<int>(i) : 0;
      s.shared = handles[handle].type.field && !own;
      passes = std::max(passes, s.pass + 1);
    } else {
      s.way = i == 0 ? Way::row : Way::whole;
    }
  }
}

// --- around the loop

void Emitter::begin_reductions(Rows& rows) {
  rows.keeps_rows = rows.counts = false;
  llvm::Value* total = nullptr;
  for (ReduceStatement& s : statements) {
    if (s.pass != active_pass || s.way == Way::plain) continue;
    rows.keeps_rows = rows.keeps_rows || s.way == Way::row;
    rows.counts = rows.counts || s.way != Way::row;
    if (is_sum(s)) begin_sum(s);
    if (s.way == Way::lanes) continue;
    if (s.way == Way::whole && !total) total = total_iterations(rows);
    // Sums may have nearly a block waiting when the next row comes.
    llvm::Value* capacity = s.way == Way::whole ? total : b.getInt64(static_cast<uint64_t>(2 * row_chunk));
    s.buffers.clear();
    for (size_t i = 0; i < pending_count(s); ++i) {
      uint64_t bytes = m.module.getDataLayout().getTypeStoreSize(pending_type(s, i));
      s.buffers.push_back(allocate(b.CreateMul(capacity, b.getInt64(bytes), "", true, true)));
    }
  }
  auto counter = [&](llvm::AllocaInst*& cell, const char* name) {
    if (!cell) cell = entry_alloca(m.i64(), name);
    b.CreateStore(b.getInt64(0), cell);
  };
  if (rows.counts) counter(rows.iterations, "iterations");
  if (rows.keeps_rows) counter(rows.waiting, "waiting");
}

llvm::Value* Emitter::total_iterations(const Rows& rows) {
  llvm::Value* total = b.getInt64(1);
  for (const AxisRange& axis : rows.axes) {
    llvm::Value* n = b.CreateSub(axis.end, axis.begin);
    n = b.CreateSelect(b.CreateICmpSLT(n, b.getInt64(0)), b.getInt64(0), n);
    total = b.CreateMul(total, n, "", true, true);
  }
  return total;
}

void Emitter::begin_sum(ReduceStatement& s) {
  llvm::Type* f64 = llvm::Type::getDoubleTy(m.context());
  for (size_t i = 0; i < pending_count(s); ++i) {
    s.totals.push_back(entry_alloca(f64, "total"));
    b.CreateStore(llvm::ConstantFP::get(f64, 0), s.totals.back());
    if (s.way != Way::lanes) continue;
    s.lanes.push_back(entry_alloca(llvm::ArrayType::get(m.real(), lane_count), "lanes"));
    b.CreateStore(zero_of(s.lanes.back()->getAllocatedType()), s.lanes.back());
  }
}

void Emitter::end_reductions(Rows& rows) {
  llvm::Value* waiting = rows.keeps_rows ? b.CreateLoad(m.i64(), rows.waiting) : nullptr;
  llvm::Value* iterations = rows.counts ? b.CreateLoad(m.i64(), rows.iterations) : nullptr;
  for (ReduceStatement& s : statements) {
    if (s.pass != active_pass || s.way == Way::plain) continue;
    if (s.way == Way::whole) replay(s, iterations);
    if (is_sum(s)) {
      if (s.way == Way::lanes) close_block(s);
      else add_row(s, waiting, true);
      const Handle& handle = handles[s.handle];
      for (size_t i = 0; i < handle.scalars.size(); ++i) {
        llvm::Type* f64 = llvm::Type::getDoubleTy(m.context());
        llvm::Value* incoming = b.CreateFPExt(b.CreateLoad(m.real(), handle.scalars[i]), f64);
        llvm::Value* sum = b.CreateFAdd(incoming, b.CreateLoad(f64, s.totals[i]));
        b.CreateStore(b.CreateFPTrunc(sum, m.real()), handle.scalars[i]);
      }
    }
    for (llvm::Value* buffer : s.buffers) release(buffer, b.getInt64(0));
    s.buffers.clear();
  }
}

void Emitter::begin_row(Rows& rows, llvm::Value* row_begin) {
  rows.row_shift = b.CreateNeg(row_begin);
  rows.sum_shift = rows.keeps_rows ? b.CreateSub(b.CreateLoad(m.i64(), rows.waiting), row_begin) : nullptr;
  rows.whole_shift = rows.counts ? b.CreateSub(b.CreateLoad(m.i64(), rows.iterations), row_begin) : nullptr;
}

void Emitter::end_row(Rows& rows, llvm::Value* length) {
  length = b.CreateSelect(b.CreateICmpSLT(length, b.getInt64(0)), b.getInt64(0), length);
  llvm::Value* waiting = rows.keeps_rows ? b.CreateAdd(b.CreateLoad(m.i64(), rows.waiting), length) : nullptr;
  for (ReduceStatement& s : statements) {
    if (s.pass != active_pass || s.way != Way::row) continue;
    if (is_sum(s)) add_row(s, waiting, false);
    else replay(s, length);
  }
  if (waiting) b.CreateStore(b.CreateAnd(waiting, b.getInt64(row_chunk - 1)), rows.waiting);
  if (rows.counts) b.CreateStore(b.CreateAdd(b.CreateLoad(m.i64(), rows.iterations), length), rows.iterations);
}

/// Adds the full blocks among `count` kept values to the totals and moves the rest to the front; `last`: the rest too.
void Emitter::add_row(ReduceStatement& s, llvm::Value* count, bool last) {
  llvm::Type* f64 = llvm::Type::getDoubleTy(m.context());
  llvm::FunctionCallee sum = m.runtime_function(m.options.single ? "adjoule_sum_f32" : "adjoule_sum_f64");
  for (size_t i = 0; i < s.totals.size(); ++i) {
    llvm::Value* total = b.CreateLoad(f64, s.totals[i]);
    b.CreateStore(b.CreateCall(sum, {s.buffers[i], count, b.getInt32(last ? 1 : 0), total}), s.totals[i]);
  }
}

/// Combines `count` kept values into the target, one after the other.
void Emitter::replay(ReduceStatement& s, llvm::Value* count) {
  llvm::MDNode* group = std::exchange(access_group, nullptr);
  const Handle& handle = handles[s.handle];
  ir::Reduction reduction = reduction_of(handle);
  counted_loop(b.getInt64(0), count, {.compact = true}, [&](llvm::Value* k) {
    Components kept;
    for (size_t i = 0; i < s.buffers.size(); ++i) {
      llvm::Type* type = pending_type(s, i);
      kept.push_back(b.CreateLoad(type, b.CreateInBoundsGEP(type, s.buffers[i], k)));
    }
    if (!handle.type.field) {
      for (size_t i = 0; i < kept.size(); ++i) {
        llvm::Value* old = b.CreateLoad(kept[i]->getType(), handle.scalars[i]);
        b.CreateStore(combine(reduction, old, kept[i]), handle.scalars[i]);
      }
      return;
    }
    llvm::Value* number = kept.pop_back_val();
    auto reduce = [&] { reduce_element(at(handle.value)[0], handle.type, reduction, number, kept); };
    if (s.conditional) when(b.CreateICmpSGE(number, b.getInt64(0)), reduce);
    else reduce();
  });
  access_group = group;
}

// --- inside the body

void Emitter::begin_pending() {
  for (ReduceStatement& s : statements) {
    s.pending.clear();
    if (s.pass != active_pass || in_place(s)) continue;
    for (size_t i = 0; i < pending_count(s); ++i) {
      llvm::Type* type = pending_type(s, i);
      s.pending.push_back(type == m.i64() ? b.getInt64(~uint64_t{0}) : neutral_element(reduction_of(handles[s.handle]), type));
    }
  }
}

/// At the end of iteration `i` (the counter of the row): keeps what it has to say.
void Emitter::store_pending(const Rows& rows, llvm::Value* i) {
  for (ReduceStatement& s : statements) {
    if (s.pass != active_pass) continue;
    if (s.way == Way::lanes) {
      llvm::Value* in_block = b.CreateAnd(ordinal, b.getInt64(row_chunk - 1));
      when(b.CreateICmpEQ(in_block, b.getInt64(row_chunk - 1)), [&] { close_block(s); });
    }
    if (in_place(s)) continue;
    llvm::Value* shift = s.way == Way::whole ? rows.whole_shift : is_sum(s) ? rows.sum_shift : rows.row_shift;
    llvm::Value* position = b.CreateAdd(i, shift, "", false, true);
    for (size_t c = 0; c < s.pending.size(); ++c) {
      llvm::Type* type = s.pending[c]->getType();
      auto bytes = static_cast<int>(m.module.getDataLayout().getTypeStoreSize(type));
      store_scalar(s.pending[c], b.CreateInBoundsGEP(type, s.buffers[c], position), bytes);
    }
  }
}

void Emitter::emit_reduce(ir::OpId id) {
  const ir::Op& op = p.op(id);
  const Type& type = p.type(op.operands[0]);
  const Components& value = at(op.operands.back());
  ReduceStatement* s = nullptr;
  for (ReduceStatement& candidate : statements) {
    if (candidate.op == id) s = &candidate;
  }
  if (s && s->pass != active_pass && s->pass != ReduceStatement::every_pass) return;
  if (!type.field) {
    if (s->way == Way::lanes) return add_to_lane(*s, value);
    if (s->way != Way::plain) s->pending = value;
    else {
      const Handle& handle = handles[s->handle];
      for (size_t i = 0; i < value.size(); ++i) {
        llvm::Value* old = b.CreateLoad(value[i]->getType(), handle.scalars[i]);
        b.CreateStore(combine(op.reduction, old, value[i]), handle.scalars[i]);
      }
    }
    return;
  }
  Place place = element_place(type, op.operands.data() + 1, type.spaces.size());
  if (!s || s->way == Way::plain) {   // a serial loop, or in place
    auto reduce = [&] { reduce_element(at(op.operands[0])[0], type, op.reduction, place.number, value); };
    if (place.inside) when(place.inside, reduce);
    else reduce();
    return;
  }
  if (place.inside) s->conditional = true;
  s->pending = value;
  s->pending.push_back(place.inside ? b.CreateSelect(place.inside, place.number, b.getInt64(~uint64_t{0})) : place.number);
}

void Emitter::add_to_lane(ReduceStatement& s, const Components& value) {
  llvm::Value* lane = b.CreateAnd(ordinal, b.getInt64(lane_count - 1));
  for (size_t i = 0; i < value.size(); ++i) {
    llvm::Value* place = b.CreateInBoundsGEP(s.lanes[i]->getAllocatedType(), s.lanes[i], {b.getInt64(0), lane});
    b.CreateStore(b.CreateFAdd(b.CreateLoad(m.real(), place), value[i]), place);
  }
}

/// Lanes combine by the fixed tree, and their block's sum joins the total.
void Emitter::close_block(ReduceStatement& s) {
  llvm::Type* f64 = llvm::Type::getDoubleTy(m.context());
  for (size_t i = 0; i < s.lanes.size(); ++i) {
    std::vector<llvm::Value*> lanes;
    for (uint64_t k = 0; k < lane_count; ++k) {
      lanes.push_back(b.CreateLoad(m.real(), b.CreateConstInBoundsGEP1_64(m.real(), s.lanes[i], k)));
    }
    for (size_t half = lane_count / 2; half > 0; half /= 2) {
      for (size_t k = 0; k < half; ++k) lanes[k] = b.CreateFAdd(lanes[k], lanes[k + half]);
    }
    llvm::Value* total = b.CreateLoad(f64, s.totals[i]);
    b.CreateStore(b.CreateFAdd(total, b.CreateFPExt(lanes[0], f64)), s.totals[i]);
    b.CreateStore(zero_of(s.lanes[i]->getAllocatedType()), s.lanes[i]);
  }
}

}  // namespace adjoule::codegen
