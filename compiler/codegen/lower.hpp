// IR -> LLVM IR, not optimised yet.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "codegen/compile.hpp"
#include "codegen/cpu/target.hpp"

namespace adjoule::codegen {

struct LoweredModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<std::string> names;           // of the functions, parallel to the procedures
  std::vector<FaultSite> fault_sites;
};

LoweredModule lower(const ir::Program& program, const std::vector<const ir::Procedure*>& procedures,
                    const CompileOptions& options, const Target& target, llvm::LLVMContext& context);

/// The symbols that `lower` gives the procedures.
std::vector<std::string> function_names(const std::vector<const ir::Procedure*>& procedures);

}  // namespace adjoule::codegen
