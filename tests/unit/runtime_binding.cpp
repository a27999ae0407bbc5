// What hosts bind: shapes, agreement of open spaces, relations, rows over time; and packing there and back.
#include <gtest/gtest.h>

#include "binding.hpp"

namespace adjoule::runtime {
namespace {

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << "it says: " << (text)

enum : int { particle = 1, spring = 2, cell = 3, node = 4 };
enum : int { x0, ends, rest, u, torque, home, flag, start };

FieldSpec field(const char* name, Type type, const char* type_text) {
  FieldSpec spec;
  spec.name = name;
  spec.place = "p.adj:1:1";
  spec.type_text = type_text;
  spec.role = FieldRole::input;
  spec.type = std::move(type);
  return spec;
}

/// space Particle; space Spring; grid Cell(2, 3) boundary periodic; grid Node(2, 2) boundary zero; and fields over
/// them.
Manifest manifest_of() {
  Manifest m;
  m.spaces = {{"time", false, 1, true, {-1, 1, 1}, {}},
              {"Particle", false, 1, true, {-1, 1, 1}, {}},
              {"Spring", false, 1, true, {-1, 1, 1}, {}},
              {"Cell", true, 2, false, {2, 3, 1}, {Boundary::periodic, Boundary::periodic, Boundary::zero}},
              {"Node", true, 2, false, {2, 2, 1}, {Boundary::zero, Boundary::zero, Boundary::zero}}};
  m.fields = {field("x0", field_of(vector_type(2), {particle}), "vec2"),
              field("ends", field_of(array_of(reference_type(particle), 2), {spring}), "Particle[2]"),
              field("rest", field_of(real_type(), {spring}), "real"),
              field("u", field_of(real_type(), {cell}), "real"),
              field("torque", field_of(real_type(), {time_space, spring}), "real"),
              field("home", field_of(reference_type(node), {particle}), "Node"),
              field("flag", field_of(bool_type(), {cell}), "bool"),
              field("start", reference_type(cell), "Cell")};
  return m;
}

template <typename F>
std::string failure_of(F&& action) {
  try {
    action();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, Failure::wrong_use);
    return e.what();
  }
  return "no failure";
}

Array zeros_of(std::vector<int64_t> shape) {
  Array a = Array::of_reals({}, std::move(shape));
  a.reals.assign(static_cast<size_t>(a.count()), 0.0);
  return a;
}

struct Bindings {
  Manifest manifest = manifest_of();
  std::vector<Bound> held = std::vector<Bound>(8);
  std::vector<bool> is = std::vector<bool>(8);

