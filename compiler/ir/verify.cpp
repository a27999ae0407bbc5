// Verification (verify.hpp): values are defined once and visible where they are used, operations are typed
// (type_rules.hpp), blocks and their operation agree, loops obey their access modes, program and kernel level do not
// mix.
#include "ir/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/op_table.hpp"
#include "ir/print.hpp"
#include "ir/type_rules.hpp"

namespace adjoule::ir {
namespace {

/// Where a block stands: kernels are single-threaded code over elements, `parallel` ones have no order of iterations.
enum class Level { program, serial, parallel };

/// An own handle: the loop indices, and at which positions of an access they were found first.
struct OwnHandle {
  std::vector<Value> indices;
  std::vector<size_t> positions;
};

class Verifier {
 public:
  Verifier(const Program& program, const Procedure& procedure) : program_(program), procedure_(procedure) {}

  std::vector<std::string> run() {
    if (procedure_.blocks.empty()) return {fmt::format("{}: has no body", procedure_.name)};
    defined_.assign(procedure_.values.size(), false);
    visible_.assign(procedure_.values.size(), false);
    entered_.assign(procedure_.blocks.size(), false);
    level_of_.assign(procedure_.values.size(), Level::program);
    block(procedure_.body, Level::program);
    return std::move(findings_);
  }

 private:
  const Program& program_;
  const Procedure& procedure_;
  std::vector<std::string> findings_;
  std::vector<bool> defined_, visible_, entered_;
  std::vector<Level> level_of_;  // by value: where it was made
  std::map<Value, Mode> modes_;  // of handles
  std::map<Value, OwnHandle> owned_;

  void report(const Op& op, std::string_view wrong) {
    std::string result = op.results.empty() ? "" : value(op.results[0]) + " = ";
    findings_.push_back(fmt::format("{}: {}{}: {}", procedure_.name, result, row(op.code).name, wrong));
  }
  std::string value(Value v) const { return value_text(procedure_, v); }
  std::string type(Value v) const { return to_string(procedure_.type(v), program_.space_names()); }
  bool exists(Value v) const { return v >= 0 && static_cast<size_t>(v) < procedure_.values.size(); }
  bool exists_block(BlockId b) const { return b >= 0 && static_cast<size_t>(b) < procedure_.blocks.size(); }

  // --- visibility

  void define(Value v, Level level, std::vector<Value>& scope) {
    if (!exists(v)) return findings_.push_back(fmt::format("{}: {} does not exist", procedure_.name, v));
    auto i = static_cast<size_t>(v);
    if (defined_[i]) findings_.push_back(fmt::format("{}: {} is defined twice", procedure_.name, value(v)));
    defined_[i] = visible_[i] = true;
    level_of_[i] = level;
    scope.push_back(v);
  }

  void block(BlockId id, Level level) {
    if (entered_[static_cast<size_t>(id)]) {
      return findings_.push_back(fmt::format("{}: block {} is used twice", procedure_.name, id));
    }
    entered_[static_cast<size_t>(id)] = true;
    std::vector<Value> scope;
    for (Value v : procedure_.block(id).arguments) define(v, level, scope);
    for (OpId o : procedure_.block(id).ops) {
      if (o < 0 || static_cast<size_t>(o) >= procedure_.ops.size()) {
        findings_.push_back(fmt::format("{}: operation {} does not exist", procedure_.name, o));
        continue;
      }
      operation(procedure_.op(o), level);
      for (Value v : procedure_.op(o).results) define(v, level, scope);
    }
    for (Value v : procedure_.block(id).yields) {
      if (!exists(v) || !visible_[static_cast<size_t>(v)]) {
        findings_.push_back(fmt::format("{}: yields {}, which is not visible there", procedure_.name, value(v)));
      } else if (procedure_.values[static_cast<size_t>(v)].handle) {
        findings_.push_back(fmt::format("{}: yields {}, which is a handle", procedure_.name, value(v)));
      }
    }
    for (Value v : scope) visible_[static_cast<size_t>(v)] = false;
  }

  // --- one operation

  void operation(const Op& op, Level level) {
    for (Value v : op.operands) {
      if (!exists(v)) return report(op, fmt::format("uses {}, which does not exist", v));
      if (!visible_[static_cast<size_t>(v)])
        return report(op, fmt::format("uses {}, which is not visible there", value(v)));
    }
    for (Value v : op.results) {
      if (!exists(v)) return report(op, fmt::format("gives {}, which does not exist", v));
    }
    std::string wrong = type_error(program_, procedure_, op);
    if (!wrong.empty()) return report(op, wrong);
    levels(op, level);
    if (op.code == Opcode::load || op.code == Opcode::store || op.code == Opcode::reduce) access(op);
    control(op, level);
  }

