// Procedures made at random: every pass keeps their answers, bit for bit, and every buffer plan holds.
#include "transform_support.hpp"

namespace adjoule::transform::testing {
namespace {

using ir::Builder;
using ir::Mode;
using ir::Opcode;
using ir::Value;
using Values = std::vector<Value>;
using Given = std::span<const Value>;

/// What may be used where the maker stands.
struct Scope {
  Values reals, ints, fields;
  Values handles;  // own handles of the loop around
  Value index = ir::no_value;
};

class Maker {
 public:
  Maker(const ir::Program& p, uint32_t seed) : b_(p, "random" + std::to_string(seed)), random_(seed) {}

  ir::Procedure make() {
    Scope s;
    for (int i = 0; i < 3; ++i) s.fields.push_back(b_.input(particles(), "f" + std::to_string(i)));
    for (int i = 0; i < 2; ++i) s.reals.push_back(b_.input(real_type(), "x" + std::to_string(i)));
    s.ints = {b_.input(int_type(), "n"), b_.constant(1)};
    b_.procedure().consumed = {true, chance(2), false, false, false, false};
    statements(s, 7, 3);
    b_.set_outputs({any(s.fields), any(s.reals), any(s.fields), any(s.ints)});
    return b_.take();
  }

 private:
  Builder b_;
  std::mt19937 random_;

  uint32_t below(size_t n) { return static_cast<uint32_t>(random_() % n); }
  bool chance(uint32_t one_in) { return below(one_in) == 0; }
  Value any(const Values& values) { return values[chance(2) ? values.size() - 1 : below(values.size())]; }
  Value reference(const Scope& s) {
    if (s.index != ir::no_value && !chance(4)) return s.index;
    return b_.make_reference(particle, {b_.constant(static_cast<int32_t>(below(7)))});
  }

  // --- values
  Value real(Scope& s) {
    const Value a = any(s.reals), c = any(s.reals);
    switch (below(9)) {
      case 0: return b_.add(a, b_.constant(-0.0));
      case 1: return b_.subtract(a, b_.negate(c));
      case 2: return b_.emit(Opcode::sine, {b_.multiply(a, c)});
      case 3: return b_.multiply(a, b_.constant(chance(2) ? 1.0 : 0.5));
      case 4: return b_.emit(Opcode::minimum, {a, c});
      case 5: return b_.emit(Opcode::select, {condition(s), a, c});
      case 6: return b_.load(any(s.fields), {reference(s)});
      case 7: return b_.extract(b_.emit(Opcode::pack, {a, c}, vector_type(2)), below(2));
      default: return b_.add(b_.constant(static_cast<double>(below(3))), a);
    }
  }
  Value condition(Scope& s) {
    switch (below(4)) {
      case 0: return b_.emit(Opcode::less, {any(s.ints), b_.constant(2)});
      case 1: return b_.constant(chance(2));
      default: return b_.emit(Opcode::less, {any(s.reals), any(s.reals)});
    }
  }

  // --- statements: each adds what it gives to the scope
  void statements(Scope& s, int n, int depth) {
    for (int i = 0; i < n; ++i) statement(s, depth);
  }
  void statement(Scope& s, int depth) {
    if (depth == 0 || chance(3)) {
      s.reals.push_back(real(s));
      s.ints.push_back(b_.add(any(s.ints), b_.constant(static_cast<int32_t>(below(2)))));
      return;
    }
    if (s.index != ir::no_value) return chance(2) ? branch(s, depth) : chance(2) ? turns(s, depth) : element(s);
    switch (below(10)) {
      case 0: return branch(s, depth);
      case 1: return turns(s, depth);
      case 2: return while_turns(s, depth);
      case 3: return reverse(s);
      case 4: return serial(s);
      case 5: s.fields.push_back(b_.emit(Opcode::fill, {any(s.reals)}, particles())); return;
      case 6: s.fields.push_back(b_.emit(Opcode::add_fields, {any(s.fields), any(s.fields)})); return;
      case 7: s.fields.push_back(b_.emit(Opcode::set_element, {any(s.fields), reference(s), any(s.reals)})); return;
      default: return loop(s, depth);
    }
  }

  void branch(Scope& s, int depth) {
    const bool kernel = s.index != ir::no_value;
    const auto side = [&]() -> Values {
      Scope inner = s;
      statements(inner, 2, depth - 1);
      if (kernel) return {any(inner.reals)};
      return {any(inner.reals), any(inner.fields), any(inner.fields)};
    };
    const Values r = b_.if_(condition(s), side, side);
    s.reals.push_back(r[0]);
    s.fields.insert(s.fields.end(), r.begin() + 1, r.end());
  }

