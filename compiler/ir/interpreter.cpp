// The interpreter (interpreter.hpp): one function an operation that needs more than values; the rest is in
// evaluate.cpp.
#include "ir/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/evaluate.hpp"
#include "ir/geometry.hpp"
#include "ir/lane_sums.hpp"
#include "ir/last_uses.hpp"
#include "ir/op_table.hpp"
#include "ir/reductions.hpp"
#include "ir/registers.hpp"

namespace adjoule::ir {
namespace {

std::string counted(int64_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

/// One carried value that is summed in lanes.
struct LaneSum {
  Value argument = no_value, yield = no_value;
  std::vector<double> initial, lanes, totals;   // lanes: all components of one together

  std::span<double> lane(int64_t iteration) {
    return std::span(lanes).subspan(static_cast<size_t>(iteration % sum_lanes) * totals.size(), totals.size());
  }
  void close_block(bool single) {
    size_t n = totals.size();
    for (auto half = static_cast<size_t>(sum_lanes / 2); half > 0; half /= 2)
      for (size_t i = 0; i < half * n; ++i) lanes[i] = combine(Reduction::add, lanes[i], lanes[i + half * n], single);
    for (size_t c = 0; c < n; ++c) totals[c] += lanes[c];
    lanes.assign(lanes.size(), 0.0);
  }
  void finish(std::span<double> result, bool single) {
    close_block(single);
    for (size_t c = 0; c < totals.size(); ++c) result[c] = combine(Reduction::add, initial[c], totals[c], single);
  }
};

class Machine {
 public:
  Machine(const Program& program, const Procedure& procedure, const Environment& environment)
      : program_(program),
        procedure_(procedure),
        environment_(environment),
        last_uses_(find_last_uses(procedure)),
        registers_(program, procedure),
        reducers_(procedure.values.size()) {
    for (size_t s = 0; s < program.spaces.size(); ++s) {
      shapes_.push_back(
          {&program.spaces[s], s < environment.extents.size() ? environment.extents[s] : Coordinates{1, 1, 1}});
    }
  }

  std::vector<Datum> run(std::vector<Datum> inputs) {
    const std::vector<Value>& arguments = procedure_.inputs();
    if (inputs.size() != arguments.size()) {
      fail({}, fmt::format("{} takes {}, given {}", procedure_.name,
                           counted(static_cast<int64_t>(arguments.size()), "input"), inputs.size()));
    }
    for (size_t i = 0; i < inputs.size(); ++i) bind(arguments[i], std::move(inputs[i]));
    block(procedure_.body);
    std::vector<Datum> outputs;
    const std::vector<bool>& last = last_uses_.yields[at(procedure_.body)];
    for (size_t i = 0; i < procedure_.outputs().size(); ++i)
      outputs.push_back(registers_.datum(procedure_.outputs()[i], last[i]));
    return outputs;
  }

 private:
  const Program& program_;
  const Procedure& procedure_;
  const Environment& environment_;
  LastUses last_uses_;
  std::vector<Shape> shapes_;
  Registers registers_;
  std::vector<std::unique_ptr<Reducer>> reducers_;  // of handles that the running parallel loop reduces
  int64_t iteration_ = 0;                           // of the running parallel loop
  std::vector<Components> operands_;                // scratch of `value_operation`

  static size_t at(int32_t id) { return static_cast<size_t>(id); }
  const Type& type(Value v) const { return procedure_.type(v); }

  [[noreturn]] static void fail(Span span, std::string message) { throw RuntimeFault{span, std::move(message)}; }

  /// An input from outside: its form is checked, its reals are rounded where real is f32.
  void bind(Value v, Datum&& d) {
    const Place& p = registers_.place(v);
    bool fits = type(v).stack ? d.stack != nullptr : d.reals.size() == p.reals && d.integers.size() == p.integers;
    if (type(v).field && !type(v).stack) {
      auto count = static_cast<size_t>(element_count(program_, type(v), environment_));
      bool timed = std::ranges::find(type(v).spaces, time_space) != type(v).spaces.end();  // may lack the last row
      auto holds = [&](size_t have, size_t each) { return timed ? have <= count * each : have == count * each; };
      fits = d.field && holds(d.field->reals.size(), p.reals) && holds(d.field->integers.size(), p.integers);
    }
    if (!fits)
      fail({}, fmt::format("input {} of {} does not have the form of its type", value_name(v), procedure_.name));
    if (environment_.single) round_reals(d);
    registers_.set(v, std::move(d));
  }

  static void round_reals(Datum& d) {
    auto round = [](std::vector<double>& reals) {
      for (double& r : reals) r = static_cast<float>(r);
    };
    round(d.reals);
    if (d.field &&
        !std::ranges::all_of(d.field->reals, [](double r) { return r != r || r == static_cast<float>(r); })) {
      d.field = std::make_shared<FieldData>(*d.field);
      round(d.field->reals);
    }
  }

  std::string value_name(Value v) const {
    const std::string& name = procedure_.values[at(v)].name;
    return name.empty() ? fmt::format("%{}", v) : name;
  }

  // --- blocks and operations

  void block(BlockId id) {
    for (OpId o : procedure_.block(id).ops) operation(o);
  }

  void operation(OpId id) {
    const Op& op = procedure_.op(id);
    switch (op.code) {
      case Opcode::size: integers(op)[0] = environment_.sizes[static_cast<size_t>(op.integer)]; break;
      case Opcode::steps: integers(op)[0] = environment_.steps; break;
      case Opcode::extent: integers(op)[0] = extent(op); break;
      case Opcode::index: integers(op)[0] = static_cast<int32_t>(number(op.operands[0])); break;
      case Opcode::reference_equal: integers(op)[0] = number(op.operands[0]) == number(op.operands[1]); break;
      case Opcode::normalise: put_reference(type(op.operands[0]).space, number(op.operands[0]), integers(op)); break;
      case Opcode::check_index: check_index(op); break;
      case Opcode::check_nonzero:
        if (registers_.integer(op.operands[0]) == 0) fail(op.span, "division by zero");
        break;
      case Opcode::fill: fill(op); break;
      case Opcode::load: load(op); break;
      case Opcode::store: put(op, element(op), *registers_.field(op.operands[0])); break;
      case Opcode::reduce: reduce(op, id); break;
      case Opcode::set_element: set_element(op, id); break;
      case Opcode::add_fields: add_fields(op); break;
      case Opcode::stack_new: registers_.stack(op.results[0]) = std::make_shared<StackData>(); break;
      case Opcode::push:
        registers_.stack(op.operands[0])->items.push_back(registers_.datum(op.operands[1], last_use(id, 1)));
        break;
      case Opcode::pop: pop(op); break;
      case Opcode::if_: if_(op); break;
      case Opcode::for_: for_(op, id); break;
      case Opcode::while_: while_(op, id); break;
      case Opcode::loop: loop(op, id); break;
      case Opcode::serial: serial(op, id); break;
      case Opcode::copy: registers_.field(op.results[0]) = registers_.field(op.operands[0]); break;
      case Opcode::drop:
        registers_.field(op.operands[0]).reset();
        registers_.stack(op.operands[0]).reset();
        break;
      default: value_operation(op);
    }
  }

  std::span<int32_t> integers(const Op& op) { return registers_.room(op.results[0]).integers; }
  bool last_use(OpId op, size_t operand) const { return last_uses_.operands[at(op)][operand]; }

  void value_operation(const Op& op) {
    operands_.clear();
    for (Value v : op.operands) operands_.push_back(registers_.components(v));
    if (evaluate(procedure_, op, operands_, registers_.room(op.results[0]), environment_.single)) return;
    if (op.code == Opcode::extract_at || op.code == Opcode::insert_at)
      array_fault(op, registers_.integer(op.operands[1]), type(op.operands[0]));
    fail(op.span, fmt::format("internal error: {} is not an operation of the interpreter", row(op.code).name));
  }

  // --- references and checks

  const Shape& shape(SpaceId space) const { return shapes_[at(space)]; }

  int64_t number(Value reference) const {
    return element_number(shape(type(reference).space), registers_.components(reference).integers);
  }

  void put_reference(SpaceId space, int64_t number, std::span<int32_t> to) const {
    Coordinates c = coordinates_of(shape(space), number);
    std::copy_n(c.begin(), to.size(), to.begin());
  }

  int32_t extent(const Op& op) const {
    const Shape& s = shape(op.space);
    return op.integer < 0 ? static_cast<int32_t>(s.count()) : s.extents[static_cast<size_t>(op.integer)];
  }

  [[noreturn]] void space_fault(Span span, SpaceId space, int64_t i) const {
    const std::string& name = program_.spaces[at(space)].name;
    fail(span, fmt::format("{}({}) is outside the space {}, which has {}", name, i, name,
                           counted(shape(space).count(), "element")));
  }

  [[noreturn]] void array_fault(const Op& op, int64_t i, const Type& array) const {
    int64_t count = array.is_array() ? array.array[0] : array.element_scalars();
    fail(op.span, fmt::format("index {} is outside an array of {}", i, counted(count, "element")));
  }

  void check_index(const Op& op) const {
    int32_t i = registers_.integer(op.operands[0]);
    if (op.space != no_space) {
      if (i < 0 || i >= shape(op.space).count()) space_fault(op.span, op.space, i);
    } else if (i < 0 || i >= op.integer) {
      fail(op.span, fmt::format("index {} is outside an array of {}", i, counted(op.integer, "element")));
    }
  }

  // --- elements of fields

  /// The element that operands 1 … of `op` name; -1 outside of a `zero` grid.
  int64_t element(const Op& op) const {
    const std::vector<SpaceId>& spaces = type(op.operands[0]).spaces;
    int64_t element = 0;
    for (size_t k = 0; k < spaces.size(); ++k) {
      int64_t n = number(op.operands[k + 1]);
      const Shape& s = shape(spaces[k]);
      if (n < 0 && !s.info->grid)
        space_fault(op.span, spaces[k], registers_.components(op.operands[k + 1]).integers[0]);
      if (n < 0) return -1;
      element = element * s.count() + n;
    }
    const FieldData& data = *registers_.field(op.operands[0]);
    const Place& p = registers_.place(op.operands[0]);
    if ((static_cast<size_t>(element) + 1) * p.reals > data.reals.size() ||
        (static_cast<size_t>(element) + 1) * p.integers > data.integers.size()) {
      fail(op.span, fmt::format("{} has no row for this instant: none was bound", value_name(op.operands[0])));
    }
    return element;
  }

  void load(const Op& op) {
    int64_t e = element(op);
    ResultComponents to = registers_.room(op.results[0]);
    const Type& t = type(op.results[0]);
    const FieldData& data = *registers_.field(op.operands[0]);
    const Place& p = registers_.place(op.operands[0]);
    if (t.element == Element::reference) {
      auto dims = static_cast<size_t>(shape(t.space).dims());
      for (size_t i = 0; i < p.integers; ++i) {
        int64_t n = e < 0 ? -1 : data.integers[static_cast<size_t>(e) * p.integers + i];
        put_reference(t.space, n, to.integers.subspan(i * dims, dims));
      }
    } else if (e < 0) {
      std::ranges::fill(to.reals, 0.0);
      std::ranges::fill(to.integers, 0);
    } else {
      std::copy_n(data.reals.begin() + e * static_cast<std::ptrdiff_t>(p.reals), p.reals, to.reals.begin());
      std::copy_n(data.integers.begin() + e * static_cast<std::ptrdiff_t>(p.integers), p.integers, to.integers.begin());
    }
  }

  /// A value in the form that fields hold: references as numbers.
  Components as_stored(Value v, std::vector<int32_t>& numbers) const {
    Components c = registers_.components(v);
    if (type(v).element != Element::reference) return c;
    const Shape& s = shape(type(v).space);
    auto dims = static_cast<size_t>(s.dims());
    for (size_t i = 0; i < c.integers.size(); i += dims) {
      numbers.push_back(static_cast<int32_t>(element_number(s, c.integers.subspan(i, dims))));
    }
    return {{}, numbers};
  }

  /// Puts the last operand into element `e`; outside of a `zero` grid it is dropped.
  void put(const Op& op, int64_t e, FieldData& data) const {
    if (e < 0) return;
    std::vector<int32_t> numbers;
    Components c = as_stored(op.operands.back(), numbers);
    std::ranges::copy(c.reals, data.reals.begin() + e * static_cast<std::ptrdiff_t>(c.reals.size()));
    std::ranges::copy(c.integers, data.integers.begin() + e * static_cast<std::ptrdiff_t>(c.integers.size()));
  }

  void reduce(const Op& op, OpId id) {
    Value handle = op.operands[0];
    int64_t e = type(handle).field ? element(op) : 0;
    if (e < 0) return;
    Components value = registers_.components(op.operands.back());
    if (reducers_[at(handle)])
      reducers_[at(handle)]->reduce(id, iteration_, e, value);
    else
      reduce_element(*registers_.field(handle), e, value, op.reduction, environment_.single);
  }

  void set_element(const Op& op, OpId id) {
    int64_t e = element(op);
    std::shared_ptr<FieldData> data = registers_.own(op.operands[0], last_use(id, 0));
    put(op, e, *data);
    registers_.field(op.results[0]) = std::move(data);
  }

  void fill(const Op& op) {
    std::vector<int32_t> numbers;
    Components c = as_stored(op.operands[0], numbers);
    auto data = std::make_shared<FieldData>();
    int64_t count = element_count(program_, type(op.results[0]), environment_);
    auto repeat = [count](auto& to, auto from) {
      if (from.size() == 1) return to.assign(static_cast<size_t>(count), from[0]);
      to.reserve(static_cast<size_t>(count) * from.size());
      for (int64_t i = 0; i < count; ++i) to.insert(to.end(), from.begin(), from.end());
    };
    repeat(data->reals, c.reals);
    repeat(data->integers, c.integers);
    registers_.field(op.results[0]) = std::move(data);
  }

  void add_fields(const Op& op) {
    auto sum = std::make_shared<FieldData>(*registers_.field(op.operands[0]));
    const FieldData& other = *registers_.field(op.operands[1]);
    for (size_t i = 0; i < sum->reals.size(); ++i) {
      sum->reals[i] = combine(Reduction::add, sum->reals[i], other.reals[i], environment_.single);
    }
    for (size_t i = 0; i < sum->integers.size(); ++i) {
      sum->integers[i] = combine(Reduction::add, sum->integers[i], other.integers[i]);
    }
    registers_.field(op.results[0]) = std::move(sum);
  }

  void pop(const Op& op) {
    std::vector<Datum>& items = registers_.stack(op.operands[0])->items;
    if (items.empty()) {
      const std::string& name = procedure_.values[at(op.operands[0])].name;
      fail(op.span,
           name.empty() ? "pop from an empty stack" : fmt::format("pop from the stack {}, which is empty", name));
    }
    registers_.set(op.results[0], std::move(items.back()));
    items.pop_back();
  }

  // --- control flow

  void if_(const Op& op) {
    BlockId branch = op.blocks[registers_.integer(op.operands[0]) != 0 ? 0 : 1];
    block(branch);
    registers_.transfer(procedure_.block(branch).yields, op.results, &last_uses_.yields[at(branch)]);
  }

  Walk walk(const Op& op, const Domain& domain) const {
    if (domain.space == no_space)
      return {registers_.integer(op.operands[0]), registers_.integer(op.operands[1]), domain.reversed};
    return {shape(domain.space), domain};
  }

  static size_t bounds(const Op& op) { return op.domains[0].space == no_space ? 2 : 0; }

  void set_index(Value v, const Coordinates& c) {
    std::span<int32_t> to = registers_.room(v).integers;
    std::copy_n(c.begin(), to.size(), to.begin());
  }

  void for_(const Op& op, OpId id) {
    const Block& body = procedure_.block(op.blocks[0]);
    size_t first = bounds(op);
    Walk turns = walk(op, op.domains[0]);
    std::span<const Value> carried = std::span(body.arguments).subspan(1);
    registers_.transfer(std::span(op.operands).subspan(first), carried, &last_uses_.operands[at(id)], first);
    std::vector<LaneSum> sums = begin_sums(op);
    for (int64_t i = 0; i < turns.count(); ++i) {
      set_index(body.arguments[0], turns.at(i));
      for (LaneSum& sum : sums) std::ranges::copy(sum.lane(i), registers_.room(sum.argument).reals.begin());
      block(op.blocks[0]);
      for (LaneSum& sum : sums) {
        std::ranges::copy(registers_.components(sum.yield).reals, sum.lane(i).begin());
        if (i % sum_block == sum_block - 1) sum.close_block(environment_.single);
      }
      registers_.transfer(body.yields, carried, &last_uses_.yields[at(op.blocks[0])]);
    }
    for (LaneSum& sum : sums) sum.finish(registers_.room(sum.argument).reals, environment_.single);
    registers_.transfer(carried, op.results, nullptr);
  }

  /// The carried values that are summed in lanes (lane_sums.hpp).
  std::vector<LaneSum> begin_sums(const Op& op) {
    const Block& body = procedure_.block(op.blocks[0]);
    std::vector<bool> which = lane_sums(procedure_, op);
    std::vector<LaneSum> sums;
    for (size_t k = 0; k < which.size(); ++k) {
      if (!which[k]) continue;
      std::span<const double> initial = registers_.components(body.arguments[1 + k]).reals;
      sums.push_back({body.arguments[1 + k], body.yields[k], {initial.begin(), initial.end()}, {}, {}});
      sums.back().lanes.assign(sum_lanes * initial.size(), 0.0);
      sums.back().totals.assign(initial.size(), 0.0);
    }
    return sums;
  }

  void while_(const Op& op, OpId id) {
    const Block &condition = procedure_.block(op.blocks[0]), &body = procedure_.block(op.blocks[1]);
    registers_.transfer(op.operands, condition.arguments, &last_uses_.operands[at(id)]);
    while (true) {
      block(op.blocks[0]);
      if (registers_.integer(condition.yields[0]) == 0) break;
      registers_.transfer(condition.arguments, body.arguments, nullptr);
      block(op.blocks[1]);
      registers_.transfer(body.yields, condition.arguments, &last_uses_.yields[at(op.blocks[1])]);
    }
    registers_.transfer(condition.arguments, op.results, nullptr);
  }

  /// Runs `turn` for each tuple of the domains, row-major; the first arguments of the body are the indices.
  template <class Turn>
  void for_each_tuple(const Op& op, Turn turn) {
    const std::vector<Value>& arguments = procedure_.block(op.blocks[0]).arguments;
    std::vector<Walk> walks;
    int64_t total = 1;
    for (const Domain& domain : op.domains) total *= walks.emplace_back(walk(op, domain)).count();
    if (total == 0) return;
    std::vector<int64_t> at(walks.size(), 0);
    for (size_t k = 0; k < walks.size(); ++k) set_index(arguments[k], walks[k].at(0));
    for (int64_t i = 0; i < total; ++i) {
      turn(i);
      for (size_t k = walks.size(); k-- > 0;) {
        at[k] = at[k] + 1 < walks[k].count() ? at[k] + 1 : 0;
        set_index(arguments[k], walks[k].at(at[k]));
        if (at[k] != 0) break;
      }
    }
  }

  void loop(const Op& op, OpId id) {
    const std::vector<Value>& arguments = procedure_.block(op.blocks[0]).arguments;
    std::span<const Value> handles = std::span(arguments).subspan(op.domains.size());
    for (size_t i = 0; i < handles.size(); ++i) open(op, handles[i], op.operands[i], op.modes[i], last_use(id, i));
    for_each_tuple(op, [&](int64_t i) {
      iteration_ = i;
      block(op.blocks[0]);
    });
    for (size_t i = 0; i < handles.size(); ++i) close(handles[i], op.results[i]);
  }

  /// Makes a handle of a version or scalar.
  void open(const Op& op, Value handle, Value operand, Mode mode, bool last) {
    if (type(handle).field) {
      registers_.field(handle) = registers_.own(operand, last);
    } else {
      Components c = registers_.components(operand);
      registers_.field(handle) = std::make_shared<FieldData>(
          FieldData{{c.reals.begin(), c.reals.end()}, {c.integers.begin(), c.integers.end()}});
    }
    if (mode == Mode::own || mode == Mode::any) return;
    Reduction reduction = mode == Mode::reduce_add       ? Reduction::add
                          : mode == Mode::reduce_minimum ? Reduction::minimum
                                                         : Reduction::maximum;
    std::vector<OpId> statements;
    find_reductions(op.blocks[0], handle, statements);
    reducers_[at(handle)] = std::make_unique<Reducer>(*registers_.field(handle), std::move(statements),
                                                      !type(handle).field, reduction, environment_.single);
  }

  void find_reductions(BlockId id, Value handle, std::vector<OpId>& found) const {
    for (OpId o : procedure_.block(id).ops) {
      const Op& op = procedure_.op(o);
      if (op.code == Opcode::reduce && op.operands[0] == handle) found.push_back(o);
      for (BlockId nested : op.blocks) find_reductions(nested, handle, found);
    }
  }

  void close(Value handle, Value result) {
    if (reducers_[at(handle)]) reducers_[at(handle)]->finish();
    reducers_[at(handle)].reset();
    std::shared_ptr<FieldData> data = std::move(registers_.field(handle));
    if (type(result).field) {
      registers_.field(result) = std::move(data);
    } else {
      std::ranges::copy(data->reals, registers_.room(result).reals.begin());
      std::ranges::copy(data->integers, registers_.room(result).integers.begin());
    }
  }

  void serial(const Op& op, OpId id) {
    const Block& body = procedure_.block(op.blocks[0]);
    size_t first = bounds(op), updated = op.modes.size();
    std::span<const Value> arguments = std::span(body.arguments).subspan(op.domains.size());
    std::span<const Value> handles = arguments.first(updated), carried = arguments.subspan(updated);
    std::span<const Value> results(op.results);
    for (size_t i = 0; i < updated; ++i)
      open(op, handles[i], op.operands[first + i], Mode::any, last_use(id, first + i));
    registers_.transfer(std::span(op.operands).subspan(first + updated), carried, &last_uses_.operands[at(id)],
                        first + updated);
    for_each_tuple(op, [&](int64_t) {
      block(op.blocks[0]);
      registers_.transfer(body.yields, carried, &last_uses_.yields[at(op.blocks[0])]);
    });
    for (size_t i = 0; i < updated; ++i) close(handles[i], results[i]);
    registers_.transfer(carried, results.subspan(updated), nullptr);
  }
};

}  // namespace

Outcome interpret(const Program& program, const Procedure& procedure, const Environment& environment,
                  std::vector<Datum> inputs) {
  Outcome outcome;
  try {
    outcome.outputs = Machine(program, procedure, environment).run(std::move(inputs));
  } catch (RuntimeFault& fault) { outcome.fault = std::move(fault); }
  return outcome;
}

int64_t element_count(const Program& program, const Type& type, const Environment& environment) {
  int64_t count = 1;
  if (!type.field) return count;
  for (SpaceId space : type.spaces) {
    auto s = static_cast<size_t>(space);
    if (s >= program.spaces.size() || s >= environment.extents.size()) continue;
    for (int32_t extent : environment.extents[s]) count *= extent;
  }
  return count;
}

int32_t scalar_count(const Program& program, const Type& type) {
  bool known = type.space >= 0 && static_cast<size_t>(type.space) < program.spaces.size();
  int32_t dims = 1;
  if (!type.field && known && program.spaces[static_cast<size_t>(type.space)].grid) {
    dims = program.spaces[static_cast<size_t>(type.space)].dims;
  }
  return type.array_count() * type.element_scalars(dims);
}

}  // namespace adjoule::ir
