// Adding adjoints and tangents: of numbers, vectors, matrices, fixed arrays and versions of fields.
#pragma once
#include "ir/builder.hpp"

namespace adjoule::adjoint {

ir::Value sum(ir::Builder& builder, ir::Value a, ir::Value b);

}  // namespace adjoule::adjoint
