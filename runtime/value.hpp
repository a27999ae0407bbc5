// Values in the layout of native.hpp: what compiled procedures take and give. A Value owns its buffer or stack.
#pragma once
#include <vector>

#include "base/type.hpp"
#include "native.hpp"
#include "pool.hpp"

namespace adjoule::runtime {

class Value {
 public:
  enum class Kind : uint8_t { none, components, buffer, stack };

  Value() = default;
  Value(Value&& other) noexcept { swap(other); }
  Value& operator=(Value&& other) noexcept {
    Value moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~Value() { reset(); }

  static Value components(std::vector<Slot> slots);
  static Value integer(int32_t i);
  static Value real(double r, bool single);
  static Value buffer(Pool& pool, int64_t bytes);               // contents undefined
  static Value adopt(Pool& pool, void* buffer, int64_t bytes);  // takes over a buffer of that pool
  static Value adopt(Pool& pool, NativeStack* stack);
  static Value new_stack(Pool& pool, int64_t item_bytes, int64_t field_bytes);

  Value copy() const;  // deep; not for stacks
  void forget();       // someone else owns it now
  void reset();        // gives buffer or stack back
  void swap(Value& other) noexcept;

  Kind kind() const { return kind_; }
  const std::vector<Slot>& slots() const { return slots_; }  // one pointer for a buffer or a stack
  void* data() const { return slots_[0].pointer; }
  NativeStack* stack() const { return static_cast<NativeStack*>(slots_[0].pointer); }
  int64_t bytes() const { return bytes_; }

 private:
  Kind kind_ = Kind::none;
  Pool* pool_ = nullptr;
  std::vector<Slot> slots_;
  int64_t bytes_ = 0;
};

/// How the scalars of a type lie in memory.
enum class Scalar : uint8_t { real, integer, boolean };

struct Layout {
  Value::Kind kind = Value::Kind::components;
  Scalar scalar = Scalar::real;
  int32_t components = 1;    // slots of a value; of a field: components of an element (a reference counts one)
  int64_t elements = 0;      // of a field
  int64_t scalar_bytes = 8;  // in a buffer
  int64_t stride() const { return padded_bytes(elements, scalar_bytes); }
  int64_t bytes() const { return stride() * components; }
};

}  // namespace adjoule::runtime
