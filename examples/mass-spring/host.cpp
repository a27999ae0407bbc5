// A host program: compiles mass-spring.adj, gives it arrays, runs it, and walks down the gradient until the lattice lands
// where it should. Run it in this folder. It checks itself: the exit status is 0 only when everything came out as it must.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "adjoule/compile.hpp"

namespace {

constexpr int64_t n = 4;          // weights along one side
constexpr int64_t steps = 1000;   // one second

void must(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "host: this should hold, and does not: %s\n", what);
  std::exit(1);
}

struct Lattice {
  std::vector<double> x0, rest;   // positions (n * n, 2), lengths of the springs at rest
  std::vector<int32_t> ends;      // (springs, 2): the numbers of the two weights
};

/// The lattice of make_inputs.py, with its springs in another order.
Lattice make_lattice() {
  constexpr double spacing = 0.25;
  Lattice lattice;
  auto join = [&](int64_t a, int64_t b, double length) {
    lattice.ends.push_back(static_cast<int32_t>(a));
    lattice.ends.push_back(static_cast<int32_t>(b));
    lattice.rest.push_back(length);
  };
  for (int64_t column = 0; column < n; ++column) {
    for (int64_t row = 0; row < n; ++row) {
      int64_t p = column * n + row;
      lattice.x0.push_back(spacing * static_cast<double>(column));
      lattice.x0.push_back(0.5 + spacing * static_cast<double>(row));
      if (column + 1 < n) join(p, p + n, spacing);
      if (row + 1 < n) join(p, p + 1, spacing);
      if (column + 1 < n && row + 1 < n) {
        join(p, p + n + 1, spacing * std::sqrt(2.0));
        join(p + n, p + 1, spacing * std::sqrt(2.0));
      }
    }
  }
  return lattice;
}

adjoule::Instance make_instance(const adjoule::Program& program) {
  adjoule::Options options;
  options.sizes["n"] = n;
  adjoule::Instance instance = program.instantiate(options);

  Lattice lattice = make_lattice();
  auto springs = static_cast<int64_t>(lattice.rest.size());
  instance.bind("x0", lattice.x0, {n * n, 2});
  instance.bind("ends", lattice.ends, {springs, 2});
  instance.bind("rest", lattice.rest, {springs});
  return instance;
}

void bind_speed(adjoule::Instance& instance, const std::vector<double>& v0) { instance.bind("v0", v0, {2}); }

double loss_at(adjoule::Instance& instance, const std::vector<double>& v0) {
  bind_speed(instance, v0);
  instance.run(steps);
  return instance.loss();
}

/// The derived gradient must agree with differences of the loss.
void compare_with_differences(adjoule::Instance& instance) {
  const std::vector<double> v0 = {1, 0};
  bind_speed(instance, v0);
  adjoule::Gradient gradient = instance.gradient(steps, {"v0", "stiffness"});
  must(gradient.of.at("v0").shape == std::vector<int64_t>{2}, "a gradient has the shape of what was bound");
  must(gradient.of.at("stiffness").count() == 42, "there is one number for each spring");
  for (size_t i = 0; i < 2; ++i) {
    const double h = 1e-5;
    std::vector<double> up = v0, down = v0;
    up[i] += h;
    down[i] -= h;
    double difference = (loss_at(instance, up) - loss_at(instance, down)) / (2 * h);
    double derived = gradient.of.at("v0").reals[i];
    std::printf("d loss / d v0[%zu]  derived %.8f  by differences %.8f\n", i, derived, difference);
    must(std::fabs(derived - difference) < 1e-6 * std::fabs(difference), "the gradient agrees with differences");
  }
}

/// Steepest descent in the speed at the start. (`adjoule optimize` does this better; this shows the interface.)
void land_on_target(adjoule::Instance& instance) {
  std::vector<double> v0 = {1, 0};
  double loss = 0;
  for (int iteration = 0; iteration <= 20; ++iteration) {
    bind_speed(instance, v0);
    adjoule::Gradient gradient = instance.gradient(steps, {"v0"});
    loss = gradient.loss;
    if (iteration % 4 == 0) std::printf("iteration %2d  loss %.3e  v0 (%.5f, %.5f)\n", iteration, loss, v0[0], v0[1]);
    for (size_t i = 0; i < 2; ++i) v0[i] -= 0.3 * gradient.of.at("v0").reals[i];
  }
  must(loss < 0.01, "the lattice lands near its target");
  adjoule::Array x = instance.state("x");
  must(x.shape == std::vector<int64_t>({n * n, 2}), "a state comes back as an ordinary array");
}

/// Mistakes are exceptions that say what was wrong; the instance stays as it was.
void make_mistakes(adjoule::Instance& instance) {
  try {
    instance.bind("stifness", 2000.0);
    must(false, "an unknown name is refused");
  } catch (const adjoule::Error& error) {
    must(error.kind == adjoule::Failure::wrong_use, "an unknown name is wrong use");
    std::printf("refused: %s\n", error.what());
  }
  try {
    instance.bind("x0", std::vector<double>{1, 2, 3}, {3});
    must(false, "an array of another shape is refused");
  } catch (const adjoule::Error& error) {
    must(error.kind == adjoule::Failure::wrong_use, "a wrong shape is wrong use");
    std::printf("refused: %s\n", error.what());
  }
  try {
    adjoule::Program::from_string("step { x[p] += 1; }", "mistake.adj");
    must(false, "a wrong program is refused");
  } catch (const adjoule::Error& error) {
    must(error.kind == adjoule::Failure::wrong_program && !error.messages.empty(), "its mistakes come one by one");
    std::printf("refused: %s:%u: %s\n", error.messages[0].file.c_str(), error.messages[0].line, error.messages[0].text.c_str());
  }
}

}  // namespace

int main() {
  try {
    adjoule::Program program = adjoule::Program::from_file("mass-spring.adj");
    adjoule::Instance instance = make_instance(program);
    double loss = loss_at(instance, {1, 0});
    std::printf("loss %.10f\n", loss);
    // The same lattice in another order of springs: only the last digits may differ.
    must(std::fabs(loss - 2.645303115144) < 1e-9, "the loss is the known one");
    compare_with_differences(instance);
    land_on_target(instance);
    make_mistakes(instance);
    must(std::fabs(loss_at(instance, {1, 0}) - loss) == 0, "the same input gives the same bits");
  } catch (const adjoule::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind);
  }
}
