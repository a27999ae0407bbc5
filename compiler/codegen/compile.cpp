// The driver of code generation: cache, or lower, verify, optimise, generate; then load.
#include "codegen/compile.hpp"

#include <chrono>

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

/// Verified and optimised; null with a text in `error` when LLVM finds fault with what we wrote.
LoweredModule optimised(const ir::Program& program, const Procedures& procedures, const CompileOptions& options,
                        llvm::LLVMContext& context, llvm::TargetMachine& machine, std::string& error) {
  LoweredModule lowered = lower(program, procedures, options, host_target(), context);
  llvm::raw_string_ostream stream(error);
  if (llvm::verifyModule(*lowered.module, &stream)) {
    stream.flush();
    lowered.module.reset();
    return lowered;
  }
  optimise(*lowered.module, machine, options.optimisation);
  return lowered;
}

std::optional<CachedObject> build(const ir::Program& program, const Procedures& procedures, const CompileOptions& options,
                                  std::string& error) {
  auto machine = make_target_machine(host_target(), options.optimisation, error);
  if (!machine) return std::nullopt;
  llvm::LLVMContext context;
  LoweredModule lowered = optimised(program, procedures, options, context, *machine, error);
  if (!lowered.module) return std::nullopt;
  CachedObject built{std::move(lowered.fault_sites), generate(*lowered.module, *machine, false, error)};
  if (!error.empty()) return std::nullopt;
  return built;
}

std::string emit(const ir::Program& program, const Procedures& procedures, const CompileOptions& options, bool assembly) {
  std::string error;
  auto machine = make_target_machine(host_target(), options.optimisation, error);
  if (!machine) return "; " + error + "\n";
  llvm::LLVMContext context;
  LoweredModule lowered = optimised(program, procedures, options, context, *machine, error);
  if (!lowered.module) return "; " + error + "\n";
  if (assembly) return generate(*lowered.module, *machine, true, error);
  std::string text;
  llvm::raw_string_ostream stream(text);
  lowered.module->print(stream, nullptr);
  return stream.str();
}

}  // namespace

std::optional<Module> compile(const ir::Program& program, const Procedures& procedures, const CompileOptions& options,
                              std::string& error) {
  auto start = std::chrono::steady_clock::now();
  error.clear();
  host_target();   // LLVM's targets exist from here on
  std::string key = options.cache ? cache_key(program, procedures, options) : "";
  std::optional<CachedObject> object = options.cache ? read_cache(options, key) : std::nullopt;
  Module module;
  LoadedCode loaded;
  if (object) {
    loaded = load_object(object->object, function_names(procedures), error);
    module.from_cache = error.empty();
    if (!module.from_cache) object.reset();   // built anew
  }
  if (!object) {
    error.clear();
    object = build(program, procedures, options, error);
    if (!object) return std::nullopt;
    loaded = load_object(object->object, function_names(procedures), error);
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
  return emit(program, procedures, options, false);
}

std::string emit_assembly(const ir::Program& program, const Procedures& procedures, const CompileOptions& options) {
  return emit(program, procedures, options, true);
}

}  // namespace adjoule::codegen
