// Precompiled for the code generator, whose every file builds LLVM IR. PassBuilder.h and LLJIT.h stay out: two files use
// them, and they would triple the time and the size of this header. Files include what they use all the same.
#pragma once
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
