// Planning and carrying out of schedules.
#include "schedule.hpp"

#include <algorithm>

namespace adjoule::runtime {
namespace {

using Kind = Action::Kind;

Action stretch(Kind kind, int32_t first, int32_t last) { return {kind, first, last, 0}; }
Action at(Kind kind, int32_t instant, int32_t slot) { return {kind, instant, instant, slot}; }

}  // namespace

Schedule keep_every_step(int32_t steps) {
  return {stretch(Kind::keep, 0, steps), {}, stretch(Kind::reverse, 0, steps)};
}

Schedule two_snapshots(int32_t steps) {
  int32_t a = steps / 3, b = a + (steps - a) / 2;
  return {at(Kind::snapshot, 0, 0),         stretch(Kind::advance, 0, a),  at(Kind::snapshot, a, 1),
          stretch(Kind::advance, a, b),     stretch(Kind::keep, b, steps), {},
          stretch(Kind::reverse, b, steps), at(Kind::restore, a, 1),       stretch(Kind::keep, a, b),
          stretch(Kind::reverse, a, b),     at(Kind::restore, 0, 0),       stretch(Kind::keep, 0, a),
          stretch(Kind::reverse, 0, a)};
}

Demand demand_of(const Schedule& schedule, int32_t steps) {
  Demand demand;
  int64_t kept = 0, snapshots = 0;
  for (const Action& action : schedule) {
    int64_t length = action.last - action.first;
    switch (action.kind) {
      case Kind::snapshot: ++snapshots; break;
      case Kind::restore: --snapshots; break;
      case Kind::advance: demand.advanced += length; break;
      case Kind::keep:
        demand.advanced += length;
        kept += length;
        break;
      case Kind::reverse: kept -= length; break;
      case Kind::turn: break;
    }
    demand.kept_steps = std::max(demand.kept_steps, kept);
    demand.snapshots = std::max(demand.snapshots, snapshots);
  }
  demand.redone = demand.advanced - steps;
  return demand;
}

void execute(const Schedule& schedule, const Callbacks& callbacks) {
  for (const Action& action : schedule) {
    bool empty = action.first == action.last;
    switch (action.kind) {
      case Kind::snapshot: callbacks.snapshot(action.slot); break;
      case Kind::restore: callbacks.restore(action.slot); break;
      case Kind::advance:
        if (!empty) callbacks.advance(action.first, action.last);
        break;
      case Kind::keep:
        if (!empty) callbacks.keep(action.first, action.last);
        break;
      case Kind::reverse:
        if (!empty) callbacks.reverse(action.first, action.last);
        break;
      case Kind::turn: callbacks.turn(); break;
    }
  }
}

}  // namespace adjoule::runtime
