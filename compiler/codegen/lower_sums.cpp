// Inner loops over a whole space that carry sums (ir/lane_sums.hpp): sixteen lanes side by side, so that LLVM vectorises them.
#include "codegen/emitter.hpp"
#include "ir/lane_sums.hpp"

namespace adjoule::codegen {

void Emitter::emit_summing_for(const ir::Op& op, const std::vector<bool>& sums) {
  const ir::Block& body = p.block(op.blocks[0]);
  Carried carried = carry(op.operands.data(), op.operands.size());
  llvm::Type* f64 = llvm::Type::getDoubleTy(m.context());
  std::vector<ReduceStatement> lanes(sums.size());   // of each sum: its lanes and totals
  for (size_t k = 0; k < sums.size(); ++k) {
    for (size_t c = 0; sums[k] && c < carried[k].size(); ++c) {
      lanes[k].lanes.push_back(entry_alloca(llvm::ArrayType::get(m.real(), ir::sum_lanes), "lanes"));
      lanes[k].totals.push_back(entry_alloca(f64, "total"));
      b.CreateStore(zero_of(lanes[k].lanes.back()->getAllocatedType()), lanes[k].lanes.back());
      b.CreateStore(llvm::ConstantFP::get(f64, 0), lanes[k].totals.back());
    }
  }
  auto lane_place = [&](size_t k, size_t c, llvm::Value* lane) {
    llvm::AllocaInst* array = lanes[k].lanes[c];
    return b.CreateInBoundsGEP(array->getAllocatedType(), array, {b.getInt64(0), lane});
  };
  auto iteration = [&](Components index, llvm::Value* lane) {
    set(body.arguments[0], std::move(index));
    read_carried(carried, body.arguments.data() + 1);
    for (size_t k = 0; k < sums.size(); ++k) {
      if (!sums[k]) continue;
      Components components;
      for (size_t c = 0; c < carried[k].size(); ++c) components.push_back(b.CreateLoad(m.real(), lane_place(k, c, lane)));
      set(body.arguments[1 + k], std::move(components));
    }
    emit_block(op.blocks[0]);
    for (size_t k = 0; k < sums.size(); ++k) {
      for (size_t c = 0; c < carried[k].size(); ++c)
        b.CreateStore(at(body.yields[k])[c], sums[k] ? lane_place(k, c, lane) : carried[k][c]);
    }
  };
  auto close_blocks = [&] {
    for (size_t k = 0; k < sums.size(); ++k)
      if (sums[k]) close_block(lanes[k]);
  };
  std::vector<AxisRange> axes = axis_ranges(op.domains);
  if (axes.size() == 1) sum_over_row(op, axes[0], iteration, close_blocks);
  else sum_over_nest(op, axes, iteration, close_blocks);
  for (size_t k = 0; k < sums.size(); ++k) {   // initial value + total, rounded once
    for (size_t c = 0; sums[k] && c < carried[k].size(); ++c) {
      llvm::Value* initial = b.CreateFPExt(b.CreateLoad(m.real(), carried[k][c]), f64);
      llvm::Value* total = b.CreateLoad(f64, lanes[k].totals[c]);
      b.CreateStore(b.CreateFPTrunc(b.CreateFAdd(initial, total), m.real()), carried[k][c]);
    }
  }
  read_carried(carried, op.results.data());
}

/// One axis: blocks of 1024 iterations; in each, turns of sixteen, then the rest.
void Emitter::sum_over_row(const ir::Op& op, const AxisRange& axis, const std::function<void(Components, llvm::Value*)>& iteration,
                           const std::function<void()>& close_blocks) {
  llvm::Value* zero = b.getInt64(0);
  llvm::Value* n = b.CreateSub(axis.end, axis.begin);
  auto visit = [&](llvm::Value* ordinal, llvm::Value* lane) {
    llvm::Value* counter = axis.reversed ? b.CreateSub(b.CreateSub(axis.end, b.getInt64(1)), ordinal, "", false, true)
                                         : b.CreateAdd(axis.begin, ordinal, "", false, true);
    iteration(index_arguments(op.domains, {own_coordinate(axis, counter, axis.low, axis.high)})[0], lane);
  };
  llvm::Value* blocks = b.CreateAShr(b.CreateAdd(n, b.getInt64(ir::sum_block - 1)), 10);
  counted_loop(zero, blocks, {.slow = true}, [&](llvm::Value* block) {
    llvm::Value* start = b.CreateShl(block, 10);
    llvm::Value* left = b.CreateSub(n, start);
    llvm::Value* length = b.CreateSelect(b.CreateICmpSLT(left, b.getInt64(ir::sum_block)), left, b.getInt64(ir::sum_block));
    llvm::Value* turns = b.CreateAShr(length, 4);
    counted_loop(zero, turns, {.compact = true}, [&](llvm::Value* turn) {
      llvm::Value* first = b.CreateAdd(start, b.CreateShl(turn, 4));
      counted_loop(zero, b.getInt64(ir::sum_lanes), {}, [&](llvm::Value* lane) { visit(b.CreateAdd(first, lane, "", false, true), lane); });
    });
    llvm::Value* rest = b.CreateAnd(length, b.getInt64(ir::sum_lanes - 1));
    llvm::Value* first = b.CreateAdd(start, b.CreateShl(turns, 4));
    counted_loop(zero, rest, {.slow = true}, [&](llvm::Value* lane) { visit(b.CreateAdd(first, lane, "", false, true), lane); });
    close_blocks();
  });
}

/// Several axes: the number of the iteration is counted.
void Emitter::sum_over_nest(const ir::Op& op, const std::vector<AxisRange>& axes,
                            const std::function<void(Components, llvm::Value*)>& iteration,
                            const std::function<void()>& close_blocks) {
  llvm::AllocaInst* done = entry_alloca(m.i64(), "iterations");
  b.CreateStore(b.getInt64(0), done);
  ordered_nest(axes, [&](llvm::ArrayRef<llvm::Value*> coordinates) {
    llvm::Value* number = b.CreateLoad(m.i64(), done);
    iteration(index_arguments(op.domains, coordinates)[0], b.CreateAnd(number, b.getInt64(ir::sum_lanes - 1)));
    llvm::Value* next = b.CreateAdd(number, b.getInt64(1));
    b.CreateStore(next, done);
    when(b.CreateICmpEQ(b.CreateAnd(next, b.getInt64(ir::sum_block - 1)), b.getInt64(0)), close_blocks);
  });
  close_blocks();
}

}  // namespace adjoule::codegen
