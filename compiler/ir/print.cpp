// The IR as text. One operation a line, its nested blocks indented below it:
//   %12.d : vec2 = load %3.x [%7.b]
//   %30.f : vec2[Particle] = loop (%5.s : Spring in Spring) updating (+= %6.f = %4.f) {
// A value is its number, with the user's name appended when it has one.
#include "ir/print.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ir/op_table.hpp"

namespace adjoule::ir {
namespace {

std::string real_text(double r) {
  if (std::isnan(r)) return "nan";
  if (std::isinf(r)) return r < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", r);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string_view update_text(Mode mode) {
  switch (mode) {
    case Mode::own: return "own";
    case Mode::reduce_add: return "+=";
    case Mode::reduce_minimum: return "min=";
    case Mode::reduce_maximum: return "max=";
    case Mode::any: return "any";
  }
  return "?";
}

std::string_view reduction_text(Reduction reduction) {
  switch (reduction) {
    case Reduction::add: return "+=";
    case Reduction::minimum: return "min=";
    case Reduction::maximum: return "max=";
  }
  return "?";
}

std::string_view boundary_text(Boundary boundary) {
  switch (boundary) {
    case Boundary::zero: return "zero";
    case Boundary::periodic: return "periodic";
    case Boundary::clamp: return "clamp";
  }
  return "?";
}

class Printer {
 public:
  Printer(const Program& program, const Procedure& procedure)
      : procedure_(procedure), program_(program), spaces_(program.space_names()) {}

  std::string run() {
    std::string results;
    for (Value v : procedure_.outputs()) results += (results.empty() ? "" : ", ") + type(v);
    text_ = fmt::format("procedure {}({}) -> ({}) {{\n", procedure_.name, typed(procedure_.inputs()), results);
    block(procedure_.body, 1, "return");
    return text_ + "}\n";
  }

 private:
  const Procedure& procedure_;
  const Program& program_;
  std::vector<std::string> spaces_;
  std::string text_;

  // --- values
  std::string type(Value v) const { return to_string(procedure_.type(v), spaces_); }
  std::string value(Value v) const { return value_text(procedure_, v); }
  std::string typed(Value v) const { return value(v) + " : " + type(v); }
  std::string typed(const std::vector<Value>& values) const {
    std::string text;
    for (Value v : values) text += (text.empty() ? "" : ", ") + typed(v);
    return text;
  }
  /// The values [begin, end), separated by commas.
  std::string list(const std::vector<Value>& values, size_t begin, size_t end) const {
    std::string text;
    for (size_t i = begin; i < end && i < values.size(); ++i) text += (text.empty() ? "" : ", ") + value(values[i]);
    return text;
  }
  std::string list(const std::vector<Value>& values, size_t begin = 0) const {
    return list(values, begin, values.size());
  }
  std::string space(SpaceId id) const {
    if (id < 0 || static_cast<size_t>(id) >= spaces_.size()) return fmt::format("space#{}", id);
    return spaces_[static_cast<size_t>(id)];
  }

  // --- operations
  void line(int depth, std::string_view text) {
    text_ += std::string(static_cast<size_t>(2 * depth), ' ') + std::string(text) + "\n";
  }

  void block(BlockId id, int depth, std::string_view last) {
    const Block& block = procedure_.block(id);
    for (OpId op : block.ops) operation(procedure_.op(op), depth);
    if (!block.yields.empty()) line(depth, fmt::format("{} {}", last, list(block.yields)));
  }

  void operation(const Op& op, int depth) {
    std::string start = op.results.empty() ? "" : typed(op.results) + " = ";
    start += row(op.code).name;
    std::string rest = details(op);
    if (!rest.empty()) start += " " + rest;
    if (op.blocks.empty()) return line(depth, start);
    line(depth, start + " {");
    for (size_t k = 0; k < op.blocks.size(); ++k) {
      if (k > 0) line(depth, between(op, k));
      block(op.blocks[k], depth + 1, "yield");
    }
    line(depth, "}");
  }

  /// The line between the blocks of an `if` or a `while`.
  std::string between(const Op& op, size_t k) const {
    if (op.code == Opcode::if_) return "} else {";
    return fmt::format("}} do ({}) {{", typed(procedure_.block(op.blocks[k]).arguments));
  }

  /// field [indices] of operands 0 … last - 1
  std::string element(const Op& op, size_t last) const {
    std::string text = list(op.operands, 0, 1);
    return last > 1 ? fmt::format("{} [{}]", text, list(op.operands, 1, last)) : text;
  }

  std::string written(const Op& op, std::string_view how) const {
    if (op.operands.empty()) return "";
    size_t last = op.operands.size() - 1;
    return fmt::format("{} {} {}", element(op, last), how, list(op.operands, last));
  }

  std::string constant(const Op& op) const {
    if (op.results.empty() || procedure_.type(op.results[0]).is_int()) return std::to_string(op.integer);
    return procedure_.type(op.results[0]).is_bool() ? (op.integer != 0 ? "true" : "false") : real_text(op.real);
  }

  std::string size_name(const Op& op) const {
    auto id = static_cast<size_t>(op.integer);
    return id < program_.sizes.size() ? program_.sizes[id].name : fmt::format("size#{}", op.integer);
  }

