// The state of one reverse-mode transformation, shared by the files reverse*.cpp. Reading order:
//   reverse.cpp          the entry; adjoints of single operations; accumulation
//   reverse_sweep.cpp    the forward sweep inside the adjoint: what is rerun, what is recorded on stacks, what is restored
//   reverse_control.cpp  adjoints of if, for, while and serial
//   reverse_loop.cpp     adjoints of parallel loops
//
// The rule. To reverse a block, its values must be at hand. The outermost block is run forward and then reversed in the same
// scope, so they are. A nested loop that reads nothing mutable is redone: its forward copy pushes the values carried into each
// iteration on stacks; each reversed iteration pops them, runs the body again and reverses it. A nested operation that does
// read something mutable (an element of a field under update, a stack) cannot be rerun: its forward copy keeps on a stack each
// value it reads there ("taped"), and the reversed copy pops them and recomputes the rest. Everything is recorded that could
// be needed; dead code elimination then removes each stack whose values no derivative uses.
#pragma once
#include <set>

#include "adjoint/activity.hpp"
#include "adjoint/facts.hpp"
#include "adjoint/sum.hpp"
#include "ir/builder.hpp"
#include "ir/clone.hpp"

namespace adjoule::adjoint {

using ir::Op;
using ir::Opcode;
using ir::Value;
using ir::no_value;

/// What the forward copy of a loop left for its reversal.
struct LoopRecord {
  std::vector<Value> carried;      // a stack for each carried value
  Value trips = no_value;          // while: how many iterations ran (an int)
  Value trips_stack = no_value;    // while inside a taped operation: where that count is kept
};

/// How the forward sweep copies an operation.
enum class Sweep : uint8_t {
  plain,      // just run it
  recording,  // its reversal follows in the same scope: keep what that needs of nested operations
  taped,      // its reversal follows elsewhere: keep what it reads from mutable places, too
};

/// The adjoint of a field or scalar that a kernel updates or reads, as the adjoint kernel sees it.
struct KernelBar {
  Value handle = no_value;     // under update in the adjoint kernel
  bool reduces = false;        // the handle only takes contributions (a reduction); else read and write elements
  Value version = no_value;    // instead of a handle: the adjoint is only read (the primal reduced into it)
  // minimum / maximum reductions: the reduced values before and after the loop, and which reduction attained the result
  // (the first in order), and how many of its turns did so where it stands in an inner loop: they share the adjoint
  Value before = no_value, after = no_value, winner = no_value, turns = no_value;
};

struct Reverser {
  const ir::Program& program;
  const ir::Procedure& f;
  ir::Builder builder;
  Facts facts;
  std::vector<bool> active;             // by value of f
  ir::ValueMap map;                     // by value of f: its counterpart in the scope being built
  std::vector<Value> bars;              // by value of f: its adjoint so far; no_value is a symbolic zero
  std::vector<Value> tape;              // by value of f: the stack that keeps it while taped
  std::vector<LoopRecord> records;      // by operation of f
  std::vector<KernelBar> kernel_bars;   // by value of f: of handles, and of versions read inside the kernel being reversed
  std::vector<int> object_depth;        // by value of f: the redo depth at which a handle or stack is live; else effects on it are skipped
  std::vector<bool> reads_mutable;      // by operation of f
  std::vector<std::vector<Value>> captured;  // by operation of f: values used inside that are defined outside
  int depth = 0;                        // how many reversals surround this scope
  bool in_kernel = false;
  bool finding_winners = false;         // the sweep marks which reductions attained a minimum or maximum
  Value winner_code = no_value;         // then and in the reversal: the number of this iteration times its reductions
  std::vector<bool> gathered;           // by operation of f: a load whose adjoint is gathered in `bars`, and added at the kernel's end
  std::vector<int> reduction_number;    // by operation of f: its place among the reductions of its kernel

  Reverser(const ir::Program& program, const ir::Procedure& f, const Selection& selection, std::string name);

  // --- reverse.cpp
  void accumulate(Value v, Value contribution);
  Value bar_or_zero(Value v);
  std::vector<Value> mapped(const std::vector<Value>& values, size_t first, size_t last) const;
  void reverse_block(ir::BlockId block);
  void reverse_op(ir::OpId id);
  void reverse_single(ir::OpId id);
  void reverse_plain(const Op& op);
  void reverse_load(ir::OpId id);
  void reverse_store(const Op& op);
  void reverse_reduce(ir::OpId id);
  void reverse_fill(const Op& op);
  void reverse_set_element(const Op& op);
  void add_to_element(const KernelBar& bar, std::vector<Value> indices, Value contribution);
  void make_stack_bars(ir::BlockId block);

  // --- reverse_sweep.cpp
  void find_reads_and_captures(ir::BlockId block);
  bool needs_tape(ir::OpId id) const;
  void sweep_block(ir::BlockId block, Sweep mode);
  void sweep_op(ir::OpId id, Sweep mode);
  void sweep_single(ir::OpId id, Sweep mode);
  void copy_control(ir::OpId id, Sweep mode);
  void copy_while(ir::OpId id, Sweep mode);
  void make_tapes(ir::OpId id);
  void make_carried_stacks(ir::OpId id);
  void push_carried(ir::OpId id, ir::BlockId block, size_t first_argument);
  void restore_block(ir::BlockId block);
  Op append_copy(Op copy, const Op& original);

  // --- reverse_control.cpp
  bool reaches_adjoint(ir::OpId id) const;
  bool touches_active_object(ir::BlockId block) const;
  std::vector<Value> captured_bars(ir::OpId id) const;
  void reverse_if(ir::OpId id);
  void reverse_for(ir::OpId id);
  void reverse_while(ir::OpId id);
  void reverse_serial(ir::OpId id);
  void reverse_iteration(ir::OpId id, ir::BlockId body, size_t first_argument, const std::vector<size_t>& carried,
                         const std::vector<Value>& outer, std::span<const Value> incoming, std::vector<Value>& outgoing);
  void take_results(const std::vector<Value>& results, const std::vector<Value>& initial,
                    const std::vector<Value>& outer);

  // --- reverse_loop.cpp
  void reverse_loop(ir::OpId id);
  void reverse_extrema(ir::OpId id, const std::vector<Value>& winners);
  struct Winners { std::vector<Value> winner, turns; };   // by operand of the loop; no_value where there is none
  Winners find_winners(ir::OpId id);
  std::vector<Value> sweep_extrema(ir::OpId id, const std::vector<size_t>& which, const Winners& found, ir::Mode mode);
  Value attains(ir::OpId id, const std::vector<Value>& indices);
  void mark_winner(ir::OpId id);
};

inline size_t at(int32_t index) { return static_cast<size_t>(index); }

}  // namespace adjoule::adjoint
