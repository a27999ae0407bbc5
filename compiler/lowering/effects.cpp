// Walks over the AST that say beforehand what statements will do (effects.hpp).
#include "lowering/effects.hpp"

namespace adjoule::lowering {
namespace {

using semantics::CalleeKind;
using semantics::SymbolKind;
using syntax::Assign;
using syntax::ExprKind;
using syntax::StmtKind;

bool is_jump(const Stmt& s) {
  return s.kind == StmtKind::break_ || s.kind == StmtKind::continue_ || s.kind == StmtKind::return_;
}

void flatten(const syntax::Block& block, Sequence& into) {
  for (const Stmt& s : block) {
    if (s.kind == StmtKind::block) flatten(s.body, into);
    else into.push_back(&s);
  }
}

/// The fields that a call of a proc gives to its parameters; nothing else is visible to its body but the program's fields.
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
  bool loop = s.kind == StmtKind::loop || s.kind == StmtKind::while_;   // break and continue end there
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
    case StmtKind::let: case StmtKind::var: {
      const Type& type = c.symbol(c.declared(s.id)).type;
      return !type.field && !type.stack;
    }
    case StmtKind::assign:
      if (s.target->kind == ExprKind::name && c.info(*s.target).type.field) return false;
      return true;
    case StmtKind::call: {
      if (const syntax::ProcItem* proc = called_proc(c, s)) return single_elements(c, proc->body);
      return s.value->args.size() < 2 || !c.info(s.value->args[1]).type.field;   // s.push(field)
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

// --- how a parallel loop uses what is around it

bool Use::own_only() const {
  if (positions.empty()) return false;
  for (uint32_t mask : positions) {
    if (mask == 0) return false;
  }
  return true;
}

namespace {

struct UseWalk {
  const Context& c;
  const std::vector<SymbolId>& loop_indices;
  std::map<SymbolId, size_t> alias;              // a let of a loop index -> that index
  std::set<SymbolId> functions;                  // bodies already seen
  std::map<VariableId, Use> uses;
};

/// The loop index that an index expression is, by number; -1 when it is something else.
int loop_index(const UseWalk& walk, const Expr& e) {
  if (e.kind != ExprKind::name) return -1;
  SymbolId symbol = walk.c.info(e).symbol;
  for (size_t i = 0; i < walk.loop_indices.size(); ++i) {
    if (walk.loop_indices[i] == symbol) return static_cast<int>(i);
  }
  auto found = walk.alias.find(symbol);
  return found == walk.alias.end() ? -1 : static_cast<int>(found->second);
}

/// Remembers at which positions of `access` (u[…], or a bare name) the loop indices stand alone.
void note_positions(UseWalk& walk, Use& use, const Expr* access) {
  std::vector<uint32_t> here(walk.loop_indices.size(), 0);
  for (size_t i = 1; access && i < access->args.size(); ++i) {
    int index = loop_index(walk, access->args[i]);
    if (index >= 0 && i <= 32) here[static_cast<size_t>(index)] |= uint32_t{1} << (i - 1);
  }
  if (use.positions.empty()) use.positions = here;
  else for (size_t i = 0; i < here.size(); ++i) use.positions[i] &= here[i];
}

Use* use_of(UseWalk& walk, const Frame& frame, SymbolId symbol) {
  Binding binding = lookup(walk.c, frame, symbol);
  return binding.kind == BindingKind::variable ? &walk.uses[binding.variable] : nullptr;
}

void walk_expression(UseWalk& walk, const Expr& e);

void note_read(Use& use, Span span) {
  if (!use.read) use.read_at = span;
  use.read = true;
}

/// The program's fields that a function reads, itself or through others. Field parameters show as arguments of the call.
void walk_function(UseWalk& walk, SymbolId function);

void walk_function_expression(UseWalk& walk, const Expr& e) {
  const semantics::ExprInfo& info = walk.c.info(e);
  if (e.kind == ExprKind::name && info.symbol >= 0 && walk.c.symbol(info.symbol).kind == SymbolKind::field) {
    if (Use* use = use_of(walk, Frame{}, info.symbol)) note_read(*use, e.span);
  }
  if (e.kind == ExprKind::call && info.callee == CalleeKind::function) walk_function(walk, info.symbol);
  for (const Expr& arg : e.args) walk_function_expression(walk, arg);
}

void walk_function_statements(UseWalk& walk, const syntax::Block& block) {
  for (const Stmt& s : block) {
    if (s.value) walk_function_expression(walk, *s.value);
    if (s.target) walk_function_expression(walk, *s.target);
    for (const syntax::Iterator& iterator : s.iterators) {
      walk_function_expression(walk, iterator.first);
      if (iterator.last) walk_function_expression(walk, *iterator.last);
    }
    walk_function_statements(walk, s.body);
    for (const syntax::Branch& branch : s.branches) {
      walk_function_expression(walk, branch.condition);
      walk_function_statements(walk, branch.body);
    }
    if (s.otherwise) walk_function_statements(walk, *s.otherwise);
  }
}

void walk_function(UseWalk& walk, SymbolId symbol) {
  Binding binding = lookup(walk.c, symbol);
  if (binding.kind == BindingKind::function) symbol = binding.function;
  const semantics::Symbol& s = walk.c.symbol(symbol);
  if (s.kind != SymbolKind::function || !walk.functions.insert(symbol).second) return;
  walk_function_statements(walk, walk.c.ast().functions[static_cast<size_t>(s.index)].body);
}

void walk_expression(UseWalk& walk, const Expr& e) {
  const semantics::ExprInfo& info = walk.c.info(e);
  if (e.kind == ExprKind::name) {
    if (Use* use = use_of(walk, *walk.c.frame, info.symbol)) {
      note_read(*use, e.span);
      note_positions(walk, *use, nullptr);
    }
    return;
  }
  if (e.kind == ExprKind::call && info.callee == CalleeKind::function) walk_function(walk, info.symbol);
  size_t first = 0;
  if (e.kind == ExprKind::index && e.args[0].kind == ExprKind::name) {
    if (Use* use = use_of(walk, *walk.c.frame, walk.c.info(e.args[0]).symbol)) {
      note_read(*use, e.span);
      note_positions(walk, *use, &e);
      first = 1;
    }
  }
  for (size_t i = first; i < e.args.size(); ++i) walk_expression(walk, e.args[i]);
}

const char* reduction_of(Assign op) {
  switch (op) {
    case Assign::add: case Assign::subtract: return "+=";
    case Assign::minimum: return "min=";
    case Assign::maximum: return "max=";
    default: return nullptr;
  }
}

/// The index expression at the root of a target: u[c] of u[c].x; nullptr for a bare name.
const Expr* root_access(const Expr& target) {
  const Expr* access = nullptr;
  for (const Expr* e = &target; e->kind == ExprKind::member || e->kind == ExprKind::index; e = &e->args[0]) {
    if (e->kind == ExprKind::index) access = e;
  }
  return access;
}

void walk_target(UseWalk& walk, const Expr& target) {
  for (const Expr* e = &target; e->kind == ExprKind::member || e->kind == ExprKind::index; e = &e->args[0]) {
    for (size_t i = 1; i < e->args.size(); ++i) walk_expression(walk, e->args[i]);
  }
}

void walk_assignment(UseWalk& walk, const Stmt& s) {
  walk_target(walk, *s.target);
  if (s.value) walk_expression(walk, *s.value);
  const Expr* name = root_name(*s.target);
  Use* use = name ? use_of(walk, *walk.c.frame, walk.c.info(*name).symbol) : nullptr;
  if (!use) return;
  note_positions(walk, *use, root_access(*s.target));
  if (const char* reduction = reduction_of(s.op)) {
    use->reduced.try_emplace(reduction, s.span);
  } else {
    if (!use->stored) use->stored_at = s.span;
    use->stored = true;
  }
}

void walk_statements(UseWalk& walk, const syntax::Block& block) {
  for (const Stmt& s : block) {
    if (s.kind == StmtKind::assign) {
      walk_assignment(walk, s);
      continue;
    }
    if (s.value) walk_expression(walk, *s.value);
    if (s.kind == StmtKind::let && s.value) {
      if (int index = loop_index(walk, *s.value); index >= 0) walk.alias[walk.c.declared(s.id)] = static_cast<size_t>(index);
    }
    for (const syntax::Iterator& iterator : s.iterators) {
      walk_expression(walk, iterator.first);
      if (iterator.last) walk_expression(walk, *iterator.last);
    }
    walk_statements(walk, s.body);
    for (const syntax::Branch& branch : s.branches) {
      walk_expression(walk, branch.condition);
      walk_statements(walk, branch.body);
    }
    if (s.otherwise) walk_statements(walk, *s.otherwise);
  }
}

}  // namespace

std::map<VariableId, Use> uses_in(const Context& c, const std::vector<SymbolId>& loop_indices,
                                  const syntax::Block& body) {
  UseWalk walk{.c = c, .loop_indices = loop_indices, .alias = {}, .functions = {}, .uses = {}};
  walk_statements(walk, body);
  return std::move(walk.uses);
}

}  // namespace adjoule::lowering
