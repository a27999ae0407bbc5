// Boundary rules and regions (geometry.hpp).
#include "ir/geometry.hpp"

#include <algorithm>

#include "ir/evaluate_integers.hpp"

namespace adjoule::ir {
namespace {

/// A coordinate of one axis after its rule; -1 outside.
int32_t apply_rule(Boundary rule, int32_t c, int32_t extent) {
  if (c >= 0 && c < extent) return c;
  if (extent <= 0) return -1;
  switch (rule) {
    case Boundary::zero: return -1;
    case Boundary::periodic: return floor_modulo(c, extent);
    case Boundary::clamp: return c < 0 ? 0 : extent - 1;
  }
  return -1;
}

/// Is a coordinate within `width` of the given end of a non-periodic axis?
bool near_end(const Shape& shape, int axis, bool high, int32_t c, int32_t width) {
  auto a = static_cast<size_t>(axis);
  if (shape.info->boundary[a] == Boundary::periodic) return false;
  return high ? int64_t{c} >= int64_t{shape.extents[a]} - width : c < width;
}

bool in_boundary(const Shape& shape, const Domain& domain, const Coordinates& c) {
  if (domain.side.axis >= 0) {
    int axis = domain.side.axis;
    return near_end(shape, axis, domain.side.high, c[static_cast<size_t>(axis)], domain.width);
  }
  for (int axis = 0; axis < shape.dims(); ++axis) {
    int32_t x = c[static_cast<size_t>(axis)];
    if (near_end(shape, axis, false, x, domain.width) || near_end(shape, axis, true, x, domain.width)) return true;
  }
  return false;
}

}  // namespace

int64_t element_number(const Shape& shape, std::span<const int32_t> raw) {
  int64_t number = 0;
  for (size_t axis = 0; axis < static_cast<size_t>(shape.dims()); ++axis) {
    Boundary rule = shape.info->grid ? shape.info->boundary[axis] : Boundary::zero;
    int32_t c = apply_rule(rule, raw[axis], shape.extents[axis]);
    if (c < 0) return -1;
    number = number * shape.extents[axis] + c;
  }
  return number;
}

Coordinates coordinates_of(const Shape& shape, int64_t number) {
  if (!shape.info->grid) return {static_cast<int32_t>(number), 0, 0};
  if (number < 0) return {outside_coordinate, outside_coordinate, outside_coordinate};
  Coordinates c{};
  for (int axis = shape.dims() - 1; axis >= 0; --axis) {
    int32_t extent = shape.extents[static_cast<size_t>(axis)];
    c[static_cast<size_t>(axis)] = static_cast<int32_t>(number % extent);
    number /= extent;
  }
  return c;
}

Walk::Walk(const Shape& shape, const Domain& domain)
    : shape_(shape), reversed_(domain.reversed), listed_(domain.region != Region::whole) {
  count_ = shape.count();
  if (!listed_) return;
  bool wanted = domain.region == Region::boundary;
  Domain whole_boundary = domain;
  if (!wanted) whole_boundary.side = {};
  for (int64_t i = 0; i < count_; ++i) {
    if (in_boundary(shape_, whole_boundary, coordinates_of(shape_, i)) == wanted) elements_.push_back(i);
  }
  count_ = static_cast<int64_t>(elements_.size());
}

Walk::Walk(int32_t lower, int32_t upper, bool reversed)
    : range_(true), reversed_(reversed), lower_(lower), count_(std::max<int64_t>(0, int64_t{upper} - lower)) {}

Coordinates Walk::at(int64_t i) const {
  if (reversed_) i = count_ - 1 - i;
  if (range_) return {static_cast<int32_t>(lower_ + i), 0, 0};
  return coordinates_of(shape_, listed_ ? elements_[static_cast<size_t>(i)] : i);
}

}  // namespace adjoule::ir
