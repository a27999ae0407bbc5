// Options that several commands share, and what they mean.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adjoule/adjoule.hpp"
#include "adjoule/compile.hpp"

namespace CLI {
class App;
}

namespace adjoule::driver {

struct SharedOptions {
  std::string file;
  std::optional<int64_t> steps;
  std::vector<std::string> set, load;  // name=value, name=file
  std::string params;                  // a JSON file
  std::string loss;
  std::vector<std::string> wrt;
  std::string real = "f64";
  std::string memory;  // "4G"
  bool json = false;
  bool interpret = false;         // hidden
  std::string schedule = "keep";  // hidden
  bool no_cache = false;          // hidden
  int optimisation = 3;           // hidden
};

/// Adds FILE and the options that give values: --set --load --params --real and the hidden ones.
void add_program_options(CLI::App& app, SharedOptions& options);
/// --steps --loss --json --memory
void add_run_options(CLI::App& app, SharedOptions& options);
void add_wrt_option(CLI::App& app, SharedOptions& options, const char* help);

/// A program with everything bound that the command line gives.
struct Session {
  Program program;
  Instance instance;
  int64_t steps = 0;
  Options options;
};

/// Reads, checks, instantiates, binds. Warnings go to standard error. Throws Error.
Session open_session(const SharedOptions& options);
/// A further instance of the same program with the same values bound.
Instance open_instance(const Program& program, const SharedOptions& shared, const Options& options);

// --- pieces, each for itself testable

/// "name=value"; throws Error (wrong_use) when there is no name or no '='.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option);
/// "1e3", "1,0,2", "true": all numbers of it. Throws Error (wrong_use).
std::vector<double> parse_numbers(const std::string& text, const std::string& option);
/// "4G", "512M", "1e9": bytes.
int64_t parse_bytes(const std::string& text);
/// "points.npy" or "data.csv:hare,lynx".
Array load_array(const std::string& source);
/// The numbers of a .json file of parameters, by name (what --save-params writes).
std::vector<std::pair<std::string, Array>> read_params(const std::string& path);
std::string params_json(const std::vector<std::pair<std::string, Array>>& params);

}  // namespace adjoule::driver
