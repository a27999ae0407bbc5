// Programs as source: two blanks a level, one statement a line, short blocks on the line of their head.
#include "syntax/print.hpp"

#include <algorithm>
#include <tuple>

namespace adjoule::syntax {

namespace {

constexpr size_t widest_line = 100;  // a block that fits is written on one line

/// "[A, B]", or "" without names.
std::string bracketed(const std::vector<Expr>& names) {
  std::string text;
  for (const Expr& name : names) text += (text.empty() ? "[" : ", ") + print(name);
  return text.empty() ? text : text + "]";
}

std::string with_type(const std::optional<TypeExpr>& type) { return type ? ": " + print(*type) : ""; }
std::string with_value(const std::optional<Expr>& value) { return value ? " = " + print(*value) : ""; }

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string parameter_list(const std::vector<Parameter>& parameters) {
  std::vector<std::string> parts;
  for (const Parameter& p : parameters) parts.push_back(p.name + bracketed(p.spaces) + with_type(p.type));
  return "(" + joined(parts) + ")";
}

std::string iterator_text(const Iterator& i) {
  std::string range = print(i.first);
  if (i.last) range += ".." + print(*i.last);
  return i.name + " in " + (i.reversed ? "reversed(" + range + ")" : range);
}

constexpr const char* assign_text[] = {" = ", " += ", " -= ", " *= ", " /= ", " min= ", " max= "};

/// cg(tolerance, 1e-8, …) as it was written: cg(tolerance = 1e-8, …).
std::string solve_method(const Expr& method) {
  std::vector<std::string> options;
  for (size_t i = 1; i + 1 < method.args.size(); i += 2) {
    options.push_back(print(method.args[i]) + " = " + print(method.args[i + 1]));
  }
  return print(method.args[0]) + (options.empty() ? "" : "(" + joined(options) + ")");
}

/// A statement up to its block, or all of it.
std::string head(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::let: return "let " + s.name + with_type(s.type) + with_value(s.value) + ";";
    case StmtKind::var: return "var " + s.name + bracketed(s.spaces) + with_type(s.type) + with_value(s.value) + ";";
    case StmtKind::loop: {
      std::vector<std::string> iterators;
      for (const Iterator& i : s.iterators) iterators.push_back(iterator_text(i));
      return (s.serial ? "serial for " : "for ") + joined(iterators);
    }
    case StmtKind::while_: return "while " + print(*s.value);
    case StmtKind::break_: return "break;";
    case StmtKind::continue_: return "continue;";
    case StmtKind::return_: return "return " + print(*s.value) + ";";
    case StmtKind::assign: return print(*s.target) + assign_text[static_cast<size_t>(s.op)] + print(*s.value) + ";";
    case StmtKind::call: return print(*s.value) + ";";
    case StmtKind::solve:
      return "solve " + s.name + bracketed(s.spaces) + with_type(s.type) + " by " + solve_method(*s.value);
    default: return "";
  }
}

bool has_block(const Stmt& s) {
  return s.kind == StmtKind::loop || s.kind == StmtKind::while_ || s.kind == StmtKind::if_ || s.kind == StmtKind::block ||
         s.kind == StmtKind::solve;
}

class Writer {
 public:
  std::string out;

  void program(const Program& p);

 private:
  void indent() { out.append(2 * level_, ' '); }
  void line(const std::string& text) { indent(); out += text + "\n"; }
  void block(const Block& b);
  bool short_block(const Block& b);
  void statement(const Stmt& s);
  void if_statement(const Stmt& s);
  void entry(const std::string& head, const Block& body);
  size_t column() const { return out.size() - (out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1); }

