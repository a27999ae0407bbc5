// The stages parse, check, lower and prepare, each with its time.
#include "driver/compilation.hpp"

#include <fmt/format.h>

#include <chrono>

#include "files.hpp"
#include "ir/verify.hpp"
#include "lowering/lower.hpp"
#include "semantics/check.hpp"
#include "syntax/parse.hpp"
#include "transform/transform.hpp"

namespace adjoule::driver {
namespace {

template <typename F>
auto timed(Compilation& c, const char* name, F&& stage) {
  auto start = std::chrono::steady_clock::now();
  auto result = stage();
  c.stages.push_back({name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
  return result;
}

/// Also stops in release builds: a broken IR must never become machine code.
ir::Program prepare(const ir::Program& program) {
  ir::Program prepared = program;
  auto pass = [&](ir::Procedure& procedure) {
    verify_or_report(program, procedure, "lowering");
    procedure = transform::prepare(program, procedure);
    verify_or_report(program, procedure, "simplification");
  };
  pass(prepared.init);
  if (program.has_step) pass(prepared.step);
  for (ir::Procedure& loss : prepared.losses) pass(loss);
  return prepared;
}

bool check_and_lower(Compilation& c) {
  c.checked = timed(c, "check", [&] { return semantics::check(*c.ast, c.diagnostics); });
  if (c.diagnostics.has_errors()) return false;
  c.program = timed(c, "lower", [&] { return lowering::lower(c.checked, c.diagnostics); });
  if (c.diagnostics.has_errors()) c.program.reset();
  return c.program.has_value();
}

}  // namespace

double Compilation::seconds() const {
  double sum = 0;
  for (const StageTime& stage : stages) sum += stage.seconds;
  return sum;
}

std::vector<Message> Compilation::messages() const {
  std::vector<Message> result;
  for (const Diagnostic& d : diagnostics.list) {
    Message m;
    m.warning = d.severity == Severity::warning;
    if (d.span.known()) {
      LineColumn at = sources.position(d.span);
      m.file = sources.files[static_cast<size_t>(d.span.file)].name;
      m.line = at.line;
      m.column = at.column;
    }
    m.text = d.message;
    m.help = d.help;
    result.push_back(std::move(m));
  }
  return result;
}

std::string Compilation::text() const { return render(diagnostics, sources); }

std::shared_ptr<const Compilation> compile_text(std::string name, std::string text) {
  auto c = std::make_shared<Compilation>();
  int32_t file = c->sources.add(std::move(name), std::move(text));
  c->ast = timed(*c, "parse", [&] { return syntax::parse(c->sources, file, c->diagnostics); });
  if (c->ast && !c->diagnostics.has_errors() && check_and_lower(*c)) {
    c->prepared = timed(*c, "prepare", [&] { return prepare(*c->program); });
  }
  c->diagnostics.tidy();
  return c;
}

std::shared_ptr<const Compilation> compile_file(const std::string& path) {
  return compile_text(path, runtime::read_file(path));
}

void verify_or_report(const ir::Program& program, const ir::Procedure& procedure, const std::string& after) {
  std::vector<std::string> findings = ir::verify(program, procedure);
  if (findings.empty()) return;
  internal_error(fmt::format("the code of '{}' is inconsistent after {}: {}", procedure.name, after, findings.front()));
}

void internal_error(const std::string& what) {
  throw Error(
      Failure::failed_run,
      fmt::format("internal error: {}. This is a bug of the compiler, not of your program: please report it together "
                  "with the program",
                  what));
}

}  // namespace adjoule::driver