  void levels(const Op& op, Level level) {
    bool program_only = op.code == Opcode::loop || op.code == Opcode::serial || op.code == Opcode::fill ||
                        op.code == Opcode::set_element || op.code == Opcode::add_fields;
    if (program_only && level != Level::program) report(op, "stands inside a kernel");
    bool stack = op.code == Opcode::push || op.code == Opcode::pop;
    if (stack && level == Level::parallel && level_of_[static_cast<size_t>(op.operands[0])] != Level::parallel) {
      report(op, fmt::format("a parallel loop uses {}, a stack made outside of it", value(op.operands[0])));
    }
  }

  // --- access modes

  void access(const Op& op) {
    auto found = modes_.find(op.operands[0]);
    if (found == modes_.end()) return;  // a version, or a handle whose loop was reported
    Mode mode = found->second;
    std::string handle = value(op.operands[0]);
    bool reduced = mode == Mode::reduce_add || mode == Mode::reduce_minimum || mode == Mode::reduce_maximum;
    if (op.code != Opcode::reduce && reduced) report(op, fmt::format("{} is only reduced in this loop", handle));
    if (op.code == Opcode::reduce && reduced) {
      bool same = (mode == Mode::reduce_add && op.reduction == Reduction::add) ||
                  (mode == Mode::reduce_minimum && op.reduction == Reduction::minimum) ||
                  (mode == Mode::reduce_maximum && op.reduction == Reduction::maximum);
      if (!same) report(op, fmt::format("{} is reduced by another operator in this loop", handle));
    }
    if (mode == Mode::own) own_access(op);
  }

  /// Each loop index stands alone, at the same position in every access.
  void own_access(const Op& op) {
    OwnHandle& own = owned_[op.operands[0]];
    size_t end = 1 + procedure_.type(op.operands[0]).spaces.size();
    for (size_t k = 0; k < own.indices.size(); ++k) {
      auto matches = [&](size_t p) { return op.operands[p] == own.indices[k]; };
      size_t p = own.positions[k];
      if (p == 0) {  // the first access fixes the position
        for (p = 1; p < end && !matches(p); ++p) {}
        if (p < end) own.positions[k] = p;
      }
      if (p >= end || !matches(p)) {
        report(op, fmt::format("{} is own, but accessed at another element than {}", value(op.operands[0]),
                               value(own.indices[k])));
      }
    }
  }

  // --- control flow

  void control(const Op& op, Level level) {
    size_t wanted = op.code == Opcode::if_ || op.code == Opcode::while_ ? 2 : 0;
    if (op.code == Opcode::for_ || op.code == Opcode::loop || op.code == Opcode::serial) wanted = 1;
    if (op.blocks.size() != wanted) return report(op, fmt::format("takes {} blocks, has {}", wanted, op.blocks.size()));
    if (!std::ranges::all_of(op.blocks, [&](BlockId b) { return exists_block(b); }))
      return report(op, "a block does not exist");
    switch (op.code) {
      case Opcode::if_: return if_(op, level);
      case Opcode::for_: return for_(op, level);
      case Opcode::while_: return while_(op, level);
      case Opcode::loop: return loop(op);
      case Opcode::serial: return serial(op);
      default: return;
    }
  }

  std::vector<Type> types(const std::vector<Value>& values, size_t begin = 0) const {
    std::vector<Type> list;
    for (size_t i = begin; i < values.size(); ++i)
      list.push_back(exists(values[i]) ? procedure_.type(values[i]) : Type{});
    return list;
  }

