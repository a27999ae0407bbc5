// LLVM's own pipelines (new pass manager), unchanged: what is special about our code is said in its metadata.
#include "codegen/cpu/target.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Passes/PassBuilder.h>

namespace adjoule::codegen {
namespace {

llvm::OptimizationLevel level_of(int optimisation) {
  switch (optimisation) {
    case 0: return llvm::OptimizationLevel::O0;
    case 1: return llvm::OptimizationLevel::O1;
    case 2: return llvm::OptimizationLevel::O2;
    default: return llvm::OptimizationLevel::O3;
  }
}

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, int optimisation) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopInterleaving = true;
  tuning.LoopVectorization = optimisation >= 2;
  tuning.SLPVectorization = optimisation >= 2;
  tuning.MergeFunctions = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::OptimizationLevel level = level_of(optimisation);
  llvm::ModulePassManager passes = optimisation <= 0 ? builder.buildO0DefaultPipeline(level)
                                                     : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

std::string generate(llvm::Module& module, llvm::TargetMachine& machine, bool assembly, std::string& error) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  auto type = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) {
    error = "LLVM cannot emit code for this machine";
    return {};
  }
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace adjoule::codegen
