// adjoule emit: shows a program at a stage of its way to machine code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "codegen/compile.hpp"
#include "driver/command.hpp"
#include "driver/facts.hpp"
#include "driver/options.hpp"
#include "driver/provider.hpp"
#include "files.hpp"
#include "instance.hpp"
#include "ir/print.hpp"
#include "lifting/lift.hpp"
#include "syntax/parse.hpp"
#include "syntax/print.hpp"

namespace adjoule::driver {
namespace {

struct EmitOptions {
  SharedOptions shared;
  std::string stage, output;
};

/// Names of --wrt and --loss as indices, without an instance: these stages need no sizes.
struct Names {
  const ir::Program& program;

  int loss(const std::string& name) const {
    std::vector<std::string> known;
    for (const ir::Procedure& p : program.losses) known.push_back(p.name);
    if (known.empty()) throw Error(Failure::wrong_use, "the program has no loss");
    if (name.empty() && known.size() == 1) return 0;
    if (name.empty())
      throw Error(Failure::wrong_use,
                  fmt::format("the program has several losses: choose one of {} with --loss", fmt::join(known, ", ")));
    for (size_t k = 0; k < known.size(); ++k) {
      if (known[k] == name) return static_cast<int>(k);
    }
    throw Error(Failure::wrong_use, fmt::format("there is no loss '{}'; there are {}", name, fmt::join(known, ", ")));
  }

  std::vector<int> wrt(const std::vector<std::string>& names) const {
    std::vector<int> result;
    std::vector<std::string> known;
    for (size_t f = 0; f < program.fields.size(); ++f) {
      const ir::FieldInfo& field = program.fields[f];
      known.push_back(field.name);
      if (names.empty() && field.role == FieldRole::param && field.type.differentiable())
        result.push_back(static_cast<int>(f));
    }
    for (const std::string& name : names) {
      auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end()) {
        std::string guess = did_you_mean(name, known);
        throw Error(Failure::wrong_use, fmt::format("there is no param, input or state '{}'{}", name,
                                                    guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess)));
      }
      auto f = static_cast<size_t>(found - known.begin());
      if (!program.fields[f].type.differentiable()) {
        throw Error(Failure::wrong_use,
                    fmt::format("'{}' holds no real numbers, so nothing can be differentiated in it", name));
      }
      result.push_back(static_cast<int>(f));
    }
    if (result.empty())
      throw Error(Failure::wrong_use, "the program has no real param: name what to differentiate in with --wrt");
    return result;
  }
};

/// Adjoint and tangent as Adjoule source.
std::string print_derivative(const Compilation& c, bool reverse, int loss, const std::vector<int>& wrt) {
  const ir::Program& program = *c.prepared;
  if (reverse) return lifting::adjoint_source(*c.ast, program, adjoint::plan_gradient(program, loss, wrt));
  return lifting::tangent_source(*c.ast, program, adjoint::plan_tangent(program, loss, wrt));
}

std::string print_code(const Compilation& c, const EmitOptions& options) {
  Options instance_options;
  for (const std::string& text : options.shared.set) {
    auto [name, value] = split_assignment(text, "--set");
    instance_options.sizes[name] = static_cast<int64_t>(parse_numbers(value, "--set " + name)[0]);
  }
  instance_options.real = options.shared.real == "f32" ? Real::f32 : Real::f64;
  instance_options.optimisation = options.shared.optimisation;
  Facts facts = find_facts(c, instance_options);
  std::vector<ir::Procedure> procedures = primal_procedures(c);
  if (!options.shared.wrt.empty()) {
    Names names{*c.program};
    auto plan = adjoint::plan_gradient(*c.prepared, names.loss(options.shared.loss), names.wrt(options.shared.wrt));
    for (ir::Procedure& p : gradient_procedures(plan)) procedures.push_back(std::move(p));
  }
  procedures = planned(*c.prepared, std::move(procedures));
  std::vector<const ir::Procedure*> pointers;
  for (const ir::Procedure& p : procedures) pointers.push_back(&p);
  codegen::CompileOptions compile = compile_options(facts, instance_options);
  return options.stage == "llvm" ? codegen::emit_llvm(*c.prepared, pointers, compile)
                                 : codegen::emit_assembly(*c.prepared, pointers, compile);
}

/// The tree needs no more than a parse: it is shown even for programs with other mistakes.
std::string print_ast(const std::string& file) {
  SourceMap sources;
  Diagnostics diagnostics;
  int32_t id = sources.add(file, runtime::read_file(file));
  auto ast = syntax::parse(sources, id, diagnostics);
  diagnostics.tidy();
  if (!ast) throw Error(Failure::wrong_program, render(diagnostics, sources));
  return syntax::dump(*ast);
}

std::string text_of(const EmitOptions& options) {
  if (options.stage == "ast") return print_ast(options.shared.file);
  Program program = Program::from_file(options.shared.file);
  const Compilation& c = program.compilation();
  if (options.stage == "ir") return ir::print(*c.program);
  if (options.stage == "llvm" || options.stage == "asm") return print_code(c, options);
  Names names{*c.program};
  return print_derivative(c, options.stage == "adjoint", names.loss(options.shared.loss),
                          names.wrt(options.shared.wrt));
}

int emit(const EmitOptions& options) {
  std::string text = text_of(options);
  if (options.output.empty())
    std::fwrite(text.data(), 1, text.size(), stdout);
  else
    runtime::write_file(options.output, text);
  return 0;
}

}  // namespace

Action add_emit(CLI::App& app) {
  auto options = std::make_shared<EmitOptions>();
  CLI::App* verb = app.add_subcommand("emit", "Show a program at a stage of its way to machine code");
  add_program_options(*verb, options->shared);
  verb->add_option("--stage", options->stage,
                   "ast: the syntax tree; ir: the checked program as the compiler sees it; adjoint, tangent: its "
                   "derivative; llvm, asm: the code (needs the sizes)")
      ->required()
      ->check(CLI::IsMember({"ast", "ir", "adjoint", "tangent", "llvm", "asm"}));
  verb->add_option("--loss", options->shared.loss, "Which loss is differentiated, where the program has several")
      ->type_name("NAME");
  add_wrt_option(*verb, options->shared, "What it is differentiated in; default: all real params");
  verb->add_option("-o,--output", options->output, "Write to a file instead of standard output")->type_name("FILE");
  verb->footer("\nExample:\n  adjoule emit spring.adj --stage adjoint --wrt stiffness -o spring_adjoint.adj");
  return [options] { return emit(*options); };
}

}  // namespace adjoule::driver