  void same_types(const Op& op, const std::vector<Type>& expected, const std::vector<Type>& found,
                  std::string_view what) {
    if (expected.size() != found.size()) {
      return report(op, fmt::format("{} {} where {} are wanted", found.size(), what, expected.size()));
    }
    std::vector<std::string> names = program_.space_names();
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i] == expected[i]) continue;
      report(op,
             fmt::format("{} {} is {}, not {}", what, i, to_string(found[i], names), to_string(expected[i], names)));
    }
  }

  void if_(const Op& op, Level level) {
    if (!procedure_.type(op.operands[0]).is_bool()) report(op, "the condition is not bool");
    for (BlockId b : op.blocks) {
      block(b, level);
      same_types(op, {}, types(procedure_.block(b).arguments), "arguments");
      same_types(op, types(op.results), types(procedure_.block(b).yields), "yields");
    }
  }

  /// Checks the domains; returns the types of the index arguments and, in `first`, the number of bounds.
  std::vector<Type> indices(const Op& op, size_t& first) {
    first = 0;
    std::vector<Type> list;
    for (const Domain& d : op.domains) {
      if (d.space == no_space) {
        first = 2;
        list.push_back(int_type());
        if (op.domains.size() != 1 || op.code == Opcode::loop)
          report(op, "an integer range is the only domain of for and serial");
        if (d.region != Region::whole) report(op, "a region of an integer range");
        continue;
      }
      list.push_back(reference_type(d.space));
      if (d.space < 0 || static_cast<size_t>(d.space) >= program_.spaces.size()) {
        report(op, "names no space");
        continue;
      }
      const SpaceInfo& space = program_.spaces[static_cast<size_t>(d.space)];
      if (d.region != Region::whole && !space.grid)
        report(op, fmt::format("a region of {}, which is no grid", space.name));
      if (d.region != Region::whole && d.width < 0) report(op, "a region of negative width");
      if (d.side.axis >= space.dims) report(op, fmt::format("a side of an axis that {} does not have", space.name));
      if (d.reversed && op.code == Opcode::loop) report(op, "a parallel loop is reversed");
    }
    if (op.domains.empty()) report(op, "has no domain");
    for (size_t i = 0; i < first && i < op.operands.size(); ++i) {
      if (!procedure_.type(op.operands[i]).is_int())
        report(op, fmt::format("bound {} is {}, not int", i, type(op.operands[i])));
    }
    if (op.operands.size() < first) report(op, "lacks the bounds of its range");
    return list;
  }

  void for_(const Op& op, Level level) {
    size_t first = 0;
    std::vector<Type> arguments = indices(op, first);
    if (op.domains.size() != 1) report(op, "takes one domain");
    std::vector<Type> carried = types(op.operands, first);
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    same_types(op, arguments, types(procedure_.block(op.blocks[0]).arguments), "arguments");
    block(op.blocks[0], level);
    same_types(op, carried, types(procedure_.block(op.blocks[0]).yields), "yields");
    same_types(op, carried, types(op.results), "results");
  }

  void while_(const Op& op, Level level) {
    std::vector<Type> carried = types(op.operands);
    for (BlockId b : op.blocks) {
      same_types(op, carried, types(procedure_.block(b).arguments), "arguments");
      block(b, level);
    }
    same_types(op, {bool_type()}, types(procedure_.block(op.blocks[0]).yields), "yields of the condition");
    same_types(op, carried, types(procedure_.block(op.blocks[1]).yields), "yields");
    same_types(op, carried, types(op.results), "results");
  }

  void loop(const Op& op) {
    size_t first = 0;
    std::vector<Type> arguments = indices(op, first), updated = types(op.operands);
    if (op.modes.size() != op.operands.size()) return report(op, "takes one mode an operand");
    for (size_t i = 0; i < op.operands.size(); ++i) {
      Mode mode = op.modes[i];
      if (mode == Mode::any) report(op, "a parallel loop has a field in mode any");
      if (mode == Mode::own && !updated[i].field)
        report(op, fmt::format("{} is a scalar, but not reduced", value(op.operands[i])));
      if (updated[i].stack) report(op, fmt::format("{} is a stack", value(op.operands[i])));
    }
    size_t handles = arguments.size();
    arguments.insert(arguments.end(), updated.begin(), updated.end());
    same_types(op, arguments, types(procedure_.block(op.blocks[0]).arguments), "arguments");
    enter_handles(op, handles, op.modes);
    block(op.blocks[0], Level::parallel);
    same_types(op, {}, types(procedure_.block(op.blocks[0]).yields), "yields");
    same_types(op, updated, types(op.results), "results");
  }

  void serial(const Op& op) {
    size_t first = 0;
    std::vector<Type> arguments = indices(op, first), updated = types(op.operands, first);
    if (op.modes.size() > updated.size()) return report(op, "has more modes than operands");
    for (size_t i = 0; i < op.modes.size(); ++i) {
      if (op.modes[i] != Mode::any) report(op, "a serial loop has a field in another mode than any");
      if (!updated[i].field) report(op, fmt::format("{} is updated, but no field", value(op.operands[first + i])));
    }
    size_t handles = arguments.size();
    arguments.insert(arguments.end(), updated.begin(), updated.end());
    same_types(op, arguments, types(procedure_.block(op.blocks[0]).arguments), "arguments");
    enter_handles(op, handles, op.modes);
    block(op.blocks[0], Level::serial);
    std::vector<Type> carried = types(op.operands, first + op.modes.size());
    same_types(op, carried, types(procedure_.block(op.blocks[0]).yields), "yields");
    same_types(op, updated, types(op.results), "results");
  }

  /// Notes the modes of the handles among the body's arguments, which start at number `first`.
  void enter_handles(const Op& op, size_t first, const std::vector<Mode>& modes) {
    const std::vector<Value>& arguments = procedure_.block(op.blocks[0]).arguments;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!exists(arguments[i])) return;
      bool handle = i >= first && i < first + modes.size();
      if (procedure_.values[static_cast<size_t>(arguments[i])].handle != handle) {
        report(op, fmt::format("{} {}", value(arguments[i]),
                               handle ? "is not marked as a handle" : "is marked as a handle"));
      }
      if (!handle) continue;
      modes_[arguments[i]] = modes[i - first];
      std::vector<Value> indices(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(first));
      owned_[arguments[i]] = {indices, std::vector<size_t>(indices.size(), 0)};
    }
  }
};

