// Expressions to values. Every function adds operations at the end of the current block and returns the result.
#pragma once
#include <vector>

#include "lowering/environment.hpp"

namespace adjoule::lowering {

Value lower_expression(Context& c, const Expr& e);
/// The same, converted to `want` (coerce).
Value lower_as(Context& c, const Expr& e, const Type& want);

// --- conversions
Value int_constant(Context& c, int64_t i);
Value to_real(Context& c, Value v);
/// int to real, scalar to vector, matrix or array, where `want` asks for it; else the value as it is.
Value coerce(Context& c, Value v, const Type& want);
/// Both to the wider of their two types (int < real < vector, matrix).
void unify(Context& c, Value& a, Value& b);

// --- arithmetic with broadcasting (arithmetic.cpp)
Value elementwise(Context& c, ir::Opcode code, std::vector<Value> operands);
Value add_values(Context& c, Value a, char sign, Value b);       // sign: '+' or '-'; arrays member by member
Value multiply_values(Context& c, Value a, char sign, Value b);  // sign: '*' or '/'; matrix products
Value negate_value(Context& c, Value a);
Value lower_sum(Context& c, const Expr& e);
Value lower_product(Context& c, const Expr& e);
Value lower_power(Context& c, const Expr& e);
Value power_values(Context& c, Value base, const Expr& exponent);
/// a + e or a - e, fused when e is a product.
Value accumulate(Context& c, Value a, char sign, const Expr& e);

// --- places inside of values (places.cpp)
/// One step into a vector, matrix or array.
struct Step {
  bool constant = true;
  int64_t number = 0;
  Value at = ir::no_value;  // proven in range
};
std::vector<Step> index_steps(Context& c, Type type, std::span<const Expr> indices);
Value step_into(Context& c, Value v, const Step& step);
/// `whole` with what stands at path[from…] replaced by `leaf`.
Value with_replaced(Context& c, Value whole, std::span<const Step> path, Value leaf);
Value lower_index(Context& c, const Expr& e);
Value lower_member(Context& c, const Expr& e);
/// A field element, recorded for the access modes when the field is under update.
Value load_element(Context& c, Value field, const std::vector<Value>& indices, Span span);
void check_index(Context& c, Value i, SpaceId space, int64_t length = 0);
/// References to a grid are normalised before they are stored in a field.
Value for_storage(Context& c, Value v);

// --- calls (calls.cpp, builtins.cpp)
Value lower_call(Context& c, const Expr& e);
Value lower_builtin(Context& c, const Expr& e, const std::string& name);
void call_proc(Context& c, const Expr& e);

// --- conditions (conditions.cpp)
Value lower_comparison(Context& c, const Expr& e);
Value lower_logic(Context& c, const Expr& e);  // any_of, all_of
Value lower_conditional(Context& c, const Expr& e);
/// May it be evaluated although its value is not wanted: no checks, no effects, nothing singular, little work?
bool is_cheap(const Context& c, const Expr& e);

}  // namespace adjoule::lowering
