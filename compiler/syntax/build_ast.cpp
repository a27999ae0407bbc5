// One function for each rule of the grammar. The tree is complete: build_ast is only called when nothing was reported.
#include "syntax/build_ast.hpp"

#include <charconv>

namespace adjoule::syntax {

namespace {

using antlr4::ParserRuleContext;

class Builder {
 public:
  explicit Builder(const TokenText& text) : text_(text) {}
  Program build(Grammar::ProgramContext* tree);

 private:
  // Places and names.
  Span span(const ParserRuleContext* c) const { return join(text_.span(c->start), text_.span(c->stop ? c->stop : c->start)); }
  std::string word(const ParserRuleContext* c) const { return std::string(text_.text(span(c))); }
  std::string_view word(antlr4::tree::TerminalNode* node) const { return text_.text(node->getSymbol()); }
  uint32_t next_id() { return program_.id_count++; }

  // Expressions, from loose to tight.
  Expr node(ExprKind kind, Span place);
  Expr expr(Grammar::ExprContext* c);
  Expr disjunction(Grammar::DisjunctionContext* c);
  Expr conjunction(Grammar::ConjunctionContext* c);
  Expr negation(Grammar::NegationContext* c);
  Expr comparison(Grammar::ComparisonContext* c);
  Expr sum(Grammar::SumContext* c);
  Expr product(Grammar::ProductContext* c);
  Expr unary(Grammar::UnaryContext* c);
  Expr power(Grammar::PowerContext* c);
  Expr postfix(Grammar::PostfixContext* c);
  Expr with_suffix(Expr base, Grammar::SuffixContext* c);
  Expr primary(Grammar::PrimaryContext* c);
  Expr paren(Grammar::ParenPrimaryContext* c);
  Expr name(Grammar::NameContext* c);
  Expr signs(const std::vector<Grammar::PlusContext*>& plus, Expr operand);

  // Types, parameters, statements.
  TypeExpr type(Grammar::TypeContext* c);
  std::optional<TypeExpr> optional_type(Grammar::TypeContext* c);
  std::optional<Expr> optional_expr(Grammar::ExprContext* c);
  std::vector<Expr> indices(Grammar::IndicesContext* c);
  std::vector<Parameter> parameters(Grammar::ParametersContext* c);
  Block block(Grammar::BlockContext* c);
  Stmt statement(Grammar::StatementContext* c);
  void fill(Stmt& s, Grammar::LetStatementContext* c);
  void fill(Stmt& s, Grammar::VarStatementContext* c);
  void fill(Stmt& s, Grammar::ForStatementContext* c);
  void fill(Stmt& s, Grammar::WhileStatementContext* c);
  void fill(Stmt& s, Grammar::IfStatementContext* c);
  void fill(Stmt& s, Grammar::SolveStatementContext* c);
  void fill(Stmt& s, Grammar::ExpressionStatementContext* c);
  Iterator iterator(Grammar::IteratorContext* c);
  void named(Stmt& s, Grammar::NameContext* c);

  // Items.
  void item(Grammar::ItemContext* c);
  void add(Grammar::GridItemContext* c);
  void add(Grammar::FieldItemContext* c);
  void add(Grammar::StructItemContext* c);
  void add(Grammar::FnItemContext* c);
  void add(Grammar::AdjointItemContext* c);

