// Schedules of a gradient: in which order steps are run, kept, run again and reversed. A schedule is data, made before
// the run and carried out by one function over callbacks, so a new one (revolve, two levels) is a new planner and no
// more.
//
//   keep every step     keep 0..T, turn, reverse T..0
//   two snapshots       snapshot 0, advance 0..a, snapshot 1, advance a..b, keep b..T, turn, reverse T..b,
//                       restore 1, keep a..b, reverse b..a, restore 0, keep 0..a, reverse a..0
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace adjoule::runtime {

struct Action {
  enum class Kind : uint8_t {
    snapshot,  // the present states into `slot`
    restore,   // the states of `slot` become the present ones; the slot is free from here on
    advance,   // steps first … last - 1, keeping nothing
    keep,      // steps first … last - 1, keeping what their reversal reads
    turn,      // the loss, and the adjoints of the last states
    reverse,   // steps last - 1 … first; what was kept of them is used up
  };
  Kind kind = Kind::turn;
  int32_t first = 0, last = 0;  // advance, keep, reverse; snapshot and restore: first is the instant
  int32_t slot = 0;
  bool operator==(const Action&) const = default;
};

using Schedule = std::vector<Action>;

Schedule keep_every_step(int32_t steps);
Schedule two_snapshots(int32_t steps);

/// What a schedule asks for; predicted before it is run.
struct Demand {
  int64_t kept_steps = 0;  // the most steps whose kept states exist at once
  int64_t snapshots = 0;   // the most snapshots that exist at once
  int64_t advanced = 0;    // evaluations of a step, forwards
  int64_t redone = 0;      // of these, the ones beyond the number of steps
};

Demand demand_of(const Schedule& schedule, int32_t steps);

struct Callbacks {
  std::function<void(int32_t slot)> snapshot, restore;
  std::function<void(int32_t first, int32_t last)> advance, keep, reverse;
  std::function<void()> turn;
};

/// Carries a schedule out. Empty stretches are not called. What a callback throws ends it.
void execute(const Schedule& schedule, const Callbacks& callbacks);

}  // namespace adjoule::runtime
