// One LLVM module for a list of procedures.
#include "codegen/lower.hpp"

#include <cctype>

#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "codegen/emitter.hpp"

namespace adjoule::codegen {

std::vector<std::string> function_names(const std::vector<const ir::Procedure*>& procedures) {
  std::vector<std::string> names;
  for (size_t i = 0; i < procedures.size(); ++i) {
    std::string name = "adjoule_" + std::to_string(i) + "_";
    for (char c : procedures[i]->name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    names.push_back(std::move(name));
  }
  return names;
}

LoweredModule lower(const ir::Program& program, const std::vector<const ir::Procedure*>& procedures,
                    const CompileOptions& options, const Target& target, llvm::LLVMContext& context) {
  LoweredModule lowered;
  lowered.module = std::make_unique<llvm::Module>("adjoule", context);
  lowered.module->setTargetTriple(target.triple);
  std::string error;
  if (auto machine = make_target_machine(target, 0, error)) lowered.module->setDataLayout(machine->createDataLayout());
  lowered.names = function_names(procedures);
  ModuleState state{program, options, target, *lowered.module, lowered.fault_sites};
  for (size_t i = 0; i < procedures.size(); ++i) Emitter(state, *procedures[i]).emit_procedure(lowered.names[i]);
  if (!state.kept.empty()) llvm::appendToCompilerUsed(*lowered.module, state.kept);
  return lowered;
}

}  // namespace adjoule::codegen
