// Fields: where an element lies, the boundary rules, loads and stores, and the program-level operations on whole buffers.
//
// A loop's own index needs no test, nor does an offset that the loop's margins cover: then the element's number is plain i64
// arithmetic on the loop counter, which LLVM turns into contiguous vector accesses. Everything else goes through the rule of
// the axis: periodic and clamp give a coordinate inside, zero gives a clamped address and a flag to select 0 by.
#include <algorithm>

#include "codegen/emitter.hpp"

namespace adjoule::codegen {

using ir::Opcode;

// --- extents

llvm::Value* Emitter::extent(SpaceId s, int axis) {
  if (!space(s).open) return b.getInt32(static_cast<uint32_t>(m.options.extents[static_cast<size_t>(s)][static_cast<size_t>(axis)]));
  llvm::Value*& known = extents[{s, axis}];
  if (known) return known;
  // Read once, at the entry.
  llvm::IRBuilder<> entry(&function->getEntryBlock(), function->getEntryBlock().getFirstInsertionPt());
  llvm::Value* place = entry.CreateConstInBoundsGEP1_64(m.i8(), context, offsetof(runtime::Context, extents));
  llvm::Value* table = entry.CreateLoad(m.pointer(), place);
  known = entry.CreateLoad(m.i32(), entry.CreateConstInBoundsGEP1_64(m.i32(), table, static_cast<uint64_t>(s * 3 + axis)), "extent");
  return known;
}

llvm::Value* Emitter::extent64(SpaceId s, int axis) { return b.CreateZExt(extent(s, axis), m.i64(), "", true); }

llvm::Value* Emitter::count(SpaceId s) {
  llvm::Value* product = extent64(s, 0);
  for (int axis = 1; axis < space(s).dims; ++axis) product = b.CreateMul(product, extent64(s, axis), "", true, true);
  return product;
}

llvm::Value* Emitter::elements(const Type& field) {
  llvm::Value* product = nullptr;
  for (SpaceId s : field.spaces) product = product ? b.CreateMul(product, count(s), "", true, true) : count(s);
  return product ? product : b.getInt64(1);
}

llvm::Value* Emitter::stride(const Type& field) {
  llvm::Value* bytes = b.CreateMul(elements(field), b.getInt64(static_cast<uint64_t>(m.stored_bytes(field))), "", true, true);
  return b.CreateAnd(b.CreateAdd(bytes, b.getInt64(63), "", true, true), b.getInt64(~uint64_t{63}));
}

llvm::Value* Emitter::field_bytes(const Type& field) {
  return b.CreateMul(stride(field), b.getInt64(static_cast<uint64_t>(m.stored_components(field))), "", true, true);
}

// --- places

/// The rule of a periodic or clamped axis.
llvm::Value* Emitter::boundary_coordinate(SpaceId s, int axis, llvm::Value* coordinate) {
  llvm::Value* zero = b.getInt32(0);
  llvm::Value* one = b.getInt32(1);
  llvm::Value* n = extent(s, axis);
  if (space(s).boundary[static_cast<size_t>(axis)] == Boundary::clamp) {
    llvm::Value* raised = b.CreateSelect(b.CreateICmpSLT(coordinate, zero), zero, coordinate);
    return b.CreateSelect(b.CreateICmpSLT(raised, n), raised, b.CreateSub(n, one));
  }
  auto known = affine.find(coordinate);
  auto* fixed = llvm::dyn_cast<llvm::ConstantInt>(n);
  if (known != affine.end() && fixed && known->second.space == s && known->second.axis == axis &&
      std::abs(known->second.offset) <= fixed->getSExtValue()) {
    // At most one turn around: no division.
    llvm::Value* raised = b.CreateSelect(b.CreateICmpSLT(coordinate, zero), b.CreateAdd(coordinate, n), coordinate);
    return b.CreateSelect(b.CreateICmpSLT(raised, n), raised, b.CreateSub(raised, n));
  }
  llvm::Value* divisor = fixed && !fixed->isZero() ? n : b.CreateSelect(b.CreateICmpSLT(n, one), one, n);
  llvm::Value* rest = b.CreateSRem(coordinate, divisor);
  return b.CreateSelect(b.CreateICmpSLT(rest, zero), b.CreateAdd(rest, divisor), rest);
}

Place Emitter::axis_place(SpaceId s, int axis, llvm::Value* coordinate) {
  auto known = affine.find(coordinate);
  if (known != affine.end()) {
    const Affine& a = known->second;
    bool own = a.space == s && a.axis == axis && a.offset >= -a.low && a.offset <= a.high;
    if (own || !space(s).grid) return {b.CreateAdd(a.base, b.getInt64(static_cast<uint64_t>(a.offset)), "", false, true), nullptr};
  }
  if (!space(s).grid) return {b.CreateSExt(coordinate, m.i64()), nullptr};
  auto* fixed = llvm::dyn_cast<llvm::ConstantInt>(extent(s, axis));
  if (fixed && fixed->isZero()) return {b.getInt64(0), b.getFalse()};   // no coordinate is inside
  if (space(s).boundary[static_cast<size_t>(axis)] != Boundary::zero) {
    return {b.CreateSExt(boundary_coordinate(s, axis, coordinate), m.i64()), nullptr};
  }
  llvm::Value* inside = b.CreateICmpULT(coordinate, extent(s, axis));
  return {b.CreateSExt(b.CreateSelect(inside, coordinate, b.getInt32(0)), m.i64()), inside};
}

Place Emitter::reference_place(SpaceId s, llvm::ArrayRef<llvm::Value*> coordinates) {
  Place place;
  for (int axis = 0; axis < space(s).dims; ++axis) {
    Place next = axis_place(s, axis, coordinates[static_cast<size_t>(axis)]);
    place.number = place.number
        ? b.CreateAdd(b.CreateMul(place.number, extent64(s, axis), "", true, true), next.number, "", true, true)
        : next.number;
    if (next.inside) place.inside = place.inside ? b.CreateAnd(place.inside, next.inside) : next.inside;
  }
  if (auto* always = llvm::dyn_cast_or_null<llvm::ConstantInt>(place.inside); always && always->isOne()) place.inside = nullptr;
  return place;
}

Place Emitter::element_place(const Type& field, const ir::Value* indices, size_t n) {
  Place place{b.getInt64(0), nullptr};
  for (size_t i = 0; i < n; ++i) {
    Place next = reference_place(field.spaces[i], at(indices[i]));
    place.number = i == 0 ? next.number
                          : b.CreateAdd(b.CreateMul(place.number, count(field.spaces[i]), "", true, true), next.number, "", true, true);
    if (next.inside) place.inside = place.inside ? b.CreateAnd(place.inside, next.inside) : next.inside;
  }
  return place;
}

llvm::Value* Emitter::reference_number(SpaceId s, llvm::ArrayRef<llvm::Value*> coordinates) {
  if (!space(s).grid) return coordinates[0];
  Place place = reference_place(s, coordinates);
  llvm::Value* number = b.CreateTrunc(place.number, m.i32());
  return place.inside ? b.CreateSelect(place.inside, number, b.getInt32(static_cast<uint32_t>(-1))) : number;
}

/// Coordinates of a stored number; outside stays outside on every axis.
Components Emitter::reference_of_number(SpaceId s, llvm::Value* number) {
  int dims = space(s).dims;
  Components coordinates(static_cast<size_t>(dims));
  llvm::Value* outside = b.getInt32(static_cast<uint32_t>(ir::outside_coordinate));
  llvm::Value* is_outside = b.CreateICmpSLT(number, b.getInt32(0));
  llvm::Value* rest = number;
  for (int axis = dims - 1; axis > 0; --axis) {
    llvm::Value* n = extent(s, axis);
    if (!llvm::isa<llvm::Constant>(n)) n = b.CreateSelect(b.CreateICmpEQ(n, b.getInt32(0)), b.getInt32(1), n);
    coordinates[static_cast<size_t>(axis)] = b.CreateSelect(is_outside, outside, b.CreateURem(rest, n));
    rest = b.CreateUDiv(rest, n);
  }
  coordinates[0] = b.CreateSelect(is_outside, outside, rest);
  return coordinates;
}

bool Emitter::emit_reference_op(const ir::Op& op) {
  if (op.operands.empty()) return false;
  SpaceId s = op.code == Opcode::make_reference ? op.space : p.type(op.operands[0]).space;
  Components result;
  switch (op.code) {
    case Opcode::make_reference:
      for (ir::Value v : op.operands) result.push_back(at(v)[0]);
      break;
    case Opcode::offset:
      for (size_t axis = 0; axis + 1 < op.operands.size(); ++axis) {
        llvm::Value* from = at(op.operands[0])[axis];
        llvm::Value* by = at(op.operands[axis + 1])[0];
        result.push_back(b.CreateAdd(from, by));
        note_affine(result.back(), from, by, false);
      }
      break;
    case Opcode::coordinate: result = {at(op.operands[0])[static_cast<size_t>(op.integer)]}; break;
    case Opcode::index: result = {reference_number(s, at(op.operands[0]))}; break;
    case Opcode::reference_equal:
      result = {b.CreateICmpEQ(reference_number(s, at(op.operands[0])), reference_number(s, at(op.operands[1])))};
      break;
    case Opcode::normalise: {
      const Components& from = at(op.operands[0]);
      if (!space(s).grid) {
        result = from;
        break;
      }
      llvm::Value* inside = nullptr;
      for (int axis = 0; axis < space(s).dims; ++axis) {
        llvm::Value* c = from[static_cast<size_t>(axis)];
        bool zero = space(s).boundary[static_cast<size_t>(axis)] == Boundary::zero;
        result.push_back(zero ? c : boundary_coordinate(s, axis, c));
        if (!zero) continue;
        llvm::Value* here = b.CreateICmpULT(c, extent(s, axis));
        inside = inside ? b.CreateAnd(inside, here) : here;
      }
      if (inside) {
        llvm::Value* outside = b.getInt32(static_cast<uint32_t>(ir::outside_coordinate));
        for (llvm::Value*& c : result) c = b.CreateSelect(inside, c, outside);
      }
      break;
    }
    default: return false;
  }
  set(op.results[0], std::move(result));
  return true;
}

// --- elements

llvm::Value* Emitter::element_pointer(llvm::Value* buffer, const Type& field, int component, llvm::Value* number) {
  llvm::Value* start = buffer;
  if (component > 0) {
    llvm::Value* bytes = b.CreateMul(stride(field), b.getInt64(static_cast<uint64_t>(component)), "", true, true);
    start = b.CreateInBoundsGEP(m.i8(), buffer, bytes);
  }
  return b.CreateInBoundsGEP(m.stored_type(field), start, number);
}

llvm::Value* Emitter::load_scalar(llvm::Type* type, llvm::Value* pointer, int bytes) {
  llvm::LoadInst* load = b.CreateAlignedLoad(type, pointer, llvm::Align(static_cast<uint64_t>(bytes)));
  if (access_group) load->setMetadata(llvm::LLVMContext::MD_access_group, access_group);
  return load;
}

void Emitter::store_scalar(llvm::Value* value, llvm::Value* pointer, int bytes) {
  llvm::StoreInst* store = b.CreateAlignedStore(value, pointer, llvm::Align(static_cast<uint64_t>(bytes)));
  if (access_group) store->setMetadata(llvm::LLVMContext::MD_access_group, access_group);
}

/// Components as they lie in a buffer: bools as bytes, references as numbers.
Components Emitter::to_stored(const Type& type, const Components& components) {
  Components stored;
  if (type.element == Element::reference) {
    auto dims = static_cast<size_t>(m.reference_dims(type));
    for (size_t i = 0; i < components.size(); i += dims) {
      stored.push_back(reference_number(type.space, llvm::ArrayRef(components).slice(i, dims)));
    }
    return stored;
  }
  for (llvm::Value* c : components) stored.push_back(type.element == Element::boolean ? b.CreateZExt(c, m.i8()) : c);
  return stored;
}

Components Emitter::from_stored(const Type& type, const Components& stored) {
  Components components;
  for (llvm::Value* c : stored) {
    if (type.element == Element::boolean) components.push_back(b.CreateICmpNE(c, b.getInt8(0)));
    else if (type.element == Element::reference && space(type.space).grid) components.append(reference_of_number(type.space, c));
    else components.push_back(c);
  }
  return components;
}

Components Emitter::load_element(llvm::Value* buffer, const Type& field, const Place& place) {
  Type type = value_of(field);
  Components stored;
  for (int c = 0; c < m.stored_components(field); ++c) {
    llvm::Value* v = load_scalar(m.stored_type(field), element_pointer(buffer, field, c, place.number), m.stored_bytes(field));
    if (place.inside) {
      bool reference = field.element == Element::reference;
      v = b.CreateSelect(place.inside, v, reference ? b.getInt32(static_cast<uint32_t>(-1)) : zero_of(v->getType()));
    }
    stored.push_back(v);
  }
  return from_stored(type, stored);
}

void Emitter::store_element(llvm::Value* buffer, const Type& field, const Place& place, const Components& components) {
  Components stored = to_stored(value_of(field), components);
  auto all = [&] {
    for (int c = 0; c < static_cast<int>(stored.size()); ++c) {
      store_scalar(stored[static_cast<size_t>(c)], element_pointer(buffer, field, c, place.number), m.stored_bytes(field));
    }
  };
  if (place.inside) when(place.inside, all);
  else all();
}

void Emitter::emit_load(const ir::Op& op) {
  const Type& field = p.type(op.operands[0]);
  Place place = element_place(field, op.operands.data() + 1, field.spaces.size());
  set(op.results[0], load_element(at(op.operands[0])[0], field, place));
}

void Emitter::emit_store(const ir::Op& op) {
  if (std::find(muted.begin(), muted.end(), op.operands[0]) != muted.end()) return;
  const Type& field = p.type(op.operands[0]);
  Place place = element_place(field, op.operands.data() + 1, field.spaces.size());
  store_element(at(op.operands[0])[0], field, place, at(op.operands.back()));
}

// --- whole buffers

llvm::Value* Emitter::allocate(llvm::Value* bytes) {
  return b.CreateCall(m.runtime_function("adjoule_allocate"), {context, bytes});
}

void Emitter::release(llvm::Value* buffer, llvm::Value* bytes) {
  b.CreateCall(m.runtime_function("adjoule_release"), {context, buffer, bytes});
}

void Emitter::emit_set_element(const ir::Op& op) {
  emit_store(op);
  set(op.results[0], at(op.operands[0]));
}

void Emitter::emit_fill(const ir::Op& op) {
  const Type& field = p.type(op.results[0]);
  llvm::Value* bytes = field_bytes(field);
  llvm::Value* buffer = allocate(bytes);
  Components stored = to_stored(value_of(field), at(op.operands[0]));
  bool all_zero = op.integer == 0;
  for (llvm::Value* c : stored) {
    auto* constant = llvm::dyn_cast<llvm::Constant>(c);
    all_zero = all_zero && constant && constant->isNullValue();   // -0.0 is not
  }
  if (all_zero) {
    b.CreateMemSet(buffer, b.getInt8(0), bytes, llvm::Align(64));
  } else if (op.integer == 0) {   // 1: whatever is in it will be overwritten
    for (int c = 0; c < static_cast<int>(stored.size()); ++c) {
      counted_loop(b.getInt64(0), elements(field), {}, [&](llvm::Value* i) {
        store_scalar(stored[static_cast<size_t>(c)], element_pointer(buffer, field, c, i), m.stored_bytes(field));
      });
    }
  }
  set(op.results[0], {buffer});
}

void Emitter::emit_copy(const ir::Op& op) {
  llvm::Value* bytes = field_bytes(p.type(op.results[0]));
  llvm::Value* buffer = allocate(bytes);
  if (op.integer == 0) b.CreateMemCpy(buffer, llvm::Align(64), at(op.operands[0])[0], llvm::Align(64), bytes);
  set(op.results[0], {buffer});
}

void Emitter::emit_drop(const ir::Op& op) {
  const Type& type = p.type(op.operands[0]);
  llvm::Value* dropped = at(op.operands[0])[0];
  if (type.stack) drop_stack(dropped);
  else if (type.field) release(dropped, field_bytes(type));
}

void Emitter::emit_add_fields(const ir::Op& op) {
  const Type& field = p.type(op.results[0]);
  llvm::Value* to = at(op.operands[0])[0];
  llvm::Value* from = at(op.operands[1])[0];
  int bytes = m.stored_bytes(field);
  for (int c = 0; c < m.stored_components(field); ++c) {
    counted_loop(b.getInt64(0), elements(field), {}, [&](llvm::Value* i) {
      llvm::Value* place = element_pointer(to, field, c, i);
      llvm::Value* x = load_scalar(m.stored_type(field), place, bytes);
      llvm::Value* y = load_scalar(m.stored_type(field), element_pointer(from, field, c, i), bytes);
      store_scalar(combine(ir::Reduction::add, x, y), place, bytes);
    });
  }
  set(op.results[0], {to});
}

}  // namespace adjoule::codegen
