// The geometry of index spaces: numbers of elements, boundary rules, regions. Used by the interpreter; generated code
// follows the same rules.
#pragma once
#include <array>
#include <span>

#include "ir/ir.hpp"

namespace adjoule::ir {

using Coordinates = std::array<int32_t, 3>;  // unused axes are 0; of extents: 1

/// One space of one instance.
struct Shape {
  const SpaceInfo* info = nullptr;
  Coordinates extents{1, 1, 1};

  int dims() const { return info->grid ? info->dims : 1; }
  int64_t count() const { return static_cast<int64_t>(extents[0]) * extents[1] * extents[2]; }
};

/// The number of the element at raw coordinates, after the boundary rule, row-major; -1 outside (of a `zero` grid, or
/// of a plain space, where that is an error).
int64_t element_number(const Shape& shape, std::span<const int32_t> raw);

/// The coordinates of an element; of a negative number: those of *outside* (of a plain space: the number).
Coordinates coordinates_of(const Shape& shape, int64_t number);

/// What one loop index runs over, in order.
class Walk {
 public:
  Walk(const Shape& shape, const Domain& domain);     // a space or a region of it
  Walk(int32_t lower, int32_t upper, bool reversed);  // an integer range
  int64_t count() const { return count_; }
  /// The raw coordinates of turn number i; of a range: the integer.
  Coordinates at(int64_t i) const;

 private:
  Shape shape_;
  bool range_ = false, reversed_ = false, listed_ = false;
  int32_t lower_ = 0;
  int64_t count_ = 0;
  std::vector<int64_t> elements_;  // of a region
};

}  // namespace adjoule::ir
