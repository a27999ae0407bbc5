// ORC's LLJIT with JITLink, fed with finished objects: compiling and caching happen before, so a cached start needs only this.
#include "codegen/cpu/jit.hpp"

#include <dlfcn.h>

#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>

#include "codegen/cpu/target.hpp"

// Declared here, since sleef.h hides it unless the compiler itself has fast fma.
extern "C" double Sleef_finz_sind1_u10purecfma(double);

namespace adjoule::codegen {
namespace {

namespace orc = llvm::orc;

/// The runtime's functions by address: they are hidden symbols of whatever binary we are linked into.
llvm::Error define_runtime(orc::LLJIT& jit) {
  orc::SymbolMap symbols;
  auto add = [&](const char* name, auto* function) {
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(function), llvm::JITSymbolFlags::Exported};
  };
  add("adjoule_allocate", &adjoule_allocate);
  add("adjoule_release", &adjoule_release);
  add("adjoule_stack_new", &adjoule_stack_new);
  add("adjoule_stack_grow", &adjoule_stack_grow);
  add("adjoule_stack_release", &adjoule_stack_release);
  add("adjoule_sum_f64", &adjoule_sum_f64);
  add("adjoule_sum_f32", &adjoule_sum_f32);
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

/// SLEEF by the file that the process has already loaded: in a Python extension its symbols are not global.
llvm::Error define_math(orc::LLJIT& jit) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&Sleef_finz_sind1_u10purecfma), &info) == 0 || !info.dli_fname) return llvm::Error::success();
  auto wanted = [](const orc::SymbolStringPtr& name) { return (*name).starts_with("Sleef_"); };
  auto generator = orc::DynamicLibrarySearchGenerator::Load(
      info.dli_fname, jit.getDataLayout().getGlobalPrefix(), wanted);
  if (!generator) return generator.takeError();
  jit.getMainJITDylib().addGenerator(std::move(*generator));
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<orc::LLJIT>> make_jit() {
  const Target& target = host_target();
  orc::JITTargetMachineBuilder machine{llvm::Triple(target.triple)};
  machine.setCPU(target.cpu);
  machine.setRelocationModel(llvm::Reloc::PIC_);
  machine.setCodeModel(llvm::CodeModel::Small);
  auto jit = orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(machine))
                 .setPlatformSetUp(orc::setUpInactivePlatform)   // no constructors, no thread locals in our objects
                 .create();
  if (!jit) return jit;
  if (auto error = define_runtime(**jit)) return error;
  if (auto error = define_math(**jit)) return error;
  return jit;
}

}  // namespace

LoadedCode load_objects(const std::vector<std::string>& objects, const std::vector<std::string>& names, std::string& error) {
  auto jit = make_jit();
  if (!jit) {
    error = llvm::toString(jit.takeError());
    return {};
  }
  for (size_t i = 0; i < objects.size(); ++i) {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(objects[i], "adjoule" + std::to_string(i));
    if (auto failure = (*jit)->addObjectFile(std::move(buffer))) {
      error = llvm::toString(std::move(failure));
      return {};
    }
  }
  LoadedCode loaded;
  for (const std::string& name : names) {
    auto address = (*jit)->lookup(name);
    if (!address) {
      error = llvm::toString(address.takeError());
      return {};
    }
    loaded.functions.push_back(address->toPtr<runtime::NativeFunction>());
  }
  loaded.owner = std::shared_ptr<orc::LLJIT>(std::move(*jit));
  return loaded;
}

}  // namespace adjoule::codegen