  const TokenText& text_;
  Program program_;
};

// ---- Expressions ----

Expr Builder::node(ExprKind kind, Span place) {
  Expr e;
  e.kind = kind;
  e.id = next_id();
  e.span = place;
  return e;
}

Expr Builder::expr(Grammar::ExprContext* c) {
  const auto tails = c->disjunction();
  if (tails.size() == 1) return disjunction(tails[0]);
  // condition ? value : condition ? value : last
  Expr e = node(ExprKind::conditional, span(c));
  const auto values = c->expr();
  for (size_t i = 0; i < values.size(); ++i) {
    e.args.push_back(disjunction(tails[i]));
    e.args.push_back(expr(values[i]));
  }
  e.args.push_back(disjunction(tails.back()));
  return e;
}

Expr Builder::disjunction(Grammar::DisjunctionContext* c) {
  const auto parts = c->conjunction();
  if (parts.size() == 1) return conjunction(parts[0]);
  Expr e = node(ExprKind::any_of, span(c));
  e.args.reserve(parts.size());
  for (auto* part : parts) e.args.push_back(conjunction(part));
  return e;
}

Expr Builder::conjunction(Grammar::ConjunctionContext* c) {
  const auto parts = c->negation();
  if (parts.size() == 1) return negation(parts[0]);
  Expr e = node(ExprKind::all_of, span(c));
  e.args.reserve(parts.size());
  for (auto* part : parts) e.args.push_back(negation(part));
  return e;
}

Expr Builder::negation(Grammar::NegationContext* c) {
  Expr e = comparison(c->comparison());
  const auto words = c->NOT();
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    Expr outer = node(ExprKind::negation, join(text_.span((*word)->getSymbol()), e.span));
    outer.args.push_back(std::move(e));
    e = std::move(outer);
  }
  return e;
}

Comparison comparison_of(std::string_view text) {
  if (text == "==") return Comparison::equal;
  if (text == "!=") return Comparison::not_equal;
  if (text == "<") return Comparison::less;
  if (text == "<=") return Comparison::less_equal;
  return text == ">" ? Comparison::greater : Comparison::greater_equal;
}

Expr Builder::comparison(Grammar::ComparisonContext* c) {
  const auto sides = c->sum();
  if (sides.size() == 1) return sum(sides[0]);
  Expr e = node(ExprKind::comparison, span(c));
  e.op = comparison_of(word(c->compare(0)));
  e.args.push_back(sum(sides[0]));
  e.args.push_back(sum(sides[1]));
  return e;
}

Expr Builder::sum(Grammar::SumContext* c) {
  const auto terms = c->product();
  if (terms.size() == 1) return product(terms[0]);
  Expr e = node(ExprKind::sum, span(c));
  e.signs = '+';
  for (auto* plus : c->plus()) e.signs += plus->MINUS() ? '-' : '+';
  e.args.reserve(terms.size());
  for (auto* term : terms) e.args.push_back(product(term));
  return e;
}

Expr Builder::product(Grammar::ProductContext* c) {
  const auto factors = c->unary();
  if (factors.size() == 1) return unary(factors[0]);
  Expr e = node(ExprKind::product, span(c));
  e.signs = '*';
  for (auto* times : c->times()) e.signs += times->DIVIDE() ? '/' : '*';
  e.args.reserve(factors.size());
  for (auto* factor : factors) e.args.push_back(unary(factor));
  return e;
}

/// Signs in front of an operand; a plus says nothing and leaves no node.
Expr Builder::signs(const std::vector<Grammar::PlusContext*>& plus, Expr operand) {
  for (auto sign = plus.rbegin(); sign != plus.rend(); ++sign) {
    if (!(*sign)->MINUS()) continue;
    Expr e = node(ExprKind::negative, join(span(*sign), operand.span));
    e.args.push_back(std::move(operand));
    operand = std::move(e);
  }
  return operand;
}

Expr Builder::unary(Grammar::UnaryContext* c) { return signs(c->plus(), power(c->power())); }

/// From the right: a ^ -b ^ c is a ^ (-(b ^ c)).
Expr Builder::power(Grammar::PowerContext* c) {
  const auto exponents = c->exponent();
  if (exponents.empty()) return postfix(c->postfix());
  Expr right = postfix(exponents.back()->postfix());
  for (size_t i = exponents.size(); i-- > 0;) {
    right = signs(exponents[i]->plus(), std::move(right));
    Expr left = postfix(i > 0 ? exponents[i - 1]->postfix() : c->postfix());
    Expr e = node(ExprKind::power, join(left.span, right.span));
    e.args.push_back(std::move(left));
    e.args.push_back(std::move(right));
    right = std::move(e);
  }
  return right;
}

Expr Builder::postfix(Grammar::PostfixContext* c) {
  Expr e = primary(c->primary());
  for (auto* suffix : c->suffix()) e = with_suffix(std::move(e), suffix);
  return e;
}

Expr Builder::with_suffix(Expr base, Grammar::SuffixContext* c) {
  const Span place = join(base.span, span(c));
  if (auto* member = dynamic_cast<Grammar::MemberSuffixContext*>(c)) {
    Expr e = node(ExprKind::member, place);
    e.text = word(member->name());
    e.args.push_back(std::move(base));
    return e;
  }
  auto* call = dynamic_cast<Grammar::CallSuffixContext*>(c);
  const auto arguments = call ? call->expr() : dynamic_cast<Grammar::IndexSuffixContext*>(c)->expr();
  Expr e = node(call ? ExprKind::call : ExprKind::index, place);
  e.args.reserve(arguments.size() + 1);
  e.args.push_back(std::move(base));
  for (auto* argument : arguments) e.args.push_back(expr(argument));
  return e;
}

Expr Builder::primary(Grammar::PrimaryContext* c) {
  if (auto* named = dynamic_cast<Grammar::NamePrimaryContext*>(c)) return name(named->name());
  if (auto* parens = dynamic_cast<Grammar::ParenPrimaryContext*>(c)) return paren(parens);
  const std::string_view text = text_.text(span(c));
  if (auto* array = dynamic_cast<Grammar::ArrayPrimaryContext*>(c)) {
    Expr e = node(ExprKind::array, span(c));
    for (auto* element : array->expr()) e.args.push_back(expr(element));
    return e;
  }
  if (dynamic_cast<Grammar::IntPrimaryContext*>(c)) {
    Expr e = node(ExprKind::integer, span(c));
    std::from_chars(text.data(), text.data() + text.size(), e.integer);
    return e;
  }
  if (dynamic_cast<Grammar::RealPrimaryContext*>(c)) {
    Expr e = node(ExprKind::real, span(c));
    std::from_chars(text.data(), text.data() + text.size(), e.real);
    return e;
  }
  Expr e = node(ExprKind::boolean, span(c));
  e.integer = text == "true" ? 1 : 0;
  return e;
}

Expr Builder::paren(Grammar::ParenPrimaryContext* c) {
  const auto parts = c->expr();
  if (parts.size() == 1) {
    Expr e = expr(parts[0]);
    e.parenthesised = true;
    e.span = span(c);
    return e;
  }
  Expr e = node(ExprKind::tuple, span(c));
  for (auto* part : parts) e.args.push_back(expr(part));
  return e;
}

Expr Builder::name(Grammar::NameContext* c) {
  Expr e = node(ExprKind::name, span(c));
  e.text = word(c);
  return e;
}

// ---- Types and parameters ----

TypeExpr Builder::type(Grammar::TypeContext* c) {
  TypeExpr t;
  t.span = span(c);
  t.name = word(c->name());
  if (c->type()) t.argument.push_back(type(c->type()));
  for (auto* brackets : c->brackets()) {  // real[2][3] is real[2, 3]
    for (auto* length : brackets->expr()) t.brackets.push_back(expr(length));
  }
  return t;
}

std::optional<TypeExpr> Builder::optional_type(Grammar::TypeContext* c) {
  if (!c) return std::nullopt;
  return type(c);
}

std::optional<Expr> Builder::optional_expr(Grammar::ExprContext* c) {
  if (!c) return std::nullopt;
  return expr(c);
}

std::vector<Expr> Builder::indices(Grammar::IndicesContext* c) {
  std::vector<Expr> names;
  if (!c) return names;
  for (auto* each : c->name()) names.push_back(name(each));
  return names;
}

std::vector<Parameter> Builder::parameters(Grammar::ParametersContext* c) {
  std::vector<Parameter> list;
  if (!c) return list;
  for (auto* each : c->parameter()) {
    Parameter p;
    p.span = span(each);
    p.name = word(each->name());
    p.id = next_id();
    p.spaces = indices(each->indices());
    p.type = optional_type(each->type());
    list.push_back(std::move(p));
  }
  return list;
}

// ---- Statements ----

Block Builder::block(Grammar::BlockContext* c) {
  Block b;
  for (auto* each : c->statement()) b.push_back(statement(each));
  return b;
}

void Builder::named(Stmt& s, Grammar::NameContext* c) {
  s.name = word(c);
  s.name_span = span(c);
}

Stmt Builder::statement(Grammar::StatementContext* c) {
  Stmt s;
  s.span = span(c);
  s.id = next_id();
  if (auto* x = dynamic_cast<Grammar::ExpressionStatementContext*>(c)) fill(s, x);
  else if (auto* let = dynamic_cast<Grammar::LetStatementContext*>(c)) fill(s, let);
  else if (auto* var = dynamic_cast<Grammar::VarStatementContext*>(c)) fill(s, var);
  else if (auto* loop = dynamic_cast<Grammar::ForStatementContext*>(c)) fill(s, loop);
  else if (auto* branch = dynamic_cast<Grammar::IfStatementContext*>(c)) fill(s, branch);
  else if (auto* loop = dynamic_cast<Grammar::WhileStatementContext*>(c)) fill(s, loop);
  else if (auto* solve = dynamic_cast<Grammar::SolveStatementContext*>(c)) fill(s, solve);
  else if (dynamic_cast<Grammar::BreakStatementContext*>(c)) s.kind = StmtKind::break_;
  else if (dynamic_cast<Grammar::ContinueStatementContext*>(c)) s.kind = StmtKind::continue_;
  else if (auto* result = dynamic_cast<Grammar::ReturnStatementContext*>(c)) {
    s.kind = StmtKind::return_;
    s.value = expr(result->expr());
  } else if (auto* nested = dynamic_cast<Grammar::BlockStatementContext*>(c)) {
    s.kind = StmtKind::block;
    s.body = block(nested->block());
  }
  return s;
}

void Builder::fill(Stmt& s, Grammar::LetStatementContext* c) {
  s.kind = StmtKind::let;
  named(s, c->name());
  s.type = optional_type(c->type());
  s.value = expr(c->expr());
}

void Builder::fill(Stmt& s, Grammar::VarStatementContext* c) {
  s.kind = StmtKind::var;
  named(s, c->name());
  s.spaces = indices(c->indices());
  s.type = optional_type(c->type());
  s.value = optional_expr(c->expr());
}

void Builder::fill(Stmt& s, Grammar::ForStatementContext* c) {
  s.kind = StmtKind::loop;
  s.serial = c->SERIAL() != nullptr;
  for (auto* each : c->iterator()) s.iterators.push_back(iterator(each));
  s.body = block(c->block());
}

Iterator Builder::iterator(Grammar::IteratorContext* c) {
  Iterator i;
  i.span = span(c);
  i.name = word(c->name());
  i.name_span = span(c->name());
  i.id = next_id();
  i.reversed = c->REVERSED() != nullptr;
  i.first = expr(c->range()->expr(0));
  i.last = optional_expr(c->range()->expr(1));
  return i;
}

void Builder::fill(Stmt& s, Grammar::WhileStatementContext* c) {
  s.kind = StmtKind::while_;
  s.value = expr(c->condition()->expr(0));
  s.body = block(c->block());
}

void Builder::fill(Stmt& s, Grammar::IfStatementContext* c) {
  s.kind = StmtKind::if_;
  const auto conditions = c->condition();
  const auto blocks = c->block();
  for (size_t i = 0; i < conditions.size(); ++i) {
    Expr condition = expr(conditions[i]->expr(0));
    s.branches.push_back({std::move(condition), block(blocks[i])});
  }
  if (blocks.size() > conditions.size()) s.otherwise = block(blocks.back());
}

/// The method with its options is kept as a call: cg(tolerance, 1e-8, max, 200).
void Builder::fill(Stmt& s, Grammar::SolveStatementContext* c) {
  s.kind = StmtKind::solve;
  named(s, c->name(0));
  s.spaces = indices(c->indices());
  s.type = type(c->type());
  Expr method = node(ExprKind::call, span(c->name(1)));
  method.args.push_back(name(c->name(1)));
  for (auto* option : c->option()) {
    method.args.push_back(name(option->name()));
    method.args.push_back(expr(option->expr()));
  }
  s.value = std::move(method);
  s.body = block(c->block());
}

Assign assign_of(Grammar::AssignContext* c) {
  if (c->MIN()) return Assign::minimum;
  if (c->MAX()) return Assign::maximum;
  if (c->ADD_SET()) return Assign::add;
  if (c->SUB_SET()) return Assign::subtract;
  if (c->MUL_SET()) return Assign::multiply;
  return c->DIV_SET() ? Assign::divide : Assign::set;
}

void Builder::fill(Stmt& s, Grammar::ExpressionStatementContext* c) {
  if (!c->assign()) {
    s.kind = StmtKind::call;
    s.value = expr(c->expr(0));
    return;
  }
  s.kind = StmtKind::assign;
  s.op = assign_of(c->assign());
  s.target = expr(c->expr(0));
  s.value = expr(c->expr(1));
}

// ---- Items ----

void Builder::add(Grammar::GridItemContext* c) {
  SpaceItem g;
  g.span = span(c);
  g.name = word(c->name());
  g.name_span = span(c->name());
  g.grid = true;
  for (auto* extent : c->expr()) g.extents.push_back(expr(extent));
  if (c->rules()) {
    for (auto* rule : c->rules()->name()) {
      g.boundary.push_back(word(rule));
      g.boundary_spans.push_back(span(rule));
    }
  }
  program_.spaces.push_back(std::move(g));
}

void Builder::add(Grammar::FieldItemContext* c) {
  FieldItem f;
  f.span = span(c);
  f.name = word(c->name());
  f.name_span = span(c->name());
  f.id = next_id();
  f.role = c->PARAM() ? FieldRole::param : c->INPUT() ? FieldRole::input : FieldRole::state;
  f.spaces = indices(c->indices());
  f.type = type(c->type());
  f.value = optional_expr(c->expr());
  program_.fields.push_back(std::move(f));
}

void Builder::add(Grammar::StructItemContext* c) {
  StructItem s;
  s.span = span(c);
  s.name = word(c->name());
  for (auto* member : c->member()) {
    Parameter p;
    p.span = span(member);
    p.name = word(member->name());
    p.id = next_id();
    p.type = type(member->type());
    s.members.push_back(std::move(p));
  }
  program_.structs.push_back(std::move(s));
}

void Builder::add(Grammar::FnItemContext* c) {
  FunctionItem f{span(c), word(c->name()), span(c->name()), false, parameters(c->parameters()), {}, {}};
  f.results.push_back(type(c->type()));
  f.body = block(c->block());
  program_.functions.push_back(std::move(f));
}

void Builder::add(Grammar::AdjointItemContext* c) {
  FunctionItem f{span(c), word(c->name()), span(c->name()), true, parameters(c->parameters()), {}, {}};
  for (auto* result : c->results()->type()) f.results.push_back(type(result));
  f.body = block(c->block());
  program_.functions.push_back(std::move(f));
}

std::string without_quotes(std::string_view text) { return std::string(text.substr(1, text.size() - 2)); }

void Builder::item(Grammar::ItemContext* c) {
  if (auto* field = dynamic_cast<Grammar::FieldItemContext*>(c)) add(field);
  else if (auto* function = dynamic_cast<Grammar::FnItemContext*>(c)) add(function);
  else if (auto* adjoint = dynamic_cast<Grammar::AdjointItemContext*>(c)) add(adjoint);
  else if (auto* grid = dynamic_cast<Grammar::GridItemContext*>(c)) add(grid);
  else if (auto* record = dynamic_cast<Grammar::StructItemContext*>(c)) add(record);
  else if (auto* imported = dynamic_cast<Grammar::ImportItemContext*>(c)) {
    program_.imports.push_back({span(c), without_quotes(word(imported->STRING()))});
  } else if (auto* size = dynamic_cast<Grammar::SizeItemContext*>(c)) {
    program_.sizes.push_back({span(c), word(size->name()), span(size->name()), optional_expr(size->expr())});
  } else if (auto* space = dynamic_cast<Grammar::SpaceItemContext*>(c)) {
    SpaceItem s{.span = span(c), .name = word(space->name()), .name_span = span(space->name())};
    if (space->expr()) s.extents.push_back(expr(space->expr()));
    program_.spaces.push_back(std::move(s));
  } else if (auto* constant = dynamic_cast<Grammar::ConstItemContext*>(c)) {
    std::optional<TypeExpr> written = optional_type(constant->type());
    program_.consts.push_back(
        {span(c), word(constant->name()), span(constant->name()), std::move(written), expr(constant->expr())});
  } else if (auto* proc = dynamic_cast<Grammar::ProcItemContext*>(c)) {
    std::vector<Parameter> list = parameters(proc->parameters());
    program_.procs.push_back({span(c), word(proc->name()), span(proc->name()), std::move(list), block(proc->block())});
  } else if (auto* init = dynamic_cast<Grammar::InitItemContext*>(c)) {
    program_.inits.push_back({span(c), "", text_.span(c->start), block(init->block())});
  } else if (auto* step = dynamic_cast<Grammar::StepItemContext*>(c)) {
    program_.steps.push_back({span(c), "", text_.span(c->start), block(step->block())});
  } else if (auto* loss = dynamic_cast<Grammar::LossItemContext*>(c)) {
    const bool has_name = loss->name() != nullptr;
    program_.losses.push_back({span(c), has_name ? word(loss->name()) : "",
                               has_name ? span(loss->name()) : text_.span(c->start), block(loss->block())});
  }
}

Program Builder::build(Grammar::ProgramContext* tree) {
  for (auto* each : tree->item()) item(each);
  return std::move(program_);
}

}  // namespace

Program build_ast(parser::AdjouleParser::ProgramContext* tree, const TokenText& text) { return Builder(text).build(tree); }

}  // namespace adjoule::syntax
