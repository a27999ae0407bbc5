// adjoule run: runs a program, prints its losses, saves states and trajectories.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "driver/command.hpp"
#include "driver/report.hpp"
#include "files.hpp"
#include "instance.hpp"
#include "npy.hpp"

namespace adjoule::driver {
namespace {

struct RunOptions {
  SharedOptions shared;
  std::vector<std::string> save, trajectory;
  int64_t every = 1;
};

/// One field of one file, written row after row while the run goes on.
struct Trajectory {
  int field = 0;
  std::string path;
  std::unique_ptr<runtime::NpyWriter> writer;
};

std::vector<Trajectory> open_trajectories(Session& session, const RunOptions& options) {
  std::vector<Trajectory> result;
  for (const std::string& text : options.trajectory) {
    auto [name, path] = split_assignment(text, "--save-trajectory");
    int field = session.instance.implementation().field(name);
    if (session.instance.implementation().manifest().fields[static_cast<size_t>(field)].role != FieldRole::state) {
      throw Error(Failure::wrong_use,
                  fmt::format("--save-trajectory: {} is not a state, so it does not change in a run", name));
    }
    runtime::check_writable(path);
    result.push_back({field, path, nullptr});
  }
  return result;
}

void append_row(Session& session, Trajectory& t, int64_t rows) {
  Array values = session.instance.implementation().value(t.field);
  if (!t.writer) {
    std::vector<int64_t> shape = values.shape;
    shape.insert(shape.begin(), rows);
    t.writer = std::make_unique<runtime::NpyWriter>(t.path, shape, values.integral, session.options.real == Real::f32);
  }
  t.writer->append(values);
}

/// Saved only after everything else went well.
void save_fields(Session& session, const RunOptions& options) {
  for (const std::string& text : options.save) {
    auto [name, path] = split_assignment(text, "--save");
    runtime::write_npy(path, session.instance.value(name), session.options.real == Real::f32);
  }
}

std::vector<std::pair<std::string, double>> losses_of(Session& session, const std::string& wanted) {
  std::vector<std::pair<std::string, double>> result;
  if (!wanted.empty()) {
    result.emplace_back(wanted, session.instance.loss(wanted));
    return result;
  }
  for (const std::string& name : session.instance.losses()) result.emplace_back(name, session.instance.loss(name));
  return result;
}

void report(Session& session, const RunOptions& options, const std::vector<std::pair<std::string, double>>& losses) {
  if (!options.shared.json) {
    for (const auto& [name, value] : losses) fmt::print("{} = {}\n", name, value);
    fmt::print("{}\n", closing_line(session, false));
    return;
  }
  Json json = begin_report(session, options.shared.file, "run");
  json["losses"] = Json::object();
  for (const auto& [name, value] : losses) json["losses"][name] = value;
  json["states"] = Json::object();
  const runtime::Manifest& manifest = session.instance.implementation().manifest();
  for (int f : manifest.states) {
    const std::string& name = manifest.fields[static_cast<size_t>(f)].name;
    json["states"][name] = summary(session.instance.value(name), is_single_value(session, name));
  }
  finish_report(json, session);
  print_report(json);
}

int run(const RunOptions& options) {
  Session session = open_session(options.shared);
  runtime::Instance& inner = session.instance.implementation();
  if (options.every < 1) throw Error(Failure::wrong_use, "--every wants a number of steps of at least 1");
  if (!options.shared.loss.empty()) inner.loss_index(options.shared.loss);
  for (const std::string& text : options.save) {
    auto [name, path] = split_assignment(text, "--save");
    inner.field(name);
    runtime::check_writable(path);
  }
  std::vector<Trajectory> trajectories = open_trajectories(session, options);
  runtime::RunHooks hooks;
  if (!trajectories.empty()) {
    hooks.every = options.every;
    hooks.observe = [&](int64_t) {
      for (Trajectory& t : trajectories) append_row(session, t, session.steps / options.every + 1);
    };
  }
  inner.run(session.steps, hooks);
  auto losses = losses_of(session, options.shared.loss);
  std::vector<double> values;
  for (const auto& [name, value] : losses) values.push_back(value);
  for (Trajectory& t : trajectories) t.writer->commit();
  save_fields(session, options);
  refuse_nan(session, values);
  report(session, options, losses);
  return 0;
}

}  // namespace

Action add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = app.add_subcommand("run", "Run a simulation and print its losses");
  add_program_options(*verb, options->shared);
  add_run_options(*verb, options->shared);
  verb->add_option("--save", options->save, "NAME=FILE.npy: a state at the end")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  verb->add_option("--save-trajectory", options->trajectory,
                   "NAME=FILE.npy: a state at the instants 0, K, 2K, … (see --every)")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  verb->add_option("--every", options->every, "Steps between two rows of a trajectory")
      ->type_name("K")
      ->capture_default_str();
  verb->footer(
      "\nExample:\n  adjoule run nbody.adj --steps 1000 --set n=64 --load x0=points.npy --load v0=speeds.npy \\\n"
      "      --load mass=mass.npy --save x=final.npy --save-trajectory x=path.npy --every 10");
  return [options] { return run(*options); };
}

}  // namespace adjoule::driver
