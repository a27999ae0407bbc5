// What the lowering of the several kinds of loops shares.
#pragma once
#include "lowering/statements.hpp"

namespace adjoule::lowering {

ir::Domain domain_of(Context& c, const syntax::Iterator& iterator);
/// Lower and upper bound when it is a range, else nothing.
std::vector<Value> bounds_of(Context& c, const syntax::Iterator& iterator);
void bind_index(Context& c, const syntax::Iterator& iterator, Value index);

/// A sequential loop under construction: its body, its flags, what it carries.
struct Sequential {
  const Stmt& s;
  Sequence body;
  JumpScope scope;
  std::vector<VariableId> carried;
};

/// Flags and carried variables of a loop; the flag `go` is carried too. Handles need no carrying.
Sequential prepare(Context& c, const Stmt& s);
/// The body of one iteration; the carried variables and the indices are set.
void lower_body(Context& c, Sequential& loop);

// --- loops_over_fields.cpp
void lower_serial(Context& c, const Stmt& s);  // `serial`: spaces in order, or a range that touches single elements
void lower_parallel(Context& c, const Stmt& s);

}  // namespace adjoule::lowering
