// The typing rules of single operations (type_rules.hpp).
#include "ir/type_rules.hpp"

#include <fmt/format.h>

#include "ir/op_table.hpp"

namespace adjoule::ir {
namespace {

bool is_number(const Type& t) { return t.is_value() && (t.element == Element::integer || t.differentiable()); }
bool is_real_number(const Type& t) { return t.is_value() && t.differentiable(); }
bool is_scalar(const Type& t) { return t.is_bool() || t.is_int() || t.is_real(); }
bool has_components(const Type& t) { return t.is_vector() || t.is_matrix() || t.is_array(); }

/// Checks one operation; each rule returns what is wrong, or "".
class Rules {
 public:
  Rules(const Program& program, const Procedure& procedure, const Op& op)
      : program_(program), procedure_(procedure), op_(op) {}

  std::string check() const {
    const OpRow& row = ir::row(op_.code);
    if (row.operand_count >= 0 && operands() != static_cast<size_t>(row.operand_count)) {
      return fmt::format("takes {} operands, has {}", row.operand_count, operands());
    }
    std::string wrong = result_count();
    if (wrong.empty()) wrong = handles();
    if (wrong.empty()) wrong = rule();
    if (!wrong.empty() || op_.results.empty()) return wrong;
    Type inferred = infer_type(program_, procedure_, op_);
    if (inferred.is_none() || inferred == result()) return "";
    return fmt::format("gives {}, not {}", text(inferred), text(result()));
  }

 private:
  const Program& program_;
  const Procedure& procedure_;
  const Op& op_;

  size_t operands() const { return op_.operands.size(); }
  const Type& operand(size_t i) const { return procedure_.type(op_.operands[i]); }
  const Type& result() const { return procedure_.type(op_.results[0]); }
  bool is_handle(size_t i) const { return procedure_.values[static_cast<size_t>(op_.operands[i])].handle; }
  std::string text(const Type& t) const { return to_string(t, program_.space_names()); }

  std::string want(size_t i, bool right, std::string_view what) const {
    return right ? "" : fmt::format("operand {} is {}, not {}", i, text(operand(i)), what);
  }
  std::string want_same(size_t i, size_t j) const { return want(j, operand(i) == operand(j), text(operand(i))); }
  std::string want_int(size_t i) const { return want(i, operand(i).is_int(), "int"); }
  std::string want_result(bool right, std::string_view what) const {
    return right ? "" : fmt::format("the result is {}, not {}", text(result()), what);
  }
  static std::string first(std::initializer_list<std::string> findings) {
    for (const std::string& f : findings) {
      if (!f.empty()) return f;
    }
    return "";
  }

  std::string result_count() const {
    switch (op_.code) {
      case Opcode::if_: case Opcode::for_: case Opcode::while_: case Opcode::loop: case Opcode::serial: return "";
      case Opcode::check_index: case Opcode::check_nonzero: case Opcode::store: case Opcode::reduce: case Opcode::push:
      case Opcode::drop:
        return op_.results.empty() ? "" : "has a result, but is an effect only";
      default: return op_.results.size() == 1 ? "" : fmt::format("has {} results, not one", op_.results.size());
    }
  }

  /// A handle may only be the first operand of load, store and reduce.
  std::string handles() const {
    bool access = op_.code == Opcode::load || op_.code == Opcode::store || op_.code == Opcode::reduce;
    for (size_t i = access ? 1 : 0; i < operands(); ++i) {
      if (is_handle(i)) return fmt::format("operand {} is a handle", i);
    }
    bool updates = op_.code == Opcode::store || op_.code == Opcode::reduce;
    return updates && operands() > 0 && !is_handle(0) ? "operand 0 is a version, not a handle" : "";
  }

  /// Elementwise: operands of one same type that `fits`.
  std::string elementwise(bool (*fits)(const Type&), std::string_view what) const {
    std::string wrong = want(0, fits(operand(0)), what);
    for (size_t i = 1; wrong.empty() && i < operands(); ++i) wrong = want_same(0, i);
    return wrong;
  }

  std::string comparison() const {
    bool order = op_.code == Opcode::less || op_.code == Opcode::less_equal;
    bool fits = order ? operand(0).is_int() || operand(0).is_real() : is_scalar(operand(0));
    return first({want(0, fits, order ? "int or real" : "int, real or bool"), want_same(0, 1)});
  }

  std::string logic() const {
    std::string wrong;
    for (size_t i = 0; wrong.empty() && i < operands(); ++i) wrong = want(i, operand(i).is_bool(), "bool");
    return wrong;
  }