  Values carried(Scope& s) {
    if (s.index != ir::no_value) return {any(s.reals), any(s.reals)};
    return {any(s.reals), any(s.reals), any(s.fields), any(s.fields)};
  }
  Values turn(const Scope& s, Given c, int depth) {
    Scope inner = s;
    inner.reals.insert(inner.reals.end(), c.begin(), c.begin() + 2);
    inner.fields.insert(inner.fields.end(), c.begin() + 2, c.end());
    statements(inner, 2, depth - 1);
    Values yields = {chance(3) ? c[0] : any(inner.reals), any(inner.reals)};
    for (size_t i = 2; i < c.size(); ++i) yields.push_back(chance(3) ? c[i] : any(inner.fields));
    return yields;
  }
  void keep(Scope& s, const Values& r) {
    s.reals.insert(s.reals.end(), r.begin(), r.begin() + 2);
    s.fields.insert(s.fields.end(), r.begin() + 2, r.end());
  }
  void turns(Scope& s, int depth) {
    const Value end = b_.constant(static_cast<int32_t>(below(4)));
    keep(s, b_.for_({.reversed = chance(2)}, {b_.constant(0), end}, carried(s), [&](Value i, Given c) {
      Scope inner = s;
      inner.ints.push_back(i);
      return turn(inner, c, depth);
    }));
  }
  void while_turns(Scope& s, int depth) {
    Values initial = carried(s);
    initial.push_back(b_.constant(0));
    Values r = b_.while_(
        initial,
        [&](Given c) {
          const Value big = b_.emit(Opcode::less, {b_.load(c[3], {reference(s)}), b_.constant(1.0)});
          return b_.emit(Opcode::logical_and, {big, b_.emit(Opcode::less, {c[4], b_.constant(3)})});
        },
        [&](Given c) {
          Values yields = turn(s, c.first(4), depth);
          yields.push_back(b_.add(c[4], b_.constant(1)));
          return yields;
        });
    s.ints.push_back(r.back());
    r.pop_back();
    keep(s, r);
  }

  void element(Scope& s) {
    const Value handle = any(s.handles);
    if (chance(2)) s.reals.push_back(b_.load(handle, {s.index}));
    b_.store(handle, {s.index}, any(s.reals));
  }
  void loop(Scope& s, int depth) {
    const Value sum = any(s.reals), into = any(s.fields);
    const Values updated = {any(s.fields), any(s.fields), sum, into};
    const std::vector<Mode> modes = {Mode::own, Mode::own, Mode::reduce_add, Mode::reduce_add};
    const Values r = b_.loop({over(particle)}, updated, modes, [&](Given i, Given h) {
      Scope inner = s;
      inner.index = i[0];
      inner.handles = {h[0], h[1]};
      for (int n = 0; n < 3; ++n) chance(2) ? element(inner) : statement(inner, depth - 1);
      b_.reduce(h[2], {}, any(inner.reals));
      if (chance(2)) b_.reduce(h[3], {reference(inner)}, any(inner.reals));
    });
    s.fields.insert(s.fields.end(), {r[3], r[1], r[0]});
    s.reals.push_back(b_.emit(Opcode::sine, {r[2]}));
  }
  void serial(Scope& s) {
    const Values r =
        b_.serial({over(particle)}, {}, {any(s.fields)}, {any(s.reals)}, [&](Given i, Given h, Given c) -> Values {
          Scope inner = s;
          inner.index = i[0];
          inner.reals.push_back(c[0]);
          b_.store(h[0], {reference(inner)}, real(inner));
          inner.reals.push_back(b_.load(h[0], {reference(inner)}));
          return {b_.emit(Opcode::sine, {real(inner)})};
        });
    s.fields.push_back(r[0]);
    s.reals.push_back(r[1]);
  }
  /// A loop that pushes, and one that pops as often.
  void reverse(Scope& s) {
    const Value held = b_.stack_new(particles()), numbers = b_.stack_new(real_type());
    const Value end = b_.constant(3);
    Values r = b_.for_({}, {b_.constant(0), end}, carried(s), [&](Value, Given c) {
      b_.push(held, chance(2) ? c[2] : any(s.fields));
      b_.push(numbers, c[0]);
      return turn(s, c, 1);
    });
    keep(s, r);
    keep(s, b_.for_({.reversed = true}, {b_.constant(0), end}, carried(s), [&](Value, Given c) {
      Scope inner = s;
      const Value f = b_.pop(held), x = b_.pop(numbers);
      if (chance(2)) inner.fields.push_back(f);
      if (chance(2)) inner.reals.push_back(x);
      return turn(inner, c, 1);
    }));
  }
};

class Random : public ::testing::TestWithParam<uint32_t> {};

TEST_P(Random, EveryPassKeepsTheAnswers) {
  const ir::Program p = program();
  for (uint32_t i = 0; i < 25 && !HasFailure(); ++i) {
    const ir::Procedure made = Maker(p, GetParam() * 1000 + i).make();
    expect_same(p, made, eliminate_dead_code(p, made));
    expect_same(p, made, simplify(p, made));
    expect_same(p, made, forward_own_elements(p, made));
    const ir::Procedure optimised = finish(p, prepare(p, made));
    expect_same(p, made, optimised);
    for (const ir::Procedure* before : {&made, &optimised}) {
      const ir::Procedure planned = plan_buffers(p, *before);
      expect_plan(p, made, planned);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Random, ::testing::Range(0u, 5u));

}  // namespace
}  // namespace adjoule::transform::testing
