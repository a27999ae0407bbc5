// adjoule optimize: finds the parameters that make a loss smallest.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>

#include "driver/command.hpp"
#include "driver/minimize.hpp"
#include "driver/report.hpp"
#include "files.hpp"
#include "instance.hpp"

namespace adjoule::driver {
namespace {

volatile int32_t stop_asked = 0;  // Ctrl-C; a second one ends the process at once

void on_interrupt(int) { stop_asked = 1; }

void watch_for_interrupt() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

struct OptimizeOptions {
  SharedOptions shared;
  std::string method = "lbfgs";
  std::vector<std::string> lower, upper;
  int iterations = 200;
  double rate = 0.05;
  std::string save_params;
};

/// The chosen parameters as one vector, and back.
struct Variables {
  std::vector<std::string> names;
  std::vector<Array> arrays;

  std::vector<double> flat() const {
    std::vector<double> x;
    for (const Array& a : arrays) x.insert(x.end(), a.reals.begin(), a.reals.end());
    return x;
  }
  void set(const std::vector<double>& x) {
    size_t next = 0;
    for (Array& a : arrays) {
      for (double& r : a.reals) r = x[next++];
    }
  }
};

Variables variables_of(runtime::Instance& instance, const std::vector<int>& wrt) {
  Variables v;
  for (int f : wrt) {
    const runtime::FieldSpec& spec = instance.manifest().fields[static_cast<size_t>(f)];
    if (spec.role == FieldRole::state) {
      throw Error(Failure::wrong_use,
                  fmt::format("--wrt: {} is a state, which init or a default sets; only params and inputs can be "
                              "optimised",
                              spec.name));
    }
    v.names.push_back(spec.name);
    v.arrays.push_back(instance.value(f));
  }
  return v;
}

/// The loss and its gradient as a function of the flat variables.
struct Objective {
  int64_t steps;
  int loss;
  std::vector<int> wrt;
  runtime::Instance& instance;
  Variables& variables;
  int evaluations = 0;

  double operator()(const std::vector<double>& x, std::vector<double>& g) {
    variables.set(x);
    for (size_t k = 0; k < variables.names.size(); ++k) instance.bind(variables.names[k], variables.arrays[k], "");
    try {
      Gradient gradient = instance.gradient(steps, loss, wrt);
      for (const std::string& warning : gradient.warnings) {
        if (evaluations == 0) fmt::print(stderr, "warning: {}\n", warning);
      }
      ++evaluations;
      size_t next = 0;
      for (const std::string& name : variables.names) {
        for (double d : gradient.of.at(name).reals) g[next++] = d;
      }
      return gradient.loss;
    } catch (const runtime::Stopped&) { throw StopMinimizing{}; } catch (const Error& e) {
      // A search may try values with which the program cannot run; it did run with the first ones.
      if (e.kind != Failure::failed_run || evaluations == 0) throw;
      std::fill(g.begin(), g.end(), 0.0);
      return std::numeric_limits<double>::quiet_NaN();
    }
  }
};

/// A typical change of each number: its own size; of a zero, that of the parameter; of a zero parameter, 1.
std::vector<double> scales_of(const Variables& v) {
  std::vector<double> scales;
  for (const Array& a : v.arrays) {
    double sum = 0;
    for (double r : a.reals) sum += r * r;
    double rms = a.reals.empty() ? 0 : std::sqrt(sum / static_cast<double>(a.reals.size()));
    for (double r : a.reals) scales.push_back(std::fabs(r) > 1e-3 * rms ? std::fabs(r) : (rms > 0 ? rms : 1.0));
  }
  return scales;
}

/// --lower and --upper: one number for all of a parameter, or one each.
std::vector<double> bounds_of(const std::vector<std::string>& texts, const std::string& option, const Variables& v,
                              double none) {
  std::vector<double> bounds;
  std::vector<size_t> begins;
  for (const Array& a : v.arrays) {
    begins.push_back(bounds.size());
    bounds.insert(bounds.end(), a.reals.size(), none);
  }
  for (const std::string& text : texts) {
    auto [name, value] = split_assignment(text, option);
    auto found = std::find(v.names.begin(), v.names.end(), name);
    if (found == v.names.end())
      throw Error(Failure::wrong_use,
                  fmt::format("{}: {} is not among what is optimised ({})", option, name, fmt::join(v.names, ", ")));
    auto k = static_cast<size_t>(found - v.names.begin());
    std::vector<double> numbers = parse_numbers(value, option + " " + name);
    size_t count = v.arrays[k].reals.size();
    if (numbers.size() != 1 && numbers.size() != count) {
      throw Error(Failure::wrong_use,
                  fmt::format("{}: {} takes 1 or {} numbers, not {}", option, name, count, numbers.size()));
    }
    for (size_t i = 0; i < count; ++i) bounds[begins[k] + i] = numbers[numbers.size() == 1 ? 0 : i];
  }
  return bounds;
}

/// A live line on a terminal, plain lines in a pipe; on standard error when standard output carries JSON.
class ProgressLine {
 public:
  ProgressLine(std::FILE* out, int iterations) : out_(out), live_(isatty(fileno(out)) != 0), iterations_(iterations) {}

  void show(const MinimizeProgress& p) {
    double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    double left = passed / p.iteration * (iterations_ - p.iteration);
    std::string line =
        fmt::format("iteration {:>4}  loss {:<22}  gradient {:.3e}", p.iteration, p.value, p.gradient_norm);
    if (live_)
      fmt::print(out_, "\r\x1b[K{}  at most {} left", line, duration(left));
    else
      fmt::print(out_, "{}\n", line);
    std::fflush(out_);
  }
  void end() {
    if (live_) fmt::print(out_, "\n");
  }