  bool known_space(SpaceId id) const { return id >= 0 && static_cast<size_t>(id) < program_.spaces.size(); }
  int dims(SpaceId id) const { return program_.spaces[static_cast<size_t>(id)].dims; }

  std::string extent() const {
    if (!known_space(op_.space)) return "names no space";
    return op_.integer < dims(op_.space) ? "" : fmt::format("axis {} of a space with {}", op_.integer, dims(op_.space));
  }

  std::string constant() const { return want_result(is_scalar(result()), "bool, int or real"); }

  // --- components

  std::string element_of(size_t whole, size_t part) const {
    Type component = operand(whole).is_array() ? array_element(operand(whole)) : real_type();
    return want(part, operand(part) == component, text(component));
  }

  std::string component_number() const {
    const Type& t = operand(0);
    int64_t count = t.is_array() ? t.array[0] : t.element_scalars();
    return op_.integer >= 0 && op_.integer < count ? "" : fmt::format("component {} of {}", op_.integer, text(t));
  }

  std::string components() const {
    std::string wrong = want(0, has_components(operand(0)), "a vector, matrix or array");
    if (!wrong.empty()) return wrong;
    switch (op_.code) {
      case Opcode::extract: return component_number();
      case Opcode::insert: return first({component_number(), element_of(0, 1)});
      case Opcode::extract_at: return want_int(1);
      default: return first({want_int(1), element_of(0, 2)});
    }
  }

  std::string pack() const {
    if (!has_components(result())) return want_result(false, "a vector, matrix or array");
    size_t count = static_cast<size_t>(result().is_array() ? result().array[0] : result().element_scalars());
    if (operands() != count) return fmt::format("takes {} operands, has {}", count, operands());
    Type component = result().is_array() ? array_element(result()) : real_type();
    for (size_t i = 0; i < operands(); ++i) {
      if (operand(i) != component) return want(i, false, text(component));
    }
    return "";
  }

  std::string splat() const {
    bool fits = (result().is_vector() || result().is_matrix() || (result().is_array() && result().differentiable()));
    return first({want(0, operand(0).is_real(), "real"), want_result(fits, "a vector or matrix")});
  }

  std::string products() const {
    const Type& a = operand(0);
    switch (op_.code) {
      case Opcode::cross: return first({want(0, a == vector_type(3), "vec3"), want_same(0, 1)});
      case Opcode::outer: return first({want(0, a.is_vector(), "a vector"), want_same(0, 1)});
      case Opcode::transpose: return want(0, a.is_matrix(), "a matrix");
      case Opcode::norm: return want(0, a.is_vector() || a.is_matrix(), "a vector or matrix");
      case Opcode::dot: return first({want(0, a.is_vector() || a.is_matrix(), "a vector or matrix"), want_same(0, 1)});
      default: {  // matrix_multiply
        bool fits = operand(1) == a || operand(1) == vector_type(a.size);
        return first({want(0, a.is_matrix(), "a matrix"), want(1, fits, "a matrix or vector of the same size")});
      }
    }
  }

  // --- references

  std::string integers(size_t begin, size_t count) const {
    if (operands() != begin + count) return fmt::format("takes {} operands, has {}", begin + count, operands());
    for (size_t i = begin; i < operands(); ++i) {
      if (!operand(i).is_int()) return want_int(i);
    }
    return "";
  }

  std::string references() const {
    if (op_.code == Opcode::make_reference) {
      return known_space(op_.space) ? integers(0, static_cast<size_t>(dims(op_.space))) : "names no space";
    }
    if (operands() == 0) return "takes a reference";
    std::string wrong = want(0, operand(0).is_reference() && known_space(operand(0).space), "a reference");
    if (!wrong.empty()) return wrong;
    int axes = dims(operand(0).space);
    switch (op_.code) {
      case Opcode::offset: return integers(1, static_cast<size_t>(axes));
      case Opcode::coordinate:
        return op_.integer >= 0 && op_.integer < axes ? "" : fmt::format("axis {} of a space with {}", op_.integer, axes);
      case Opcode::reference_equal: return want_same(0, 1);
      default: return "";
    }
  }

  // --- fields

  /// Operand 0 is a field and operands 1 … are the references that index it; `extra` operands follow.
  std::string indexed(size_t extra) const {
    if (operands() == 0) return "takes a field";
    if (!operand(0).field || operand(0).stack) return want(0, false, "a field");
    const std::vector<SpaceId>& spaces = operand(0).spaces;
    if (operands() != 1 + spaces.size() + extra) {
      return fmt::format("takes {} operands, has {}", 1 + spaces.size() + extra, operands());
    }
    for (size_t i = 0; i < spaces.size(); ++i) {
      if (operand(i + 1) != reference_type(spaces[i])) return want(i + 1, false, text(reference_type(spaces[i])));
    }
    return "";
  }

