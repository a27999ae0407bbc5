// Operations as statements (writer.hpp).
//   before   %4.f : vec2[P] = loop (%5.s in Spring) updating (+= %6.f = %3.f) { … reduce += %6.f [%8.a], %9 }
//   after    for s in Spring { … f[a] += …; }
#include "lifting/lift.hpp"

#include <algorithm>
#include <cctype>

#include "ir/op_table.hpp"
#include "lifting/writer.hpp"

namespace adjoule::lifting {
namespace {

const std::set<std::string>& reserved() {
  static const std::set<std::string> words{
      "let", "var", "for", "in", "while", "if", "else", "break", "continue", "return", "serial", "reversed", "true", "false",
      "and", "or", "not", "const", "param", "fn", "proc", "struct", "adjoint", "space", "grid", "size", "state", "input", "init",
      "step", "loss", "import", "solve", "boundary", "by", "min", "max", "abs", "sign", "sqrt", "floor", "ceil", "round", "exp",
      "log", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "hypot", "dot", "cross", "norm",
      "outer", "transpose", "det", "inverse", "trace", "identity", "fma", "weigh", "detach", "random", "real", "int", "bool",
      "vec2", "vec3", "vec4", "mat2", "mat3", "mat4", "stack", "index", "coords", "div", "mod", "time", "now", "steps",
      "step_index", "pi", "reciprocal_or_zero", "sum", "normalize", "norm_squared"};
  return words;
}

void count_uses(Writer& w, ir::BlockId id) {
  const ir::Block& block = w.f.block(id);
  auto use = [&](Value v) {
    ++w.uses[at(v)];
    w.user[at(v)] = id;
  };
  for (Value v : block.arguments) w.home[at(v)] = id;
  for (ir::OpId o : block.ops) {
    const Op& op = w.f.op(o);
    for (Value v : op.operands) use(v);
    for (Value v : op.results) {
      w.definition[at(v)] = o;
      w.home[at(v)] = id;
    }
    if (op.code == Opcode::add || op.code == Opcode::subtract)
      for (Value v : op.operands) w.feeds_sum[at(v)] = true;
    if (op.code == Opcode::splat || is_written_by_entries(w, op))
      for (Value v : op.operands) w.must_name[at(v)] = true;
    for (ir::BlockId inner : op.blocks) count_uses(w, inner);
  }
  for (Value v : block.yields) use(v);
}

bool is_statement_only(Opcode code) {
  return code == Opcode::insert || code == Opcode::insert_at || code == Opcode::pop || code == Opcode::stack_new ||
         code == Opcode::fill || code == Opcode::copy || code == Opcode::set_element || code == Opcode::add_fields;
}

}  // namespace

std::string spaces_text(const Writer& w, const Type& type) {
  if (!type.field) return "";
  std::string text = "[";
  for (size_t k = 0; k < type.spaces.size(); ++k) text += (k ? ", " : "") + w.space_names[at(type.spaces[k])];
  return text + "]";
}

std::string type_text(const Writer& w, const Type& type) {
  Type plain = value_of(type);
  return to_string(plain, w.space_names);
}

Writer::Writer(const ir::Program& p, const ir::Procedure& procedure)
    : program(p), f(procedure), space_names(p.space_names()), names(procedure.values.size()),
      definition(procedure.values.size(), -1), uses(procedure.values.size(), 0), home(procedure.values.size(), -1),
      user(procedure.values.size(), -1), feeds_sum(procedure.values.size(), false), must_name(procedure.values.size(), false),
      taken(reserved()) {
  count_uses(*this, f.body);
  for (const std::string& s : space_names) taken.insert(s);
  for (const ir::SizeInfo& s : p.sizes) taken.insert(s.name);
  for (const ir::FieldInfo& s : p.fields) taken.insert(s.name);
}

bool Writer::inlined(Value v) const {
  if (!names[at(v)].empty() || definition[at(v)] < 0) return false;
  const Op& op = f.op(definition[at(v)]);
  if (!op.blocks.empty() || is_statement_only(op.code) || !is_pure(f, op)) return false;
  if (op.code == Opcode::constant || op.code == Opcode::size || op.code == Opcode::extent || op.code == Opcode::steps) return true;
  if (op.code == Opcode::splat || op.code == Opcode::zero) return !must_name[at(v)] || op.code == Opcode::splat;
  if (must_name[at(v)]) return false;
  if (uses[at(v)] != 1 || user[at(v)] != home[at(v)]) return false;
  bool product = op.code == Opcode::multiply;
  if (product && feeds_sum[at(v)]) return false;   // written inside a sum it would be fused into an fma
  if (product && f.type(v).is_matrix()) return false;
  if (op.code == Opcode::load && updated_variables.count(op.operands[0])) return false;
  if (op.code == Opcode::logarithm_or_zero) return false;
  return true;
}

std::string Writer::fresh(std::string base) {
  if (base.empty()) base = "t";
  std::string candidate = base;
  for (int k = 2; taken.count(candidate); ++k) candidate = base + "_" + std::to_string(k);
  taken.insert(candidate);
  return candidate;
}

const std::string& Writer::name(Value v) {
  if (names[at(v)].empty()) names[at(v)] = fresh(f.values[at(v)].name);
  return names[at(v)];
}

void Writer::line(const std::string& text) { out += std::string(static_cast<size_t>(indent) * 2, ' ') + text + "\n"; }

void Writer::declare(Value v, const std::string& value) {
  const Type& type = f.type(v);
  if (type.field) line("var " + name(v) + spaces_text(*this, type) + ": " + type_text(*this, type) + " = " + value + ";");
  else line("let " + name(v) + " = " + value + ";");
}

void Writer::block(ir::BlockId id) {
  for (ir::OpId o : f.block(id).ops) statement(f.op(o));
}

void Writer::statement(const Op& op) {
  switch (op.code) {
    case Opcode::if_: return if_(op);
    case Opcode::for_: return for_(op);
    case Opcode::while_: return while_(op);
    case Opcode::loop:
    case Opcode::serial: return kernel(op);
    default: return single(op);
  }
}

void Writer::single(const Op& op) {
  switch (op.code) {
    case Opcode::drop:
    case Opcode::check_index:
    case Opcode::check_nonzero: return;
    case Opcode::store:
    case Opcode::reduce: return store(op);
    case Opcode::insert:
    case Opcode::insert_at: return insert(op);
    case Opcode::push:
      return line(name(op.operands[0]) + ".push(" + operand(op.operands[1], Binding::conditional) + ");");
    case Opcode::stack_new: {
      Type held = popped(f.type(op.results[0]));
      std::string text = to_string(held, space_names);
      return line("var " + name(op.results[0]) + ": stack<" + text + ">;");
    }
    case Opcode::pop: {
      std::string source = name(op.operands[0]) + ".pop();";
      if (!f.type(op.results[0]).field) return line("let " + name(op.results[0]) + " = " + source);
      declare(op.results[0], zero(value_of(f.type(op.results[0]))));
      return line(name(op.results[0]) + " = " + source);
    }
    case Opcode::fill: return declare(op.results[0], operand(op.operands[0], Binding::conditional));
    case Opcode::copy:
      declare(op.results[0], zero(value_of(f.type(op.results[0]))));
      return line(name(op.results[0]) + " = " + name(op.operands[0]) + ";");
    case Opcode::set_element:
      names[at(op.results[0])] = name(op.operands[0]);
      return line(name(op.operands[0]) + indices(op, 1, op.operands.size() - 1) + " = " +
                  operand(op.operands.back(), Binding::conditional) + ";");
    case Opcode::add_fields: {
      const Type& type = f.type(op.results[0]);
      std::string loop, own;
      for (SpaceId space : type.spaces) {
        std::string index = fresh("i");
        loop += (loop.empty() ? "" : ", ") + index + " in " + space_names[at(space)];
        own += (own.empty() ? "" : ", ") + index;
      }
      names[at(op.results[0])] = name(op.operands[0]);
      return line("for " + loop + " { " + name(op.operands[0]) + "[" + own + "] += " + name(op.operands[1]) + "[" + own + "]; }");
    }
    default: break;
  }
  if (op.results.empty() || inlined(op.results[0]) || uses[at(op.results[0])] == 0) return;
  std::string value = operation(op).text;
  declare(op.results[0], value);
}

/// %r = insert %v, c: a copy with one component replaced.
void Writer::insert(const Op& op) {
  std::string whole = operand(op.operands[0], Binding::conditional);
  std::string c = operand(op.operands.back(), Binding::conditional);
  line("var " + name(op.results[0]) + " = " + whole + ";");
  Op place = op;   // the component of the new variable, as an expression
  place.code = op.code == Opcode::insert ? Opcode::extract : Opcode::extract_at;
  place.operands[0] = op.results[0];
  line(component(place).text + " = " + c + ";");
}

void Writer::store(const Op& op) {
  size_t last = op.operands.size() - 1;
  std::string target = name(op.operands[0]);
  if (last > 1) target += indices(op, 1, last);
  std::string sign = " = ";
  if (op.code == Opcode::reduce)
    sign = op.reduction == ir::Reduction::add ? " += " : op.reduction == ir::Reduction::minimum ? " min= " : " max= ";
  line(target + sign + operand(op.operands[last], Binding::conditional) + ";");
}

/// Does `text` mention the variable `name`?
static bool mentions(const std::string& text, const std::string& name) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    bool starts = at == 0 || !is_word(text[at - 1]);
    bool ends = at + name.size() == text.size() || !is_word(text[at + name.size()]);
    if (starts && ends) return true;
  }
  return false;
}

