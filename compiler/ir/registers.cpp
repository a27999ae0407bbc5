// Registers of the interpreter (registers.hpp).
#include "ir/registers.hpp"

#include <algorithm>

namespace adjoule::ir {

Registers::Registers(const Program& program, const Procedure& procedure) : procedure_(procedure) {
  places_.resize(procedure.values.size());
  fields_.resize(procedure.values.size());
  stacks_.resize(procedure.values.size());
  size_t reals = 0, integers = 0;
  for (size_t v = 0; v < places_.size(); ++v) {
    const Type& t = procedure.values[v].type;
    auto count = static_cast<size_t>(scalar_count(program, t));
    places_[v] = {reals, t.differentiable() ? count : 0, integers, t.differentiable() ? 0 : count};
    if (!t.is_value()) continue;
    reals += places_[v].reals;
    integers += places_[v].integers;
  }
  reals_.resize(reals);
  integers_.resize(integers);
}

Datum Registers::datum(Value v, bool last) {
  Datum d;
  if (procedure_.type(v).stack) {
    d.stack = last ? std::move(stack(v)) : stack(v);
  } else if (procedure_.type(v).field) {
    d.field = last ? std::move(field(v)) : field(v);
  } else {
    Components c = components(v);
    d.reals.assign(c.reals.begin(), c.reals.end());
    d.integers.assign(c.integers.begin(), c.integers.end());
  }
  return d;
}

void Registers::set(Value v, Datum&& d) {
  if (procedure_.type(v).stack) {
    stack(v) = std::move(d.stack);
  } else if (procedure_.type(v).field) {
    field(v) = std::move(d.field);
  } else {
    ResultComponents to = room(v);
    std::ranges::copy(d.reals, to.reals.begin());
    std::ranges::copy(d.integers, to.integers.begin());
  }
}

std::shared_ptr<FieldData> Registers::own(Value v, bool last) {
  std::shared_ptr<FieldData> data = last ? std::move(field(v)) : field(v);
  return data.use_count() > 1 ? std::make_shared<FieldData>(*data) : data;
}

void Registers::transfer(std::span<const Value> from, std::span<const Value> to, const std::vector<bool>* last,
                         size_t first) {
  moving_.reals.clear();
  moving_.integers.clear();
  moving_storage_.clear();
  for (size_t i = 0; i < from.size(); ++i) {
    if (!procedure_.type(from[i]).is_value()) {
      moving_storage_.push_back(datum(from[i], last == nullptr || (*last)[first + i]));
      continue;
    }
    Components c = components(from[i]);
    moving_.reals.insert(moving_.reals.end(), c.reals.begin(), c.reals.end());
    moving_.integers.insert(moving_.integers.end(), c.integers.begin(), c.integers.end());
  }
  auto real = moving_.reals.cbegin();
  auto integer = moving_.integers.cbegin();
  auto storage = moving_storage_.begin();
  for (Value v : to) {
    if (!procedure_.type(v).is_value()) {
      set(v, std::move(*storage++));
      continue;
    }
    ResultComponents c = room(v);
    real = std::ranges::copy_n(real, std::ssize(c.reals), c.reals.begin()).in;
    integer = std::ranges::copy_n(integer, std::ssize(c.integers), c.integers.begin()).in;
  }
}

}  // namespace adjoule::ir
