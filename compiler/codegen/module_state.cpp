// What the functions of one LLVM module share: types, functions of SLEEF and of the runtime, numbers of fault sites.
#include "codegen/emitter.hpp"

namespace adjoule::codegen {

llvm::Type* ModuleState::scalar_type(const Type& type) const {
  if (!type.is_value()) return pointer();
  switch (type.element) {
    case Element::boolean: return i1();
    case Element::integer:
    case Element::reference: return i32();
    default: return real();
  }
}

llvm::Type* ModuleState::stored_type(const Type& type) const {
  return type.element == Element::boolean ? i8() : scalar_type(value_of(type));
}

int ModuleState::stored_bytes(const Type& type) const {
  switch (type.element) {
    case Element::boolean: return 1;
    case Element::integer:
    case Element::reference: return 4;
    default: return options.single ? 4 : 8;
  }
}

namespace {

/// "sin_u10", 4 lanes of double -> "Sleef_finz_sind4_u10avx2".
std::string sleef_name(const std::string& name, int lanes, bool single, const char* instructions) {
  size_t bar = name.find('_');
  return "Sleef_finz_" + name.substr(0, bar) + (single ? "f" : "d") + std::to_string(lanes) + name.substr(bar) + instructions;
}

void mark_pure(llvm::Function& f) {
  f.setDoesNotAccessMemory();
  f.setDoesNotThrow();
  f.setWillReturn();
  f.setNoSync();
  f.setDoesNotFreeMemory();
}

}  // namespace

llvm::Function* ModuleState::math(const char* name, int operands) {
  bool single = options.single;
  std::string scalar_name = sleef_name(name, 1, single, "purecfma");
  if (llvm::Function* known = module.getFunction(scalar_name)) return known;
  auto declare = [&](const std::string& text, llvm::Type* type) {
    llvm::SmallVector<llvm::Type*, 2> types(static_cast<size_t>(operands), type);
    auto* f = llvm::Function::Create(llvm::FunctionType::get(type, types, false), llvm::Function::ExternalLinkage, text, module);
    mark_pure(*f);
    return f;
  };
  llvm::Function* scalar = declare(scalar_name, real());
  std::string variants;
  auto variant = [&](int lanes, const char* instructions) {
    std::string vector_name = sleef_name(name, lanes, single, instructions);
    kept.push_back(declare(vector_name, llvm::FixedVectorType::get(real(), static_cast<unsigned>(lanes))));
    if (!variants.empty()) variants += ',';
    variants += "_ZGV_LLVM_N" + std::to_string(lanes) + std::string(static_cast<size_t>(operands), 'v') + "_" + scalar_name +
                "(" + vector_name + ")";
  };
  int narrow = single ? 4 : 2;
  if (target.avx2) variant(narrow, "avx2128"), variant(narrow * 2, "avx2");
  if (target.avx512) variant(narrow * 4, "avx512f");
  if (!variants.empty()) scalar->addFnAttr("vector-function-abi-variant", variants);
  return scalar;
}

llvm::FunctionCallee ModuleState::runtime_function(const char* name) {
  if (llvm::Function* known = module.getFunction(name)) return known;
  llvm::StringRef text = name;
  llvm::Type* none = llvm::Type::getVoidTy(context());
  llvm::Type* ptr = pointer();
  llvm::FunctionType* type = nullptr;
  if (text == "adjoule_allocate") type = llvm::FunctionType::get(ptr, {ptr, i64()}, false);
  else if (text == "adjoule_release") type = llvm::FunctionType::get(none, {ptr, ptr, i64()}, false);
  else if (text == "adjoule_sum_f64" || text == "adjoule_sum_f32") {
    llvm::Type* f64 = llvm::Type::getDoubleTy(context());
    type = llvm::FunctionType::get(f64, {ptr, i64(), i32(), f64}, false);
  } else if (text == "adjoule_stack_new") type = llvm::FunctionType::get(ptr, {ptr, i64(), i64()}, false);
  else type = llvm::FunctionType::get(none, {ptr, ptr}, false);
  auto* f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  f->setDoesNotThrow();
  if (type->getReturnType() == ptr) {
    f->addRetAttr(llvm::Attribute::NoAlias);
    f->addRetAttr(llvm::Attribute::NonNull);
    if (text == "adjoule_allocate") f->addRetAttr(llvm::Attribute::getWithAlignment(context(), llvm::Align(64)));
  }
  if (text == "adjoule_stack_grow") f->addFnAttr(llvm::Attribute::Cold);
  return f;
}

namespace {

bool can_fault(ir::Opcode code) {
  return code == ir::Opcode::check_index || code == ir::Opcode::check_nonzero || code == ir::Opcode::pop;
}

}  // namespace

FaultTable number_fault_sites(const ir::Program& program, const std::vector<const ir::Procedure*>& procedures) {
  FaultTable table;
  for (const ir::Procedure* procedure : procedures) {
    for (size_t id = 0; id < procedure->ops.size(); ++id) {
      const ir::Op& op = procedure->ops[id];
      if (!can_fault(op.code)) continue;
      auto number = static_cast<int>(table.sites.size());
      if (!table.numbers.try_emplace({procedure, static_cast<ir::OpId>(id)}, number).second) continue;
      bool of_space = op.code == ir::Opcode::check_index && op.space != no_space;
      table.sites.push_back({op.span, op.code, of_space ? program.spaces[static_cast<size_t>(op.space)].name : ""});
    }
  }
  return table;
}

}  // namespace adjoule::codegen
