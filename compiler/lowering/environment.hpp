// What lowering knows while it walks the AST: which value each of the user's names stands for at this point of the
// program. A *variable* is anything that statements can change: a field, a step-level scalar, a local `var`. It has one
// current value; structured control flow carries the variables that its body assigns. A *frame* is one inlined call (or
// the entry point): it maps symbols to variables, to values that never change (lets, parameters, loop indices) or to
// functions.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/diagnostics.hpp"
#include "ir/builder.hpp"
#include "ir/ir.hpp"
#include "lowering/access_modes.hpp"
#include "semantics/checked.hpp"

namespace adjoule::lowering {

using ir::Value;
using semantics::SymbolId;
using syntax::Expr;
using syntax::Stmt;

using VariableId = int32_t;
constexpr VariableId no_variable = -1;

/// Statements that run one after the other; nested plain blocks are already flattened into it.
using Sequence = std::vector<const Stmt*>;

struct Variable {
  std::string name;
  Type type;
  Value current = ir::no_value;   // no_value: nothing assigned yet, counts as zero
  bool handle = false;            // current is a handle: the variable is under update by the loop that is being built
  ir::Mode mode = ir::Mode::any;  // of the handle
};

enum class BindingKind : uint8_t { none, variable, value, function };

struct Binding {
  BindingKind kind = BindingKind::none;
  VariableId variable = no_variable;
  Value value = ir::no_value;
  SymbolId function = semantics::no_symbol;
};

struct Frame {
  std::unordered_map<SymbolId, Binding> names;
  std::unordered_map<SpaceId, SpaceId> spaces;  // abstract space of a field parameter -> the caller's space
};

/// Where `break`, `continue` and `return` lead. Flags exist only where they are needed:
///   live   false: the rest of this iteration (or function) is skipped; statements after a possible jump test it
///   go     false: no further iteration starts
struct JumpScope {
  JumpScope* outer = nullptr;  // the enclosing loop of the same function
  bool function = false;
  VariableId live = no_variable;
  VariableId go = no_variable;
  VariableId result = no_variable;  // of a function
};

struct Context {
  const semantics::CheckedProgram& checked;
  Diagnostics& diagnostics;
  ir::Program& program;
  ir::Builder* builder = nullptr;
  std::vector<Variable> variables;          // of the procedure being built
  std::vector<VariableId> field_variables;  // by field index
  Frame* frame = nullptr;
  JumpScope* jumps = nullptr;
  bool kernel = false;      // inside a loop over a space, or a function
  bool step_entry = false;  // the procedure is `step`: now + 1 is a valid instant
  Value now = ir::no_value;
  ParallelLoop* loop = nullptr;                 // the parallel loop whose accesses are recorded
  std::unordered_map<Value, int32_t> integers;  // int values that are constants
  int depth = 0;                                // of nested blocks around the current one, inlined calls included
  bool depth_reported = false;

  ir::Builder& ir() { return *builder; }
  const syntax::Program& ast() const { return *checked.ast; }
  const semantics::Symbol& symbol(SymbolId id) const { return checked.symbols[static_cast<size_t>(id)]; }
  const semantics::ExprInfo& info(const Expr& e) const { return checked.expressions[e.id]; }
  SymbolId declared(uint32_t id) const { return checked.declared[id]; }
  Variable& variable(VariableId id) { return variables[static_cast<size_t>(id)]; }
  const Type& type(Value v) const { return builder->type(v); }
};

/// The operations made while it lives carry this place; the place before comes back at its end.
class SpanScope {
 public:
  SpanScope(Context& context, Span span) : context_(context), before_(context.ir().span()) {
    if (span.known()) context.ir().set_span(span);
  }
  ~SpanScope() { context_.ir().set_span(before_); }
  SpanScope(const SpanScope&) = delete;
  SpanScope& operator=(const SpanScope&) = delete;

 private:
  Context& context_;
  Span before_;
};

/// Gives `place` another value while it lives.
template <class T>
class Swap {
 public:
  Swap(T& place, T value) : place_(place), before_(std::exchange(place, std::move(value))) {}
  ~Swap() { place_ = std::move(before_); }
  Swap(const Swap&) = delete;
  Swap& operator=(const Swap&) = delete;

 private:
  T& place_;
  T before_;
};

/// Counts one more nested block while it lives. Early exits and else-if chains nest what stands flat in the text, so
/// the limit of the parser is not enough: past `deepest` it is an error and nothing deeper is lowered.
class Nesting {
 public:
  Nesting(Context& context, Span span);
  ~Nesting() { --context_.depth; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  bool too_deep() const { return context_.depth > deepest; }

 private:
  static constexpr int deepest = 600;
  Context& context_;
};

VariableId new_variable(Context& c, std::string name, Type type, Value current = ir::no_value);
/// What a symbol stands for: in `frame`, else the program's field of that symbol; none for sizes, spaces and the like.
Binding lookup(const Context& c, const Frame& frame, SymbolId symbol);
inline Binding lookup(const Context& c, SymbolId symbol) { return lookup(c, *c.frame, symbol); }
void bind_value(Context& c, SymbolId symbol, Value v);
void bind_variable(Context& c, SymbolId symbol, VariableId v);

/// Abstract spaces replaced by those of this call.
SpaceId actual_space(const Context& c, SpaceId space);
Type actual_type(const Context& c, Type type);

/// The value of a variable now (zero when nothing was assigned yet).
Value current(Context& c, VariableId v);
std::vector<Value> currents(Context& c, const std::vector<VariableId>& variables);
void set_current(Context& c, VariableId v, Value value);
void set_currents(Context& c, const std::vector<VariableId>& variables, std::span<const Value> values);
/// Names a value after the user's variable when it has no name yet.
void give_name(Context& c, Value v, const std::string& name);

/// What is not lowered in this edition: reports it and gives a value to go on with.
Value unsupported(Context& c, Span span, const std::string& what, const Type& type, const std::string& help = "");

}  // namespace adjoule::lowering
