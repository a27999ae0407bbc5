// From one IR procedure to LLVM functions. Inside the room only: compile.cpp calls `lower` (lower.hpp).
//
// One Emitter writes one LLVM function: a procedure, or the kernel of one `loop` or `serial`, which becomes a function of
// its own. That gives the kernel's buffers the `noalias` of arguments, which holds for one call only: alias scopes inside
// one function would wrongly hold across the steps of a time loop, where buffers swap their roles.
//
// An IR value is a list of LLVM values, one a scalar component: vectors, matrices and fixed arrays exist no more. Fields are
// one pointer to a buffer (runtime/native.hpp), stacks one pointer to a NativeStack.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "codegen/compile.hpp"
#include "codegen/cpu/target.hpp"
#include "codegen/lower.hpp"

namespace adjoule::codegen {

using Components = llvm::SmallVector<llvm::Value*, 4>;

/// What all functions of one LLVM module share.
struct ModuleState {
  const ir::Program& program;
  const CompileOptions& options;
  const Target& target;
  llvm::Module& module;
  const FaultTable& faults;
  std::vector<llvm::GlobalValue*> kept = {};       // vector variants, named only in attributes: must survive until used
  
  llvm::LLVMContext& context() const { return module.getContext(); }
  llvm::Type* i1() const { return llvm::Type::getInt1Ty(context()); }
  llvm::Type* i8() const { return llvm::Type::getInt8Ty(context()); }
  llvm::Type* i32() const { return llvm::Type::getInt32Ty(context()); }
  llvm::Type* i64() const { return llvm::Type::getInt64Ty(context()); }
  llvm::Type* real() const {
    return options.single ? llvm::Type::getFloatTy(context()) : llvm::Type::getDoubleTy(context());
  }
  llvm::PointerType* pointer() const { return llvm::PointerType::get(context(), 0); }

  int reference_dims(const Type& type) const {
    return type.element == Element::reference ? program.spaces[static_cast<size_t>(type.space)].dims : 1;
  }
  /// Scalars of a value of this type, where fields and stacks are one pointer.
  int components(const Type& type) const {
    return type.is_value() ? type.array_count() * type.element_scalars(reference_dims(type)) : 1;
  }
  llvm::Type* scalar_type(const Type& type) const;       // of each component in registers
  llvm::Type* stored_type(const Type& type) const;       // of each component in a field's buffer
  int stored_bytes(const Type& type) const;
  int stored_components(const Type& type) const { return type.array_count() * type.element_scalars(); }

  llvm::Function* math(const char* name, int operands);  // SLEEF's deterministic function, with its vector variants
  llvm::FunctionCallee runtime_function(const char* name);
};

/// An int that is a loop's own coordinate plus a constant: the index arithmetic that LLVM can see through.
struct Affine {
  llvm::Value* base = nullptr;    // i64, the loop's counter along one axis
  int64_t offset = 0;
  int64_t low = 0, high = 0;      // base is at least `low` from the first and `high` from the last coordinate…
  SpaceId space = no_space;       // …of this axis; no_space: not known to be a coordinate of any
  int axis = 0;
};

/// Where an element of a field lies.
struct Place {
  llvm::Value* number = nullptr;  // i64, in range even when outside
  llvm::Value* inside = nullptr;  // i1; null: always inside
};

/// One axis of a loop nest, as i64 bounds. For rims see nest.cpp.
struct AxisRange {
  llvm::Value* begin = nullptr;
  llvm::Value* end = nullptr;
  int64_t low = 0, high = 0;      // known distance from the space's edges (Affine)
  SpaceId space = no_space;
  int axis = 0;
  bool reversed = false;
  // The last axis of a boundary region: the counter goes over the rim alone unless an axis before it is in the rim.
  bool rim = false;
  int64_t rim_width = 0;          // 0 when the axis is periodic
  int rim_first = 0;              // index of the region's first axis in the nest
  bool in_rim_region = false;     // an axis of a boundary region (any)
};

/// How one reduce statement of a parallel loop is carried out (reductions.cpp).
struct ReduceStatement {
  ir::OpId op = -1;
  size_t handle = 0;
  enum class Way : uint8_t {
    plain,        // in place, in the order of the loop
    row,          // values of one row are kept, then reduced
    whole,        // values of the whole loop are kept, then reduced: the later statements into one field
    lanes,        // a sum into a scalar from inside inner loops: lane by lane
  } way = Way::plain;
  bool nested = false;            // inside an inner loop: any number of times an iteration
  bool own = false;               // into the loop's own element
  bool conditional = false;       // inside an `if`
  bool shared = false;            // touches memory that other iterations touch too
  static constexpr int every_pass = -1;
  int pass = 0;                   // of the loop, when it must run several times
  Components pending;             // components of the value, then for fields the element's number (i64; -1: none)
  std::vector<llvm::Value*> buffers;            // for each of `pending`
  std::vector<llvm::AllocaInst*> totals;        // sums into scalars: f64, a component
  std::vector<llvm::AllocaInst*> lanes;         // way lanes: 16 reals, a component
};

/// A handle of the parallel loop that is being written.
struct Handle {
  ir::Value value = ir::no_value;
  ir::Mode mode = ir::Mode::any;
  Type type;                                    // field type, or the type of a scalar under reduction
  std::vector<llvm::AllocaInst*> scalars;       // of a scalar: its components
};

struct Rows;                                    // rows.hpp
struct Margins { std::vector<int64_t> low, high; };   // by axis of a nest: how far constant offsets reach

class Emitter {
 public:
  Emitter(ModuleState& module, const ir::Procedure& procedure) : m(module), p(procedure), b(module.context()) {}