/// Assigns the yields of a block to the variables that carry them. As they may be permuted, a value that mentions a variable
/// which an earlier assignment changes is kept first.
void Writer::assign_yields(const std::vector<Value>& yields, const std::vector<std::string>& targets) {
  std::vector<std::string> values;
  for (Value v : yields) values.push_back(operand(v, Binding::conditional));
  for (size_t k = 1; k < yields.size(); ++k) {
    bool clobbered = false;
    for (size_t j = 0; j < k; ++j) clobbered = clobbered || (values[j] != targets[j] && mentions(values[k], targets[j]));
    if (!clobbered || values[k] == targets[k]) continue;
    std::string kept = fresh("next");
    line("let " + kept + " = " + values[k] + ";");
    values[k] = kept;
  }
  for (size_t k = 0; k < yields.size(); ++k)
    if (values[k] != targets[k]) line(targets[k] + " = " + values[k] + ";");
}

/// Variables that carry values through a loop, set to the initial ones. A field's variable goes on being used.
std::vector<std::string> Writer::carry(const std::vector<Value>& initial, const std::vector<Value>& arguments) {
  std::vector<std::string> targets;
  for (size_t k = 0; k < arguments.size(); ++k) {
    Value a = arguments[k];
    if (f.type(a).field) {
      names[at(a)] = name(initial[k]);
    } else {
      std::string start = operand(initial[k], Binding::conditional);
      line("var " + name(a) + ": " + type_text(*this, f.type(a)) + " = " + start + ";");
    }
    targets.push_back(name(a));
  }
  return targets;
}