 private:
  std::FILE* out_;
  bool live_;
  int iterations_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  static std::string duration(double seconds) {
    if (seconds < 100) return fmt::format("{:.0f} s", seconds);
    return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
  }
};

void report(const Session& session, const OptimizeOptions& options, const std::string& loss, const Variables& v,
            const MinimizeResult& result) {
  if (!options.shared.json) {
    fmt::print("{}: {} = {} after {} iterations (it began at {})\n", result.reason, loss, result.value,
               result.iterations, result.first_value);
    for (size_t k = 0; k < v.names.size(); ++k) {
      fmt::print("{} {}\n", v.names[k], summary_text(v.arrays[k], is_single_value(session, v.names[k])));
    }
    return;
  }
  Json json = begin_report(session, options.shared.file, "optimize");
  json["losses"] = {{loss, result.value}};
  json["first_loss"] = result.first_value;
  json["iterations"] = result.iterations;
  json["reason"] = result.reason;
  json["params"] = Json::object();
  for (size_t k = 0; k < v.names.size(); ++k)
    json["params"][v.names[k]] = summary(v.arrays[k], is_single_value(session, v.names[k]));
  finish_report(json, session);
  print_report(json);
}

MinimizeProblem problem_of(const OptimizeOptions& options, const Variables& v) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  MinimizeProblem problem;
  problem.start = v.flat();
  problem.scale = scales_of(v);
  problem.lower = bounds_of(options.lower, "--lower", v, -infinity);
  problem.upper = bounds_of(options.upper, "--upper", v, infinity);
  for (size_t i = 0; i < problem.start.size(); ++i) {
    if (problem.lower[i] > problem.upper[i]) throw Error(Failure::wrong_use, "a lower bound is above its upper bound");
    problem.start[i] = std::clamp(problem.start[i], problem.lower[i], problem.upper[i]);
  }
  return problem;
}

void save_params(const std::string& path, const Variables& v) {
  if (path.empty()) return;
  std::vector<std::pair<std::string, Array>> params;
  for (size_t k = 0; k < v.names.size(); ++k) params.emplace_back(v.names[k], v.arrays[k]);
  runtime::write_file(path, params_json(params));
}

/// Runs the search, with progress shown and Ctrl-C watched.
MinimizeResult search(const OptimizeOptions& options, const MinimizeProblem& problem) {
  ProgressLine line(options.shared.json ? stderr : stdout, options.iterations);
  MinimizeOptions settings;
  settings.adam = options.method == "adam";
  settings.iterations = options.iterations;
  settings.rate = options.rate;
  settings.progress = [&](const MinimizeProgress& p) {
    line.show(p);
    return stop_asked == 0;
  };
  watch_for_interrupt();
  MinimizeResult result = minimize(problem, settings);
  line.end();
  return result;
}

int optimize(const OptimizeOptions& options) {
  Session session = open_session(options.shared);
  runtime::Instance& inner = session.instance.implementation();
  int loss = inner.loss_index(options.shared.loss);
  std::vector<int> wrt = inner.differentiable(options.shared.wrt);
  if (options.iterations < 1) throw Error(Failure::wrong_use, "--iterations wants a number of at least 1");
  if (!(options.rate > 0)) throw Error(Failure::wrong_use, "--rate wants a positive number");
  if (!options.save_params.empty()) runtime::check_writable(options.save_params);

  inner.run(session.steps);  // shapes and defaults are known from here on
  double first_loss = inner.loss(loss);
  refuse_nan(session, {first_loss});
  Variables v = variables_of(inner, wrt);
  MinimizeProblem problem = problem_of(options, v);
  Objective objective{session.steps, loss, wrt, inner, v};
  problem.evaluate = std::ref(objective);
  inner.settings().stop = &stop_asked;
  MinimizeResult result = search(options, problem);
  if (result.iterations == 0) result.value = result.first_value = first_loss;  // stopped at once
  v.set(result.best);
  save_params(options.save_params, v);
  report(session, options, inner.manifest().losses[static_cast<size_t>(loss)], v, result);
  return 0;
}

}  // namespace

Action add_optimize(CLI::App& app) {
  auto options = std::make_shared<OptimizeOptions>();
  CLI::App* verb = app.add_subcommand("optimize", "Find the parameters that make a loss smallest");
  add_program_options(*verb, options->shared);
  add_run_options(*verb, options->shared);
  add_wrt_option(*verb, options->shared, "What to change: params or inputs; default: all real params");
  verb->add_option("--method", options->method, "The optimiser")
      ->check(CLI::IsMember({"lbfgs", "adam"}))
      ->capture_default_str();
  verb->add_option("--lower", options->lower, "NAME=NUMBER: a lower bound")
      ->type_name("NAME=NUMBER")
      ->allow_extra_args(false);
  verb->add_option("--upper", options->upper, "NAME=NUMBER: an upper bound")
      ->type_name("NAME=NUMBER")
      ->allow_extra_args(false);
  verb->add_option("--iterations", options->iterations, "At most so many evaluations of the gradient")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--rate", options->rate, "adam: the step, relative to the size of each number")
      ->type_name("R")
      ->capture_default_str();
  verb->add_option("--save-params", options->save_params, "Write the best parameters (JSON, for --params)")
      ->type_name("FILE.json");
  verb->footer(
      "\nExample:\n  adjoule optimize lynx-hare.adj --steps 20 --load observed=lynx_hare.csv:hare,lynx \\\n"
      "      --wrt alpha,beta,gamma,delta,z_init --lower beta=0 --save-params fit.json\n\n"
      "Ctrl-C ends the search; the best parameters so far are kept and saved.");
  return [options] { return optimize(*options); };
}

}  // namespace adjoule::driver
