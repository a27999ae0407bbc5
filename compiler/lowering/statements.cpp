// Sequences, declarations, branches and jumps. After lowering there are no jumps: statements after an `if` whose other
// branches all jump move into the branch that falls through; elsewhere a flag is tested.
//   if a { continue; } rest          ->   if a {} else { rest }
//   if a { if b { break; } x } rest  ->   if a { if b { go = live = false } else { x } }  if live { rest }
#include "lowering/statements.hpp"

#include "lowering/expressions.hpp"

namespace adjoule::lowering {
namespace {

using semantics::CalleeKind;
using syntax::StmtKind;

void set_flag(Context& c, VariableId flag) {
  if (flag != no_variable) set_current(c, flag, c.ir().constant(false));
}

void lower_return(Context& c, const Stmt& s) {
  JumpScope* scope = c.jumps;
  while (scope && !scope->function) scope = scope->outer;
  if (!scope) return;
  if (s.value) set_current(c, scope->result, lower_as(c, *s.value, c.variable(scope->result).type));
  for (JumpScope* left = c.jumps; left != scope; left = left->outer) {
    set_flag(c, left->live);
    set_flag(c, left->go);
  }
  set_flag(c, scope->live);
}

void lower_jump(Context& c, const Stmt& s) {
  SpanScope at(c, s.span);
  if (s.kind == StmtKind::return_) return lower_return(c, s);
  if (!c.jumps) return;
  if (s.kind == StmtKind::break_) set_flag(c, c.jumps->go);
  set_flag(c, c.jumps->live);
}

Sequence with_rest(const syntax::Block& block, const Sequence& rest) {
  Sequence result = sequence(block);
  if (!always_jumps(result)) result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

/// Branch number `at` of an `if` and the ones after it.
void lower_branches(Context& c, const Stmt& s, size_t at, const Sequence& rest,
                    const std::vector<VariableId>& carried) {
  Nesting nesting(c, s.span);
  if (nesting.too_deep()) return;
  if (at == s.branches.size()) {
    lower_sequence(c, with_rest(s.otherwise ? *s.otherwise : syntax::Block{}, rest));
    return;
  }
  Value condition = lower_expression(c, s.branches[at].condition);
  SpanScope here(c, s.branches[at].condition.span);
  branch(
      c, condition, carried, [&] { lower_sequence(c, with_rest(s.branches[at].body, rest)); },
      [&] { lower_branches(c, s, at + 1, rest, carried); });
}

void lower_if(Context& c, const Stmt& s, const Sequence& rest) {
  Sequence all{&s};
  all.insert(all.end(), rest.begin(), rest.end());
  lower_branches(c, s, 0, rest, carried_by(c, effects_of(c, all)));
}

void lower_let(Context& c, const Stmt& s) {
  SymbolId symbol = c.declared(s.id);
  Value v = lower_as(c, *s.value, actual_type(c, c.symbol(symbol).type));
  give_name(c, v, s.name);
  bind_value(c, symbol, v);
}

void lower_var(Context& c, const Stmt& s) {
  SymbolId symbol = c.declared(s.id);
  Type type = actual_type(c, c.symbol(symbol).type);
  Value v = ir::no_value;
  if (type.stack) {
    v = c.ir().stack_new(popped(type));
  } else if (!s.value) {
    v = c.ir().zero(type);
  } else {
    v = lower_as(c, *s.value, type.field ? value_of(type) : type);
    if (type.field && !c.type(v).field) v = c.ir().emit(ir::Opcode::fill, {for_storage(c, v)}, type);
  }
  give_name(c, v, s.name);
  bind_variable(c, symbol, new_variable(c, s.name, type, v));
}

void lower_call_statement(Context& c, const Stmt& s) {
  const semantics::ExprInfo& info = c.info(*s.value);
  if (info.callee == CalleeKind::proc)
    call_proc(c, *s.value);
  else
    lower_expression(c, *s.value);
}

Sequence after(const Sequence& statements, size_t i) {
  return Sequence(statements.begin() + static_cast<ptrdiff_t>(i) + 1, statements.end());
}

/// Statements that run only when no jump was taken before them.
void lower_guarded(Context& c, const Sequence& rest) {
  if (!c.jumps || c.jumps->live == no_variable) return lower_sequence(c, rest);
  branch(c, current(c, c.jumps->live), carried_by(c, effects_of(c, rest)), [&] { lower_sequence(c, rest); }, [] {});
}

}  // namespace

std::vector<VariableId> carried_by(const Context& c, const Effects& effects) {
  std::set<VariableId> all;
  for (VariableId v : effects.assigned) {
    if (!c.variables[static_cast<size_t>(v)].handle) all.insert(v);
  }
  auto add = [&](VariableId v) {
    if (v != no_variable) all.insert(v);
  };
  if (c.jumps && (effects.breaks || effects.continues || effects.returns)) add(c.jumps->live);
  if (c.jumps && effects.breaks) add(c.jumps->go);
  if (effects.returns) {
    for (JumpScope* scope = c.jumps; scope; scope = scope->outer) {
      add(scope->live);
      add(scope->go);
      add(scope->result);
    }
  }
  return {all.begin(), all.end()};
}

void branch(Context& c, Value condition, const std::vector<VariableId>& variables, const std::function<void()>& then,
            const std::function<void()>& otherwise) {
  std::vector<Value> before;
  for (VariableId v : variables) before.push_back(c.variable(v).current);  // no zeros made up: a side may assign
  auto side = [&](const std::function<void()>& fill) {
    for (size_t i = 0; i < variables.size(); ++i) c.variable(variables[i]).current = before[i];
    fill();
    return currents(c, variables);
  };
  std::vector<Value> results = c.ir().if_(condition, [&] { return side(then); }, [&] { return side(otherwise); });
  set_currents(c, variables, results);
}

void lower_statement(Context& c, const Stmt& s) {
  SpanScope at(c, s.span);
  switch (s.kind) {
    case StmtKind::let: return lower_let(c, s);
    case StmtKind::var: return lower_var(c, s);
    case StmtKind::loop: return lower_loop(c, s);
    case StmtKind::while_: return lower_while(c, s);
    case StmtKind::if_: return lower_if(c, s, {});
    case StmtKind::break_:
    case StmtKind::continue_:
    case StmtKind::return_: return lower_jump(c, s);
    case StmtKind::assign: return lower_assignment(c, s);
    case StmtKind::call: return lower_call_statement(c, s);
    case StmtKind::block: return lower_sequence(c, sequence(s.body));
    case StmtKind::solve: unsupported(c, s.span, "`solve` is not supported yet", Type{}); return;
  }
}

void lower_sequence(Context& c, const Sequence& statements) {
  if (statements.empty()) return;
  Nesting nesting(c, statements.front()->span);
  if (nesting.too_deep()) return;
  for (size_t i = 0; i < statements.size(); ++i) {
    const Stmt& s = *statements[i];
    if (s.kind == StmtKind::break_ || s.kind == StmtKind::continue_ || s.kind == StmtKind::return_) {
      return lower_jump(c, s);  // what follows is never reached
    }
    bool jumps = i + 1 < statements.size() && jumps_of(s).jumps();
    if (jumps && absorbs_rest(s)) {
      SpanScope at(c, s.span);
      return lower_if(c, s, after(statements, i));
    }
    lower_statement(c, s);
    if (jumps) return lower_guarded(c, after(statements, i));
  }
}

Value lower_returning(Context& c, const syntax::Block& body, const Type& type) {
  Sequence statements = sequence(body);
  JumpScope scope{.function = true};
  scope.result = new_variable(c, "", type);
  if (needs_live(statements)) scope.live = new_variable(c, "", bool_type(), c.ir().constant(true));
  Swap inside(c.jumps, &scope);
  lower_sequence(c, statements);
  return current(c, scope.result);
}

}  // namespace adjoule::lowering
