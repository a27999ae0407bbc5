// The values of a procedure while the interpreter runs it. All components of all values lie in one register file at
// fixed places; fields and stacks are pointers beside it. Values are defined before they are used, so a register needs
// no initial value, and nothing recurs: a value has one register whatever the depth of its block.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "ir/evaluate.hpp"
#include "ir/interpreter.hpp"

namespace adjoule::ir {

/// Where the components of one value lie; of a field type: how many one of its elements has.
struct Place {
  size_t real = 0, reals = 0;
  size_t integer = 0, integers = 0;
};

class Registers {
 public:
  Registers(const Program& program, const Procedure& procedure);

  const Place& place(Value v) const { return places_[static_cast<size_t>(v)]; }
  Components components(Value v) const {
    const Place& p = place(v);
    return {std::span(reals_).subspan(p.real, p.reals), std::span(integers_).subspan(p.integer, p.integers)};
  }
  ResultComponents room(Value v) {
    const Place& p = place(v);
    return {std::span(reals_).subspan(p.real, p.reals), std::span(integers_).subspan(p.integer, p.integers)};
  }
  int32_t integer(Value v) const { return integers_[place(v).integer]; }

  /// A version, or what a handle updates (a scalar handle: one element).
  std::shared_ptr<FieldData>& field(Value v) { return fields_[static_cast<size_t>(v)]; }
  const std::shared_ptr<FieldData>& field(Value v) const { return fields_[static_cast<size_t>(v)]; }
  std::shared_ptr<StackData>& stack(Value v) { return stacks_[static_cast<size_t>(v)]; }

  /// The run-time value of `v`; `last`: its storage may be handed over.
  Datum datum(Value v, bool last);
  void set(Value v, Datum&& d);

  /// The storage of a version for writing: taken over at its last use, else copied.
  std::shared_ptr<FieldData> own(Value v, bool last);

  /// Copies values at once (a swap is one). `last`, from number `first` on, tells whose storage may be handed over;
  /// null: everybody's.
  void transfer(std::span<const Value> from, std::span<const Value> to, const std::vector<bool>* last,
                size_t first = 0);

 private:
  const Procedure& procedure_;
  std::vector<Place> places_;  // by value, as the two below
  std::vector<std::shared_ptr<FieldData>> fields_;
  std::vector<std::shared_ptr<StackData>> stacks_;
  std::vector<double> reals_;
  std::vector<int32_t> integers_;
  FieldData moving_;                   // scratch of `transfer`: components,
  std::vector<Datum> moving_storage_;  //   fields and stacks
};

}  // namespace adjoule::ir
