// Schedules, carried out on a pretended simulation that checks every call.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "schedule.hpp"

namespace adjoule::runtime {
namespace {

/// The state is one number; a step is x ← x·x·0.5 + t; its adjoint needs the x that the step saw.
struct Pretended {
  double x = 0.3, bar = 0;
  std::vector<double> kept;
  std::map<int32_t, double> snapshots;
  std::vector<int32_t> reversed;
  int64_t advanced = 0, most_kept = 0;
  int32_t instant = 0;

  void step(int32_t t) {
    EXPECT_EQ(instant, t);
    x = x * x * 0.5 + t * 0.01;
    instant = t + 1;
    ++advanced;
  }
  Callbacks callbacks() {
    return {
        .snapshot = [this](int32_t slot) { snapshots[slot] = x; },
        .restore =
            [this](int32_t slot) {
              x = snapshots.at(slot);
              snapshots.erase(slot);
              instant = -1;
            },
        .advance =
            [this](int32_t a, int32_t b) {
              start(a);
              for (int32_t t = a; t < b; ++t) step(t);
            },
        .keep =
            [this](int32_t a, int32_t b) {
              start(a);
              for (int32_t t = a; t < b; ++t) {
                kept.push_back(x);
                step(t);
              }
              most_kept = std::max(most_kept, static_cast<int64_t>(kept.size()));
            },
        .reverse =
            [this](int32_t a, int32_t b) {
              for (int32_t t = b; t-- > a;) {
                bar *= kept.back();
                kept.pop_back();
                reversed.push_back(t);
              }
            },
        .turn = [this] { bar = 2 * x; },
    };
  }
  void start(int32_t a) {
    if (instant < 0) instant = a;
  }
};

TEST(Schedule, BothGiveTheSameBits) {
  for (int32_t steps = 0; steps <= 20; ++steps) {
    Pretended plain, two;
    execute(keep_every_step(steps), plain.callbacks());
    execute(two_snapshots(steps), two.callbacks());
    EXPECT_EQ(plain.bar, two.bar) << steps;
    EXPECT_EQ(plain.reversed, two.reversed) << steps;
    EXPECT_EQ(static_cast<int32_t>(plain.reversed.size()), steps);
    EXPECT_TRUE(two.kept.empty());
    EXPECT_TRUE(two.snapshots.empty());
    EXPECT_EQ(plain.advanced, steps);
    EXPECT_EQ(two.advanced, demand_of(two_snapshots(steps), steps).advanced);
    EXPECT_EQ(two.most_kept, demand_of(two_snapshots(steps), steps).kept_steps);
  }
}

TEST(Schedule, DemandIsPredicted) {
  Demand all = demand_of(keep_every_step(100), 100);
  EXPECT_EQ(all.kept_steps, 100);
  EXPECT_EQ(all.snapshots, 0);
  EXPECT_EQ(all.redone, 0);
  Demand two = demand_of(two_snapshots(99), 99);
  EXPECT_EQ(two.kept_steps, 33);
  EXPECT_EQ(two.snapshots, 2);
  EXPECT_EQ(two.redone, 66);
}

}  // namespace
}  // namespace adjoule::runtime
