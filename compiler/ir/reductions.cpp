// Reductions in their fixed order (reductions.hpp).
#include "ir/reductions.hpp"

#include "ir/evaluate_integers.hpp"
#include "ir/lane_sums.hpp"

namespace adjoule::ir {
namespace {

double rounded(double r, bool single) { return single ? static_cast<double>(static_cast<float>(r)) : r; }

}  // namespace

double combine(Reduction reduction, double a, double b, bool single) {
  switch (reduction) {
    // The sum of two f32 numbers in f64, rounded to f32, is their f32 sum: f64 has more than twice the bits.
    case Reduction::add: return rounded(a + b, single);
    case Reduction::minimum: return b < a ? b : a;
    case Reduction::maximum: return a < b ? b : a;
  }
  return a;
}

int32_t combine(Reduction reduction, int32_t a, int32_t b) {
  switch (reduction) {
    case Reduction::add: return integer_binary(Opcode::add, a, b);
    case Reduction::minimum: return integer_binary(Opcode::minimum, a, b);
    case Reduction::maximum: return integer_binary(Opcode::maximum, a, b);
  }
  return a;
}

void reduce_element(FieldData& field, int64_t element, Components value, Reduction reduction, bool single) {
  size_t real = static_cast<size_t>(element) * value.reals.size();
  size_t integer = static_cast<size_t>(element) * value.integers.size();
  for (double r : value.reals) {
    field.reals[real] = combine(reduction, field.reals[real], r, single);
    ++real;
  }
  for (int32_t i : value.integers) {
    field.integers[integer] = combine(reduction, field.integers[integer], i);
    ++integer;
  }
}

Reducer::Reducer(FieldData& target, std::vector<OpId> statements, bool scalar, Reduction reduction, bool single)
    : target_(target), reduction_(reduction), single_(single) {
  lanes_ = scalar && reduction == Reduction::add && !target.reals.empty();
  for (OpId op : statements) {
    Statement& statement = statements_.emplace_back();
    statement.op = op;
    if (!lanes_) continue;
    statement.lanes.assign(static_cast<size_t>(sum_lanes) * target.reals.size(), 0.0);
    statement.totals.assign(target.reals.size(), 0.0);
  }
}

Reducer::Statement& Reducer::find(OpId op) {
  size_t i = 0;
  while (statements_[i].op != op) ++i;
  return statements_[i];
}

void Reducer::reduce(OpId op, int64_t iteration, int64_t element, Components value) {
  Statement& statement = find(op);
  if (lanes_) return reduce_in_lanes(statement, iteration, value);
  if (&statement == &statements_.front()) return reduce_element(target_, element, value, reduction_, single_);
  statement.elements.push_back(element);
  statement.values.reals.insert(statement.values.reals.end(), value.reals.begin(), value.reals.end());
  statement.values.integers.insert(statement.values.integers.end(), value.integers.begin(), value.integers.end());
}

void Reducer::reduce_in_lanes(Statement& statement, int64_t iteration, Components value) {
  if (iteration / sum_block != statement.block) {
    close_block(statement);
    statement.block = iteration / sum_block;
  }
  double* lane = &statement.lanes[static_cast<size_t>(iteration % sum_lanes) * value.reals.size()];
  for (double r : value.reals) {
    *lane = rounded(*lane + r, single_);
    ++lane;
  }
}

void Reducer::close_block(Statement& statement) {
  size_t components = statement.totals.size();
  for (auto half = static_cast<size_t>(sum_lanes / 2); half > 0; half /= 2) {
    for (size_t i = 0; i < half * components; ++i) {
      statement.lanes[i] = rounded(statement.lanes[i] + statement.lanes[i + half * components], single_);
    }
  }
  for (size_t c = 0; c < components; ++c) statement.totals[c] += statement.lanes[c];
  statement.lanes.assign(statement.lanes.size(), 0.0);
}

void Reducer::finish() {
  for (Statement& statement : statements_) {
    if (lanes_) {
      close_block(statement);
      reduce_element(target_, 0, {statement.totals, {}}, Reduction::add, single_);
      continue;
    }
    if (statement.elements.empty()) continue;
    size_t reals = statement.values.reals.size() / statement.elements.size();
    size_t integers = statement.values.integers.size() / statement.elements.size();
    for (size_t i = 0; i < statement.elements.size(); ++i) {
      Components value{std::span(statement.values.reals).subspan(i * reals, reals),
                       std::span(statement.values.integers).subspan(i * integers, integers)};
      reduce_element(target_, statement.elements[i], value, reduction_, single_);
    }
  }
}

}  // namespace adjoule::ir
