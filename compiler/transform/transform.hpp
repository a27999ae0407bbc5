// Passes IR -> IR that keep every answer. Each is one function, in a file of its name.
#pragma once
#include "ir/ir.hpp"

namespace adjoule::transform {

/// Removes pure operations whose results nobody uses, carried values of loops that nobody needs, results of `if` and `loop`
/// that nobody uses, and stacks whose popped values are unused (with their pushes and pops). Keeps checks unless `drop_checks`.
ir::Procedure eliminate_dead_code(const ir::Program& program, const ir::Procedure& procedure, bool drop_checks = false);

/// Folds constants, removes arithmetic with neutral elements where that keeps the bits (x * 1, x + -0.0…), merges equal pure
/// operations that are visible to one another (common subexpressions), turns `if` on a constant into its branch.
ir::Procedure simplify(const ir::Program& program, const ir::Procedure& procedure);

/// Within each parallel loop: an element of an `own` handle that is read and written at the same index becomes SSA values: one
/// load at the start (when it is read before being written), values forwarded, one store at the end.
/// The forwarded load reads the *version* that came in (pure) when no store can precede it.
ir::Procedure forward_own_elements(const ir::Program& program, const ir::Procedure& procedure);

/// Moves pure operations that depend on nothing inside an inner loop in front of it.
ir::Procedure hoist_invariants(const ir::Program& program, const ir::Procedure& procedure);

/// The planner: makes every operation that updates a field the last use of the version it consumes, by putting in `copy`
/// where the old version is still needed, and `drop` after the last use of each version that nobody consumes (stacks too:
/// dropped at the end of the block that made them). Inputs are borrowed unless procedure.consumed says otherwise; outputs
/// and yields are always owned and distinct buffers; a version captured by a loop body is never consumed inside it.
/// After it, code generation updates buffers in place and allocates only at fill and copy.
ir::Procedure plan_buffers(const ir::Program& program, const ir::Procedure& procedure);

/// The passes in the order that code wants them before differentiation, and after it.
ir::Procedure prepare(const ir::Program& program, const ir::Procedure& procedure);
ir::Procedure finish(const ir::Program& program, const ir::Procedure& procedure);

}  // namespace adjoule::transform
