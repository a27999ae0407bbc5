// The checked program: the AST as written, plus side tables indexed by the ids of expressions, statements, iterators and
// parameters that say what each name means and what type each expression has. After a check without errors lowering need
// not doubt anything but access modes (which are checked on the IR, where every call is inlined and every access explicit).
#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/type.hpp"
#include "syntax/ast.hpp"

namespace adjoule::semantics {

enum class SymbolKind : uint8_t {
  size,             // index: into sizes
  space,            // type.space: the SpaceId; the built-in `time` too
  constant,         // index: into constants
  field,            // param, input, state; index: into ast.fields
  function,         // index: into ast.functions (an overload set shares the name; calls name the one chosen)
  proc,             // index: into ast.procs
  local_let,        // a let, at step or kernel level (of a whole field: a version)
  local_var,        // a var of value, array or stack type
  local_field,      // var f[Space]: a temporary field
  loop_index,       // of a for: a reference, or an int
  value_parameter,  // of a fn or proc
  field_parameter,  // u[G]: its type has abstract spaces (see space_parameters)
  function_parameter,  // of a proc: a fn given by name
  space_parameter,  // G of u[G]: type.space is an abstract SpaceId >= first_abstract_space
  now,              // the present instant: a reference to `time`
  steps,            // T: int
  step_index,       // int
};

struct Symbol {
  SymbolKind kind = SymbolKind::local_let;
  std::string name;
  Span span;                    // where it is declared
  Type type;                    // of its value; fields: the field type
  int index = -1;
  bool step_level = false;      // declared in step-level code (init, step, loss, proc), outside every parallel or serial loop over a space
  uint32_t declaration = 0;     // id of the Stmt, Iterator, Parameter or FieldItem that declares it
};

using SymbolId = int32_t;
constexpr SymbolId no_symbol = -1;
constexpr SpaceId first_abstract_space = 1 << 20;   // spaces that a call binds: u[G]

enum class CalleeKind : uint8_t {
  none,
  builtin,          // `builtin` says which
  function,         // symbol: the fn (or a function_parameter)
  proc,             // symbol
  constructor,      // vecN, matN from components: type of the expression
  reference,        // Particle(i), Node(i, j), time(k): type.space
  conversion,       // real(i), int(r)
  region,           // Cell.interior(w), Cell.boundary(w[, side]) as a loop domain
  stack_push, stack_pop,
};

enum class MemberKind : uint8_t {
  none,
  component,        // v.x: index 0…3 in `component`
  count,            // Space.count
};

/// What is known of the expression with this id. How ints become real, and 0 a vector:
///  - `converts_to_real` stands on the outermost expression that converts: literals, constants, sizes and what is made of them
///    alone; any int operand of ^, any int divisor, any int argument of a vector or matrix constructor.
///  - A flat product whose running value is still an int when it meets '/' (i * j / 2 with run-time ints) has no expression of
///    its own for that value: there lowering converts the running value.
///  - The literal 0 fits any vector, matrix or array of numbers: it keeps its own type (with converts_to_real when it is 0 and not 0.0), and
///    lowering widens it to the type that its place wants (a declared type, a parameter, a target, the other side of `? :`).
struct ExprInfo {
  Type type;                        // after checking; none for names of functions and the like
  SymbolId symbol = no_symbol;      // name: what it means; call of a fn or proc: that fn or proc
  CalleeKind callee = CalleeKind::none;
  std::string builtin;              // name of the built-in called
  MemberKind member = MemberKind::none;
  int component = -1;
  SpaceId space = no_space;         // an expression that names a space: which
  bool converts_to_real = false;    // int where a real is wanted (literals, constants, sizes): lowering inserts int_to_real
};

struct Constant {
  std::string name;
  Type type;
  std::vector<double> reals;        // components (real, vector, matrix), evaluated in f64; empty while it depends on sizes
  std::vector<int64_t> integers;    // bool, int
  bool known = true;                // false: depends on a size, lowering evaluates the expression where it is used
};

struct SpaceEntry {
  std::string name;
  Span span;
  bool grid = false;
  int dims = 1;
  bool open = false;
  std::array<Boundary, 3> boundary{};
  int ast_index = -1;               // -1: the built-in `time`
};

struct CheckedProgram {
  const syntax::Program* ast = nullptr;
  std::vector<SpaceEntry> spaces;               // [0] is `time`
  std::vector<Constant> constants;              // parallel to ast->consts
  std::vector<Type> field_types;                // parallel to ast->fields
  std::vector<Symbol> symbols;
  std::vector<ExprInfo> expressions;            // by Expr::id
  std::vector<SymbolId> declared;               // by id of Stmt (let, var), Iterator, Parameter, FieldItem: the symbol it declares
  std::vector<Type> function_results;           // parallel to ast->functions (the single result of a fn)
};

}  // namespace adjoule::semantics