  /// The whole procedure, as runtime/native.hpp wants it.
  llvm::Function* emit_procedure(const std::string& name);

 private:
  ModuleState& m;
  const ir::Procedure& p;
  llvm::IRBuilder<> b;
  llvm::Function* function = nullptr;
  llvm::Value* context = nullptr;
  llvm::BasicBlock* fault_exit = nullptr;            // returns 1 from this function
  llvm::Value* stop = nullptr;                       // the flag that ends long loops early
  std::vector<Components> values;                    // by ir::Value
  std::vector<ir::OpId> definition;                  // by ir::Value: the op that makes it, or -1
  std::unordered_map<llvm::Value*, Affine> affine;
  std::map<std::pair<SpaceId, int>, llvm::Value*> extents;   // i32, read at the entry
  bool kernel = false;
  std::vector<Handle> handles;                       // of the kernel
  std::vector<ReduceStatement> statements;           // of the kernel
  llvm::MDNode* access_group = nullptr;              // of the parallel loop that is being written
  llvm::Value* ordinal = nullptr;                    // i64: number of the iteration, for lanes
  int active_pass = 0;
  std::vector<ir::Value> muted;                      // own handles whose stores wait for the last pass
  std::map<ir::OpId, llvm::Value*> hoisted_stacks;
  int kernel_count = 0;
  std::string base_name;

  // --- lower_control.cpp: procedures, blocks, structured control flow, faults
  void begin_function(llvm::Function* f);
  void finish_function();
  void find_definitions();
  void emit_block(ir::BlockId block);
  void emit_op(ir::OpId id);
  void emit_if(const ir::Op& op);
  using Carried = std::vector<std::vector<llvm::AllocaInst*>>;   // a cell a component of each carried value
  Carried carry(const ir::Value* initial, size_t n);
  void read_carried(const Carried& carried, const ir::Value* targets);
  void write_carried(const Carried& carried, const std::vector<ir::Value>& yields);
  void emit_for(const ir::Op& op);
  void emit_while(const ir::Op& op);
  void poll();
  void check(ir::OpId id, llvm::Value* good, llvm::Value* value, llvm::Value* extent);
  void emit_check_index(ir::OpId id);
  Components load_slots(llvm::Value* slots, int64_t first, const Type& type);
  void store_slots(llvm::Value* slots, int64_t first, const Type& type, const Components& components);
  llvm::BasicBlock* new_block(const char* name) { return llvm::BasicBlock::Create(m.context(), name, function); }
  llvm::AllocaInst* entry_alloca(llvm::Type* type, const char* name);

  // --- lower_stacks.cpp
  void emit_stack_new(ir::OpId id);
  void emit_push(const ir::Op& op);
  void emit_pop(ir::OpId id);
  void drop_stack(llvm::Value* stack);
  llvm::Value* new_stack(const Type& held);
  void hoist_stacks(ir::BlockId block);
  void release_hoisted_stacks();

  // --- lower_values.cpp: pure operations on scalars, vectors, matrices, arrays
  bool emit_value_op(const ir::Op& op);
  bool emit_vector_op(const ir::Op& op);
  bool emit_reference_op(const ir::Op& op);
  llvm::Value* unary(const ir::Op& op, llvm::Value* a);
  llvm::Value* binary(const ir::Op& op, llvm::Value* a, llvm::Value* c);
  llvm::Value* compare(ir::Opcode code, llvm::Value* a, llvm::Value* c);
  llvm::Value* call_math(const char* name, std::initializer_list<llvm::Value*> operands);
  llvm::Value* fma(llvm::Value* a, llvm::Value* c, llvm::Value* d);
  llvm::Value* dot(llvm::ArrayRef<llvm::Value*> a, llvm::ArrayRef<llvm::Value*> c);
  llvm::Value* power_constant(llvm::Value* a, double exponent);
  llvm::Value* floor_divide(llvm::Value* a, llvm::Value* c, bool remainder);
  llvm::Value* lesser(llvm::Value* a, llvm::Value* c);
  llvm::Value* greater(llvm::Value* a, llvm::Value* c);
  llvm::Value* less_than(llvm::Value* a, llvm::Value* c);
  llvm::Value* zero_of(llvm::Type* type) { return llvm::Constant::getNullValue(type); }
  llvm::Value* real_constant(double value) { return llvm::ConstantFP::get(m.real(), value); }
  Components multiply_matrices(const ir::Op& op);
  Components cross(const Components& a, const Components& c);
  void note_affine(llvm::Value* result, llvm::Value* a, llvm::Value* c, bool subtract);

