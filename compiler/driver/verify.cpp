// adjoule verify: is the gradient right?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "driver/command.hpp"
#include "driver/gradient_check.hpp"
#include "driver/report.hpp"

namespace adjoule::driver {
namespace {

void print_table(const std::vector<ParameterCheck>& checks) {
  size_t width = 9;
  for (const ParameterCheck& c : checks) width = std::max(width, c.name.size());
  fmt::print("{:<{}}  {:>8}  {:>6}  {:>14}  {:>9}  {:>12}\n", "parameter", width, "numbers", "tried", "vs differences",
             "at step", "vs tangent");
  for (const ParameterCheck& c : checks) {
    fmt::print("{:<{}}  {:>8}  {:>6}  {:>14.1e}  {:>9.0e}  {:>12.1e}  {}\n", c.name, width, c.numbers, c.directions,
               c.difference_error, c.step_size, c.tangent_error, c.passed ? "ok" : "WRONG");
  }
}

Json json_of(const std::vector<ParameterCheck>& checks) {
  Json list = Json::object();
  for (const ParameterCheck& c : checks) {
    auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(fmt::format("{}", x)); };
    list[c.name] = {{"numbers", c.numbers},
                    {"tried", c.directions},
                    {"difference_error", number(c.difference_error)},
                    {"step_size", c.step_size},
                    {"tangent_error", number(c.tangent_error)},
                    {"passed", c.passed}};
  }
  return list;
}

int verify(const SharedOptions& shared) {
  Session session = open_session(shared);
  runtime::Instance& tested = session.instance.implementation();
  CheckSettings settings;
  settings.steps = session.steps;
  settings.loss = tested.loss_index(shared.loss);
  settings.wrt = tested.differentiable(shared.wrt);
  std::optional<Instance> exact;
  if (session.options.real == Real::f32) {  // differences need f64; the adjoint under test is the one in f32
    Options options = session.options;
    options.real = Real::f64;
    exact.emplace(open_instance(session.program, shared, options));
    settings.difference_tolerance = 1e-3;
    settings.tangent_tolerance = 1e-4;
  }
  std::vector<std::string> warnings;
  auto checks = check_gradient(tested, exact ? exact->implementation() : tested, settings, warnings);
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  bool passed = true;
  for (const ParameterCheck& c : checks) passed = passed && c.passed;
  if (shared.json) {
    Json json = begin_report(session, shared.file, "verify");
    json["checks"] = json_of(checks);
    json["passed"] = passed;
    json["warnings"] = warnings;
    finish_report(json, session);
    print_report(json);
  } else {
    print_table(checks);
  }
  if (passed) return 0;
  fmt::print(stderr,
             "error: the gradient disagrees (tolerances: {:.0e} against differences, {:.0e} against the tangent)\n",
             settings.difference_tolerance, settings.tangent_tolerance);
  return static_cast<int>(Failure::failed_run);
}

}  // namespace

Action add_verify(CLI::App& app) {
  auto shared = std::make_shared<SharedOptions>();
  CLI::App* verb = app.add_subcommand("verify", "Check a gradient against central differences and against the tangent");
  add_program_options(*verb, *shared);
  add_run_options(*verb, *shared);
  add_wrt_option(*verb, *shared, "Which gradients to check; default: all real params");
  verb->footer(
      "\nExample:\n  adjoule verify spring.adj --steps 50 --wrt stiffness,v0 --load x0=x0.npy --load ends=ends.npy "
      "--load rest=rest.npy\n\n"
      "Prints the worst relative error for each parameter. The exit status is 3 when a gradient is wrong.\n"
      "A loss with jumps or kinks near the present values may disagree with differences and be right all the same.");
  return [shared] { return verify(*shared); };
}

}  // namespace adjoule::driver
