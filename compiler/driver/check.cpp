// adjoule check: reads and checks a program, and reports every mistake.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "adjoule/adjoule.hpp"
#include "driver/command.hpp"
#include "driver/compilation.hpp"

namespace adjoule::driver {

Action add_check(CLI::App& app) {
  auto file = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("check", "Check a program and report every mistake in it");
  verb->add_option("FILE", *file, "The program (.adj)")->required();
  verb->footer(
      "\nExample:\n  adjoule check spring.adj\n\nThe exit status is 0 for a program without mistakes, 1 otherwise.");
  return [file] {
    auto compilation = compile_file(*file);
    std::fputs(compilation->text().c_str(), stderr);
    if (!compilation->ok()) return static_cast<int>(Failure::wrong_program);
    fmt::print("{}: no mistakes\n", *file);
    return 0;
  };
}

}  // namespace adjoule::driver
