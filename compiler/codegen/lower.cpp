// One LLVM module for a list of procedures.
#include "codegen/lower.hpp"

#include <cctype>

#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "codegen/emitter.hpp"

namespace adjoule::codegen {

std::vector<NamedProcedure> name_procedures(const std::vector<const ir::Procedure*>& procedures) {
  std::vector<NamedProcedure> named;
  for (size_t i = 0; i < procedures.size(); ++i) {
    std::string name = "adjoule_" + std::to_string(i) + "_";
    for (char c : procedures[i]->name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    named.push_back({procedures[i], std::move(name)});
  }
  return named;
}

std::unique_ptr<llvm::Module> lower(const ir::Program& program, const std::vector<NamedProcedure>& procedures,
                                    const FaultTable& faults, const CompileOptions& options, const Target& target,
                                    llvm::LLVMContext& context) {
  auto module = std::make_unique<llvm::Module>("adjoule", context);
  module->setTargetTriple(target.triple);
  std::string error;
  if (auto machine = make_target_machine(target, 0, error)) module->setDataLayout(machine->createDataLayout());
  ModuleState state{program, options, target, *module, faults};
  for (const NamedProcedure& named : procedures) Emitter(state, *named.procedure).emit_procedure(named.name);
  if (!state.kept.empty()) llvm::appendToCompilerUsed(*module, state.kept);
  return module;
}

}  // namespace adjoule::codegen
