// What hosts bind: shapes against spaces, extents of open spaces, relations in range, and the way between ordinary
// row-major arrays and the buffers of native.hpp.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adjoule/adjoule.hpp"
#include "manifest.hpp"

namespace adjoule::runtime {

/// extents[space * 3 + axis], as in Context; -1: an open space whose extent is not known (yet).
using Extents = std::vector<int32_t>;

/// A bound array, as the user gave it.
struct Bound {
  Array array;
  std::string source;                  // a file's name, or ""
  std::vector<int64_t> space_extents;  // by space of the field: what the shape says of it (a grid: its whole count)
};

/// Shape of one element as hosts see it: {} for a number, {3} for a vec3, {2, 2} for a mat2, {3, 2} for a vec2[3].
std::vector<int64_t> element_shape(const Type& type);
/// Components of one element in a host array and in a field's buffer: a reference counts one.
int32_t element_components(const Type& type);
/// Elements of a field; 1 for a single value.
int64_t element_count(const Type& type, const Manifest& manifest, const Extents& extents);
int64_t space_count(int space, const Extents& extents);
/// The shape that a host array of this field has, grids with all their axes.
std::vector<int64_t> natural_shape(const Type& type, const Manifest& manifest, const Extents& extents);

Scalar scalar_of(const Type& type);
/// Bytes and slots of a value of this type (a stack: one slot).
Layout layout_of(const Type& type, const Manifest& manifest, const Extents& extents);

/// Checks kind of number and shape; closed spaces must agree. Throws Error (wrong_use) that names the field and the
/// source.
Bound check_array(const Manifest& manifest, int field, Array array, std::string source);

/// Extents of all spaces from the manifest and from what is bound (by field; null: not bound). Throws Error
/// (wrong_use): two arrays that disagree, a space that no array determines, a wrong number of rows over `time`.
Extents find_extents(const Manifest& manifest, const std::vector<const Bound*>& bound, int32_t steps);

/// Throws Error (wrong_use) that names field, element, value and extent when a reference leaves its space.
void check_references(const Manifest& manifest, int field, const Bound& bound, const Extents& extents);

/// Rows that the shape gives over `time`, where the field has that space; else -1.
int64_t time_rows(const FieldSpec& field, const Bound& bound);

/// Host array -> value in native layout. A missing last row over `time` becomes NaN (0 for integers).
Value pack(Pool& pool, const Manifest& manifest, const Type& type, const Array& array, const Extents& extents);
/// Every element equal to these components (references: raw coordinates), e.g. a default.
Value filled(Pool& pool, const Manifest& manifest, const Type& type, const std::vector<double>& reals,
             const std::vector<int32_t>& integers, const Extents& extents);
Value zeros(Pool& pool, const Manifest& manifest, const Type& type, const Extents& extents);
/// Value -> host array of the given shape; where the shape has fewer numbers (a row over `time` less) the rest is left
/// out.
Array unpack(const Manifest& manifest, const Type& type, const Value& value, const Extents& extents,
             std::vector<int64_t> shape);

/// a += b for two values of one real type.
void add_into(const Manifest& manifest, const Type& type, Value& a, const Value& b, const Extents& extents);

/// The first element and component that is NaN, as text ("[3]", "[3].y", "" for a plain number); nothing when there is
/// none.
std::optional<std::string> find_nan(const Manifest& manifest, const Type& type, const Value& value,
                                    const Extents& extents);

/// "(12, 3)"
std::string shape_text(const std::vector<int64_t>& shape);

}  // namespace adjoule::runtime