/// The signature convention of a program's procedures (ir.hpp).
class Signatures {
 public:
  explicit Signatures(const Program& program) : program_(program) {}

  std::vector<std::string> run() {
    std::vector<Type> inputs, states;
    for (const FieldInfo& f : program_.fields) {
      if (f.role != FieldRole::state) inputs.push_back(f.type);
      if (f.role == FieldRole::state) states.push_back(f.type);
    }
    inputs.insert(inputs.end(), states.begin(), states.end());
    inputs.push_back(int_type());
    size_t extents = 0;
    for (const SpaceInfo& space : program_.spaces) extents += space.open ? 0 : static_cast<size_t>(space.dims);
    size_t sizes = 0;
    for (const SizeInfo& size : program_.sizes) sizes += size.has_default ? 1 : 0;

    if (!program_.size_defaults.blocks.empty() || sizes > 0)
      check(program_.size_defaults, {}, ints(sizes), "size_defaults");
    if (!program_.extents.blocks.empty() || extents > 0) check(program_.extents, {}, ints(extents), "extents");
    for (const FieldInfo& f : program_.fields) default_of(f);
    check(program_.init, inputs, states, "init");
    if (program_.has_step) check(program_.step, inputs, states, "step");
    for (const Procedure& p : program_.losses) check(p, inputs, {real_type()}, "loss");
    return std::move(findings_);
  }

 private:
  const Program& program_;
  std::vector<std::string> findings_;

  static std::vector<Type> ints(size_t n) { return std::vector<Type>(n, int_type()); }

  void default_of(const FieldInfo& f) {
    if (f.default_procedure < 0) return;
    if (static_cast<size_t>(f.default_procedure) >= program_.defaults.size()) {
      return findings_.push_back(fmt::format("{}: its default procedure does not exist", f.name));
    }
    check(program_.defaults[static_cast<size_t>(f.default_procedure)], {}, {value_of(f.type)}, "default of " + f.name);
  }

  void check(const Procedure& p, const std::vector<Type>& inputs, const std::vector<Type>& outputs,
             std::string_view what) {
    std::vector<std::string> inside = verify(program_, p);
    bool sound = inside.empty();
    findings_.insert(findings_.end(), inside.begin(), inside.end());
    if (!sound) return;
    compare(p, p.inputs(), inputs, fmt::format("{}: input", what));
    compare(p, p.outputs(), outputs, fmt::format("{}: output", what));
  }

  void compare(const Procedure& p, const std::vector<Value>& found, const std::vector<Type>& expected,
               std::string_view what) {
    if (found.size() != expected.size()) {
      return findings_.push_back(fmt::format("{}s: {} where {} are wanted", what, found.size(), expected.size()));
    }
    std::vector<std::string> names = program_.space_names();
    for (size_t i = 0; i < found.size(); ++i) {
      if (p.type(found[i]) == expected[i]) continue;
      findings_.push_back(fmt::format("{} {} is {}, not {}", what, i, to_string(p.type(found[i]), names),
                                      to_string(expected[i], names)));
    }
  }
};

}  // namespace

std::vector<std::string> verify(const Program& program, const Procedure& procedure) {
  return Verifier(program, procedure).run();
}

std::vector<std::string> verify(const Program& program) { return Signatures(program).run(); }

}  // namespace adjoule::ir
