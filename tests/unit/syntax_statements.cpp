// Statements and declarations: every form, the places of their parts, and their ids.
#include <set>

#include "unit/syntax_support.hpp"

namespace adjoule::syntax {
namespace {

/// The only statement of a step.
Stmt statement(const std::string& text) {
  const Parsed parsed("step { " + text + " }");
  EXPECT_TRUE(parsed.program) << parsed.messages();
  if (!parsed.program || parsed.program->steps[0].body.size() != 1) return {};
  expect_round_trip(*parsed.program);
  const Stmt& s = parsed.program->steps[0].body[0];
  EXPECT_EQ(parsed.text(s.span), text);
  return s;
}

TEST(Statements, Let) {
  const Stmt s = statement("let a: vec2 = b;");
  EXPECT_EQ(s.kind, StmtKind::let);
  EXPECT_EQ(s.name, "a");
  EXPECT_EQ(print(*s.type), "vec2");
  EXPECT_EQ(s.value->text, "b");
  EXPECT_FALSE(statement("let a = b;").type);
}

TEST(Statements, Var) {
  const Stmt s = statement("var f[A, B]: vec2[3] = 0;");
  EXPECT_EQ(s.kind, StmtKind::var);
  ASSERT_EQ(s.spaces.size(), 2u);
  EXPECT_EQ(s.spaces[1].text, "B");
  EXPECT_EQ(print(*s.type), "vec2[3]");
  EXPECT_TRUE(s.value);
  EXPECT_EQ(print(*statement("var s: stack<real[Cell]>;").type), "stack<real[Cell]>");
  EXPECT_FALSE(statement("var x = 1;").type);
}

TEST(Statements, Loops) {
  const Stmt s = statement("for i in A, j in B.interior(1) { x[i] += y[j]; }");
  EXPECT_EQ(s.kind, StmtKind::loop);
  EXPECT_FALSE(s.serial);
  ASSERT_EQ(s.iterators.size(), 2u);
  EXPECT_EQ(s.iterators[1].name, "j");
  EXPECT_EQ(s.iterators[1].first.kind, ExprKind::call);
  EXPECT_FALSE(s.iterators[0].last);
  EXPECT_EQ(s.body.size(), 1u);
}

TEST(Statements, SerialReversedAndRanges) {
  const Stmt serial = statement("serial for c in reversed(Cell) { }");
  EXPECT_TRUE(serial.serial);
  EXPECT_TRUE(serial.iterators[0].reversed);
  const Stmt range = statement("for k in reversed(0..n - 1) { }");
  EXPECT_TRUE(range.iterators[0].reversed);
  ASSERT_TRUE(range.iterators[0].last);
  EXPECT_EQ(range.iterators[0].last->kind, ExprKind::sum);
}

TEST(Statements, Branches) {
  const Stmt s = statement("if a { x = 1; } else if b { x = 2; } else if c { } else { x = 3; }");
  EXPECT_EQ(s.kind, StmtKind::if_);
  ASSERT_EQ(s.branches.size(), 3u);
  EXPECT_EQ(s.branches[1].condition.text, "b");
  EXPECT_EQ(s.branches[2].body.size(), 0u);
  ASSERT_TRUE(s.otherwise);
  EXPECT_EQ(s.otherwise->size(), 1u);
  EXPECT_FALSE(statement("if a { }").otherwise);
}

TEST(Statements, Jumps) {
  const Stmt s = statement("while go and k < 3 { break; continue; }");
  EXPECT_EQ(s.kind, StmtKind::while_);
  EXPECT_EQ(s.value->kind, ExprKind::all_of);
  EXPECT_EQ(s.body[0].kind, StmtKind::break_);
  EXPECT_EQ(s.body[1].kind, StmtKind::continue_);
}

TEST(Statements, ReturnOneOrSeveral) {
  EXPECT_EQ(statement("return a;").value->kind, ExprKind::name);
  EXPECT_EQ(statement("return (a, b);").value->kind, ExprKind::tuple);
}

TEST(Statements, Assignments) {
  const std::pair<const char*, Assign> all[] = {
      {"=", Assign::set},       {"+=", Assign::add},     {"-=", Assign::subtract}, {"*=", Assign::multiply},
      {"/=", Assign::divide},   {"min=", Assign::minimum}, {"max=", Assign::maximum}, {"min =", Assign::minimum}};
  for (const auto& [text, op] : all) {
    const Stmt s = statement(std::string("x[p].y ") + text + " 2;");
    EXPECT_EQ(s.kind, StmtKind::assign);
    EXPECT_EQ(s.op, op) << text;
    EXPECT_EQ(s.target->kind, ExprKind::member);
  }
}

TEST(Statements, CallsAndBlocks) {
  EXPECT_EQ(statement("advance(dt, u);").kind, StmtKind::call);
  EXPECT_EQ(statement("s.push(e);").value->args[0].text, "push");
  EXPECT_EQ(statement("{ x = 1; }").kind, StmtKind::block);
}

TEST(Statements, Solve) {
  const Stmt s = statement("solve dv[Particle]: vec3 by cg(tolerance = 1e-8, max=200) { residual[p] = 1; }");
  EXPECT_EQ(s.kind, StmtKind::solve);
  EXPECT_EQ(s.name, "dv");
  ASSERT_EQ(s.value->args.size(), 5u);
  EXPECT_EQ(s.value->args[0].text, "cg");
  EXPECT_EQ(s.value->args[3].text, "max");
  EXPECT_EQ(statement("solve u[P]: real by newton { }").value->args.size(), 1u);
}

constexpr const char* all_items = R"(/// Every declaration.
import "lib.adj";
size n = 16;
size m;
space P(n * n);
space S;
grid C(n, m) boundary (periodic, clamp);
grid D(n) boundary zero;
grid E(n, n, n);
const dt = 1e-3;
const g: vec2 = vec2(0, -9.8);
param k[S]: real = 1e3;
input ends[S]: P[2];
state x[time, P]: vec2;
struct Body { x: vec2; v: vec2; }
fn f(x: real, u[C]: real) -> real { return x; }
adjoint f(x: real, out_bar: real) -> (real, vec2) { return (x, v); }
adjoint h(x: real, out_bar: real) -> real { return x; }
proc advance(h: real, u[C, D]: real, rule) { u = h; }
fn zero_of() -> vec2[3] { return a; }
init { }
step { x = 1; }
loss { return 1; }
loss named { return 2; }
)";

TEST(Items, AllForms) {
  const Parsed parsed(all_items);
  ASSERT_TRUE(parsed.program) << parsed.messages();
  const Program& p = *parsed.program;
  EXPECT_EQ(p.imports[0].path, "lib.adj");
  EXPECT_TRUE(p.sizes[0].value);
  EXPECT_FALSE(p.sizes[1].value);
  ASSERT_EQ(p.spaces.size(), 5u);
  EXPECT_EQ(p.spaces[0].extents.size(), 1u);
  EXPECT_TRUE(p.spaces[1].extents.empty());
  EXPECT_EQ(p.spaces[2].boundary, (std::vector<std::string>{"periodic", "clamp"}));
  EXPECT_EQ(parsed.text(p.spaces[2].boundary_spans[1]), "clamp");
  EXPECT_EQ(p.spaces[3].boundary, (std::vector<std::string>{"zero"}));
  EXPECT_TRUE(p.spaces[4].grid);
  EXPECT_TRUE(p.spaces[4].boundary.empty());
  EXPECT_EQ(p.fields[0].role, FieldRole::param);
  EXPECT_EQ(p.fields[1].role, FieldRole::input);
  EXPECT_EQ(p.fields[2].role, FieldRole::state);
  EXPECT_EQ(p.fields[2].spaces.size(), 2u);
  EXPECT_EQ(p.structs[0].members[1].name, "v");
  ASSERT_EQ(p.functions.size(), 4u);
  EXPECT_TRUE(p.functions[1].adjoint);
  EXPECT_EQ(p.functions[1].results.size(), 2u);
  EXPECT_FALSE(p.procs[0].parameters[2].type);
  EXPECT_EQ(p.losses[0].name, "");
  EXPECT_EQ(p.losses[1].name, "named");
  EXPECT_EQ(parsed.text(p.losses[1].name_span), "named");
  EXPECT_EQ(parsed.text(p.functions[0].name_span), "f");
  EXPECT_EQ(parsed.text(p.steps[0].span), "step { x = 1; }");
  expect_round_trip(p);
}

TEST(Items, OnlyTheOrderOfTheTextMatters) {
  const Parsed parsed("loss { return 1; }\nsize n;\nfn f() -> real { return 1; }\nstate x: real;\n");
  ASSERT_TRUE(parsed.program);
  EXPECT_EQ(print(*parsed.program), "loss { return 1; }\n\nsize n;\n\nfn f() -> real { return 1; }\n\nstate x: real;\n");
}

void collect(const Expr& e, std::multiset<uint32_t>& ids) {
  ids.insert(e.id);
  for (const Expr& arg : e.args) collect(arg, ids);
}

void collect(const Block& block, std::multiset<uint32_t>& ids) {
  for (const Stmt& s : block) {
    ids.insert(s.id);
    for (const Expr& e : s.spaces) collect(e, ids);
    if (s.type) for (const Expr& e : s.type->brackets) collect(e, ids);
    if (s.value) collect(*s.value, ids);
    if (s.target) collect(*s.target, ids);
    for (const Iterator& i : s.iterators) {
      ids.insert(i.id);
      collect(i.first, ids);
      if (i.last) collect(*i.last, ids);
    }
    for (const Branch& b : s.branches) {
      collect(b.condition, ids);
      collect(b.body, ids);
    }
    if (s.otherwise) collect(*s.otherwise, ids);
    collect(s.body, ids);
  }
}

TEST(Items, IdsAreDenseAndUnique) {
  const Parsed parsed("step { var f[P]: vec2[3] = a^b^-c; "
                      "for i in 0..3, j in P { if not x { y += (1, 2)[0]; } else { f(z); } } }");
  ASSERT_TRUE(parsed.program) << parsed.messages();
  std::multiset<uint32_t> ids;
  collect(parsed.program->steps[0].body, ids);
  EXPECT_EQ(ids.size(), parsed.program->id_count);
  EXPECT_EQ(std::set<uint32_t>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_EQ(*ids.rbegin(), parsed.program->id_count - 1);
}

TEST(Items, AByteOrderMarkIsSkippedAndCounted) {
  const Parsed parsed("\xEF\xBB\xBFsize n;");
  ASSERT_TRUE(parsed.program);
  EXPECT_EQ(parsed.text(parsed.program->sizes[0].span), "size n;");
}

TEST(Items, CommentsMayHoldAnyText) {
  const Parsed parsed("// Größe λ\nsize n; // 中文\n");
  ASSERT_TRUE(parsed.program);
  EXPECT_EQ(parsed.text(parsed.program->sizes[0].name_span), "n");
}

}  // namespace
}  // namespace adjoule::syntax
