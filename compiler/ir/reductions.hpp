// The order in which a parallel loop combines its reductions (language.md, Order), as the interpreter does it:
//   fields    statement by statement, as if each reducing statement ran in a loop of its own over the whole space, in
//   program
//             order, each in index order; several reductions of one statement in one iteration: in their order
//   scalars   sums of reals: each statement by itself, in program order. Iteration i adds into lane i mod 16 of its
//   block of
//             1024 iterations (lanes start at +0). The lanes of a block combine by a fixed tree: l + (l + 8) for l < 8,
//             then 4, 2, 1. Block sums add up in order, in f64 also where real is f32; that total is added to the
//             incoming value (in f64, then rounded). Minima, maxima and ints: as for fields.
#pragma once
#include <memory>

#include "ir/evaluate.hpp"
#include "ir/interpreter.hpp"

namespace adjoule::ir {

/// a op b, rounded to f32 when `single`.
double combine(Reduction reduction, double a, double b, bool single);
int32_t combine(Reduction reduction, int32_t a, int32_t b);

/// Adds `value` to one element of a field whose elements have as many components.
void reduce_element(FieldData& field, int64_t element, Components value, Reduction reduction, bool single);

/// All reductions of one parallel loop into one of its handles. The target is read and written at `finish` or before,
/// never otherwise in the loop. A scalar is a target of one element.
class Reducer {
 public:
  /// `statements`: the reduce operations on this handle, in program order.
  Reducer(FieldData& target, std::vector<OpId> statements, bool scalar, Reduction reduction, bool single);

  void reduce(OpId statement, int64_t iteration, int64_t element, Components value);
  void finish();

 private:
  struct Statement {
    OpId op = -1;
    // put off until the statements before it are done
    std::vector<int64_t> elements;
    FieldData values;
    // sums in lanes
    int64_t block = 0;
    std::vector<double> lanes;   // lane after lane, all components of one together
    std::vector<double> totals;  // by component: the blocks before
  };

  FieldData& target_;
  std::vector<Statement> statements_;
  bool lanes_ = false;
  Reduction reduction_;
  bool single_;

  Statement& find(OpId op);
  void reduce_in_lanes(Statement& statement, int64_t iteration, Components value);
  void close_block(Statement& statement);
};

}  // namespace adjoule::ir
