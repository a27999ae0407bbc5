// Loops over counters and over the domains of kernels.
#include "codegen/emitter.hpp"

namespace adjoule::codegen {

/// for (i = begin; i < end; ++i), or the same from the last to the first.
void Emitter::counted_loop(llvm::Value* begin, llvm::Value* end, LoopShape shape, const std::function<void(llvm::Value*)>& body) {
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::BasicBlock* head = new_block("loop");
  llvm::BasicBlock* inside = new_block("loop.body");
  llvm::BasicBlock* after = new_block("loop.end");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* counter = b.CreatePHI(m.i64(), 2, "i");
  counter->addIncoming(shape.reversed ? end : begin, before);
  b.CreateCondBr(shape.reversed ? b.CreateICmpSGT(counter, begin) : b.CreateICmpSLT(counter, end), inside, after);
  b.SetInsertPoint(inside);
  llvm::Value* one = b.getInt64(1);
  llvm::Value* next = nullptr;
  if (shape.reversed) {
    next = b.CreateSub(counter, one, "i.next", false, true);
    body(next);
  } else {
    body(counter);
    next = b.CreateAdd(counter, one, "i.next", false, true);
  }
  llvm::BranchInst* back = b.CreateBr(head);
  counter->addIncoming(next, b.GetInsertBlock());
  back->setMetadata(llvm::LLVMContext::MD_loop, loop_metadata(shape));
  b.SetInsertPoint(after);
}

llvm::MDNode* Emitter::loop_metadata(LoopShape shape) {
  llvm::LLVMContext& c = m.context();
  auto text = [&](const char* s) { return llvm::MDString::get(c, s); };
  llvm::SmallVector<llvm::Metadata*, 6> parts{nullptr};
  auto add = [&](std::initializer_list<llvm::Metadata*> list) {
    parts.push_back(llvm::MDNode::get(c, llvm::ArrayRef(list.begin(), list.size())));
  };
  add({text("llvm.loop.mustprogress")});
  if (shape.parallel && access_group) add({text("llvm.loop.parallel_accesses"), access_group});
  if (shape.slow) add({text("llvm.loop.vectorize.enable"), llvm::ConstantAsMetadata::get(b.getFalse())});
  if (shape.slow || shape.compact) add({text("llvm.loop.unroll.disable")});
  llvm::MDNode* node = llvm::MDNode::getDistinct(c, parts);
  node->replaceOperandWith(0, node);
  return node;
}

/// All axes of the domains, outermost first.
std::vector<AxisRange> Emitter::axis_ranges(const std::vector<ir::Domain>& domains) {
  std::vector<AxisRange> ranges;
  for (const ir::Domain& domain : domains) {
    const ir::SpaceInfo& info = space(domain.space);
    auto first = static_cast<int>(ranges.size());
    for (int axis = 0; axis < info.dims; ++axis) {
      AxisRange range{.begin = b.getInt64(0), .end = extent64(domain.space, axis), .space = domain.space, .axis = axis,
                      .reversed = domain.reversed};
      bool periodic = info.boundary[static_cast<size_t>(axis)] == Boundary::periodic;
      restrict_range(range, domain, periodic);
      if (domain.region == ir::Region::boundary && domain.side.axis < 0) {
        range.in_rim_region = true;
        range.rim = axis == info.dims - 1;
        range.rim_width = periodic ? 0 : domain.width;
        range.rim_first = first;
      }
      ranges.push_back(range);
    }
  }
  return ranges;
}

/// Interiors and single sides are boxes.
void Emitter::restrict_range(AxisRange& range, const ir::Domain& domain, bool periodic) {
  llvm::Value* width = b.getInt64(static_cast<uint64_t>(domain.width));
  llvm::Value* n = range.end;
  auto at_most = [&](llvm::Value* a, llvm::Value* c) { return b.CreateSelect(b.CreateICmpSLT(a, c), a, c); };
  auto at_least = [&](llvm::Value* a, llvm::Value* c) { return b.CreateSelect(b.CreateICmpSLT(a, c), c, a); };
  if (domain.region == ir::Region::interior && !periodic) {
    range.begin = width;
    range.end = b.CreateSub(n, width);
    range.low = range.high = domain.width;
  }
  if (domain.region != ir::Region::boundary || domain.side.axis != range.axis) return;
  if (periodic) range.end = b.getInt64(0);
  else if (domain.side.high) range.begin = at_least(b.CreateSub(n, width), b.getInt64(0));
  else range.end = at_most(width, n);
}

/// The last axis of a boundary region, given where the axes before it stand: how many coordinates it visits, and whether
/// those are all of them.
std::pair<llvm::Value*, llvm::Value*> Emitter::rim_row(const std::vector<AxisRange>& axes, size_t level,
                                                       llvm::ArrayRef<llvm::Value*> outer) {
  const AxisRange& last = axes[level];
  llvm::Value* flag = b.getFalse();
  for (auto k = static_cast<size_t>(last.rim_first); k < level; ++k) {
    if (axes[k].rim_width == 0) continue;
    llvm::Value* width = b.getInt64(static_cast<uint64_t>(axes[k].rim_width));
    llvm::Value* low = b.CreateICmpSLT(outer[k], width);
    llvm::Value* high = b.CreateICmpSGE(outer[k], b.CreateSub(axes[k].end, width));
    flag = b.CreateOr(flag, b.CreateOr(low, high));
  }
  llvm::Value* both = b.getInt64(static_cast<uint64_t>(2 * last.rim_width));
  llvm::Value* rim = b.CreateSelect(b.CreateICmpSLT(both, last.end), both, last.end);
  return {b.CreateSelect(flag, last.end, rim), flag};
}

llvm::Value* Emitter::rim_coordinate(const AxisRange& axis, llvm::Value* counter, llvm::Value* flag) {
  llvm::Value* width = b.getInt64(static_cast<uint64_t>(axis.rim_width));
  llvm::Value* gap = b.CreateSub(axis.end, b.getInt64(static_cast<uint64_t>(2 * axis.rim_width)));
  llvm::Value* skip = b.CreateAnd(b.CreateNot(flag), b.CreateICmpSGE(counter, width));
  skip = b.CreateAnd(skip, b.CreateICmpSGT(gap, b.getInt64(0)));
  return b.CreateAdd(counter, b.CreateSelect(skip, gap, b.getInt64(0)));
}

/// The loop's own coordinate (i32) at an i64 counter, known to keep these distances from the edges of its space.
llvm::Value* Emitter::own_coordinate(const AxisRange& axis, llvm::Value* counter, int64_t low, int64_t high) {
  llvm::Value* coordinate = b.CreateTrunc(counter, m.i32());
  affine[coordinate] = Affine{counter, 0, low, high, axis.space, axis.axis};
  return coordinate;
}

/// Coordinates of all axes -> one reference a domain.
std::vector<Components> Emitter::index_arguments(const std::vector<ir::Domain>& domains, llvm::ArrayRef<llvm::Value*> coordinates) {
  std::vector<Components> indices;
  size_t next = 0;
  for (const ir::Domain& domain : domains) {
    auto dims = static_cast<size_t>(space(domain.space).dims);
    llvm::ArrayRef<llvm::Value*> own = coordinates.slice(next, dims);
    indices.emplace_back(own.begin(), own.end());
    next += dims;
  }
  return indices;
}

/// Visits the domain in order; the body gets the own coordinates (i32) of all axes.
void Emitter::ordered_nest(const std::vector<AxisRange>& axes, const std::function<void(llvm::ArrayRef<llvm::Value*>)>& body) {
  std::vector<llvm::Value*> counters, coordinates;
  std::function<void()> level = [&] {
    size_t k = counters.size();
    if (k == axes.size()) return body(coordinates);
    const AxisRange& axis = axes[k];
    llvm::Value* begin = axis.begin;
    llvm::Value* end = axis.end;
    llvm::Value* flag = nullptr;
    if (axis.rim) std::tie(end, flag) = rim_row(axes, k, counters);
    counted_loop(begin, end, {.reversed = axis.reversed}, [&](llvm::Value* i) {
      llvm::Value* counter = axis.rim ? rim_coordinate(axis, i, flag) : i;
      counters.push_back(counter);
      coordinates.push_back(own_coordinate(axis, counter, axis.low, axis.high));
      level();
      counters.pop_back();
      coordinates.pop_back();
    });
  };
  level();
}

}  // namespace adjoule::codegen
