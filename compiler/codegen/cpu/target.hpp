// The machine that code is generated for: this one, or what ADJOULE_CPU names.
#pragma once
#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace adjoule::codegen {

struct Target {
  std::string triple;
  std::string cpu;
  std::string features;                      // "+avx2,-avx512f,…": name and features both, see target.cpp
  std::string error;                         // ADJOULE_CPU asks for what LLVM does not know
  bool avx2 = false;                         // with fma: 4 lanes of f64
  bool avx512 = false;                       // 8 lanes of f64
};

/// ADJOULE_CPU overrides: a CPU name, optionally followed by features: "x86-64-v3" or "znver3,-avx2".
const Target& host_target();

/// A machine of one's own: LLVM's are not to be shared between threads. Null when LLVM knows no such target.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target& target, int optimisation, std::string& error);

/// Runs LLVM's pipeline of that level, 0 … 3.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, int optimisation);

/// Machine code of the module, as an object file or as assembly.
std::string generate(llvm::Module& module, llvm::TargetMachine& machine, bool assembly, std::string& error);

}  // namespace adjoule::codegen
