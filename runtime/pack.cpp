// Between ordinary row-major arrays (elements one after the other) and the buffers of native.hpp (components one after
// the other): packing, unpacking, filling, and the small arithmetic that the runtime does itself.
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "binding.hpp"

namespace adjoule::runtime {
namespace {

/// Number of a grid element from its raw coordinates under the boundary rule is the program's business; the runtime
/// only ever turns numbers that are in range into coordinates. Outside (-1) becomes coordinates outside.
void coordinates_of(int64_t number, int dims, const int32_t* extents, int32_t* coordinates) {
  if (number < 0) {
    for (int a = 0; a < dims; ++a) coordinates[a] = -1;
    return;
  }
  for (int a = dims; a-- > 0;) {
    coordinates[a] = static_cast<int32_t>(number % extents[a]);
    number /= extents[a];
  }
}

/// After the boundary rule; -1 outside of a `zero` axis.
int64_t number_of(const SpaceSpec& space, const int32_t* extents, const int32_t* coordinates) {
  int64_t number = 0;
  for (int a = 0; a < space.dims; ++a) {
    int32_t c = coordinates[a], n = extents[a];
    if (space.grid && (c < 0 || c >= n)) {
      switch (space.boundary[static_cast<size_t>(a)]) {
        case Boundary::zero: return -1;
        case Boundary::periodic: c = n == 0 ? 0 : (c % n + n) % n; break;
        case Boundary::clamp: c = c < 0 ? 0 : n - 1; break;
      }
    }
    number = number * n + c;
  }
  return number;
}

template <typename T, typename From>
void scatter(char* base, const Layout& layout, const std::vector<From>& numbers) {
  auto width = static_cast<size_t>(layout.components);
  auto given = width == 0 ? 0 : static_cast<int64_t>(numbers.size() / width);
  for (size_t c = 0; c < width; ++c) {
    T* to = reinterpret_cast<T*>(base + static_cast<int64_t>(c) * layout.stride());
    for (int64_t i = 0; i < given; ++i) to[i] = static_cast<T>(numbers[static_cast<size_t>(i) * width + c]);
    for (int64_t i = given; i < layout.elements; ++i) {  // rows over time that were not bound
      if constexpr (std::is_floating_point_v<T>)
        to[i] = std::numeric_limits<T>::quiet_NaN();
      else
        to[i] = 0;
    }
  }
}

template <typename T, typename To>
void gather(const char* base, const Layout& layout, std::vector<To>& numbers) {
  auto width = static_cast<size_t>(layout.components);
  auto wanted = width == 0 ? 0 : static_cast<int64_t>(numbers.size() / width);
  for (size_t c = 0; c < width; ++c) {
    const T* from = reinterpret_cast<const T*>(base + static_cast<int64_t>(c) * layout.stride());
    for (int64_t i = 0; i < wanted; ++i) numbers[static_cast<size_t>(i) * width + c] = static_cast<To>(from[i]);
  }
}

void scatter_array(char* base, const Layout& layout, bool single, const Array& array) {
  switch (layout.scalar) {
    case Scalar::real:
      if (single)
        scatter<float>(base, layout, array.reals);
      else
        scatter<double>(base, layout, array.reals);
      break;
    case Scalar::integer: scatter<int32_t>(base, layout, array.integers); break;
    case Scalar::boolean: scatter<uint8_t>(base, layout, array.integers); break;
  }
}

void gather_array(const char* base, const Layout& layout, bool single, Array& array) {
  switch (layout.scalar) {
    case Scalar::real:
      if (single)
        gather<float>(base, layout, array.reals);
      else
        gather<double>(base, layout, array.reals);
      break;
    case Scalar::integer: gather<int32_t>(base, layout, array.integers); break;
    case Scalar::boolean: gather<uint8_t>(base, layout, array.integers); break;
  }
}

double real_in(Slot slot, bool single) { return single ? static_cast<double>(slot.single) : slot.real; }

Slot slot_of_real(double value, bool single) {
  Slot slot{};
  if (single)
    slot.single = static_cast<float>(value);
  else
    slot.real = value;
  return slot;
}

Slot slot_of_integer(int32_t value) {
  Slot slot{};
  slot.integer = value;
  return slot;
}

/// One value without a space: its components in slots; a reference's number becomes coordinates.
Value pack_single(const Manifest& manifest, const Type& type, const Array& array, const Extents& extents) {
  std::vector<Slot> slots;
  for (double r : array.reals) slots.push_back(slot_of_real(r, manifest.single));
  for (int64_t i : array.integers) {
    if (type.element != Element::reference) {
      slots.push_back(slot_of_integer(static_cast<int32_t>(i)));
      continue;
    }
    int dims = manifest.spaces[static_cast<size_t>(type.space)].dims;
    int32_t coordinates[3];
    coordinates_of(i, dims, &extents[static_cast<size_t>(type.space) * 3], coordinates);
    for (int a = 0; a < dims; ++a) slots.push_back(slot_of_integer(coordinates[a]));
  }
  return Value::components(std::move(slots));
}

void unpack_single(const Manifest& manifest, const Type& type, const Value& value, const Extents& extents,
                   Array& array) {
  const std::vector<Slot>& slots = value.slots();
  if (type.differentiable()) {
    for (Slot s : slots) array.reals.push_back(real_in(s, manifest.single));
  } else if (type.element != Element::reference) {
    for (Slot s : slots) array.integers.push_back(s.integer);
  } else {
    const SpaceSpec& space = manifest.spaces[static_cast<size_t>(type.space)];
    auto dims = static_cast<size_t>(space.dims);
    for (size_t k = 0; k + dims <= slots.size(); k += dims) {
      int32_t coordinates[3];
      for (size_t a = 0; a < dims; ++a) coordinates[a] = slots[k + a].integer;
      array.integers.push_back(number_of(space, &extents[static_cast<size_t>(type.space) * 3], coordinates));
    }
  }
}

/// ".y", "[1, 0]", "[2].x": which component of an element.
std::string component_text(const Type& type, int32_t component) {
  int32_t scalars = type.element_scalars(1);
  std::string text;
  int32_t at = component / scalars, inner = component % scalars;
  std::string array;
  for (size_t d = type.array.size(); d-- > 0;) {
    array = fmt::format("[{}]", at % type.array[d]) + array;
    at /= type.array[d];
  }
  text += array;
  if (type.element == Element::vector) text += fmt::format(".{}", "xyzw"[inner]);
  if (type.element == Element::matrix) text += fmt::format("[{}, {}]", inner / type.size, inner % type.size);
  return text;
}

/// "[3]" or "[2, 5]": which element of a field.
std::string element_text(const Type& type, const Manifest& manifest, const Extents& extents, int64_t element) {
  std::vector<int64_t> numbers;
  for (size_t s = type.spaces.size(); s-- > 0;) {
    int dims = manifest.spaces[static_cast<size_t>(type.spaces[s])].dims;
    for (int a = dims; a-- > 0;) {
      int64_t n = extents[static_cast<size_t>(type.spaces[s]) * 3 + static_cast<size_t>(a)];
      numbers.insert(numbers.begin(), element % n);
      element /= n;
    }
  }
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

template <typename T>
std::optional<std::pair<int64_t, int32_t>> nan_in(const char* base, const Layout& layout) {
  for (int32_t c = 0; c < layout.components; ++c) {
    const T* numbers = reinterpret_cast<const T*>(base + c * layout.stride());
    for (int64_t i = 0; i < layout.elements; ++i) {
      if (std::isnan(numbers[i])) return std::pair{i, c};
    }
  }
  return std::nullopt;
}

template <typename T>
void add_numbers(char* a, const char* b, const Layout& layout) {
  for (int32_t c = 0; c < layout.components; ++c) {
    T* to = reinterpret_cast<T*>(a + c * layout.stride());
    const T* from = reinterpret_cast<const T*>(b + c * layout.stride());
    for (int64_t i = 0; i < layout.elements; ++i) to[i] += from[i];
  }
}

}  // namespace

Value pack(Pool& pool, const Manifest& manifest, const Type& type, const Array& array, const Extents& extents) {
  if (!type.field) return pack_single(manifest, type, array, extents);
  Layout layout = layout_of(type, manifest, extents);
  Value value = Value::buffer(pool, layout.bytes());
  scatter_array(static_cast<char*>(value.data()), layout, manifest.single, array);
  return value;
}

Value filled(Pool& pool, const Manifest& manifest, const Type& type, const std::vector<double>& reals,
             const std::vector<int32_t>& integers, const Extents& extents) {
  if (!type.field) {
    std::vector<Slot> slots;
    for (double r : reals) slots.push_back(slot_of_real(r, manifest.single));
    for (int32_t i : integers) slots.push_back(slot_of_integer(i));
    return Value::components(std::move(slots));
  }
  Layout layout = layout_of(type, manifest, extents);
  std::vector<int64_t> numbers(integers.begin(), integers.end());
  if (type.element == Element::reference) {
    const SpaceSpec& space = manifest.spaces[static_cast<size_t>(type.space)];
    numbers.clear();
    for (size_t k = 0; k < integers.size(); k += static_cast<size_t>(space.dims)) {
      numbers.push_back(number_of(space, &extents[static_cast<size_t>(type.space) * 3], &integers[k]));
    }
  }
  Array array;
  array.integral = layout.scalar != Scalar::real;
  for (int64_t i = 0; i < layout.elements; ++i) {
    array.reals.insert(array.reals.end(), reals.begin(), reals.end());
    array.integers.insert(array.integers.end(), numbers.begin(), numbers.end());
  }
  return pack(pool, manifest, type, array, extents);
}

Value zeros(Pool& pool, const Manifest& manifest, const Type& type, const Extents& extents) {
  Layout layout = layout_of(type, manifest, extents);
  if (!type.field) return Value::components(std::vector<Slot>(static_cast<size_t>(layout.components), Slot{}));
  Value value = Value::buffer(pool, layout.bytes());
  std::memset(value.data(), 0, static_cast<size_t>(layout.bytes()));
  return value;
}

Array unpack(const Manifest& manifest, const Type& type, const Value& value, const Extents& extents,
             std::vector<int64_t> shape) {
  Array array;
  array.shape = std::move(shape);
  array.integral = scalar_of(type) != Scalar::real;
  if (!type.field) {
    unpack_single(manifest, type, value, extents, array);
    return array;
  }
  auto count = static_cast<size_t>(array.count());
  if (array.integral)
    array.integers.resize(count);
  else
    array.reals.resize(count);
  gather_array(static_cast<const char*>(value.data()), layout_of(type, manifest, extents), manifest.single, array);
  return array;
}

void add_into(const Manifest& manifest, const Type& type, Value& a, const Value& b, const Extents& extents) {
  Layout layout = layout_of(type, manifest, extents);
  if (!type.field) {
    std::vector<Slot> slots;
    for (size_t k = 0; k < a.slots().size(); ++k) {
      slots.push_back(slot_of_real(real_in(a.slots()[k], manifest.single) + real_in(b.slots()[k], manifest.single),
                                   manifest.single));
    }
    a = Value::components(std::move(slots));
  } else if (manifest.single) {
    add_numbers<float>(static_cast<char*>(a.data()), static_cast<const char*>(b.data()), layout);
  } else {
    add_numbers<double>(static_cast<char*>(a.data()), static_cast<const char*>(b.data()), layout);
  }
}

std::optional<std::string> find_nan(const Manifest& manifest, const Type& type, const Value& value,
                                    const Extents& extents) {
  if (!type.differentiable()) return std::nullopt;
  Layout layout = layout_of(type, manifest, extents);
  if (!type.field) {
    for (size_t k = 0; k < value.slots().size(); ++k) {
      if (std::isnan(real_in(value.slots()[k], manifest.single))) return component_text(type, static_cast<int32_t>(k));
    }
    return std::nullopt;
  }
  auto base = static_cast<const char*>(value.data());
  auto found = manifest.single ? nan_in<float>(base, layout) : nan_in<double>(base, layout);
  if (!found) return std::nullopt;
  return element_text(type, manifest, extents, found->first) + component_text(type, found->second);
}

}  // namespace adjoule::runtime