  // --- lower_memory.cpp: references, boundary rules, buffers
  const Components& at(ir::Value v) const { return values[static_cast<size_t>(v)]; }
  void set(ir::Value v, Components components) { values[static_cast<size_t>(v)] = std::move(components); }
  const ir::SpaceInfo& space(SpaceId s) const { return m.program.spaces[static_cast<size_t>(s)]; }
  llvm::Value* extent(SpaceId space, int axis);                // i32
  llvm::Value* extent64(SpaceId space, int axis);
  llvm::Value* count(SpaceId space);                           // i64: all axes
  llvm::Value* elements(const Type& field);                    // i64
  llvm::Value* stride(const Type& field);                      // i64 bytes between components
  llvm::Value* field_bytes(const Type& field);                 // i64
  Place axis_place(SpaceId space, int axis, llvm::Value* coordinate);
  Place reference_place(SpaceId space, llvm::ArrayRef<llvm::Value*> coordinates);
  Place element_place(const Type& field, const ir::Value* indices, size_t n);
  llvm::Value* boundary_coordinate(SpaceId space, int axis, llvm::Value* coordinate);   // i32 -> i32, inside for periodic, clamp
  llvm::Value* reference_number(SpaceId space, llvm::ArrayRef<llvm::Value*> coordinates);  // i32, -1 outside
  Components reference_of_number(SpaceId space, llvm::Value* number);
  llvm::Value* element_pointer(llvm::Value* buffer, const Type& field, int component, llvm::Value* number);
  Components load_element(llvm::Value* buffer, const Type& field, const Place& place);
  void store_element(llvm::Value* buffer, const Type& field, const Place& place, const Components& components);
  Components to_stored(const Type& value_type, const Components& components);
  Components from_stored(const Type& value_type, const Components& stored);
  llvm::Value* load_scalar(llvm::Type* type, llvm::Value* pointer, int bytes);
  void store_scalar(llvm::Value* value, llvm::Value* pointer, int bytes);
  void emit_load(const ir::Op& op);
  void emit_store(const ir::Op& op);
  void emit_set_element(const ir::Op& op);
  void emit_fill(const ir::Op& op);
  void emit_copy(const ir::Op& op);
  void emit_drop(const ir::Op& op);
  void emit_add_fields(const ir::Op& op);
  llvm::Value* allocate(llvm::Value* bytes);
  void release(llvm::Value* buffer, llvm::Value* bytes);

  // --- nest.cpp: loops over i64 counters and over domains
  struct LoopShape {
    bool reversed = false;
    bool parallel = false;        // accesses of the current access group are independent between iterations
    bool slow = false;            // not worth vectorising or unrolling
    bool compact = false;         // not worth unrolling
  };
  void counted_loop(llvm::Value* begin, llvm::Value* end, LoopShape shape, const std::function<void(llvm::Value*)>& body);
  llvm::MDNode* loop_metadata(LoopShape shape);
  void when(llvm::Value* condition, const std::function<void()>& body);
  std::vector<AxisRange> axis_ranges(const std::vector<ir::Domain>& domains);
  void restrict_range(AxisRange& range, const ir::Domain& domain, bool periodic);
  std::pair<llvm::Value*, llvm::Value*> rim_row(const std::vector<AxisRange>& axes, size_t level,
                                                llvm::ArrayRef<llvm::Value*> outer);   // count, flag
  llvm::Value* rim_coordinate(const AxisRange& axis, llvm::Value* counter, llvm::Value* flag);
  llvm::Value* own_coordinate(const AxisRange& axis, llvm::Value* counter, int64_t low, int64_t high);
  std::vector<Components> index_arguments(const std::vector<ir::Domain>& domains, llvm::ArrayRef<llvm::Value*> coordinates);
  void ordered_nest(const std::vector<AxisRange>& axes, const std::function<void(llvm::ArrayRef<llvm::Value*>)>& body);

