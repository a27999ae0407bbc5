// Walks over the AST that say beforehand what statements will do (effects.hpp).
#include "lowering/effects.hpp"

namespace adjoule::lowering {
namespace {

using semantics::CalleeKind;
using syntax::ExprKind;
using syntax::StmtKind;

bool is_jump(const Stmt& s) {
  return s.kind == StmtKind::break_ || s.kind == StmtKind::continue_ || s.kind == StmtKind::return_;
}

void flatten(const syntax::Block& block, Sequence& into) {
  for (const Stmt& s : block) {
    if (s.kind == StmtKind::block)
      flatten(s.body, into);
    else
      into.push_back(&s);
  }
}

/// The fields that a call of a proc gives to its parameters; nothing else is visible to its body but the program's
/// fields.
Frame field_arguments(const Context& c, const Frame& caller, const Expr& call, const syntax::ProcItem& proc) {
  Frame frame;
  for (size_t i = 0; i < proc.parameters.size() && i + 1 < call.args.size(); ++i) {
    if (proc.parameters[i].spaces.empty()) continue;
    frame.names[c.declared(proc.parameters[i].id)] = lookup(c, caller, c.info(call.args[i + 1]).symbol);
  }
  return frame;
}

const syntax::ProcItem* called_proc(const Context& c, const Stmt& s) {
  if (s.kind != StmtKind::call) return nullptr;
  const semantics::ExprInfo& info = c.info(*s.value);
  if (info.callee != CalleeKind::proc) return nullptr;
  return &c.ast().procs[static_cast<size_t>(c.symbol(info.symbol).index)];
}

void collect(const Context& c, const Frame& frame, const Stmt& s, Effects& effects);

void collect(const Context& c, const Frame& frame, const syntax::Block& block, Effects& effects) {
  for (const Stmt& s : block) collect(c, frame, s, effects);
}

void collect(const Context& c, const Frame& frame, const Stmt& s, Effects& effects) {
  if (s.kind == StmtKind::assign) {
    const Expr* name = root_name(*s.target);
    Binding binding = name ? lookup(c, frame, c.info(*name).symbol) : Binding{};
    if (binding.kind == BindingKind::variable) effects.assigned.insert(binding.variable);
  }
  if (const syntax::ProcItem* proc = called_proc(c, s)) {
    Frame inner = field_arguments(c, frame, *s.value, *proc);
    Effects inside;
    collect(c, inner, proc->body, inside);
    effects.assigned.merge(inside.assigned);
  }
  collect(c, frame, s.body, effects);
  for (const syntax::Branch& branch : s.branches) collect(c, frame, branch.body, effects);
  if (s.otherwise) collect(c, frame, *s.otherwise, effects);
}

void collect_jumps(const Stmt& s, Effects& effects) {
  if (s.kind == StmtKind::break_) effects.breaks = true;
  if (s.kind == StmtKind::continue_) effects.continues = true;
  if (s.kind == StmtKind::return_) effects.returns = true;
  Effects inside;
  for (const Stmt& inner : s.body) collect_jumps(inner, inside);
  for (const syntax::Branch& branch : s.branches) {
    for (const Stmt& inner : branch.body) collect_jumps(inner, inside);
  }
  if (s.otherwise) {
    for (const Stmt& inner : *s.otherwise) collect_jumps(inner, inside);
  }
  bool loop = s.kind == StmtKind::loop || s.kind == StmtKind::while_;  // break and continue end there
  effects.breaks |= inside.breaks && !loop;
  effects.continues |= inside.continues && !loop;
  effects.returns |= inside.returns;
}

Sequence joined(const syntax::Block& block, const Sequence& all, size_t rest) {
  Sequence result = sequence(block);
  if (!always_jumps(result)) result.insert(result.end(), all.begin() + static_cast<ptrdiff_t>(rest), all.end());
  return result;
}

/// needs_live of an `if` whose branches take over the statements from `rest` on.
bool branches_need_live(const Stmt& s, const Sequence& all, size_t rest) {
  for (const syntax::Branch& branch : s.branches) {
    if (needs_live(joined(branch.body, all, rest))) return true;
  }
  return needs_live(joined(s.otherwise ? *s.otherwise : syntax::Block{}, all, rest));
}

}  // namespace

Sequence sequence(const syntax::Block& block) {
  Sequence result;
  flatten(block, result);
  return result;
}

const Expr* root_name(const Expr& target) {
  const Expr* e = &target;
  while ((e->kind == ExprKind::member || e->kind == ExprKind::index) && !e->args.empty()) e = &e->args[0];
  return e->kind == ExprKind::name ? e : nullptr;
}

Effects jumps_of(const Stmt& s) {
  Effects effects;
  collect_jumps(s, effects);
  return effects;
}

Effects effects_of(const Context& c, const Sequence& statements) {
  Effects effects;
  for (const Stmt* s : statements) {
    collect(c, *c.frame, *s, effects);
    collect_jumps(*s, effects);
  }
  return effects;
}

bool always_jumps(const Sequence& statements) {
  for (const Stmt* s : statements) {
    if (is_jump(*s)) return true;
    if (s->kind != StmtKind::if_ || !s->otherwise || !always_jumps(sequence(*s->otherwise))) continue;
    bool all = true;
    for (const syntax::Branch& branch : s->branches) all = all && always_jumps(sequence(branch.body));
    if (all) return true;
  }
  return false;
}

bool absorbs_rest(const Stmt& s) {
  if (s.kind != StmtKind::if_ || !jumps_of(s).jumps()) return false;
  int through = !s.otherwise || !always_jumps(sequence(*s.otherwise)) ? 1 : 0;
  for (const syntax::Branch& branch : s.branches) through += always_jumps(sequence(branch.body)) ? 0 : 1;
  return through <= 1;
}

bool needs_live(const Sequence& statements) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const Stmt& s = *statements[i];
    if (is_jump(s)) return false;
    if (!jumps_of(s).jumps()) continue;
    if (absorbs_rest(s)) return branches_need_live(s, statements, i + 1);
    if (i + 1 < statements.size()) return true;
    if (s.kind == StmtKind::if_) return branches_need_live(s, {}, 0);
  }
  return false;
}

