// The types of the language and of the IR: one flat value type, compared with ==.
//   element:  bool | int | real | vecN | matN | reference to a space
//   then     any number of fixed array dimensions (vec2[3]), and either a stack of it, or a field of it over spaces
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace adjoule {

using SpaceId = int32_t;  // index into the program's table of spaces; 0 is always the built-in space `time`
constexpr SpaceId time_space = 0;
constexpr SpaceId no_space = -1;

enum class Element : uint8_t { none, boolean, integer, real, vector, matrix, reference };

struct Type {
  Element element = Element::none;
  uint8_t size = 0;               // vector: components; matrix: rows = columns
  SpaceId space = no_space;       // reference: its space
  std::vector<int32_t> array = {};     // fixed array dimensions, outermost first: vec2[3] has {3}
  bool stack = false;             // stack<element…> or, when `field` is set, stack of fields
  bool field = false;             // a field over `spaces` (possibly inside a stack)
  std::vector<SpaceId> spaces = {};

  bool operator==(const Type&) const = default;

  bool is_none() const { return element == Element::none; }
  bool plain() const { return array.empty() && !stack && !field; }  // a single element
  bool is_bool() const { return plain() && element == Element::boolean; }
  bool is_int() const { return plain() && element == Element::integer; }
  bool is_real() const { return plain() && element == Element::real; }
  bool is_vector() const { return plain() && element == Element::vector; }
  bool is_matrix() const { return plain() && element == Element::matrix; }
  bool is_reference() const { return plain() && element == Element::reference; }
  bool is_array() const { return !array.empty() && !stack && !field; }
  bool is_value() const { return !stack && !field; }
  /// Does it hold real numbers, so that a derivative in it makes sense?
  bool differentiable() const {
    return element == Element::real || element == Element::vector || element == Element::matrix;
  }
  /// Number of fixed-array elements: 1 without array dimensions.
  int32_t array_count() const {
    int32_t n = 1;
    for (int32_t d : array) n *= d;
    return n;
  }
  /// Scalars in one array element, where a reference counts `dims` integers (1 for a plain space).
  int32_t element_scalars(int32_t reference_dims = 1) const {
    switch (element) {
      case Element::vector: return size;
      case Element::matrix: return size * size;
      case Element::reference: return reference_dims;
      default: return 1;
    }
  }
};

inline Type bool_type() { return {.element = Element::boolean}; }
inline Type int_type() { return {.element = Element::integer}; }
inline Type real_type() { return {.element = Element::real}; }
inline Type vector_type(int n) { return {.element = Element::vector, .size = static_cast<uint8_t>(n)}; }
inline Type matrix_type(int n) { return {.element = Element::matrix, .size = static_cast<uint8_t>(n)}; }
inline Type reference_type(SpaceId s) { return {.element = Element::reference, .space = s}; }
inline Type array_of(Type t, int32_t n) { t.array.insert(t.array.begin(), n); return t; }
inline Type stack_of(Type t) { t.stack = true; return t; }
inline Type field_of(Type t, std::vector<SpaceId> spaces) { t.field = true; t.spaces = std::move(spaces); return t; }
/// The value type that one index tuple of a field reads.
inline Type value_of(Type t) { t.field = false; t.spaces.clear(); t.stack = false; return t; }
/// What a stack holds.
inline Type popped(Type t) { t.stack = false; return t; }
/// One step of array indexing.
inline Type array_element(Type t) { t.array.erase(t.array.begin()); return t; }

/// As the user writes it: "vec2[3]", "stack<real[Cell]>"; `space_names[id]` names the spaces.
std::string to_string(const Type& type, const std::vector<std::string>& space_names);

enum class Boundary : uint8_t { zero, periodic, clamp };
enum class FieldRole : uint8_t { param, input, state };

}  // namespace adjoule
