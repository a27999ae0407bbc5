// The intermediate representation. Two levels, one vocabulary:
//   program level   procedures over whole fields. A field value here is an immutable *version*; an operation that changes
//                   a field makes a new version (array SSA), so in-place source code is pure dataflow.
//   kernel level    the body of one `loop` (parallel) or `serial` operation over a space. Scalars, vectors, matrices and
//                   fixed arrays are SSA values here too; the fields that the loop updates appear as mutable *handles*
//                   (arguments of the body block), touched only by load, store and reduce, in program order.
// Control flow is structured (`for`, `while`, `if` carry values as block arguments and yields); there are no jumps.
// A nested block may use any value that is visible where its operation stands (captured values, as in MLIR).
//
// Semantics that hold everywhere:
//  - int is 32 bits and wraps. real is f64 or f32, one choice for a whole program; arithmetic is IEEE, never reordered.
//  - Elementwise operations take operands of one same type (int, real, vector, matrix); `splat` widens a scalar first.
//  - An operation is *pure* unless it is: load from a handle, store, reduce, push, pop, stack_new, check_index, or contains
//    such. Passes may remove, repeat or reorder pure operations freely; effects keep their order within a block.
//  - A load from a version (not a handle) is pure, because versions never change.
//  - References to a plain space hold one int in range (check_index has proven it). References to a grid hold raw integer
//    coordinates, possibly outside; the grid's boundary rule acts where a reference indexes, is compared, gives its
//    `index`, or is normalised for being stored in a field.
//  - A parallel `loop` may run its iterations in any order with the same result: its handles obey their access modes.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "base/type.hpp"

namespace adjoule::ir {

using Value = int32_t;    // index into Procedure::values
using OpId = int32_t;     // index into Procedure::ops
using BlockId = int32_t;  // index into Procedure::blocks
constexpr Value no_value = -1;

/// Every raw coordinate of the reference *outside* (`normalise`, and a load of the number -1): so far out that offsets stay out.
constexpr int32_t outside_coordinate = -(1 << 30);

/// Each operation: operands -> results, attributes. T is a value type, N a number of axes of a space.
enum class Opcode : uint8_t {
  // --- constants and instance facts (pure)
  constant,        // () -> bool | int | real; `integer` or `real` holds it
  zero,            // () -> T: all components 0 (false for bool; not for fields: use fill)
  size,            // () -> int; `integer` = index of the size
  extent,          // () -> int; `space`, `integer` = axis, or -1 for the whole count
  steps,           // () -> int: T, the number of time steps of the run

  // --- elementwise arithmetic (pure); int, real, vector, matrix unless noted
  add, subtract, multiply,          // (a, b)
  divide,                           // (a, b): real only
  negate, absolute, sign,           // (a): sign(0) = 0
  minimum, maximum,                 // (a, b): min = b < a ? b : a; max = a < b ? b : a (NaN included)
  fused_multiply_add,               // (a, b, c): a * b + c, rounded once; real only
  weigh,                            // (a, d): 0 where a == 0, else a * d
  floor_divide, floor_modulo,       // (a, b): int, floored; b == 0 is a run-time error raised by a check before it
  square_root, floor, ceiling, round,   // round: half away from zero
  exponential, logarithm,
  power,                            // (a, b): real powers
  power_constant,                   // (a): a ^ `real`; (half-)integer exponents up to 16 by a fixed sequence of products and sqrt
  sine, cosine, tangent, arc_sine, arc_cosine, arc_tangent,
  arc_tangent2,                     // (y, x)
  hyperbolic_sine, hyperbolic_cosine, hyperbolic_tangent,
  hypotenuse,                       // (a, b)
  reciprocal_or_zero,               // (a): 1 / a, and 0 where a == 0: the finite choice of derivatives at singular points
  logarithm_or_zero,                // (a): log a where a > 0, else 0
  detach,                           // (a): a, without derivative

  // --- logic and comparison (pure), on scalars
  equal, not_equal, less, less_equal,    // (a, b): int, real or bool (bool: equal, not_equal only) -> bool
  logical_and, logical_or, logical_not,  // bool; both sides are evaluated (lazy ones are lowered to `if`)
  select,                                // (c, a, b): c ? a : b, both evaluated; a, b of any value type

