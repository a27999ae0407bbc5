// Adding two values of one type, whatever the type (sum.hpp).
#include "adjoint/sum.hpp"

namespace adjoule::adjoint {

ir::Value sum(ir::Builder& builder, ir::Value a, ir::Value b) {
  const Type type = builder.type(a);
  if (type.field) return builder.emit(ir::Opcode::add_fields, {a, b}, type);
  if (!type.is_array()) return builder.add(a, b);
  std::vector<ir::Value> parts;
  for (int k = 0; k < type.array.front(); ++k) parts.push_back(sum(builder, builder.extract(a, k), builder.extract(b, k)));
  return builder.emit(ir::Opcode::pack, std::move(parts), type);
}

}  // namespace adjoule::adjoint
