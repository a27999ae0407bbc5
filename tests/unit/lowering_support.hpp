// From the text of a small program to numbers: parsed, checked, lowered, verified, interpreted.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/interpreter.hpp"
#include "ir/print.hpp"
#include "ir/verify.hpp"
#include "lowering/lower.hpp"
#include "semantics/check.hpp"
#include "syntax/parse.hpp"

namespace adjoule::lowering::test {

struct Lowered {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<syntax::Program> ast;
  semantics::CheckedProgram checked;
  std::optional<ir::Program> program;

  std::string messages() const { return render(diagnostics, sources); }
};

inline std::unique_ptr<Lowered> lower_text(const std::string& text) {
  auto result = std::make_unique<Lowered>();
  int32_t file = result->sources.add("test.adj", text);
  result->ast = syntax::parse(result->sources, file, result->diagnostics);
  if (result->ast) result->checked = semantics::check(*result->ast, result->diagnostics);
  if (result->ast && !result->diagnostics.has_errors()) result->program = lower(result->checked, result->diagnostics);
  result->diagnostics.tidy();
  return result;
}

/// The program of a text that must be right; it must verify.
inline std::unique_ptr<Lowered> lower_good(const std::string& text) {
  auto result = lower_text(text);
  if (!result->program) {
    ADD_FAILURE() << text << "\n" << result->messages();
    return result;
  }
  for (const std::string& finding : ir::verify(*result->program)) {
    ADD_FAILURE() << finding << "\n" << text << "\n" << ir::print(*result->program);
  }
  return result;
}

/// What a host would give.
struct Host {
  std::map<std::string, int32_t> extents;             // of open spaces
  std::map<std::string, std::vector<double>> fields;  // by name; the rest has its default, or 0
  int32_t steps = 0;
};

/// One instance of a program, run with the interpreter.
class Instance {
 public:
  Instance(const std::string& text, const Host& host) : lowered_(lower_good(text)) {
    if (!lowered_->program) return;
    set_extents(host);
    for (const ir::FieldInfo& field : program().fields) {
      (field.role == FieldRole::state ? states_ : globals_).push_back(bound(field, host));
    }
    execute(program().init, 0, &states_);
    for (int32_t t = 0; t < host.steps && program().has_step; ++t) execute(program().step, t, &states_);
  }

  /// The numbers of a state at the end.
  std::vector<double> state(const std::string& name) const {
    size_t next = 0;
    for (const ir::FieldInfo& field : program().fields) {
      if (field.role != FieldRole::state) continue;
      if (field.name == name && next < states_.size()) return numbers(states_[next]);
      ++next;
    }
    ADD_FAILURE() << "no state " << name;
    return {0};
  }

  double loss(size_t which = 0) {
    std::vector<ir::Datum> outputs;
    if (which >= program().losses.size()) return 0;
    execute(program().losses[which], environment_.steps, &outputs);
    return outputs.empty() ? 0 : numbers(outputs[0])[0];
  }

  const std::optional<ir::RuntimeFault>& fault() const { return fault_; }
  const Lowered& lowered() const { return *lowered_; }
  /// Empty when the text was wrong (the test has failed then).
  const ir::Program& program() const { return lowered_->program ? *lowered_->program : nothing_; }

 private:
  std::unique_ptr<Lowered> lowered_;
  ir::Program nothing_;
  ir::Environment environment_;
  std::vector<ir::Datum> globals_, states_;
  std::optional<ir::RuntimeFault> fault_;

  static std::vector<double> numbers(const ir::Datum& datum) {
    const std::vector<double>& reals = datum.field ? datum.field->reals : datum.reals;
    const std::vector<int32_t>& integers = datum.field ? datum.field->integers : datum.integers;
    return reals.empty() ? std::vector<double>(integers.begin(), integers.end()) : reals;
  }

