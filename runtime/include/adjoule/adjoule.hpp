// The C++ interface of a program that is ready to run: give arrays, run, read losses, states and gradients.
// `adjoule/compile.hpp` makes such an instance from the text of a program.
//
// Arrays are ordinary row-major arrays as NumPy has them: a field of vec3 over n particles is (n, 3), a mat2 (n, 2, 2),
// a relation `ends: Particle[2]` (n, 2) with the numbers of particles; one value without a space has the shape () or
// that of the value, (3) for a vec3. A field over a grid may be given as (nx, ny, …) or flat. What is bound is copied.
// Every mistake and every failed run is an exception of type adjoule::Error; nothing that was bound changes by it.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace adjoule {

namespace runtime {
class Instance;
}

/// Numbers with a shape. Reals stand in `reals`; ints, bools and references (as their numbers) in `integers`.
struct Array {
  std::vector<int64_t> shape;
  std::vector<double> reals;
  std::vector<int64_t> integers;
  bool integral = false;  // which of the two holds the numbers

  int64_t count() const;          // the product of the shape
  static Array of(double value);  // one number, shape ()
  static Array of_reals(std::vector<double> values, std::vector<int64_t> shape);
  static Array of_integers(std::vector<int64_t> values, std::vector<int64_t> shape);
};

/// The three ways to fail; the numbers are the exit statuses of the command.
enum class Failure : uint8_t { wrong_program = 1, wrong_use = 2, failed_run = 3 };

/// One message of a compilation: where, what, and the way out.
struct Message {
  bool warning = false;
  std::string file;
  uint32_t line = 0, column = 0;  // from 1; 0: no place
  std::string text;
  std::string help;
};

/// what() is the whole text for a terminal, with source lines for a wrong program.
class __attribute__((visibility("default"))) Error : public std::runtime_error {
 public:
  Error(Failure kind, const std::string& text, std::vector<Message> messages = {})
      : std::runtime_error(text), kind(kind), messages(std::move(messages)) {}
  Failure kind;
  std::vector<Message> messages;  // a wrong program: each mistake by itself
};

enum class Real : uint8_t { f64, f32 };

/// How the states that a gradient needs are found again on the way back.
enum class ScheduleKind : uint8_t {
  keep_every_step,  // the states of all steps are kept
  two_snapshots,    // three stretches, two snapshots; stretches are run again
};

struct Options {
  std::map<std::string, int64_t> sizes;  // by name; sizes with a default may be left out
  Real real = Real::f64;
  ScheduleKind schedule = ScheduleKind::keep_every_step;
  int64_t memory_bytes = 0;     // a gradient that is predicted to need more is refused; 0: what the machine has free
  bool interpreted = false;     // run by the reference interpreter instead of native code (slow; for tests)
  int optimisation = 3;         // 0 … 3
  bool cache = true;            // keep machine code on disk
  std::string cache_directory;  // empty: $ADJOULE_CACHE_DIR, $XDG_CACHE_HOME/adjoule or ~/.cache/adjoule
};

struct Gradient {
  double loss = 0;
  std::map<std::string, Array> of;    // by name; each has the shape of what was bound
  std::vector<std::string> warnings;  // "the loss does not depend on …"
};

struct Tangent {
  double loss = 0;
  double derivative = 0;  // of the loss, in the direction that was given
};

struct Statistics {
  double compile_seconds = 0;   // everything from the text to machine code, so far
  double forward_seconds = 0;   // the last run
  double gradient_seconds = 0;  // the last gradient, its forward sweep included
  int64_t peak_bytes = 0;       // the most that buffers, snapshots and histories took
  int64_t steps = 0;            // of the last run or gradient
  int64_t steps_advanced = 0;   // forward evaluations of a step in it, the redone ones included
  int64_t steps_redone = 0;
};

enum class Role : uint8_t { param, input, state };

/// What a program says of one of its fields.
struct FieldDescription {
  std::string name;
  Role role = Role::state;
  std::string type;                 // as written: "vec2", "Particle[2]"
  std::vector<std::string> spaces;  // none: one value
  bool differentiable = false;      // a param or state that holds reals
  bool has_default = false;
};

/// A program with its sizes: bind arrays, then run as often as wanted. Not for use by two threads at once; instances of
/// one program are independent of each other. Move-only.
class __attribute__((visibility("default"))) Instance {
 public:
  explicit Instance(std::unique_ptr<runtime::Instance> implementation);
  Instance(Instance&&) noexcept;
  Instance& operator=(Instance&&) noexcept;
  ~Instance();

  /// Gives values to a param, an input or a state (its value before `init`). The last one given counts.
  /// Throws wrong_use for an unknown name, a wrong kind of number, a wrong shape, or a value out of range.
  void bind(std::string_view name, std::span<const double> values, std::vector<int64_t> shape);
  void bind(std::string_view name, std::span<const float> values, std::vector<int64_t> shape);
  void bind(std::string_view name, std::span<const int32_t> values, std::vector<int64_t> shape);
  void bind(std::string_view name, std::span<const int64_t> values, std::vector<int64_t> shape);
  void bind(std::string_view name, double value);
  void bind(std::string_view name, const Array& values, const std::string& source = "");  // source: for messages

  /// `init`, then that many steps (zero is valid). Keeps the states at the end.
  void run(int64_t steps);
  /// The value of a loss at the end of the last run. The name may be left out when the program has only one.
  double loss(std::string_view name = "");
  /// Runs, and differentiates the loss in the named params, inputs and states (all real params when `wrt` is empty).
  /// The gradient in a state is that in its value after `init`.
  Gradient gradient(int64_t steps, const std::vector<std::string>& wrt = {}, std::string_view loss = "");
  /// Runs, and differentiates the loss in one direction: a change of each named field, of the shape of what was bound.
  Tangent tangent(int64_t steps, const std::map<std::string, Array>& direction, std::string_view loss = "");

  /// A state at the end of the last run, a param or an input as it is bound (or its default, after a run).
  Array state(std::string_view name) const;
  Array value(std::string_view name) const;

  std::vector<FieldDescription> fields() const;
  std::vector<std::string> losses() const;
  std::map<std::string, int64_t> sizes() const;
  Statistics statistics() const;

  runtime::Instance& implementation() { return *implementation_; }  // for the command and for tests

 private:
  std::unique_ptr<runtime::Instance> implementation_;
};

}  // namespace adjoule
