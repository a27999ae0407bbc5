// How a parallel loop uses the fields and scalars around it: which it stores, reduces, reads, and whether only at its
// own element (effects.hpp). The loop's modes follow from this; access_modes.cpp then checks them on the finished loop.
#include "lowering/effects.hpp"

namespace adjoule::lowering {

bool Use::own_only() const {
  if (positions.empty()) return false;
  for (uint32_t mask : positions) {
    if (mask == 0) return false;
  }
  return true;
}

namespace {

using semantics::CalleeKind;
using semantics::SymbolKind;
using syntax::Assign;
using syntax::ExprKind;
using syntax::StmtKind;

struct UseWalk {
  const Context& c;
  const std::vector<SymbolId>& loop_indices;
  std::map<SymbolId, size_t> alias;  // a let of a loop index -> that index
  std::set<SymbolId> functions;      // bodies already seen
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
  if (use.positions.empty())
    use.positions = here;
  else
    for (size_t i = 0; i < here.size(); ++i) use.positions[i] &= here[i];
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

/// The program's fields that a function reads, itself or through others. Field parameters show as arguments of the
/// call.
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
    case Assign::add:
    case Assign::subtract: return "+=";
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
      if (int index = loop_index(walk, *s.value); index >= 0)
        walk.alias[walk.c.declared(s.id)] = static_cast<size_t>(index);
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
