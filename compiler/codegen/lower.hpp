// IR -> LLVM IR, not optimised yet.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "codegen/compile.hpp"
#include "codegen/cpu/target.hpp"

namespace adjoule::codegen {

/// Every place of the procedures that can fault, numbered before code is made, so that modules can be made apart.
struct FaultTable {
  std::vector<FaultSite> sites;
  std::map<std::pair<const ir::Procedure*, ir::OpId>, int> numbers;
};

FaultTable number_fault_sites(const ir::Program& program, const std::vector<const ir::Procedure*>& procedures);

/// A procedure and the symbol that it gets.
struct NamedProcedure {
  const ir::Procedure* procedure = nullptr;
  std::string name;
};

std::vector<NamedProcedure> name_procedures(const std::vector<const ir::Procedure*>& procedures);

/// One module with some of the procedures.
std::unique_ptr<llvm::Module> lower(const ir::Program& program, const std::vector<NamedProcedure>& procedures,
                                    const FaultTable& faults, const CompileOptions& options, const Target& target,
                                    llvm::LLVMContext& context);

}  // namespace adjoule::codegen
