// Shapes, extents and ranges of what hosts bind.
#include "binding.hpp"

#include <fmt/format.h>

#include <limits>

namespace adjoule::runtime {
namespace {

[[noreturn]] void misuse(const std::string& text) { throw Error(Failure::wrong_use, text); }

const FieldSpec& field_of(const Manifest& manifest, int field) { return manifest.fields[static_cast<size_t>(field)]; }
const SpaceSpec& space_of(const Manifest& manifest, int space) { return manifest.spaces[static_cast<size_t>(space)]; }

int64_t closed_count(const SpaceSpec& space) {
  return static_cast<int64_t>(space.extents[0]) * space.extents[1] * space.extents[2];
}

std::string with_source(const std::string& name, const std::string& source) {
  return source.empty() ? name : fmt::format("{} ({})", name, source);
}

/// Tries to read `shape` from dimension `at` as the spaces from `space` on, then the element; fills in the extents.
bool match(const Manifest& manifest, const Type& type, const std::vector<int64_t>& shape, size_t at, size_t space,
           std::vector<int64_t>& extents) {
  if (space == type.spaces.size()) {
    std::vector<int64_t> rest(shape.begin() + static_cast<std::ptrdiff_t>(at), shape.end());
    return rest == element_shape(type);
  }
  const SpaceSpec& spec = space_of(manifest, type.spaces[space]);
  auto dims = static_cast<size_t>(spec.dims);
  if (spec.grid && dims > 1 && at + dims <= shape.size()) {
    bool fits = true;
    for (size_t a = 0; a < dims; ++a) fits = fits && shape[at + a] == spec.extents[a];
    if (fits) {
      extents[space] = closed_count(spec);
      if (match(manifest, type, shape, at + dims, space + 1, extents)) return true;
    }
  }
  if (at >= shape.size()) return false;
  if (!spec.open && shape[at] != closed_count(spec)) return false;
  extents[space] = shape[at];
  return match(manifest, type, shape, at + 1, space + 1, extents);
}

/// "(Spring, 2)", with extents where they are known: what a shape should have been.
std::string wanted_shape(const Manifest& manifest, const Type& type) {
  std::vector<std::string> parts;
  for (SpaceId space : type.spaces) {
    const SpaceSpec& spec = space_of(manifest, space);
    for (int a = 0; a < spec.dims; ++a) {
      parts.push_back(spec.open ? spec.name : std::to_string(spec.extents[static_cast<size_t>(a)]));
    }
  }
  for (int64_t d : element_shape(type)) parts.push_back(std::to_string(d));
  return parts.size() == 1 ? fmt::format("({},)", parts[0]) : fmt::format("({})", fmt::join(parts, ", "));
}

void check_kind(const FieldSpec& field, const Array& array, const std::string& source) {
  bool wants_real = scalar_of(field.type) == Scalar::real;
  if (wants_real == !array.integral) return;
  const char* wanted = wants_real ? "real numbers (float64 or float32)" : "whole numbers (int32 or int64)";
  const char* given = array.integral ? "whole numbers" : "real numbers";
  if (scalar_of(field.type) == Scalar::boolean) wanted = "bools";
  misuse(
      fmt::format("{}: {} wants {}, but {} were given", field.place, with_source(field.name, source), wanted, given));
}

void check_range(const FieldSpec& field, const Array& array, const std::string& source) {
  bool boolean = scalar_of(field.type) == Scalar::boolean;
  int64_t low = boolean ? 0 : std::numeric_limits<int32_t>::min(),
          high = boolean ? 1 : std::numeric_limits<int32_t>::max();
  for (size_t i = 0; i < array.integers.size(); ++i) {
    if (array.integers[i] < low || array.integers[i] > high) {
      misuse(fmt::format("number {} of {} is {}, which does not fit into {}", i, with_source(field.name, source),
                         array.integers[i], boolean ? "a bool" : "an int (32 bits)"));
    }
  }
}

void check_time_rows(const FieldSpec& field, const Bound& bound, int32_t steps) {
  int64_t rows = time_rows(field, bound);
  if (rows < 0 || rows == steps || rows == int64_t{steps} + 1) {
    if (rows == steps && !field.reads_last_row.empty()) {
      misuse(fmt::format("{}: row {} of {} is read here, but {} rows (0 to {}) were bound: bind {} rows",
                         field.reads_last_row, steps, field.name, rows, rows - 1, rows + 1));
    }
    return;
  }
  misuse(fmt::format("{} has {} rows over time, but {} steps need {} (one an instant) or {}",
                     with_source(field.name, bound.source), rows, steps, steps + 1, steps));
}

/// What one array says of one open space, against what earlier ones said.
struct OpenExtent {
  int64_t extent = -1;
  int field = -1;
};

void agree(const Manifest& manifest, int field, const Bound& bound, std::vector<OpenExtent>& open,
           const std::vector<const Bound*>& all) {
  const FieldSpec& spec = field_of(manifest, field);
  for (size_t k = 0; k < spec.type.spaces.size(); ++k) {
    int space = spec.type.spaces[k];
    if (space == time_space || !space_of(manifest, space).open) continue;
    OpenExtent& known = open[static_cast<size_t>(space)];
    int64_t extent = bound.space_extents[k];
    if (extent > std::numeric_limits<int32_t>::max())
      misuse(fmt::format("{} has more rows than an int can count", spec.name));
    if (known.field < 0) {
      known = {extent, field};
    } else if (known.extent != extent) {
      auto label = [&](int f) { return with_source(field_of(manifest, f).name, all[static_cast<size_t>(f)]->source); };
      misuse(fmt::format("{} has {} rows but {} has {}: both run over {}", label(known.field), known.extent,
                         label(field), extent, space_of(manifest, space).name));
    }
  }
}

/// A space without extent, and the fields that could give it one.
[[noreturn]] void unknown_extent(const Manifest& manifest, int space) {
  std::vector<std::string> names;
  for (const FieldSpec& field : manifest.fields) {
    for (SpaceId s : field.type.spaces) {
      if (s == space && (names.empty() || names.back() != field.name)) names.push_back(field.name);
    }
  }
  misuse(fmt::format("the extent of {} is not known: bind an array over it ({})", space_of(manifest, space).name,
                     fmt::join(names, ", ")));
}

}  // namespace

std::vector<int64_t> element_shape(const Type& type) {
  std::vector<int64_t> shape(type.array.begin(), type.array.end());
  if (type.element == Element::vector) shape.push_back(type.size);
  if (type.element == Element::matrix) shape.insert(shape.end(), 2, type.size);
  return shape;
}

int32_t element_components(const Type& type) { return type.array_count() * type.element_scalars(1); }

int64_t space_count(int space, const Extents& extents) {
  auto at = static_cast<size_t>(space) * 3;
  return static_cast<int64_t>(extents[at]) * extents[at + 1] * extents[at + 2];
}

int64_t element_count(const Type& type, const Manifest&, const Extents& extents) {
  int64_t n = 1;
  for (SpaceId space : type.spaces) n *= space_count(space, extents);
  return n;
}

std::vector<int64_t> natural_shape(const Type& type, const Manifest& manifest, const Extents& extents) {
  std::vector<int64_t> shape;
  for (SpaceId space : type.spaces) {
    for (int a = 0; a < space_of(manifest, space).dims; ++a) {
      shape.push_back(extents[static_cast<size_t>(space) * 3 + static_cast<size_t>(a)]);
    }
  }
  for (int64_t d : element_shape(type)) shape.push_back(d);
  return shape;
}

Scalar scalar_of(const Type& type) {
  if (type.differentiable()) return Scalar::real;
  return type.element == Element::boolean ? Scalar::boolean : Scalar::integer;
}

Layout layout_of(const Type& type, const Manifest& manifest, const Extents& extents) {
  Layout layout;
  layout.scalar = scalar_of(type);
  if (type.stack) {
    layout.kind = Value::Kind::stack;
  } else if (type.field) {
    layout.kind = Value::Kind::buffer;
    layout.components = element_components(type);
    layout.elements = element_count(type, manifest, extents);
    layout.scalar_bytes =
        layout.scalar == Scalar::boolean ? 1 : (layout.scalar == Scalar::real && !manifest.single ? 8 : 4);
  } else {
    int dims = type.element == Element::reference ? space_of(manifest, type.space).dims : 1;
    layout.components = type.array_count() * type.element_scalars(dims);
  }
  return layout;
}

Bound check_array(const Manifest& manifest, int field, Array array, std::string source) {
  const FieldSpec& spec = field_of(manifest, field);
  for (int64_t d : array.shape) {
    if (d < 0) misuse(fmt::format("the shape of {} has a negative number", spec.name));
  }
  int64_t numbers = static_cast<int64_t>(array.integral ? array.integers.size() : array.reals.size());
  if (numbers != array.count()) {
    misuse(fmt::format("{}: {} numbers were given for the shape {}", with_source(spec.name, source), numbers,
                       shape_text(array.shape)));
  }
  check_kind(spec, array, source);
  if (array.integral) check_range(spec, array, source);
  Bound bound{std::move(array), std::move(source), std::vector<int64_t>(spec.type.spaces.size(), 0)};
  bool one = !spec.type.field && element_shape(spec.type).empty() && bound.array.shape == std::vector<int64_t>{1};
  if (!one && !match(manifest, spec.type, bound.array.shape, 0, 0, bound.space_extents)) {
    misuse(fmt::format("{}: {} is declared as {}, which wants the shape {}, but its shape is {}", spec.place,
                       with_source(spec.name, bound.source), spec.type_text, wanted_shape(manifest, spec.type),
                       shape_text(bound.array.shape)));
  }
  return bound;
}

int64_t time_rows(const FieldSpec& field, const Bound& bound) {
  for (size_t k = 0; k < field.type.spaces.size(); ++k) {
    if (field.type.spaces[k] == time_space) return bound.space_extents[k];
  }
  return -1;
}

Extents find_extents(const Manifest& manifest, const std::vector<const Bound*>& bound, int32_t steps) {
  std::vector<OpenExtent> open(manifest.spaces.size());
  for (size_t f = 0; f < bound.size(); ++f) {
    if (!bound[f]) continue;
    agree(manifest, static_cast<int>(f), *bound[f], open, bound);
    check_time_rows(manifest.fields[f], *bound[f], steps);
  }
  Extents extents;
  for (size_t s = 0; s < manifest.spaces.size(); ++s) {
    std::array<int32_t, 3> e = manifest.spaces[s].extents;
    if (s == time_space)
      e = {steps + 1, 1, 1};
    else if (manifest.spaces[s].open)
      e = {static_cast<int32_t>(open[s].extent), 1, 1};
    if (e[0] < 0) unknown_extent(manifest, static_cast<int>(s));
    extents.insert(extents.end(), e.begin(), e.end());
  }
  return extents;
}

void check_references(const Manifest& manifest, int field, const Bound& bound, const Extents& extents) {
  const FieldSpec& spec = field_of(manifest, field);
  if (spec.type.element != Element::reference) return;
  const SpaceSpec& target = space_of(manifest, spec.type.space);
  int64_t count = space_count(spec.type.space, extents);
  bool outside_exists = false;  // -1 stands for a place outside of a `zero` grid
  for (int a = 0; target.grid && a < target.dims; ++a) {
    outside_exists = outside_exists || target.boundary[static_cast<size_t>(a)] == Boundary::zero;
  }
  int64_t low = outside_exists ? -1 : 0;
  int32_t width = element_components(spec.type);
  for (size_t i = 0; i < bound.array.integers.size(); ++i) {
    int64_t value = bound.array.integers[i];
    if (value >= low && value < count) continue;
    std::string where;
    if (spec.type.field) where += fmt::format("[{}]", i / static_cast<size_t>(width));
    if (width > 1) where += fmt::format("[{}]", i % static_cast<size_t>(width));
    misuse(fmt::format("{}{} is {}, but {} has {} elements: references go from 0 to {}",
                       with_source(spec.name, bound.source), where, value, target.name, count, count - 1));
  }
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace adjoule::runtime
