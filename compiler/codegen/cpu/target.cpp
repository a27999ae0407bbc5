// The host's CPU. Its name alone is not enough: a hypervisor may mask features that the name implies, and code with them
// then dies with SIGILL. So the target machine gets the name and the full feature string.
#include "codegen/cpu/target.hpp"

#include <cstdlib>
#include <mutex>

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

namespace adjoule::codegen {
namespace {

Target named_target(const std::string& text) {
  Target target;
  size_t comma = text.find(',');
  target.cpu = text.substr(0, comma);
  if (comma != std::string::npos) target.features = text.substr(comma + 1);
  return target;
}

Target native_target() {
  Target target;
  target.cpu = llvm::sys::getHostCPUName().str();
  llvm::SubtargetFeatures features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) features.AddFeature(feature.first(), feature.second);
  target.features = features.getString();
  return target;
}

Target find_target() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  const char* text = std::getenv("ADJOULE_CPU");
  Target target = text && *text ? named_target(text) : native_target();
  target.triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, error);
  std::unique_ptr<llvm::MCSubtargetInfo> plain(found ? found->createMCSubtargetInfo(target.triple, "", "") : nullptr);
  if (!plain || !plain->isCPUStringValid(target.cpu)) {
    target.error = "ADJOULE_CPU: LLVM knows no CPU named " + target.cpu + " (`llc -mcpu=help` lists them)";
    return target;
  }
  // Which features a name implies is known to the subtarget alone.
  if (auto machine = make_target_machine(target, 0, error)) {
    const llvm::MCSubtargetInfo* info = machine->getMCSubtargetInfo();
    target.avx2 = info->checkFeatures("+avx2,+fma");
    target.avx512 = target.avx2 && info->checkFeatures("+avx512f,+avx512vl,+avx512dq");
  }
  return target;
}

llvm::CodeGenOptLevel code_generation_level(int optimisation) {
  switch (optimisation) {
    case 0: return llvm::CodeGenOptLevel::None;
    case 1: return llvm::CodeGenOptLevel::Less;
    case 2: return llvm::CodeGenOptLevel::Default;
    default: return llvm::CodeGenOptLevel::Aggressive;
  }
}

}  // namespace

const Target& host_target() {
  static const Target target = find_target();
  return target;
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target& target, int optimisation, std::string& error) {
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, error);
  if (!found) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;   // fma is formed in our IR only
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      target.triple, target.cpu, target.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      code_generation_level(optimisation), /*JIT=*/true));
  if (!machine) error = "LLVM has no machine for " + target.triple + ", " + target.cpu;
  return machine;
}

}  // namespace adjoule::codegen
