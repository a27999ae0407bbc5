// What statements do to the variables around them, found by a walk over the AST before they are lowered: which
// variables they assign (control flow carries those), which jumps leave them, how a parallel loop uses each field.
#pragma once
#include <map>
#include <set>

#include "lowering/environment.hpp"

namespace adjoule::lowering {

Sequence sequence(const syntax::Block& block);

/// The name at the root of a target: u of u[c].x; nullptr when there is none.
const Expr* root_name(const Expr& target);

struct Effects {
  std::set<VariableId> assigned;
  bool breaks = false, continues = false, returns = false;  // jumps that leave the statements
  bool jumps() const { return breaks || continues || returns; }
};

Effects effects_of(const Context& c, const Sequence& statements);
/// Only the jumps of one statement.
Effects jumps_of(const Stmt& statement);

/// Does control never reach the statement after these?
bool always_jumps(const Sequence& statements);
/// An `if` that at most one branch falls through: the statements after it then belong into that branch.
bool absorbs_rest(const Stmt& statement);
/// Must statements after a possible jump be guarded by a flag somewhere (outside of nested loops)?
bool needs_live(const Sequence& statements);

/// Does step-level code touch fields by single elements only, so that a loop around it can be one `serial`?
bool touches_single_elements(const Context& c, const Sequence& statements);

/// How a parallel loop uses one variable of its surroundings.
struct Use {
  bool stored = false, read = false;
  std::map<std::string, Span> reduced;  // by operator: "+=" (also -=), "min=", "max="
  std::vector<uint32_t> positions;      // by loop index: index positions where it stands alone in every access so far
  Span read_at, stored_at;
  bool own_only() const;  // every access so far was at the own element
};

std::map<VariableId, Use> uses_in(const Context& c, const std::vector<SymbolId>& loop_indices,
                                  const syntax::Block& body);

}  // namespace adjoule::lowering
