// What the IR shows about how fields are read: whether the last row of a field over `time` certainly is, and why a loss
// does not depend on a field.
#include <fmt/format.h>

#include "driver/facts.hpp"

namespace adjoule::driver {
namespace {

using ir::Opcode;

/// The operation that makes each value, by value; -1 for arguments.
std::vector<ir::OpId> makers(const ir::Procedure& p) {
  std::vector<ir::OpId> result(p.values.size(), -1);
  for (size_t o = 0; o < p.ops.size(); ++o) {
    for (ir::Value v : p.ops[o].results) result[static_cast<size_t>(v)] = static_cast<ir::OpId>(o);
  }
  return result;
}

/// Is `v`, an index into `time`, the instant `now + ahead` for a constant `ahead`?
struct Instants {
  const ir::Procedure& p;
  std::vector<ir::OpId> made = makers(p);
  ir::Value now = p.inputs().back();

  const ir::Op* maker(ir::Value v) const {
    ir::OpId o = made[static_cast<size_t>(v)];
    return o < 0 ? nullptr : &p.op(o);
  }
  std::optional<int64_t> constant(ir::Value v) const {
    const ir::Op* op = maker(v);
    if (op && op->code == Opcode::constant) return op->integer;
    return std::nullopt;
  }
  std::optional<int64_t> ahead(ir::Value v) const {
    if (v == now) return 0;
    const ir::Op* op = maker(v);
    if (!op) return std::nullopt;
    switch (op->code) {
      case Opcode::make_reference:
      case Opcode::coordinate:
      case Opcode::index:
      case Opcode::normalise: return ahead(op->operands[0]);
      case Opcode::offset:
      case Opcode::add: {
        auto base = ahead(op->operands[0]);
        auto by = constant(op->operands[1]);
        if (base && by) return *base + *by;
        return std::nullopt;
      }
      default: return std::nullopt;
    }
  }
};

/// Loads that run whenever the procedure does: not below `if` or `while`.
void find_certain_loads(const ir::Procedure& p, ir::BlockId block, const Instants& instants, int64_t ahead_of_last,
                        std::vector<Span>& by_input) {
  for (ir::OpId o : p.block(block).ops) {
    const ir::Op& op = p.op(o);
    if (op.code == Opcode::load) {
      for (size_t k = 0; k < by_input.size(); ++k) {
        if (op.operands[0] != p.inputs()[k] || by_input[k].known()) continue;
        const Type& type = p.type(op.operands[0]);
        for (size_t s = 0; s < type.spaces.size(); ++s) {
          auto ahead = type.spaces[s] == time_space ? instants.ahead(op.operands[s + 1]) : std::nullopt;
          if (ahead && *ahead >= ahead_of_last) by_input[k] = op.span;
        }
      }
    }
    if (op.code == Opcode::if_ || op.code == Opcode::while_) continue;
    for (ir::BlockId inner : op.blocks) find_certain_loads(p, inner, instants, ahead_of_last, by_input);
  }
}

bool is_used(const ir::Procedure& p, ir::Value v) {
  for (const ir::Block& block : p.blocks) {
    for (ir::OpId o : block.ops) {
      for (ir::Value operand : p.op(o).operands) {
        if (operand == v) return true;
      }
    }
    for (ir::Value y : block.yields) {
      if (y == v) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> certain_last_rows(const Compilation& c) {
  const ir::Program& program = *c.program;
  std::vector<int> globals;
  for (size_t f = 0; f < program.fields.size(); ++f) {
    if (program.fields[f].role != FieldRole::state) globals.push_back(static_cast<int>(f));
  }
  std::vector<Span> found(globals.size());
  auto look = [&](const ir::Procedure& p, int64_t ahead_of_last) {
    if (!p.blocks.empty()) find_certain_loads(p, p.body, Instants{p}, ahead_of_last, found);
  };
  if (program.has_step) look(program.step, 1);  // the last step reads row now + 1 = steps
  for (const ir::Procedure& loss : program.losses) look(loss, 0);
  std::vector<std::string> result(program.fields.size());
  for (size_t k = 0; k < globals.size(); ++k) result[static_cast<size_t>(globals[k])] = c.sources.describe(found[k]);
  return result;
}

std::string independence_reason(const Compilation& c, int loss, int field) {
  const ir::Program& program = *c.program;
  const ir::FieldInfo& info = program.fields[static_cast<size_t>(field)];
  size_t position = 0, globals = 0;
  for (size_t f = 0; f < program.fields.size(); ++f) {
    bool state = program.fields[f].role == FieldRole::state;
    globals += !state;
    if (f < static_cast<size_t>(field) && state == (info.role == FieldRole::state)) ++position;
  }
  if (info.role == FieldRole::state) position += globals;
  auto used = [&](const ir::Procedure& p) { return !p.blocks.empty() && is_used(p, p.inputs()[position]); };
  bool in_run = used(program.init) || (program.has_step && used(program.step));
  bool in_loss = used(program.losses[static_cast<size_t>(loss)]);
  if (!in_run && !in_loss) return fmt::format("{} is never used", info.name);
  return fmt::format(
      "{} is used, but only where no derivative passes (a comparison, a whole number, detach) or in values that "
      "never reach this loss",
      info.name);
}

}  // namespace adjoule::driver