  void set_extents(const Host& host) {
    environment_.steps = host.steps;
    environment_.extents.assign(program().spaces.size(), {1, 1, 1});
    environment_.extents[time_space][0] = host.steps + 1;
    ir::Outcome sizes = ir::interpret(program(), program().size_defaults, environment_, {});
    for (const ir::Datum& size : sizes.outputs) environment_.sizes.push_back(size.integers[0]);
    ir::Outcome extents = ir::interpret(program(), program().extents, environment_, {});
    size_t next = 0;
    for (size_t i = 1; i < program().spaces.size(); ++i) {
      const ir::SpaceInfo& space = program().spaces[i];
      if (space.open) environment_.extents[i][0] = host.extents.at(space.name);
      for (int axis = 0; !space.open && axis < space.dims; ++axis) {
        environment_.extents[i][static_cast<size_t>(axis)] = extents.outputs[next++].integers[0];
      }
    }
  }

  ir::Datum bound(const ir::FieldInfo& field, const Host& host) {
    std::vector<double> element(static_cast<size_t>(ir::scalar_count(program(), value_of(field.type))), 0.0);
    if (field.default_procedure >= 0) {
      auto number = static_cast<size_t>(field.default_procedure);
      element = numbers(ir::interpret(program(), program().defaults[number], environment_, {}).outputs[0]);
    }
    int64_t count = field.type.field ? ir::element_count(program(), field.type, environment_) : 1;
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i) values.insert(values.end(), element.begin(), element.end());
    if (auto given = host.fields.find(field.name); given != host.fields.end()) {
      EXPECT_EQ(values.size(), given->second.size()) << field.name;
      values = given->second;
    }
    ir::FieldData data;
    if (field.type.differentiable())
      data.reals = values;
    else
      data.integers.assign(values.begin(), values.end());
    if (!field.type.field) return {.reals = data.reals, .integers = data.integers};
    return {.field = std::make_shared<ir::FieldData>(data)};
  }

  void execute(const ir::Procedure& procedure, int32_t now, std::vector<ir::Datum>* outputs) {
    if (fault_) return;
    std::vector<ir::Datum> inputs = globals_;
    inputs.insert(inputs.end(), states_.begin(), states_.end());
    inputs.push_back({.integers = {now}});
    ir::Outcome outcome = ir::interpret(program(), procedure, environment_, std::move(inputs));
    fault_ = outcome.fault;
    if (!fault_) *outputs = std::move(outcome.outputs);
  }
};

using Numbers = std::vector<double>;

/// The state `r` after init of a program that consists of `declarations` and one state r of type `type`.
inline Numbers result_of(const std::string& type, const std::string& statements, const std::string& declarations = "") {
  Instance run(declarations + "\nstate r: " + type + ";\ninit {\n" + statements + "\n}\n", {});
  if (run.fault()) ADD_FAILURE() << run.fault()->message << "\n" << statements;
  return run.state("r");
}

/// The real value of an expression.
inline double value_of_expression(const std::string& expression, const std::string& declarations = "") {
  return result_of("real", "r = " + expression + ";", declarations)[0];
}

/// The value of `f()`, a function with this body.
inline double value_of_body(const std::string& body, const std::string& declarations = "") {
  return value_of_expression("f()", declarations + "\nfn f() -> real {\n" + body + "\n}\n");
}

/// The text of a procedure of the lowered program.
inline std::string printed(const Lowered& lowered, const ir::Procedure& procedure) {
  return ir::print(*lowered.program, procedure);
}

inline size_t count_of(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

/// The program lowers with exactly one error, which contains `message`, is at the text `place`, and has a note at
/// `other`.
inline void expect_mode_error(const std::string& text, const std::string& message, const std::string& place,
                              const std::string& other = "", const std::string& help = "") {
  auto lowered = lower_text(text);
  EXPECT_FALSE(lowered->program) << text;
  size_t errors = 0;
  for (const Diagnostic& d : lowered->diagnostics.list) {
    if (d.severity != Severity::error) continue;
    ++errors;
    EXPECT_NE(d.message.find(message), std::string::npos) << lowered->messages();
    EXPECT_EQ(lowered->sources.text(d.span), place) << lowered->messages();
    EXPECT_NE(d.help.find(help), std::string::npos) << lowered->messages();
    bool noted = other.empty();
    for (const Note& note : d.notes) noted = noted || lowered->sources.text(note.span) == other;
    EXPECT_TRUE(noted) << lowered->messages();
  }
  EXPECT_EQ(errors, 1u) << text << "\n" << lowered->messages();
}

}  // namespace adjoule::lowering::test