  std::string written() const {
    if (operands() == 0) return "takes a field";
    if (op_.code == Opcode::reduce && operand(0).is_value()) {  // a scalar handle
      return operands() == 2 ? first({want(0, is_number(operand(0)), "a number"), want_same(0, 1)})
                             : fmt::format("takes 2 operands, has {}", operands());
    }
    std::string wrong = indexed(1);
    if (!wrong.empty()) return wrong;
    size_t last = operands() - 1;
    Type value = value_of(operand(0));
    if (operand(last) != value) return want(last, false, text(value));
    return op_.code == Opcode::reduce ? want(last, is_number(value), "a number") : "";
  }

  std::string fields() const {
    switch (op_.code) {
      case Opcode::fill:
        if (!result().field || result().stack) return want_result(false, "a field");
        return want(0, operand(0) == value_of(result()), text(value_of(result())));
      case Opcode::load: return indexed(0);
      case Opcode::store: case Opcode::reduce: case Opcode::set_element: return written();
      default: {  // add_fields
        bool fits = operand(0).field && !operand(0).stack && is_number(value_of(operand(0)));
        return first({want(0, fits, "a field of numbers"), want_same(0, 1)});
      }
    }
  }

  std::string stacks() const {
    switch (op_.code) {
      case Opcode::stack_new: return want_result(result().stack, "a stack");
      case Opcode::push: {
        if (!operand(0).stack) return want(0, false, "a stack");
        Type held = popped(operand(0));
        return want(1, operand(1) == held, text(held));
      }
      default: return want(0, operand(0).stack, "a stack");
    }
  }

  std::string rule() const {
    switch (op_.code) {
      case Opcode::constant: return constant();
      case Opcode::zero: return want_result(result().is_value() && !result().is_none(), "a value type");
      case Opcode::size:
        return op_.integer >= 0 && static_cast<size_t>(op_.integer) < program_.sizes.size() ? "" : "names no size";
      case Opcode::extent: return extent();
      case Opcode::steps: return "";
      case Opcode::add: case Opcode::subtract: case Opcode::multiply: case Opcode::negate: case Opcode::absolute:
      case Opcode::sign: case Opcode::minimum: case Opcode::maximum: case Opcode::weigh:
        return elementwise(is_number, "a number");
      case Opcode::floor_divide: case Opcode::floor_modulo: return first({want_int(0), want_int(1)});
      case Opcode::detach: return want(0, operand(0).is_value(), "a value");
      case Opcode::equal: case Opcode::not_equal: case Opcode::less: case Opcode::less_equal: return comparison();
      case Opcode::logical_and: case Opcode::logical_or: case Opcode::logical_not: return logic();
      case Opcode::select:
        return first({want(0, operand(0).is_bool(), "bool"), want(1, operand(1).is_value(), "a value"),
                      want_same(1, 2)});
      case Opcode::int_to_real: return want_int(0);
      case Opcode::real_to_int: return want(0, operand(0).is_real(), "real");
      case Opcode::splat: return splat();
      case Opcode::pack: return pack();
      case Opcode::extract: case Opcode::insert: case Opcode::extract_at: case Opcode::insert_at: return components();
      case Opcode::dot: case Opcode::norm: case Opcode::cross: case Opcode::outer: case Opcode::matrix_multiply:
      case Opcode::transpose:
        return products();
      case Opcode::make_reference: case Opcode::offset: case Opcode::coordinate: case Opcode::index:
      case Opcode::reference_equal: case Opcode::normalise:
        return references();
      case Opcode::check_index:
        return first({want_int(0), op_.space == no_space || known_space(op_.space) ? "" : "names no space"});
      case Opcode::check_nonzero: return want_int(0);
      case Opcode::fill: case Opcode::load: case Opcode::store: case Opcode::reduce: case Opcode::set_element:
      case Opcode::add_fields:
        return fields();
      case Opcode::stack_new: case Opcode::push: case Opcode::pop: return stacks();
      case Opcode::copy: return want(0, operand(0).field, "a version");
      case Opcode::drop: return want(0, operand(0).field || operand(0).stack, "a version or a stack");
      case Opcode::if_: case Opcode::for_: case Opcode::while_: case Opcode::loop: case Opcode::serial: return "";
      default: return elementwise(is_real_number, "a real number");
    }
  }
};

}  // namespace

std::string type_error(const Program& program, const Procedure& procedure, const Op& op) {
  return Rules(program, procedure, op).check();
}

}  // namespace adjoule::ir
