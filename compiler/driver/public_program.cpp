// The public class Program (adjoule/compile.hpp).
#include "adjoule/compile.hpp"
#include "driver/compilation.hpp"
#include "driver/facts.hpp"
#include "driver/provider.hpp"
#include "instance.hpp"

namespace adjoule {
namespace {

Program checked(std::shared_ptr<const driver::Compilation> compilation) {
  if (!compilation->ok()) throw Error(Failure::wrong_program, compilation->text(), compilation->messages());
  return Program(std::move(compilation));
}

}  // namespace

Program::Program(std::shared_ptr<const driver::Compilation> compilation)
    : compilation_(std::move(compilation)),
      warnings_(std::make_shared<const std::vector<Message>>(compilation_->messages())) {}

Program Program::from_file(const std::string& path) { return checked(driver::compile_file(path)); }

Program Program::from_string(std::string text, std::string name) {
  return checked(driver::compile_text(std::move(name), std::move(text)));
}

std::string Program::warning_text() const { return compilation_->text(); }

Instance Program::instantiate(const Options& options) const {
  driver::Facts facts = driver::find_facts(*compilation_, options);
  runtime::Manifest manifest = driver::make_manifest(*compilation_, facts, options);
  auto provider = std::make_shared<driver::Provider>(compilation_, std::move(facts), options);
  runtime::Settings settings;
  settings.schedule = options.schedule;
  settings.memory_bytes = options.memory_bytes;
  return Instance(std::make_unique<runtime::Instance>(std::move(manifest), std::move(provider), settings));
}

}  // namespace adjoule