  /// What stands after the operation's name.
  std::string details(const Op& op) const {
    switch (op.code) {
      case Opcode::constant: return constant(op);
      case Opcode::size: return size_name(op);
      case Opcode::extent:
        return op.integer < 0 ? space(op.space) : fmt::format("{} axis {}", space(op.space), op.integer);
      case Opcode::power_constant: return fmt::format("{}, {}", list(op.operands), real_text(op.real));
      case Opcode::extract: return fmt::format("{} at {}", list(op.operands), op.integer);
      case Opcode::insert:
        return fmt::format("{} at {} = {}", list(op.operands, 0, 1), op.integer, list(op.operands, 1));
      case Opcode::make_reference: return fmt::format("{} ({})", space(op.space), list(op.operands));
      case Opcode::offset: return fmt::format("{} + ({})", list(op.operands, 0, 1), list(op.operands, 1));
      case Opcode::coordinate: return fmt::format("{} axis {}", list(op.operands), op.integer);
      case Opcode::check_index:
        return fmt::format("{} < {}", list(op.operands),
                           op.space == no_space ? std::to_string(op.integer) : space(op.space));
      case Opcode::load: return element(op, op.operands.size());
      case Opcode::store:
      case Opcode::set_element: return written(op, "=");
      case Opcode::reduce: return written(op, reduction_text(op.reduction));
      case Opcode::for_:
      case Opcode::while_:
      case Opcode::loop:
      case Opcode::serial: return loop_header(op);
      default: return list(op.operands);
    }
  }

  // --- loops

  std::string domain(const Op& op, const Domain& d) const {
    std::string text =
        d.space == no_space ? fmt::format("{}..{}", list(op.operands, 0, 1), list(op.operands, 1, 2)) : space(d.space);
    if (d.region == Region::interior) text += fmt::format(".interior({})", d.width);
    if (d.region == Region::boundary && d.side.axis < 0) text += fmt::format(".boundary({})", d.width);
    if (d.region == Region::boundary && d.side.axis >= 0) {
      text += fmt::format(".boundary({}, {}_{})", d.width, "xyz"[d.side.axis % 3], d.side.high ? "high" : "low");
    }
    return d.reversed ? fmt::format("reversed({})", text) : text;
  }

  /// (%1.i : Cell in Cell, …) updating (own %2.x = %0.x, …) carrying (%3.s : real = %4, …)
  std::string loop_header(const Op& op) const {
    std::vector<Value> arguments = op.blocks.empty() ? std::vector<Value>{} : procedure_.block(op.blocks[0]).arguments;
    size_t next = 0;
    auto argument = [&] { return next < arguments.size() ? typed(arguments[next++]) : std::string("?"); };
    std::string indices, updated, carried;
    bool range = false;
    for (const Domain& d : op.domains) {
      indices += fmt::format("{}{} in {}", indices.empty() ? "" : ", ", argument(), domain(op, d));
      range |= d.space == no_space;
    }
    size_t operand = range ? 2 : 0;
    for (Mode mode : op.modes) {
      updated += fmt::format("{}{} {}", updated.empty() ? "" : ", ", update_text(mode), argument());
      updated += " = " + list(op.operands, operand, operand + 1);
      ++operand;
    }
    for (; operand < op.operands.size(); ++operand) {
      carried += fmt::format("{}{}", carried.empty() ? "" : ", ", argument());
      carried += " = " + list(op.operands, operand, operand + 1);
    }
    std::string text;
    if (!indices.empty()) text += fmt::format("({})", indices);
    if (!updated.empty()) text += fmt::format("{}updating ({})", text.empty() ? "" : " ", updated);
    if (!carried.empty()) text += fmt::format("{}carrying ({})", text.empty() ? "" : " ", carried);
    return text;
  }
};

std::string space_text(const SpaceInfo& space) {
  if (!space.grid) return fmt::format("space {}{}\n", space.name, space.open ? " open" : "");
  std::string rules;
  for (size_t axis = 0; axis < static_cast<size_t>(space.dims) && axis < space.boundary.size(); ++axis) {
    rules += (rules.empty() ? "" : ", ") + std::string(boundary_text(space.boundary[axis]));
  }
  return fmt::format("grid {}{} boundary ({})\n", space.name, space.open ? " open" : "", rules);
}

std::string_view role_text(FieldRole role) {
  switch (role) {
    case FieldRole::param: return "param";
    case FieldRole::input: return "input";
    case FieldRole::state: return "state";
  }
  return "?";
}

}  // namespace

std::string value_text(const Procedure& procedure, Value v) {
  if (v < 0 || static_cast<size_t>(v) >= procedure.values.size()) return fmt::format("%{}?", v);
  const std::string& name = procedure.values[static_cast<size_t>(v)].name;
  return name.empty() ? fmt::format("%{}", v) : fmt::format("%{}.{}", v, name);
}

std::string print(const Program& program, const Procedure& procedure) { return Printer(program, procedure).run(); }

std::string print(const Program& program) {
  std::string text;
  std::vector<std::string> spaces = program.space_names();
  for (const SizeInfo& size : program.sizes) text += fmt::format("size {}\n", size.name);
  for (const SpaceInfo& space : program.spaces) text += space_text(space);
  for (const FieldInfo& field : program.fields) {
    text += fmt::format("{} {} : {}\n", role_text(field.role), field.name, to_string(field.type, spaces));
  }
  auto procedure = [&](const Procedure& p) {
    if (!p.blocks.empty()) text += "\n" + print(program, p);
  };
  procedure(program.size_defaults);
  procedure(program.extents);
  for (const Procedure& p : program.defaults) procedure(p);
  procedure(program.init);
  if (program.has_step) procedure(program.step);
  for (const Procedure& p : program.losses) procedure(p);
  return text;
}

}  // namespace adjoule::ir
