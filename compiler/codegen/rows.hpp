// The rows of a parallel loop: what lower_loops.cpp and reductions.cpp tell one another.
#pragma once
#include <algorithm>

#include "codegen/emitter.hpp"
#include "ir/lane_sums.hpp"

namespace adjoule::codegen {

/// Where values wait to be reduced, a row is cut into pieces of this many iterations: a block of the fixed order of sums.
constexpr int64_t row_chunk = ir::sum_block;

struct Rows {
  std::vector<AxisRange> axes;
  Margins margins;                          // how far the body's constant offsets reach
  bool split = false;                       // rows have a middle part without boundary tests
  bool rim = false;                         // the loop runs over a boundary region
  bool keeps_rows = false;                  // some statement's way is `row`
  bool counts = false;                      // some statement needs the number of the iteration
  llvm::AllocaInst* iterations = nullptr;   // done in the rows before
  llvm::AllocaInst* waiting = nullptr;      // values of sums that do not fill a block yet
  // Of the present row: what to add to its counter, to get a position in the buffers of…
  llvm::Value* row_shift = nullptr;         // …fields
  llvm::Value* sum_shift = nullptr;         // …sums
  llvm::Value* whole_shift = nullptr;       // …the whole loop: the number of the iteration
};

}  // namespace adjoule::codegen