  // --- conversion (pure)
  int_to_real, real_to_int,         // real_to_int truncates and saturates; NaN gives 0

  // --- vectors, matrices, fixed arrays (pure)
  splat,           // (scalar) -> vector | matrix of real with every component equal (a matrix too: elementwise meaning)
  pack,            // (components…) -> vector, matrix (row-major), or array (outermost elements)
  extract,         // (v) -> component or outermost array element number `integer` (matrices: row-major number)
  insert,          // (v, c) -> v with that component replaced
  extract_at,      // (v, i) the same with a run-time index, proven in range by a check_index before it
  insert_at,       // (v, i, c)
  dot,             // (a, b): vectors or matrices -> real: sum of products, left to right
  norm,            // (v) -> real: sqrt(dot(v, v))
  cross,           // (vec3, vec3)
  outer,           // (vecN, vecN) -> matN: a bᵀ
  matrix_multiply, // (matN, matN) -> matN, or (matN, vecN) -> vecN
  transpose,       // (matN)

  // --- references (pure)
  make_reference,  // (int × N) -> reference to `space`
  offset,          // (reference, int × N) -> reference: coordinates added
  coordinate,      // (reference) -> int: raw coordinate of axis `integer`; plain space: its number
  index,           // (reference) -> int: its number after the boundary rule; -1 outside of a `zero` grid
  reference_equal, // (reference, reference) -> bool, after the boundary rule
  normalise,       // (reference) -> reference: the boundary rule applied (outside of a `zero` grid: the reference *outside*)

  // --- checks (effect: never speculated, absent from adjoints)
  check_index,     // (int): 0 <= it < extent(`space`), or < `integer` when space is no_space; else a run-time error here
  check_nonzero,   // (int): divisor of floor_divide, floor_modulo

  // --- fields
  fill,            // (value) -> field version: every element = value (program level)
  load,            // (field, reference × spaces) -> value. From a version: pure. From a handle: effect. Outside of `zero`: 0
  store,           // (handle, reference × spaces, value): kernel level. Outside of `zero`: dropped
  reduce,          // (handle, reference × spaces, value): kernel level; handle op= value with `reduction`; on a scalar handle no references
  set_element,     // (version, reference × spaces, value) -> version (program level)
  add_fields,      // (version, version) -> version: elementwise sum (program level)

  // --- stacks (effects): a `stack` value is a mutable object, private to where it was made
  stack_new,       // () -> stack
  push,            // (stack, value or version)
  pop,             // (stack) -> value or version; an empty stack is a run-time error

  // --- structured control flow (both levels)
  if_,             // (condition), blocks {then, else}, each without arguments, yields -> results
  for_,            // (lower, upper when domains[0] is a range; then initial carried values…) -> final carried values;
                   // block {body}: arguments (index: int or reference, carried…), yields the carried values
  while_,          // (initial carried values…) -> final carried values; blocks {condition, body}, each with the carried values
                   // as arguments; condition yields one bool, body the carried values

  // --- program level: a kernel over a domain
  loop,            // parallel. (updated fields or scalars…) -> their new versions; `domains`, `modes` (one an operand);
                   // block {body}: arguments (one reference an axis of `domains`, then one handle an operand); no yields.
                   // Operands of scalar type must be reductions. Fields that are only read are captured versions.
  serial,          // in order. (lower, upper when domains[0] is a range; then updated fields…; then carried values…) -> new versions
                   // of the fields, final carried values; block {body}: (index an axis, handle a field, carried…), yields the
                   // carried values. `modes` has `any` for each field. Any element may be read and written.