void Writer::if_(const Op& op) {
  std::string condition = operand(op.operands[0], Binding::conditional);
  std::vector<std::string> targets;
  for (Value v : op.results) {
    const Type& type = f.type(v);
    if (type.field) declare(v, zero(value_of(type)));
    else line("var " + name(v) + ": " + type_text(*this, type) + ";");
    targets.push_back(name(v));
  }
  auto branch = [&](ir::BlockId id) {
    ++indent;
    block(id);
    assign_yields(f.block(id).yields, targets);
    --indent;
  };
  line("if " + condition + " {");
  branch(op.blocks[0]);
  std::string before = out;
  line("} else {");
  size_t opened = out.size();
  branch(op.blocks[1]);
  if (out.size() == opened) out = before;
  line("}");
}

std::string Writer::domain(const ir::Domain& d, const std::string& bounds) const {
  std::string range = bounds;
  if (d.space != no_space) {
    range = space_names[at(d.space)];
    std::string width = std::to_string(d.width);
    if (d.region == ir::Region::interior) range += ".interior(" + width + ")";
    if (d.region == ir::Region::boundary && d.side.axis < 0) range += ".boundary(" + width + ")";
    if (d.region == ir::Region::boundary && d.side.axis >= 0)
      range += ".boundary(" + width + ", " + "xyz"[d.side.axis] + (d.side.high ? "_high)" : "_low)");
  }
  return d.reversed ? "reversed(" + range + ")" : range;
}

