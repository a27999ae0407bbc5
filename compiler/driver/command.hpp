// The command line: one subcommand a file, put together in command.cpp.
// Exit status: 0 done, 1 a wrong program, 2 wrong use, 3 a failed run.
#pragma once
#include <functional>

namespace CLI {
class App;
}

namespace adjoule::driver {

int command(int argc, char** argv);

/// Each adds its subcommand and returns what it does; the result is an exit status.
using Action = std::function<int()>;
Action add_check(CLI::App& app);
Action add_run(CLI::App& app);
Action add_grad(CLI::App& app);
Action add_verify(CLI::App& app);
Action add_optimize(CLI::App& app);
Action add_emit(CLI::App& app);

}  // namespace adjoule::driver
