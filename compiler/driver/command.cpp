// Parsing of the command line, and the one place where failures become text and an exit status.
#include "driver/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <new>

#include "adjoule/adjoule.hpp"
#include "base/diagnostics.hpp"
#include "call.hpp"

namespace adjoule::driver {
namespace {

constexpr const char* about =
    "Compiles and runs simulations written in Adjoule, and differentiates them.\n"
    "Each command has its own --help with an example.";

/// Messages with a place carry their own "error:".
void show(const std::string& text) {
  bool placed = text.find(": error: ") != std::string::npos || text.rfind("error: ", 0) == 0;
  std::fprintf(stderr, "%s%s%s", placed ? "" : "error: ", text.c_str(),
               !text.empty() && text.back() == '\n' ? "" : "\n");
}

std::string unknown_command(const std::string& name, const std::map<std::string, Action>& actions) {
  std::vector<std::string> known;
  for (const auto& [command, action] : actions) known.push_back(command);
  std::string guess = did_you_mean(name, known);
  return fmt::format("there is no command '{}'; {}", name,
                     guess.empty() ? fmt::format("the commands are {}", fmt::join(known, ", "))
                                   : fmt::format("did you mean '{}'?", guess));
}

int guarded(const Action& action) {
  try {
    return action();
  } catch (const Error& e) {
    show(e.what());
    return static_cast<int>(e.kind);
  } catch (const runtime::Stopped&) {
    show("stopped");
    return static_cast<int>(Failure::failed_run);
  } catch (const std::bad_alloc&) {
    show("there is not enough memory");
    return static_cast<int>(Failure::failed_run);
  } catch (const std::exception& e) {
    show(fmt::format("internal error: {}. This is a bug of the compiler: please report it together with the program",
                     e.what()));
    return static_cast<int>(Failure::failed_run);
  }
}

}  // namespace

int command(int argc, char** argv) {
  CLI::App app{about, "adjoule"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "adjoule 0.1.0");
  app.failure_message(
      [](const CLI::App*, const CLI::Error& e) { return fmt::format("error: {}; see --help\n", e.what()); });
  std::map<std::string, Action> actions;
  actions["check"] = add_check(app);
  actions["run"] = add_run(app);
  actions["grad"] = add_grad(app);
  actions["verify"] = add_verify(app);
  actions["optimize"] = add_optimize(app);
  actions["emit"] = add_emit(app);
  std::string first = argc > 1 ? argv[1] : "";
  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return static_cast<int>(Failure::wrong_use);
  }
  if (!first.empty() && first[0] != '-' && !actions.contains(first)) {
    show(unknown_command(first, actions));
    return static_cast<int>(Failure::wrong_use);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) { return app.exit(help); } catch (const CLI::ParseError& problem) {
    app.exit(problem, std::cerr, std::cerr);
    return static_cast<int>(Failure::wrong_use);
  }
  return guarded(actions.at(app.get_subcommands().front()->get_name()));
}

}  // namespace adjoule::driver