void Writer::for_(const Op& op) {
  const ir::Block& body = f.block(op.blocks[0]);
  size_t bounds = op.operands.size() - op.results.size();
  std::string range = bounds ? operand(op.operands[0], Binding::sum) + ".." + operand(op.operands[1], Binding::sum) : "";
  std::vector<std::string> targets = carry({op.operands.begin() + static_cast<std::ptrdiff_t>(bounds), op.operands.end()},
                                           {body.arguments.begin() + 1, body.arguments.end()});
  line("for " + name(body.arguments[0]) + " in " + domain(op.domains[0], range) + " {");
  ++indent;
  block(op.blocks[0]);
  assign_yields(body.yields, targets);
  --indent;
  line("}");
  for (size_t k = 0; k < op.results.size(); ++k) names[at(op.results[k])] = targets[k];
}

void Writer::while_(const Op& op) {
  const ir::Block& condition = f.block(op.blocks[0]);
  const ir::Block& body = f.block(op.blocks[1]);
  std::vector<std::string> targets = carry(op.operands, condition.arguments);
  for (size_t k = 0; k < targets.size(); ++k) names[at(body.arguments[k])] = targets[k];
  // The condition is one expression where all that it computes can be written into it.
  bool expression_only = true;
  for (ir::OpId o : condition.ops)
    expression_only = expression_only && f.op(o).results.size() == 1 && inlined(f.op(o).results[0]);
  line(expression_only ? "while " + operand(condition.yields[0], Binding::conditional) + " {" : "while true {");
  ++indent;
  if (!expression_only) {
    block(op.blocks[0]);
    line("if not (" + operand(condition.yields[0], Binding::conditional) + ") { break; }");
  }
  block(op.blocks[1]);
  assign_yields(body.yields, targets);
  --indent;
  line("}");
  for (size_t k = 0; k < op.results.size(); ++k) names[at(op.results[k])] = targets[k];
}

void Writer::kernel(const Op& op) {
  const ir::Block& body = f.block(op.blocks[0]);
  size_t bounds = op.operands.size() - op.results.size(), first = body.arguments.size() - op.results.size();
  std::string range = bounds ? operand(op.operands[0], Binding::sum) + ".." + operand(op.operands[1], Binding::sum) : "";
  std::vector<std::string> targets;
  for (size_t k = 0; k < op.results.size(); ++k) {
    Value start = op.operands[bounds + k], a = body.arguments[first + k];
    if (f.type(a).field) {
      names[at(a)] = name(start);
      updated_variables.insert(start);
    } else {
      line("var " + name(a) + ": " + type_text(*this, f.type(a)) + " = " + operand(start, Binding::conditional) + ";");
    }
    targets.push_back(name(a));
    names[at(op.results[k])] = targets.back();
  }
  std::string header;
  for (size_t k = 0; k < first; ++k)
    header += (k ? ", " : "") + name(body.arguments[k]) + " in " + domain(op.domains[k], range);
  // An int range with element updates is written as a step-level loop, which lowers to the same serial operation.
  bool range_loop = op.code == Opcode::serial && op.domains[0].space == no_space;
  line((op.code == Opcode::serial && !range_loop ? "serial for " : "for ") + header + " {");
  ++indent;
  block(op.blocks[0]);
  size_t handles = op.results.size() - body.yields.size();
  assign_yields(body.yields, {targets.begin() + static_cast<std::ptrdiff_t>(handles), targets.end()});
  --indent;
  line("}");
  for (size_t k = 0; k < op.results.size(); ++k) updated_variables.erase(op.operands[bounds + k]);
}

std::string statements(const ir::Program& program, const ir::Procedure& procedure, const std::vector<std::string>& outputs,
                       const std::vector<std::string>& taken) {
  Writer w(program, procedure);
  for (Value v : procedure.inputs()) {
    w.names[at(v)] = procedure.values[at(v)].name;
    w.taken.insert(w.names[at(v)]);
  }
  w.taken.insert(outputs.begin(), outputs.end());
  w.taken.insert(taken.begin(), taken.end());
  w.block(procedure.body);
  w.assign_yields(procedure.outputs(), outputs);
  return w.out;
}

}  // namespace adjoule::lifting