  // --- lower_sums.cpp: inner loops that carry sums
  void emit_summing_for(const ir::Op& op, const std::vector<bool>& sums);
  void sum_over_row(const ir::Op& op, const AxisRange& axis, const std::function<void(Components, llvm::Value*)>& iteration,
                    const std::function<void()>& close_blocks);
  void sum_over_nest(const ir::Op& op, const std::vector<AxisRange>& axes,
                     const std::function<void(Components, llvm::Value*)>& iteration, const std::function<void()>& close_blocks);

  // --- lower_loops.cpp: kernels
  struct KernelSignature {
    llvm::Function* function = nullptr;
    std::map<llvm::Value*, size_t> arguments;   // of the caller's values: number of the argument
    std::vector<llvm::Value*> call;
    bool can_fault = false;
  };
  struct RowPiece {
    llvm::Value* begin = nullptr;
    llvm::Value* end = nullptr;
    llvm::Value* ok = nullptr;        // the axes before the row are away from the edges
    llvm::Value* rim_flag = nullptr;
  };
  void emit_kernel(ir::OpId id);
  KernelSignature kernel_signature(const ir::Op& op, const std::vector<ir::Value>& needed);
  void return_from_kernel(const std::vector<Components>& results, bool fault);
  void call_kernel(const ir::Op& op, const KernelSignature& signature);
  void emit_loop_kernel(const ir::Op& op, std::vector<Components>& results);
  void emit_serial_kernel(const ir::Op& op, std::vector<Components>& results);
  void collect_captured(ir::BlockId block, std::vector<bool>& inside, std::vector<ir::Value>& captured) const;
  bool contains(ir::BlockId block, const std::function<bool(const ir::Op&)>& wanted) const;
  bool can_fault(const ir::Op& op) const;
  void scan_offsets(ir::BlockId block, const ir::Op& loop, Margins& margins) const;
  bool offset_of_index(const ir::Op& loop, ir::Value reference, size_t& first_axis, std::vector<int64_t>& total) const;
  void emit_pass(const ir::Op& op, Rows& rows);
  void emit_trial_pass(const ir::Op& op, Rows& rows);
  void emit_rows(const ir::Op& op, Rows& rows, std::vector<llvm::Value*>& outer, llvm::Value* row_ok);
  llvm::Value* away_from_edges(const AxisRange& axis, llvm::Value* counter, const Margins& margins, size_t level);
  void emit_row(const ir::Op& op, Rows& rows, llvm::ArrayRef<llvm::Value*> outer, llvm::Value* row_ok);
  void emit_row_piece(const ir::Op& op, Rows& rows, llvm::ArrayRef<llvm::Value*> outer, RowPiece piece);
  void emit_split_row(const ir::Op& op, Rows& rows, llvm::ArrayRef<llvm::Value*> outer, RowPiece piece);
  void emit_iteration(const ir::Op& op, Rows& rows, llvm::ArrayRef<llvm::Value*> outer, const RowPiece& piece,
                      llvm::Value* i, bool inner);

  // --- reductions.cpp
  int plan_reductions(const ir::Op& op);             // the number of passes
  void find_reductions(ir::BlockId block, bool nested, bool conditional, const ir::Op& loop);
  void choose_ways(size_t handle, int& passes);
  bool is_own_element(const ir::Op& loop, const ir::Op& reduce) const;
  bool is_sum(const ReduceStatement& s) const;       // of reals, into a scalar
  void begin_scalar(Handle& handle, const Components& initial);
  Components finish_scalar(const Handle& handle);
  void begin_reductions(Rows& rows);
  void end_reductions(Rows& rows);
  void begin_row(Rows& rows, llvm::Value* row_begin);
  void end_row(Rows& rows, llvm::Value* length);
  void begin_pending();
  void store_pending(const Rows& rows, llvm::Value* i);
  void emit_reduce(ir::OpId id);
  void add_to_lane(ReduceStatement& s, const Components& value);
  void close_block(ReduceStatement& s);
  void begin_sum(ReduceStatement& s);
  llvm::Value* total_iterations(const Rows& rows);
  void add_row(ReduceStatement& s, llvm::Value* count, bool last);
  void replay(ReduceStatement& s, llvm::Value* count);
  void reduce_element(llvm::Value* buffer, const Type& field, ir::Reduction reduction, llvm::Value* number,
                      llvm::ArrayRef<llvm::Value*> value);
  llvm::Value* combine(ir::Reduction reduction, llvm::Value* a, llvm::Value* v);
  llvm::Value* neutral_element(ir::Reduction reduction, llvm::Type* type);
  size_t pending_count(const ReduceStatement& s) const;
  llvm::Type* pending_type(const ReduceStatement& s, size_t i) const;
  ir::Reduction reduction_of(const Handle& handle) const;
};

}  // namespace adjoule::codegen
