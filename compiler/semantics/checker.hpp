// Inside of the checker: the data that a check gathers, and the functions that its files share. A check is one walk
// over the program: declarations first, then every body, with functions and procs checked when they are first called.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.hpp"
#include "semantics/checked.hpp"
#include "syntax/ast.hpp"

namespace adjoule::semantics {

using syntax::Expr;
using syntax::ExprKind;
using syntax::Stmt;
using syntax::StmtKind;

using Scope = std::unordered_map<std::string, SymbolId>;

/// Which rules hold where a statement or an expression stands.
enum class Code : uint8_t {
  constant,  // extents, constants, defaults: only numbers, constants and sizes are known
  step,      // init, step, loss, proc
  parallel,  // the body of a parallel loop
  serial,    // the body of a serial loop
  function,  // the body of a fn
};

enum class Loop : uint8_t { none, sequential, parallel };

struct Place {
  Code code = Code::step;
  Loop loop = Loop::none;  // the innermost loop
  Type result;             // what `return` gives; none: there is no return here
  bool loss = false;
  int proc = -1;      // the proc whose body this is
  std::string owner;  // for messages: "`init`", "the loss", "a constant", …
  bool sizes = true;  // Code::constant: may sizes be used?

  bool kernel() const { return code == Code::parallel || code == Code::serial || code == Code::function; }
};

enum class Progress : uint8_t { untouched, running, done };

/// What is known of a fn or proc beside its syntax.
struct Routine {
  SymbolId symbol = no_symbol;
  Progress progress = Progress::untouched;
  std::vector<SymbolId> parameters;
  std::vector<SymbolId> spaces;  // G of u[G]
  std::vector<bool> written;     // proc: field parameters that its body changes
  std::vector<int> functions;    // proc: by parameter, the fn that the first call gave (its types count for every call)
};

/// G of u[G]: what the body asks of the space that a call will bind.
struct AbstractSpace {
  std::string name;
  Span span;
  bool grid = false;  // offsets or coordinates are used
  int dims = 0;       // 0: not known
};

struct Checker {
  const syntax::Program& ast;
  Diagnostics& diagnostics;
  CheckedProgram& out;
  Scope builtins, program;    // the outermost scopes
  std::vector<Scope> locals;  // of the body that is being checked, innermost last
  Place place;
  std::vector<bool> fluid;  // by Expr::id: an int made of literals, constants and sizes only; it may become real
  std::vector<bool> used;   // by SymbolId: its value was read
  std::vector<Routine> functions, procs;   // parallel to ast.functions, ast.procs
  std::vector<Progress> constants;         // parallel to ast.consts
  std::vector<SymbolId> constant_symbols;  // parallel to ast.consts
  std::vector<AbstractSpace> abstract_spaces;
  std::vector<std::string> active;  // the fns, procs and constants that are being checked right now, outermost first
  std::set<std::string> unknown;    // names already reported as unknown
  std::set<std::string> poisoned;   // names declared by something not yet supported: their use stays silent

  ExprInfo& info(const Expr& e) { return out.expressions[e.id]; }
  const ExprInfo& info(const Expr& e) const { return out.expressions[e.id]; }
  Symbol& symbol(SymbolId id) { return out.symbols[static_cast<size_t>(id)]; }
  const Symbol& symbol(SymbolId id) const { return out.symbols[static_cast<size_t>(id)]; }
};

/// Gives `place` another value while it lives.
template <class T>
class Swapped {
 public:
  Swapped(T& place, T value) : place_(place), before_(std::move(place)) { place_ = std::move(value); }
  ~Swapped() { place_ = std::move(before_); }
  Swapped(const Swapped&) = delete;
  Swapped& operator=(const Swapped&) = delete;

