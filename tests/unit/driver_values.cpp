// Numbers, assignments and parameter files of the command line; the minimisers.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "driver/minimize.hpp"
#include "driver/options.hpp"
#include "files.hpp"

namespace adjoule::driver {
namespace {

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << "it says: " << (text)

template <typename F>
std::string failure_of(F&& action) {
  try {
    action();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, Failure::wrong_use);
    return e.what();
  }
  return "no failure";
}

TEST(Values, Assignments) {
  EXPECT_EQ(split_assignment("k=3.5", "--set"), (std::pair<std::string, std::string>{"k", "3.5"}));
  EXPECT_EQ(split_assignment("a=b=c", "--load").second, "b=c");
  EXPECT_SAYS(failure_of([] { split_assignment("k", "--set"); }), "--set wants NAME=VALUE, not 'k'");
  EXPECT_SAYS(failure_of([] { split_assignment("=1", "--set"); }), "--set wants NAME=VALUE");
  EXPECT_SAYS(failure_of([] { split_assignment("k=", "--set"); }), "--set wants NAME=VALUE");
}

TEST(Values, Numbers) {
  EXPECT_EQ(parse_numbers("1e3", "o"), std::vector<double>{1000});
  EXPECT_EQ(parse_numbers("1,-0.5,+2", "o"), (std::vector<double>{1, -0.5, 2}));
  EXPECT_EQ(parse_numbers("true", "o"), std::vector<double>{1});
  EXPECT_SAYS(failure_of([] { parse_numbers("1,x", "--set k"); }), "--set k: 'x' is not a number");
  EXPECT_SAYS(failure_of([] { parse_numbers("1,", "--set k"); }), "'' is not a number");
  EXPECT_SAYS(failure_of([] { parse_numbers("3m", "--set k"); }), "'3m' is not a number");
}

TEST(Values, Bytes) {
  EXPECT_EQ(parse_bytes("512M"), int64_t{512} << 20);
  EXPECT_EQ(parse_bytes("4GiB"), int64_t{4} << 30);
  EXPECT_EQ(parse_bytes("1e6"), 1000000);
  EXPECT_SAYS(failure_of([] { parse_bytes("lots"); }), "is not a number");
  EXPECT_SAYS(failure_of([] { parse_bytes("0"); }), "not an amount of memory");
}

TEST(Values, ParameterFilesComeBack) {
  std::string path = (std::filesystem::temp_directory_path() / "adjoule-params.json").string();
  runtime::write_file(path,
                      params_json({{"alpha", Array::of(0.1)}, {"m", Array::of_reals({1, 2, 3, 4, 5, 6}, {2, 3})}}));
  auto params = read_params(path);
  ASSERT_EQ(params.size(), 2u);
  EXPECT_EQ(params[0].first, "alpha");
  EXPECT_EQ(params[0].second.reals, std::vector<double>{0.1});
  EXPECT_TRUE(params[0].second.shape.empty());
  EXPECT_EQ(params[1].second.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(params[1].second.reals, (std::vector<double>{1, 2, 3, 4, 5, 6}));

  auto said = [&](const char* text) {
    runtime::write_file(path, text);
    return failure_of([&] { read_params(path); });
  };
  EXPECT_SAYS(said("{\"a\": "), "is not readable as JSON");
  EXPECT_SAYS(said("[1]"), "an object of names and numbers is wanted");
  EXPECT_SAYS(said("{\"a\": [[1], [2, 3]]}"), "a: the rows have different lengths");
  EXPECT_SAYS(said("{\"a\": \"x\"}"), "numbers, or lists of numbers, are wanted");
  std::filesystem::remove(path);
}

MinimizeProblem rosenbrock() {
  MinimizeProblem p;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  p.start = {-1.2, 1};
  p.lower = {-infinity, -infinity};
  p.upper = {infinity, infinity};
  p.scale = {1, 1};
  p.evaluate = [](const std::vector<double>& x, std::vector<double>& g) {
    double a = 1 - x[0], b = x[1] - x[0] * x[0];
    g = {-2 * a - 400 * x[0] * b, 200 * b};
    return a * a + 100 * b * b;
  };
  return p;
}

TEST(Minimize, LbfgsFindsRosenbrocksValley) {
  MinimizeResult r = minimize(rosenbrock(), {.iterations = 300});
  EXPECT_LT(r.value, 1e-14);
  EXPECT_NEAR(r.best[0], 1, 1e-6);
  EXPECT_EQ(r.reason, "converged");
}

TEST(Minimize, BoundsHold) {
  MinimizeProblem p = rosenbrock();
  p.upper = {0.5, 2};
  MinimizeResult r = minimize(p, {.iterations = 300});
  EXPECT_NEAR(r.best[0], 0.5, 1e-8);
  EXPECT_NEAR(r.best[1], 0.25, 1e-6);
}

TEST(Minimize, ScaleAndPlacesWithoutValue) {
  MinimizeProblem p = rosenbrock();
  p.start = {1e-6, 400};  // (x/1e-6 - 2)², log(y): no value for y <= 0
  p.scale = {1e-6, 400};
  p.evaluate = [](const std::vector<double>& x, std::vector<double>& g) {
    double a = x[0] * 1e6 - 2, b = std::log(x[1]) - 1;
    g = {2e6 * a, 2 * b / x[1]};
    return a * a + b * b;
  };
  MinimizeResult r = minimize(p, {.iterations = 300});
  EXPECT_NEAR(r.best[0] * 1e6, 2, 1e-6);
  EXPECT_NEAR(r.best[1], std::exp(1), 1e-5);
}

TEST(Minimize, AdamComesDown) {
  MinimizeResult r = minimize(rosenbrock(), {.adam = true, .iterations = 2000});
  EXPECT_LT(r.value, 1e-2);
  EXPECT_EQ(r.iterations, 2000);
  EXPECT_EQ(r.reason, "no more iterations");
}

TEST(Minimize, StopsWhenAsked) {
  MinimizeOptions options;
  options.progress = [](const MinimizeProgress& p) { return p.iteration < 5; };
  MinimizeResult r = minimize(rosenbrock(), options);
  EXPECT_EQ(r.iterations, 5);
  EXPECT_EQ(r.reason, "stopped");
  EXPECT_LT(r.value, r.first_value);
}

}  // namespace
}  // namespace adjoule::driver