namespace {

bool single_elements(const Context& c, const Stmt& s);

bool single_elements(const Context& c, const syntax::Block& block) {
  for (const Stmt& s : block) {
    if (!single_elements(c, s)) return false;
  }
  return true;
}

bool single_elements(const Context& c, const Stmt& s) {
  switch (s.kind) {
    case StmtKind::let:
    case StmtKind::var: {
      const Type& type = c.symbol(c.declared(s.id)).type;
      return !type.field && !type.stack;
    }
    case StmtKind::assign:
      if (s.target->kind == ExprKind::name && c.info(*s.target).type.field) return false;
      return true;
    case StmtKind::call: {
      if (const syntax::ProcItem* proc = called_proc(c, s)) return single_elements(c, proc->body);
      return s.value->args.size() < 2 || !c.info(s.value->args[1]).type.field;  // s.push(field)
    }
    case StmtKind::loop:
      if (s.serial) return false;
      for (const syntax::Iterator& iterator : s.iterators) {
        if (!iterator.last) return false;
      }
      return single_elements(c, s.body);
    case StmtKind::if_:
      for (const syntax::Branch& branch : s.branches) {
        if (!single_elements(c, branch.body)) return false;
      }
      return !s.otherwise || single_elements(c, *s.otherwise);
    case StmtKind::solve: return false;
    default: return single_elements(c, s.body);
  }
}

}  // namespace

bool touches_single_elements(const Context& c, const Sequence& statements) {
  for (const Stmt* s : statements) {
    if (!single_elements(c, *s)) return false;
  }
  return true;
}

}  // namespace adjoule::lowering