 private:
  T& place_;
  T before_;
};

// --- messages.cpp: how names and types read in a message
std::string quoted(const std::string& name);                // `name`
std::string type_name(const Checker& c, const Type& type);  // vec2[3]
std::string a_type(const Checker& c, const Type& type);     // "a vec2", "a reference to `Particle`"
std::string space_name(const Checker& c, SpaceId space);
std::string kind_name(const Checker& c, const Symbol& symbol);  // "a param", "a loop index"
std::string short_text(const Expr& e);                          // the text of a simple expression, else "…"
std::string suggestion(const std::string& name,
                       const std::vector<std::string>& candidates);  // "did you mean `x`?" or ""
std::string counted(size_t count, const std::string& singular);      // "1 value", "2 values"
Diagnostic& not_yet(Checker& c, Span span, const std::string& what, const std::string& help = "");

// --- scopes.cpp: names
SymbolId lookup(const Checker& c, const std::string& name);
SymbolId add_symbol(Checker& c, Symbol symbol);  // without putting its name into a scope
SymbolId declare_global(Checker& c, Symbol symbol);
SymbolId declare_local(Checker& c, Symbol symbol);  // into the innermost local scope
void enter_local(Checker& c, SymbolId id);          // a symbol that exists already (parameters)
void declare_builtins(Checker& c);
void open_scope(Checker& c);
void close_scope(Checker& c);                    // warns of what was never used
SymbolId resolve(Checker& c, const Expr& name);  // of an ExprKind::name; reports unknown names
void unknown_name(Checker& c, const Expr& name, const std::string& what, const std::vector<std::string>& candidates);
std::vector<std::string> visible_names(const Checker& c);
std::vector<std::string> visible_spaces(const Checker& c);

// --- types.cpp: types as written, spaces, conversions
Type resolve_type(Checker& c, const syntax::TypeExpr& written);  // none after a mistake
SpaceId resolve_space(Checker& c, const Expr& name);             // no_space after a mistake
bool is_abstract(SpaceId space);
bool is_grid(const Checker& c, SpaceId space);
int dims_of(const Checker& c, SpaceId space);  // 0: not known (abstract)
/// Asks for a grid with that many axes (an abstract space remembers it); reports when it cannot be.
bool require_axes(Checker& c, SpaceId space, int dims, Span span, const std::string& use);
bool arithmetic(const Type& type);  // int, real, vector, matrix
bool numeric(const Type& type);     // real, vector, matrix
bool is_fluid(const Checker& c, const Expr& e);
bool is_zero(const Expr& e);                // the literal 0 or 0.0
void make_real(Checker& c, const Expr& e);  // marks an int that converts
/// Makes a checked expression fit a wanted type, or says why it does not. `use` ends "…, but a real is wanted <use>".
bool coerce(Checker& c, const Expr& e, const Type& wanted, const std::string& use);
bool fits(const Checker& c, const Expr& e, const Type& wanted);  // would coerce succeed?
std::string conversion_help(const Checker& c, const Expr& e, const Type& wanted);
/// One type for several checked expressions (values of ? :, elements of an array literal), each coerced to it.
Type common_type(Checker& c, const std::vector<const Expr*>& values, const std::string& what);

// --- constants.cpp: values known at compile time
struct Number {
  Type type;
  std::vector<double> reals;
  std::vector<int64_t> integers;
};
std::optional<Number> evaluate(const Checker& c, const Expr& e);  // of a checked expression
void widen(Number& number, const Type& wanted);                   // 0 given for a vector or a matrix: every component
std::optional<int64_t> evaluate_int(const Checker& c, const Expr& e);

// --- declarations.cpp: sizes, spaces, constants, fields
void declare_globals(Checker& c);
void check_declarations(Checker& c);
void ensure_constant(Checker& c, int index, Span use);
/// Checks an expression of extents, constants, defaults.
Type constant_expression(Checker& c, const Expr& e, const std::string& owner, bool sizes);
/// Before something is checked on demand: is it being checked already (a cycle), or too deep a chain? Reports both.
bool may_enter(Checker& c, const std::string& name, bool running, Span use, const std::string& what,
               const std::string& help);

// --- routines.cpp: fns and procs, checked when they are first called
void check_signatures(Checker& c);
void check_routines(Checker& c);  // those that nobody called
void ensure_function(Checker& c, int index, Span use);
void ensure_proc(Checker& c, int index, Span use);

// --- expressions.cpp
/// The type of an expression, stored in its ExprInfo; none for spaces and functions, and after a mistake.
Type check_expression(Checker& c, const Expr& e);
/// The same where a single value is needed: whole fields, stacks, spaces, functions are reported.
Type check_value(Checker& c, const Expr& e);
Type require_value(Checker& c, const Expr& e);  // the second half of it: of a checked expression
void check_condition(Checker& c, const Expr& e, const std::string& owner);
bool check_int(Checker& c, const Expr& e, const std::string& use);  // a value that must be an int

// --- arithmetic.cpp: sums, products, powers
Type check_sum(Checker& c, const Expr& e);
Type check_product(Checker& c, const Expr& e);
Type check_power(Checker& c, const Expr& e);
Type check_negative(Checker& c, const Expr& e);
Type check_comparison(Checker& c, const Expr& e);
Type broadcast(const Type& a, const Type& b);  // elementwise: none when they do not fit

// --- indexing.cpp: u[c], v.x, Particle(i)
Type check_index(Checker& c, const Expr& e);
Type check_member(Checker& c, const Expr& e);
Type check_reference_call(Checker& c, const Expr& e, SpaceId space);
Type check_offset(Checker& c, const Expr& e, const Type& reference);  // c + (1, 0)

// --- calls.cpp
Type check_call(Checker& c, const Expr& e);
void check_call_statement(Checker& c, const Expr& e);
bool is_pop(const Checker& c, const Expr& e);      // s.pop() of a stack
Type check_right_side(Checker& c, const Expr& e);  // a whole right-hand side: whole fields and s.pop() too

// --- builtins.cpp
bool is_builtin(const std::string& name);
std::vector<std::string> builtin_names();
std::string other_name(const std::string& name);  // what other languages call it: "length" -> "norm"
Type check_builtin(Checker& c, const Expr& e, const std::string& name);

// --- statements.cpp
void check_block(Checker& c, const syntax::Block& block);
bool always_returns(const syntax::Block& block);

// --- assignments.cpp
void check_assignment(Checker& c, const Stmt& s);
void mark_written(Checker& c, SymbolId field);  // a field parameter of the proc being checked

// --- loops.cpp
void check_loop(Checker& c, const Stmt& s);

}  // namespace adjoule::semantics
