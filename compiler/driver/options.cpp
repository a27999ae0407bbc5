// From the command line to a program with its values bound.
#include "driver/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "driver/compilation.hpp"
#include "instance.hpp"

namespace adjoule::driver {
namespace {

[[noreturn]] void misuse(const std::string& text) { throw Error(Failure::wrong_use, text); }

bool is_size(const Program& program, const std::string& name) {
  for (const ir::SizeInfo& size : program.compilation().program->sizes) {
    if (size.name == name) return true;
  }
  return false;
}

bool is_field(const Program& program, const std::string& name) {
  for (const ir::FieldInfo& field : program.compilation().program->fields) {
    if (field.name == name) return true;
  }
  return false;
}

[[noreturn]] void unknown_setting(const Program& program, const std::string& name) {
  std::vector<std::string> names;
  for (const ir::SizeInfo& size : program.compilation().program->sizes) names.push_back(size.name);
  for (const ir::FieldInfo& field : program.compilation().program->fields) names.push_back(field.name);
  std::string guess = did_you_mean(name, names);
  misuse(fmt::format("--set: the program has no size, param, input or state '{}'{}", name,
                     guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess)));
}

int64_t whole(double value, const std::string& what) {
  if (value != std::floor(value) || std::fabs(value) > 9e15)
    misuse(fmt::format("{} wants a whole number, not {}", what, value));
  return static_cast<int64_t>(value);
}

/// Reals become whole numbers where the field wants those (text files do not tell them apart).
Array for_field(const runtime::Manifest& manifest, int field, Array array, const std::string& source) {
  const runtime::FieldSpec& spec = manifest.fields[static_cast<size_t>(field)];
  if (array.integral || runtime::scalar_of(spec.type) == runtime::Scalar::real) return array;
  for (double r : array.reals) array.integers.push_back(whole(r, fmt::format("{} ({})", spec.name, source)));
  array.reals.clear();
  array.integral = true;
  return array;
}

void bind_setting(Instance& instance, const std::string& name, const std::string& text) {
  runtime::Instance& inner = instance.implementation();
  int f = inner.field(name);
  const runtime::FieldSpec& spec = inner.manifest().fields[static_cast<size_t>(f)];
  if (spec.type.field) {
    misuse(fmt::format("--set: {} is a field over a space; load it from a file with --load {}=FILE", name, name));
  }
  Array array;
  array.reals = parse_numbers(text, "--set " + name);
  array.shape = runtime::element_shape(spec.type);
  if (static_cast<int64_t>(array.reals.size()) != array.count()) {
    misuse(fmt::format("--set: {} is declared as {}, which takes {} number{}, but {} {} given", name, spec.type_text,
                       array.count(), array.count() == 1 ? "" : "s", array.reals.size(),
                       array.reals.size() == 1 ? "is" : "are"));
  }
  inner.bind(name, for_field(inner.manifest(), f, std::move(array), "--set"), "");
}

void bind_loaded(Instance& instance, const std::string& name, Array array, const std::string& source) {
  runtime::Instance& inner = instance.implementation();
  int f = inner.field(name);
  // A .npy file says itself which kind of numbers it holds; it is taken at its word.
  bool typed = source.ends_with(".npy");
  if (!typed) array = for_field(inner.manifest(), f, std::move(array), source);
  inner.bind(name, std::move(array), source);
}

Options options_of(const Program& program, const SharedOptions& shared) {
  Options options;
  for (const std::string& text : shared.set) {
    auto [name, value] = split_assignment(text, "--set");
    if (is_size(program, name))
      options.sizes[name] = whole(parse_numbers(value, "--set " + name)[0], "size " + name);
    else if (!is_field(program, name))
      unknown_setting(program, name);
  }
  options.real = shared.real == "f32" ? Real::f32 : Real::f64;
  options.schedule = shared.schedule == "two" ? ScheduleKind::two_snapshots : ScheduleKind::keep_every_step;
  if (!shared.memory.empty()) options.memory_bytes = parse_bytes(shared.memory);
  options.interpreted = shared.interpret;
  options.cache = !shared.no_cache;
  options.optimisation = shared.optimisation;
  return options;
}

int64_t steps_of(const Program& program, const SharedOptions& shared) {
  if (shared.steps) {
    if (*shared.steps < 0) misuse(fmt::format("--steps: the number of steps cannot be negative ({})", *shared.steps));
    return *shared.steps;
  }
  if (program.compilation().program->has_step) misuse("--steps is missing: how many time steps should be run?");
  return 0;
}

}  // namespace

void add_program_options(CLI::App& app, SharedOptions& o) {
  app.add_option("FILE", o.file, "The program (.adj)")->required();
  app.add_option("--set", o.set,
                 "NAME=NUMBER: a size, or a param, input or state without a space (a vector: --set v0=1,0)")
      ->type_name("NAME=NUMBER")
      ->allow_extra_args(false);
  app.add_option("--load", o.load, "NAME=FILE.npy, or NAME=FILE.csv:column,column: an array from a file")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  app.add_option("--params", o.params, "A JSON file of parameters, as `optimize --save-params` writes it")
      ->type_name("FILE.json");
  app.add_option("--real", o.real, "The precision of all reals")
      ->check(CLI::IsMember({"f64", "f32"}))
      ->capture_default_str();
  app.add_flag("--interpret", o.interpret, "Run by the reference interpreter")->group("");
  app.add_option("--schedule", o.schedule, "Schedule of the gradient")
      ->check(CLI::IsMember({"keep", "two"}))
      ->group("");
  app.add_flag("--no-cache", o.no_cache, "Neither read nor write the cache of machine code")->group("");
  app.add_option("--optimisation", o.optimisation, "Level of optimisation")->check(CLI::Range(0, 3))->group("");
}

void add_run_options(CLI::App& app, SharedOptions& o) {
  app.add_option("--steps", o.steps, "How many time steps to run; 0 is valid: init and the loss")->type_name("N");
  app.add_option("--loss", o.loss, "Which loss, where the program has several")->type_name("NAME");
  app.add_option("--memory", o.memory,
                 "Refuse a gradient that would need more than this (512M, 4G); default: what is free")
      ->type_name("BYTES");
  app.add_flag("--json", o.json, "Print one JSON object on standard output");
}

void add_wrt_option(CLI::App& app, SharedOptions& o, const char* help) {
  app.add_option("--wrt", o.wrt, help)->delimiter(',')->type_name("NAME,NAME")->allow_extra_args(false);
}

Instance open_instance(const Program& program, const SharedOptions& shared, const Options& options) {
  Instance instance = program.instantiate(options);
  if (!shared.params.empty()) {
    for (auto& [name, array] : read_params(shared.params)) bind_loaded(instance, name, std::move(array), shared.params);
  }
  for (const std::string& text : shared.load) {
    auto [name, source] = split_assignment(text, "--load");
    instance.implementation().field(name);  // a wrong name is said before a file is read
    bind_loaded(instance, name, load_array(source), source);
  }
  for (const std::string& text : shared.set) {
    auto [name, value] = split_assignment(text, "--set");
    if (!is_size(program, name)) bind_setting(instance, name, value);
  }
  return instance;
}

Session open_session(const SharedOptions& shared) {
  Program program = Program::from_file(shared.file);
  std::fputs(program.warning_text().c_str(), stderr);
  int64_t steps = steps_of(program, shared);
  Options options = options_of(program, shared);
  Instance instance = open_instance(program, shared, options);
  return {std::move(program), std::move(instance), steps, std::move(options)};
}

}  // namespace adjoule::driver
