// The driver of code generation: cache, or lower, verify, optimise, generate; then load.
#include "codegen/compile.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/cpu/cache.hpp"
#include "codegen/cpu/jit.hpp"
#include "codegen/cpu/target.hpp"
#include "codegen/lower.hpp"

namespace adjoule::codegen {
namespace {

using Procedures = std::vector<const ir::Procedure*>;

/// What the modules of one compilation share.
struct Job {
  const ir::Program& program;
  const CompileOptions& options;
  const FaultTable& faults;
};

/// Machine code (or text) of some procedures; a text in `error` when LLVM finds fault with what we wrote.
enum class Form { object, llvm, assembly };
std::string make(const Job& job, const std::vector<NamedProcedure>& procedures, Form form, std::string& error) {
  auto machine = make_target_machine(host_target(), job.options.optimisation, error);
  if (!machine) return {};
  llvm::LLVMContext context;
  auto module = lower(job.program, procedures, job.faults, job.options, host_target(), context);
  llvm::raw_string_ostream findings(error);
  if (llvm::verifyModule(*module, &findings)) return {};
  optimise(*module, *machine, job.options.optimisation);
  if (form != Form::llvm) return generate(*module, *machine, form == Form::assembly, error);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

/// One object a procedure, made side by side on the cores that there are.
std::optional<CachedObject> build(const ir::Program& program, const Procedures& procedures, const CompileOptions& options,
                                  std::string& error) {
  FaultTable faults = number_fault_sites(program, procedures);
  Job job{program, options, faults};
  std::vector<NamedProcedure> named = name_procedures(procedures);
  CachedObject built;
  built.objects.resize(named.size());
  std::vector<std::string> errors(named.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < named.size(); i = next++) built.objects[i] = make(job, {named[i]}, Form::object, errors[i]);
  };
  size_t workers = std::min<size_t>(named.size(), std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (size_t i = 1; i < workers; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : errors) {
    if (error.empty()) error = text;
  }
  if (!error.empty()) return std::nullopt;
  built.fault_sites = std::move(faults.sites);
  return built;
}

std::string emit(const ir::Program& program, const Procedures& procedures, const CompileOptions& options, Form form) {
  std::string error = host_target().error;
  if (!error.empty()) return "; " + error + "\n";
  FaultTable faults = number_fault_sites(program, procedures);
  std::string text = make({program, options, faults}, name_procedures(procedures), form, error);
  return error.empty() ? text : "; " + error + "\n";
}

std::vector<std::string> symbols(const Procedures& procedures) {
  std::vector<std::string> names;
  for (NamedProcedure& named : name_procedures(procedures)) names.push_back(std::move(named.name));
  return names;
}

}  // namespace

std::optional<Module> compile(const ir::Program& program, const Procedures& procedures, const CompileOptions& options,
                              std::string& error) {
  auto start = std::chrono::steady_clock::now();
  error.clear();
  if (error = host_target().error; !error.empty()) return std::nullopt;   // LLVM's targets exist from here on
  std::string key = options.cache ? cache_key(program, procedures, options) : "";
  std::optional<CachedObject> object = options.cache ? read_cache(options, key) : std::nullopt;
  Module module;
  LoadedCode loaded;
  if (object) {
    loaded = load_objects(object->objects, symbols(procedures), error);
    module.from_cache = error.empty();
    if (!module.from_cache) object.reset();   // built anew
  }
  if (!object) {
    error.clear();
    object = build(program, procedures, options, error);
    if (!object) return std::nullopt;
    loaded = load_objects(object->objects, symbols(procedures), error);
    if (!error.empty()) return std::nullopt;
    if (options.cache) write_cache(options, key, *object);
  }
  module.fault_sites = std::move(object->fault_sites);
  module.code = std::move(loaded.owner);
  module.functions = std::move(loaded.functions);
  module.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return module;
}

std::string emit_llvm(const ir::Program& program, const Procedures& procedures, const CompileOptions& options) {
  return emit(program, procedures, options, Form::llvm);
}

std::string emit_assembly(const ir::Program& program, const Procedures& procedures, const CompileOptions& options) {
  return emit(program, procedures, options, Form::assembly);
}

}  // namespace adjoule::codegen
