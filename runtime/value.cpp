// Ownership of buffers and stacks.
#include "value.hpp"

#include <cstring>
#include <utility>

namespace adjoule::runtime {

Value Value::components(std::vector<Slot> slots) {
  Value value;
  value.kind_ = Kind::components;
  value.slots_ = std::move(slots);
  return value;
}

Value Value::integer(int32_t i) {
  Slot slot{};
  slot.integer = i;
  return components({slot});
}

Value Value::real(double r, bool single) {
  Slot slot{};
  if (single)
    slot.single = static_cast<float>(r);
  else
    slot.real = r;
  return components({slot});
}

Value Value::adopt(Pool& pool, void* buffer, int64_t bytes) {
  Slot slot{};
  slot.pointer = buffer;
  Value value;
  value.kind_ = Kind::buffer;
  value.pool_ = &pool;
  value.slots_ = {slot};
  value.bytes_ = bytes;
  return value;
}

Value Value::adopt(Pool& pool, NativeStack* stack) {
  Value value = adopt(pool, static_cast<void*>(stack), 0);
  value.kind_ = Kind::stack;
  return value;
}

Value Value::buffer(Pool& pool, int64_t bytes) { return adopt(pool, pool.allocate(bytes), bytes); }

Value Value::new_stack(Pool& pool, int64_t item_bytes, int64_t field_bytes) {
  return adopt(pool, pool.new_stack(item_bytes, field_bytes));
}

Value Value::copy() const {
  if (kind_ != Kind::buffer) return components(slots_);
  Value result = buffer(*pool_, bytes_);
  std::memcpy(result.data(), data(), static_cast<size_t>(bytes_));
  return result;
}

void Value::forget() {
  kind_ = Kind::none;
  slots_.clear();
}

void Value::reset() {
  if (kind_ == Kind::buffer) pool_->release(data());
  if (kind_ == Kind::stack) pool_->release(stack());
  forget();
}

void Value::swap(Value& other) noexcept {
  std::swap(kind_, other.kind_);
  std::swap(pool_, other.pool_);
  slots_.swap(other.slots_);
  std::swap(bytes_, other.bytes_);
}

}  // namespace adjoule::runtime
