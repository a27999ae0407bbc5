// The tree of a program, one node a line.
#include "syntax/print.hpp"

namespace adjoule::syntax {

namespace {

constexpr const char* expr_names[] = {"integer",  "real",    "boolean",  "name",  "conditional", "any_of",
                                      "all_of",   "not",     "compare",  "sum",   "product",     "negative",
                                      "power",    "call",    "index",    "member", "tuple",      "array"};
constexpr const char* statement_names[] = {"let",    "var",    "for",  "while", "if",    "break", "continue",
                                           "return", "assign", "call", "block", "solve"};
constexpr const char* comparison_names[] = {"==", "!=", "<", "<=", ">", ">="};
constexpr const char* assign_names[] = {"=", "+=", "-=", "*=", "/=", "min=", "max="};

class Dumper {
 public:
  std::string out;

  void program(const Program& p);

 private:
  void line(const std::string& text) { out.append(2 * level_, ' ') += text + "\n"; }
  std::string names(const std::vector<Expr>& list);
  std::string type(const std::optional<TypeExpr>& t) { return t ? ": " + print(*t) : ""; }
  std::string parameters(const std::vector<Parameter>& list);
  void expr(const Expr& e);
  void child(const std::optional<Expr>& e);
  void block(const Block& b);
  void inner(const std::string& label, const Block& b);
  void statement(const Stmt& s);
  void iterator(const Iterator& i);
  void items(const Program& p);

  size_t level_ = 0;
};

std::string label(const Expr& e) {
  std::string text = expr_names[static_cast<size_t>(e.kind)];
  switch (e.kind) {
    case ExprKind::integer: return text + " " + std::to_string(e.integer);
    case ExprKind::real: return text + " " + real_literal(e.real);
    case ExprKind::boolean: return text + (e.integer ? " true" : " false");
    case ExprKind::name: case ExprKind::member: return text + " " + e.text;
    case ExprKind::comparison: return text + " " + comparison_names[static_cast<size_t>(e.op)];
    case ExprKind::sum: case ExprKind::product: return text + " " + e.signs;
    default: return text;
  }
}

void Dumper::expr(const Expr& e) {
  line(label(e));
  ++level_;
  for (const Expr& arg : e.args) expr(arg);
  --level_;
}

void Dumper::child(const std::optional<Expr>& e) {
  ++level_;
  if (e) expr(*e);
  --level_;
}

void Dumper::block(const Block& b) {
  ++level_;
  for (const Stmt& s : b) statement(s);
  --level_;
}

/// A block below a statement, under a word that says which one it is.
void Dumper::inner(const std::string& word, const Block& b) {
  ++level_;
  line(word);
  block(b);
  --level_;
}

std::string Dumper::names(const std::vector<Expr>& list) {
  std::string text;
  for (const Expr& e : list) text += (text.empty() ? "[" : ", ") + print(e);
  return text.empty() ? text : text + "]";
}

std::string Dumper::parameters(const std::vector<Parameter>& list) {
  std::string text;
  for (const Parameter& p : list) text += (text.empty() ? "" : ", ") + p.name + names(p.spaces) + type(p.type);
  return "(" + text + ")";
}

void Dumper::iterator(const Iterator& i) {
  ++level_;
  line(std::string("iterator ") + i.name + (i.reversed ? " reversed" : "") + (i.last ? " range" : ""));
  ++level_;
  expr(i.first);
  --level_;
  child(i.last);
  --level_;
}

void Dumper::statement(const Stmt& s) {
  std::string text = statement_names[static_cast<size_t>(s.kind)];
  if (s.kind == StmtKind::loop && s.serial) text = "serial for";
  if (s.kind == StmtKind::assign) text += std::string(" ") + assign_names[static_cast<size_t>(s.op)];
  if (!s.name.empty()) text += " " + s.name;
  line(text + names(s.spaces) + type(s.type));
  child(s.target);
  child(s.value);
  for (const Iterator& i : s.iterators) iterator(i);
  for (const Branch& b : s.branches) {
    child(b.condition);
    inner("then", b.body);
  }
  if (s.otherwise) inner("else", *s.otherwise);
  block(s.body);
}

void Dumper::items(const Program& p) {
  for (const ImportItem& i : p.imports) line("import " + i.path);
  for (const SizeItem& i : p.sizes) { line("size " + i.name); child(i.value); }
  for (const SpaceItem& i : p.spaces) {
    std::string rules;
    for (const std::string& rule : i.boundary) rules += " " + rule;
    line((i.grid ? "grid " : "space ") + i.name + rules);
    for (const Expr& extent : i.extents) child(extent);
  }
  for (const ConstItem& i : p.consts) { line("const " + i.name + type(i.type)); child(i.value); }
  for (const StructItem& i : p.structs) line("struct " + i.name + " " + parameters(i.members));
  for (const FieldItem& i : p.fields) {
    constexpr const char* roles[] = {"param ", "input ", "state "};
    line(roles[static_cast<size_t>(i.role)] + i.name + names(i.spaces) + ": " + print(i.type));
    child(i.value);
  }
}

void Dumper::program(const Program& p) {
  items(p);
  for (const FunctionItem& f : p.functions) {
    std::string results;
    for (const TypeExpr& r : f.results) results += " " + print(r);
    line((f.adjoint ? "adjoint " : "fn ") + f.name + parameters(f.parameters) + " ->" + results);
    block(f.body);
  }
  for (const ProcItem& f : p.procs) { line("proc " + f.name + parameters(f.parameters)); block(f.body); }
  for (const EntryItem& e : p.inits) { line("init"); block(e.body); }
  for (const EntryItem& e : p.steps) { line("step"); block(e.body); }
  for (const EntryItem& e : p.losses) { line(e.name.empty() ? "loss" : "loss " + e.name); block(e.body); }
}

}  // namespace

std::string dump(const Program& program) {
  Dumper dumper;
  dumper.program(program);
  return std::move(dumper.out);
}

}  // namespace adjoule::syntax