  size_t level_ = 0;
};

/// On the line of the head: at most two simple statements that fit.
bool Writer::short_block(const Block& b) {
  if (b.size() > 2 || std::any_of(b.begin(), b.end(), has_block)) return false;
  std::string text;
  for (const Stmt& s : b) text += head(s) + " ";
  if (column() + text.size() + 3 > widest_line) return false;
  out += "{ " + text + "}";
  return true;
}

void Writer::block(const Block& b) {
  if (b.empty()) { out += "{ }"; return; }
  if (short_block(b)) return;
  out += "{\n";
  ++level_;
  for (const Stmt& s : b) statement(s);
  --level_;
  indent();
  out += "}";
}

void Writer::if_statement(const Stmt& s) {
  for (size_t i = 0; i < s.branches.size(); ++i) {
    out += i ? " else if " : "if ";
    out += print(s.branches[i].condition) + " ";
    block(s.branches[i].body);
  }
  if (!s.otherwise) return;
  out += " else ";
  block(*s.otherwise);
}

void Writer::statement(const Stmt& s) {
  indent();
  if (s.kind == StmtKind::if_) {
    if_statement(s);
  } else {
    const std::string text = head(s);
    out += text;
    if (has_block(s)) {
      if (!text.empty()) out += ' ';
      block(s.body);
    }
  }
  out += "\n";
}

void Writer::entry(const std::string& head_text, const Block& body) {
  out += "\n" + head_text + " ";
  // Entry points and functions of more than one statement read better on lines of their own.
  if (body.size() == 1) {
    block(body);
  } else {
    out += "{\n";
    ++level_;
    for (const Stmt& s : body) statement(s);
    --level_;
    out += "}";
  }
  out += "\n";
}

std::string item_text(const ImportItem& i) { return "import \"" + i.path + "\";"; }
std::string item_text(const SizeItem& i) { return "size " + i.name + with_value(i.value) + ";"; }
std::string item_text(const ConstItem& i) { return "const " + i.name + with_type(i.type) + " = " + print(i.value) + ";"; }

std::string item_text(const SpaceItem& i) {
  std::vector<std::string> extents;
  for (const Expr& extent : i.extents) extents.push_back(print(extent));
  std::string text = (i.grid ? "grid " : "space ") + i.name;
  if (!extents.empty()) text += "(" + joined(extents) + ")";
  if (i.boundary.size() == 1) text += " boundary " + i.boundary[0];
  else if (!i.boundary.empty()) text += " boundary (" + joined(i.boundary) + ")";
  return text + ";";
}

std::string item_text(const FieldItem& i) {
  constexpr const char* roles[] = {"param ", "input ", "state "};
  return roles[static_cast<size_t>(i.role)] + i.name + bracketed(i.spaces) + ": " + print(i.type) + with_value(i.value) + ";";
}

std::string item_text(const StructItem& i) {
  std::string text = "struct " + i.name + " {";
  for (const Parameter& m : i.members) text += " " + m.name + with_type(m.type) + ";";
  return text + " }";
}

std::string head_text(const FunctionItem& f) {
  std::vector<std::string> results;
  for (const TypeExpr& r : f.results) results.push_back(print(r));
  const std::string result = results.size() == 1 ? results[0] : "(" + joined(results) + ")";
  return (f.adjoint ? "adjoint " : "fn ") + f.name + parameter_list(f.parameters) + " -> " + result;
}

/// One item and where it stands: items are printed in the order of their places; those without one, kind by kind.
struct Placed {
  Span span;
  std::string text;             // of a one-line item, or the head of one with a body
  const Block* body = nullptr;
};

template <class Items>
void add_lines(std::vector<Placed>& all, const Items& items) {
  for (const auto& i : items) all.push_back({i.span, item_text(i), nullptr});
}

void add_entries(std::vector<Placed>& all, const std::vector<EntryItem>& entries, const std::string& word) {
  for (const EntryItem& e : entries) all.push_back({e.span, e.name.empty() ? word : word + " " + e.name, &e.body});
}

std::vector<Placed> items_in_order(const Program& p) {
  std::vector<Placed> all;
  add_lines(all, p.imports);
  add_lines(all, p.sizes);
  add_lines(all, p.spaces);
  add_lines(all, p.consts);
  add_lines(all, p.structs);
  add_lines(all, p.fields);
  for (const FunctionItem& f : p.functions) all.push_back({f.span, head_text(f), &f.body});
  for (const ProcItem& f : p.procs) all.push_back({f.span, "proc " + f.name + parameter_list(f.parameters), &f.body});
  add_entries(all, p.inits, "init");
  add_entries(all, p.steps, "step");
  add_entries(all, p.losses, "loss");
  std::stable_sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) {
    return std::tuple(a.span.file, a.span.begin) < std::tuple(b.span.file, b.span.begin);
  });
  return all;
}

void Writer::program(const Program& p) {
  bool after_body = false;
  for (const Placed& item : items_in_order(p)) {
    if (item.body) {
      entry(item.text, *item.body);
    } else {
      if (after_body) out += "\n";
      line(item.text);
    }
    after_body = item.body != nullptr;
  }
  if (out.starts_with('\n')) out.erase(0, 1);
}

}  // namespace

std::string print(const Program& program) {
  Writer writer;
  writer.program(program);
  return std::move(writer.out);
}

}  // namespace adjoule::syntax
