// The abstract syntax tree: what the user wrote, no more. Names are unresolved, nothing is typed. One tagged struct for
// expressions and one for statements; children are values. Sums, products, `and`, `or` and `? :` chains are flat lists
// (a 40 000-term sum is one node), so recursion over the tree is never deeper than the nesting of the text (at most 256).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "base/type.hpp"

namespace adjoule::syntax {

enum class ExprKind : uint8_t {
  integer,      // integer: value
  real,         // real: value
  boolean,      // integer: 0 or 1
  name,         // text
  conditional,  // args: condition, value, condition, value, …, last value
  any_of,       // args: a or b or c …
  all_of,       // args: a and b and c …
  negation,     // args[0]: not a
  comparison,   // op (== != < <= > >=), args[0], args[1]
  sum,          // args a, b, c…; signs: '+' or '-' of each (the first is '+')
  product,      // args a, b, c…; signs: '*' or '/' of each (the first is '*')
  negative,     // args[0]: -a
  power,        // args[0] ^ args[1]; right side may be `negative`; a ^ b ^ c = a ^ (b ^ c)
  call,         // args[0]: the callee (a name, or a member as in s.push), then the arguments
  index,        // args[0]: what is indexed, then the indices
  member,       // args[0] . text
  tuple,        // args: (a, b, …), two or more; a parenthesised single expression is the expression itself with `parenthesised`
  array,        // args: [a, b, …]
};

enum class Comparison : uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

struct Expr {
  ExprKind kind = ExprKind::integer;
  uint32_t id = 0;             // unique in the Program, dense from 0: side tables of later phases are indexed by it
  Span span;
  std::string text;            // name, member
  double real = 0;
  int64_t integer = 0;
  Comparison op = Comparison::equal;
  std::string signs;
  std::vector<Expr> args;
  bool parenthesised = false;
};

/// A type as written: name, optional stack argument, optional bracket list (array lengths, or spaces inside stack<…>).
struct TypeExpr {
  Span span;
  std::string name;
  std::vector<TypeExpr> argument;  // stack<T>: one
  std::vector<Expr> brackets;
};

struct Stmt;
using Block = std::vector<Stmt>;

/// `name in range` of a for: a space (with a region call), or first..last.
struct Iterator {
  Span span;
  std::string name;
  Span name_span;
  uint32_t id = 0;                 // shares the numbering of Expr::id; names the loop index in side tables
  bool reversed = false;
  Expr first;                      // the space expression, or the lower bound
  std::optional<Expr> last;        // the exclusive upper bound when it is a range
};

enum class Assign : uint8_t { set, add, subtract, multiply, divide, minimum, maximum };

enum class StmtKind : uint8_t {
  let,          // name, type?, value
  var,          // name, spaces (a temporary field when not empty), type?, value?
  loop,         // serial, iterators, body
  while_,       // value: the condition; body
  if_,          // branches: (condition, block)…; otherwise
  break_,
  continue_,
  return_,      // value (a tuple for several)
  assign,       // target, op, value
  call,         // value: a call expression used as a statement (a proc, s.push(e))
  block,        // body
  solve,        // second edition: parsed, not yet supported; value: the method as a call, cg(name, value, …)
};

struct Branch {
  Expr condition;
  Block body;
};

struct Stmt {
  StmtKind kind = StmtKind::block;
  Span span;
  uint32_t id = 0;                 // shares the numbering of Expr::id; names the declared variable in side tables
  std::string name;
  Span name_span;
  std::vector<Expr> spaces;        // var f[A, B]: names of spaces
  std::optional<TypeExpr> type;
  std::optional<Expr> value;
  std::optional<Expr> target;
  Assign op = Assign::set;
  bool serial = false;
  std::vector<Iterator> iterators;
  Block body;
  std::vector<Branch> branches;
  std::optional<Block> otherwise;
};

struct Parameter {
  Span span;
  std::string name;
  uint32_t id = 0;
  std::vector<Expr> spaces;        // u[G]: names
  std::optional<TypeExpr> type;    // absent: a function given by name
};

struct ImportItem { Span span; std::string path; };
struct SizeItem { Span span; std::string name; Span name_span; std::optional<Expr> value; };
struct SpaceItem {
  Span span; std::string name; Span name_span;
  bool grid = false;
  std::vector<Expr> extents;               // empty: an open space
  std::vector<std::string> boundary;       // as written: none, one for all axes, or one an axis
  std::vector<Span> boundary_spans;
};
struct ConstItem { Span span; std::string name; Span name_span; std::optional<TypeExpr> type; Expr value; };
struct FieldItem {
  Span span; std::string name; Span name_span; uint32_t id = 0;
  FieldRole role = FieldRole::state;
  std::vector<Expr> spaces;
  TypeExpr type;
  std::optional<Expr> value;
};
struct StructItem { Span span; std::string name; std::vector<Parameter> members; };
struct FunctionItem {                      // fn, or the own derivative of one (`adjoint f`)
  Span span; std::string name; Span name_span;
  bool adjoint = false;
  std::vector<Parameter> parameters;
  std::vector<TypeExpr> results;           // one, several for an adjoint
  Block body;
};
struct ProcItem { Span span; std::string name; Span name_span; std::vector<Parameter> parameters; Block body; };
struct EntryItem { Span span; std::string name; Span name_span; Block body; };   // init, step (no name), loss

/// Items of one kind in the order of the text; their spans tell the order of all.
struct Program {
  std::vector<ImportItem> imports;
  std::vector<SizeItem> sizes;
  std::vector<SpaceItem> spaces;
  std::vector<ConstItem> consts;
  std::vector<FieldItem> fields;
  std::vector<StructItem> structs;
  std::vector<FunctionItem> functions;
  std::vector<ProcItem> procs;
  std::vector<EntryItem> inits, steps, losses;
  uint32_t id_count = 0;                   // ids 0 … id_count - 1 are in use
};

}  // namespace adjoule::syntax
