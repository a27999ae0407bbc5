// adjoule grad: the gradient of a loss.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>

#include "driver/command.hpp"
#include "driver/report.hpp"
#include "files.hpp"
#include "instance.hpp"
#include "npy.hpp"

namespace adjoule::driver {
namespace {

struct GradOptions {
  SharedOptions shared;
  std::vector<std::string> save;
};

void refuse_nan_gradient(const Gradient& gradient) {
  for (const auto& [name, array] : gradient.of) {
    for (size_t i = 0; i < array.reals.size(); ++i) {
      if (!std::isnan(array.reals[i])) continue;
      throw Error(Failure::failed_run, fmt::format("the gradient in {} is NaN (number {} of {}), though the loss is {}",
                                                   name, i, array.reals.size(), gradient.loss));
    }
  }
}

void report(const Session& session, const GradOptions& options, const std::string& loss, const Gradient& gradient,
            const std::vector<std::string>& names) {
  if (!options.shared.json) {
    fmt::print("{} = {}\n", loss, gradient.loss);
    for (const std::string& name : names) {
      fmt::print("d {} / d {} {}\n", loss, name, summary_text(gradient.of.at(name), is_single_value(session, name)));
    }
    fmt::print("{}\n", closing_line(session, true));
    return;
  }
  Json json = begin_report(session, options.shared.file, "grad");
  json["losses"] = {{loss, gradient.loss}};
  json["gradients"] = Json::object();
  for (const std::string& name : names)
    json["gradients"][name] = summary(gradient.of.at(name), is_single_value(session, name));
  json["warnings"] = gradient.warnings;
  finish_report(json, session);
  print_report(json);
}

int grad(const GradOptions& options) {
  Session session = open_session(options.shared);
  runtime::Instance& inner = session.instance.implementation();
  int loss = inner.loss_index(options.shared.loss);
  std::vector<int> wrt = inner.differentiable(options.shared.wrt);
  std::vector<std::string> names;
  for (int f : wrt) names.push_back(inner.manifest().fields[static_cast<size_t>(f)].name);
  for (const std::string& text : options.save) {
    auto [name, path] = split_assignment(text, "--save-grad");
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      inner.field(name);
      throw Error(Failure::wrong_use, fmt::format("--save-grad: add {} to --wrt to get its gradient", name));
    }
    runtime::check_writable(path);
  }
  Gradient gradient = inner.gradient(session.steps, loss, wrt);
  for (const std::string& warning : gradient.warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (std::isnan(gradient.loss)) refuse_nan(session, {gradient.loss});
  refuse_nan_gradient(gradient);
  for (const std::string& text : options.save) {
    auto [name, path] = split_assignment(text, "--save-grad");
    runtime::write_npy(path, gradient.of.at(name), session.options.real == Real::f32);
  }
  report(session, options, inner.manifest().losses[static_cast<size_t>(loss)], gradient, names);
  return 0;
}

}  // namespace

Action add_grad(CLI::App& app) {
  auto options = std::make_shared<GradOptions>();
  CLI::App* verb = app.add_subcommand("grad", "Differentiate a loss in parameters");
  add_program_options(*verb, options->shared);
  add_run_options(*verb, options->shared);
  add_wrt_option(
      *verb, options->shared,
      "What to differentiate in: params, inputs, or states (in their value after init); default: all real params");
  verb->add_option("--save-grad", options->save, "NAME=FILE.npy: a gradient, in the shape of what was bound")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  verb->footer(
      "\nExample:\n  adjoule grad spring.adj --steps 1000 --wrt stiffness,v0 --load x0=x0.npy --load ends=ends.npy \\\n"
      "      --load rest=rest.npy --save-grad stiffness=g.npy");
  return [options] { return grad(*options); };
}

}  // namespace adjoule::driver
