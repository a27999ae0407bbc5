// step -> for now in first..last { states = step(globals, states, now) }
#include "driver/primal.hpp"

#include "ir/builder.hpp"
#include "ir/clone.hpp"

namespace adjoule::driver {

ir::Procedure make_advance(const ir::Program& program) {
  ir::Builder b(program, "advance");
  std::vector<ir::Value> globals, states;
  std::vector<bool> consumed;
  for (bool state : {false, true}) {
    for (const ir::FieldInfo& field : program.fields) {
      if ((field.role == FieldRole::state) != state) continue;
      (state ? states : globals).push_back(b.input(field.type, field.name));
      consumed.push_back(state);
    }
  }
  ir::Value first = b.input(int_type(), "first");
  ir::Value last = b.input(int_type(), "last");
  consumed.insert(consumed.end(), 2, false);
  std::vector<ir::Value> final_states =
      b.for_({}, {first, last}, states, [&](ir::Value now, std::span<const ir::Value> carried) {
        std::vector<ir::Value> inputs = globals;
        inputs.insert(inputs.end(), carried.begin(), carried.end());
        inputs.push_back(now);
        return ir::inline_call(b, program.step, inputs);
      });
  b.set_outputs(std::move(final_states));
  ir::Procedure procedure = b.take();
  procedure.consumed = std::move(consumed);
  return procedure;
}

}  // namespace adjoule::driver
