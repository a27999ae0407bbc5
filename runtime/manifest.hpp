// What the runtime must know of a program: its fields, spaces and procedures. A compiler (compiler/driver) or a file
// that was compiled ahead gives it; the runtime itself never sees source text or IR.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/type.hpp"
#include "native.hpp"
#include "value.hpp"

namespace adjoule::runtime {

struct SpaceSpec {
  std::string name;
  bool grid = false;
  int dims = 1;
  bool open = false;                        // its extent comes from what is bound (`time`: steps + 1)
  std::array<int32_t, 3> extents{1, 1, 1};  // of closed spaces
  std::array<Boundary, 3> boundary{};
};

struct FieldSpec {
  std::string name;
  std::string place;      // file:line:column of its declaration
  std::string type_text;  // "vec2", "Particle[2]"
  FieldRole role = FieldRole::state;
  Type type;
  bool has_default = false;
  std::vector<double> default_reals;  // components of the default; references: raw coordinates
  std::vector<int32_t> default_integers;
  bool set_by_init = false;    // states
  std::string reads_last_row;  // over `time`: where row `steps` is certainly read (file:line:column), or ""
};

struct Manifest {
  bool single = false;  // real is f32
  bool has_step = false;
  std::vector<SpaceSpec> spaces;  // [0] is `time`
  std::vector<FieldSpec> fields;
  std::vector<int> globals, states;  // field indices in signature order
  std::vector<std::string> losses;
  std::vector<std::pair<std::string, int64_t>> sizes;
};

/// A compiled (or interpreted) procedure: native.hpp's calling convention, and what a caller must know to use it.
struct Procedure {
  std::string name;
  std::function<int32_t(Context&, const Slot* inputs, Slot* outputs)> call;
  std::function<std::string(const Context&)> explain;  // a fault, as a message with its place
  std::vector<Type> inputs, outputs;
  std::vector<bool> consumed;  // by input: a field that the call takes over; missing: borrowed
};

/// Signatures: see ir.hpp (init, losses) and adjoint/gradient.hpp (the rest).
struct GradientProcedures {
  std::vector<int> wrt;
  std::vector<int> active_globals, active_states, kept_states;  // positions among globals and states
  std::vector<bool> loss_depends;                               // by wrt
  std::vector<std::string> reasons;                             // by wrt: why the loss does not depend on it, or ""
  Procedure advance_keeping, reverse_steps, loss_adjoint, init_adjoint;
};

struct TangentProcedures {
  std::vector<int> wrt;
  std::vector<int> active_globals, active_states;
  Procedure init, advance, loss;
};

/// Makes procedures when they are first asked for; the references stay valid as long as the provider.
struct Provider {
  virtual ~Provider() = default;
  virtual const Procedure& init() = 0;
  virtual const Procedure& advance() = 0;  // (globals…, states…, first, last) -> states…
  virtual const Procedure& loss(int index) = 0;
  virtual const GradientProcedures& gradient(int loss, const std::vector<int>& wrt) = 0;
  virtual const TangentProcedures& tangent(int loss, const std::vector<int>& wrt) = 0;
  virtual double compile_seconds() const = 0;
};

}  // namespace adjoule::runtime