  // --- storage, put in by the buffer planner only
  copy,            // (version) -> version: a new buffer with the same numbers. `integer` = 1, here and on a fill that has been
                   // planned: every element is overwritten before it is read, so the contents may be left undefined
  drop,            // (version): its buffer is free from here on
};

enum class Reduction : uint8_t { add, minimum, maximum };

/// How a loop uses one field that it updates (language.md, Access modes).
enum class Mode : uint8_t { own, reduce_add, reduce_minimum, reduce_maximum, any };

enum class Region : uint8_t { whole, interior, boundary };
/// One side of one axis for boundary regions: x_low, x_high, y_low, …
struct Side { int8_t axis = -1; bool high = false; bool operator==(const Side&) const = default; };

/// What one loop index runs over: a space (or a region of a grid), or an integer range given by operands (lower, upper).
struct Domain {
  SpaceId space = no_space;         // no_space: an integer range
  Region region = Region::whole;
  int32_t width = 0;                // of interior and boundary
  Side side = {};                   // boundary of one side only when side.axis >= 0
  bool reversed = false;
  bool operator==(const Domain&) const = default;
};

struct Op {
  Opcode code = Opcode::constant;
  Span span;                        // the source text that it comes from
  std::vector<Value> operands;
  std::vector<Value> results;
  std::vector<BlockId> blocks;
  int64_t integer = 0;
  double real = 0;
  SpaceId space = no_space;
  Reduction reduction = Reduction::add;
  std::vector<Domain> domains;
  std::vector<Mode> modes;
};

struct Block {
  std::vector<Value> arguments;
  std::vector<OpId> ops;            // in order of execution
  std::vector<Value> yields;
};

struct ValueInfo {
  Type type;
  std::string name;                 // the user's name when there is one: for printing, may repeat or be empty
  bool handle = false;              // a field or scalar under update inside a loop, not a version
};

/// A function of values: the arguments of `body` are its inputs, the yields its outputs. Values, ops and blocks live in
/// arenas; passes build new procedures and do not patch shared ones.
struct Procedure {
  std::string name;
  std::vector<ValueInfo> values;
  std::vector<Op> ops;
  std::vector<Block> blocks;
  BlockId body = 0;
  std::vector<bool> consumed;   // by input: fields that the procedure takes over and may overwrite; missing: borrowed, unchanged

  const Type& type(Value v) const { return values[static_cast<size_t>(v)].type; }
  const Block& block(BlockId b) const { return blocks[static_cast<size_t>(b)]; }
  const Op& op(OpId o) const { return ops[static_cast<size_t>(o)]; }
  const std::vector<Value>& inputs() const { return block(body).arguments; }
  const std::vector<Value>& outputs() const { return block(body).yields; }
};

struct SizeInfo { std::string name; Span span; bool has_default = false; };

struct SpaceInfo {
  std::string name;
  Span span;
  bool grid = false;
  int dims = 1;
  bool open = false;                        // its extent comes from what the host binds (also `time`: steps + 1)
  std::array<Boundary, 3> boundary{};       // an axis, for grids
};

struct FieldInfo {
  std::string name;
  Span span;
  FieldRole role = FieldRole::state;
  Type type;                                // a field type over `spaces`, or a value type for a single value
  int default_procedure = -1;               // index into Program::defaults; its one output is the value (of every element)
};

/// The procedures of a program share one signature convention. *Globals* are the params and inputs in order of declaration,
/// *states* the states in order; `now` is an int.
///   extents   ()                         -> int × (dims of every closed space, in order of spaces): from sizes only
///   size_defaults ()                     -> int × (sizes that have a default, in order)
///   defaults[i] ()                       -> one value
///   init      (globals…, states…, now)   -> states…     (states come in as the host bound them, or their default, or 0)
///   step      (globals…, states…, now)   -> states…
///   losses[i] (globals…, states…, now)   -> real
struct Program {
  std::vector<SizeInfo> sizes;
  std::vector<SpaceInfo> spaces;            // spaces[0] is `time`
  std::vector<FieldInfo> fields;            // all roles, in order of declaration
  Procedure size_defaults;
  Procedure extents;
  std::vector<Procedure> defaults;
  Procedure init, step;
  bool has_step = false;
  std::vector<Procedure> losses;            // `name` is the loss's name, "loss" for the unnamed one
  std::vector<bool> set_by_init;            // a state (by field index): init assigns it on some path

  std::vector<std::string> space_names() const;
};

}  // namespace adjoule::ir