  void bind(int f, Array a, std::string source = "") {
    held[static_cast<size_t>(f)] = check_array(manifest, f, std::move(a), std::move(source));
    is[static_cast<size_t>(f)] = true;
  }
  Extents extents(int32_t steps = 4) const {
    std::vector<const Bound*> pointers;
    for (size_t k = 0; k < held.size(); ++k) pointers.push_back(is[k] ? &held[k] : nullptr);
    return find_extents(manifest, pointers, steps);
  }
};

TEST(Binding, OpenExtentsComeFromArrays) {
  Bindings b;
  b.bind(x0, zeros_of({5, 2}));
  b.bind(rest, zeros_of({7}));
  Extents e = b.extents();
  EXPECT_EQ(space_count(time_space, e), 5);
  EXPECT_EQ(space_count(particle, e), 5);
  EXPECT_EQ(space_count(spring, e), 7);
  EXPECT_EQ(space_count(cell, e), 6);
}

TEST(Binding, DisagreementNamesBothArrays) {
  Bindings b;
  b.bind(x0, zeros_of({5, 2}));
  b.bind(ends, Array::of_integers(std::vector<int64_t>(24, 0), {12, 2}), "ends.npy");
  b.bind(rest, zeros_of({11}));
  EXPECT_SAYS(failure_of([&] { b.extents(); }), "ends (ends.npy) has 12 rows but rest has 11: both run over Spring");
}

TEST(Binding, UnknownExtentListsWhatWouldTell) {
  Bindings b;
  b.bind(x0, zeros_of({5, 2}));
  EXPECT_SAYS(failure_of([&] { b.extents(); }),
              "the extent of Spring is not known: bind an array over it (ends, rest, torque)");
}

TEST(Binding, ShapesAndKinds) {
  Bindings b;
  EXPECT_SAYS(failure_of([&] { b.bind(x0, zeros_of({5, 3})); }),
              "wants the shape (Particle, 2), but its shape is (5, 3)");
  EXPECT_SAYS(failure_of([&] { b.bind(x0, zeros_of({10})); }), "wants the shape (Particle, 2)");
  EXPECT_SAYS(failure_of([&] { b.bind(u, zeros_of({3, 2})); }), "wants the shape (2, 3)");
  EXPECT_SAYS(failure_of([&] { b.bind(u, Array::of_integers({1, 2, 3, 4, 5, 6}, {6}), "u.npy"); }),
              "u (u.npy) wants real numbers");
  EXPECT_SAYS(failure_of([&] { b.bind(ends, zeros_of({3, 2})); }), "wants whole numbers");
  EXPECT_SAYS(failure_of([&] { b.bind(flag, Array::of_integers({0, 1, 0, 1, 0, 2}, {6})); }), "number 5 of flag is 2");
  EXPECT_SAYS(failure_of([&] { b.bind(u, Array::of_reals({1}, {6})); }), "1 numbers were given for the shape (6,)");
  b.bind(u, zeros_of({2, 3}));
  b.bind(u, zeros_of({6}));
}

TEST(Binding, ReferencesStayInTheirSpace) {
  Bindings b;
  b.bind(x0, zeros_of({3, 2}));
  b.bind(rest, zeros_of({2}));
  b.bind(ends, Array::of_integers({0, 1, 3, 2}, {2, 2}));
  EXPECT_SAYS(failure_of([&] { check_references(b.manifest, ends, b.held[ends], b.extents()); }),
              "ends[1][0] is 3, but Particle has 3 elements: references go from 0 to 2");
  b.bind(ends, Array::of_integers({0, 1, -1, 2}, {2, 2}));
  EXPECT_SAYS(failure_of([&] { check_references(b.manifest, ends, b.held[ends], b.extents()); }), "ends[1][0] is -1");
  b.bind(home, Array::of_integers({0, 3, -1}, {3}));  // outside of a `zero` grid is a place
  check_references(b.manifest, home, b.held[home], b.extents());
  b.bind(home, Array::of_integers({0, 4, -1}, {3}));
  EXPECT_SAYS(failure_of([&] { check_references(b.manifest, home, b.held[home], b.extents()); }), "home[1] is 4");
}

TEST(Binding, RowsOverTime) {
  Bindings b;
  b.bind(x0, zeros_of({1, 2}));
  b.bind(torque, zeros_of({5, 2}));
  b.extents(4);
  b.extents(5);
  EXPECT_SAYS(failure_of([&] { b.extents(3); }),
              "torque has 5 rows over time, but 3 steps need 4 (one an instant) or 3");
  b.manifest.fields[torque].reads_last_row = "p.adj:9:3";
  b.extents(4);
  EXPECT_SAYS(failure_of([&] { b.extents(5); }),
              "p.adj:9:3: row 5 of torque is read here, but 5 rows (0 to 4) were bound");
}

TEST(Binding, PackingThereAndBack) {
  Bindings b;
  Pool pool;
  b.bind(x0, Array::of_reals({1, 2, 3, 4, 5, 6}, {3, 2}));
  b.bind(rest, zeros_of({1}));
  Extents e = b.extents();
  const Type& type = b.manifest.fields[x0].type;
  for (bool single : {false, true}) {
    b.manifest.single = single;
    Value v = pack(pool, b.manifest, type, b.held[x0].array, e);
    EXPECT_EQ(v.bytes(), 128);
    if (!single) {
      EXPECT_EQ(static_cast<double*>(v.data())[1], 3);
      EXPECT_EQ(static_cast<double*>(v.data())[8], 2);
    }
    EXPECT_EQ(unpack(b.manifest, type, v, e, {3, 2}).reals, b.held[x0].array.reals);
  }
}

TEST(Binding, AMissingLastRowIsNaN) {
  Bindings b;
  Pool pool;
  b.bind(x0, zeros_of({1, 2}));
  b.bind(torque, zeros_of({2, 1}));
  Extents e = b.extents(2);
  Value v = pack(pool, b.manifest, b.manifest.fields[torque].type, b.held[torque].array, e);
  EXPECT_EQ(find_nan(b.manifest, b.manifest.fields[torque].type, v, e), "[2, 0]");
  EXPECT_EQ(unpack(b.manifest, b.manifest.fields[torque].type, v, e, {2, 1}).reals, (std::vector<double>{0, 0}));
}

TEST(Binding, SingleReferencesBecomeCoordinates) {
  Bindings b;
  Pool pool;
  b.bind(start, Array::of_integers({4}, {}));
  b.bind(x0, zeros_of({1, 2}));
  b.bind(rest, zeros_of({1}));
  Extents e = b.extents();
  Value v = pack(pool, b.manifest, b.manifest.fields[start].type, b.held[start].array, e);
  ASSERT_EQ(v.slots().size(), 2u);
  EXPECT_EQ(v.slots()[0].integer, 1);
  EXPECT_EQ(v.slots()[1].integer, 1);
  EXPECT_EQ(unpack(b.manifest, b.manifest.fields[start].type, v, e, {}).integers, std::vector<int64_t>{4});
}

TEST(Binding, AddingAndFilling) {
  Bindings b;
  Pool pool;
  b.bind(x0, zeros_of({3, 2}));
  b.bind(rest, zeros_of({1}));
  Extents e = b.extents();
  const Type& type = b.manifest.fields[x0].type;
  Value a = filled(pool, b.manifest, type, {1, 2}, {}, e), c = filled(pool, b.manifest, type, {10, 20}, {}, e);
  add_into(b.manifest, type, a, c, e);
  EXPECT_EQ(unpack(b.manifest, type, a, e, {3, 2}).reals, (std::vector<double>{11, 22, 11, 22, 11, 22}));
}

}  // namespace
}  // namespace adjoule::runtime
