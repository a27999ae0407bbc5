#include "transform/transform.hpp"

namespace adjoule::transform {

ir::Procedure prepare(const ir::Program& program, const ir::Procedure& procedure) {
  const ir::Procedure simple = simplify(program, procedure);
  const ir::Procedure forwarded = forward_own_elements(program, eliminate_dead_code(program, simple));
  return eliminate_dead_code(program, simplify(program, hoist_invariants(program, forwarded)));
}

ir::Procedure finish(const ir::Program& program, const ir::Procedure& procedure) {
  return eliminate_dead_code(program, simplify(program, procedure));
}

}  // namespace adjoule::transform
