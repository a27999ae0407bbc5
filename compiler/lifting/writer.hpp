// The state of lifting one procedure, shared by lift.cpp (statements) and expressions.cpp. A pure value that is used once, in
// the block where it is computed, is written into its user's expression; every other value gets a name by `let` or `var`.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "ir/ir.hpp"

namespace adjoule::lifting {

using ir::Op;
using ir::Opcode;
using ir::Value;

/// How tightly an expression binds, loose to tight (language.md, Types and arithmetic).
enum class Binding : uint8_t { conditional, any_of, all_of, negation, comparison, sum, product, unary, power, postfix };

struct Text {
  std::string text;
  Binding binding = Binding::postfix;
};

struct Writer {
  const ir::Program& program;
  const ir::Procedure& f;
  std::vector<std::string> space_names;
  std::vector<std::string> names;          // by value: its variable, once it has one
  std::vector<ir::OpId> definition;        // by value: the operation that makes it, or -1
  std::vector<int> uses;                   // by value
  std::vector<ir::BlockId> home, user;     // by value: the block that makes it, and (when used once) the block that uses it
  std::vector<bool> feeds_sum;             // by value: an operand of an addition or subtraction, where a product must not stand
  std::vector<bool> must_name;             // by value: its user writes it more than once
  std::set<std::string> taken;             // names in use
  std::set<Value> updated_variables;       // versions whose variable the loop being written updates: loads of it get a name
  std::string out;
  int indent = 1;

  Writer(const ir::Program& program, const ir::Procedure& procedure);

  // --- expressions.cpp
  Text expression(Value v);                // the name, or the inlined operation
  Text operation(const Op& op);
  std::string operand(Value v, Binding at_least);
  std::string list(const Op& op, size_t first, size_t last);
  std::string indices(const Op& op, size_t first, size_t last);
  Text constant(const Op& op, const Type& type) const;
  Text binary(const Op& op, const char* sign, Binding binding);
  Text call(const Op& op, const char* name);
  Text component(const Op& op);
  std::string pack(const Op& op);
  std::string zero(const Type& type) const;
  Text componentwise(const Op& op);
  bool is_splat(Value v) const;

  // --- lift.cpp
  bool inlined(Value v) const;
  std::string fresh(std::string base);
  const std::string& name(Value v);
  void line(const std::string& text);
  void block(ir::BlockId id);
  void statement(const Op& op);
  void single(const Op& op);
  void declare(Value v, const std::string& value);
  void assign_yields(const std::vector<Value>& yields, const std::vector<std::string>& targets);
  void insert(const Op& op);
  void store(const Op& op);
  void if_(const Op& op);
  void for_(const Op& op);
  void while_(const Op& op);
  void kernel(const Op& op);
  std::vector<std::string> carry(const std::vector<Value>& initial, const std::vector<Value>& arguments);
  std::string domain(const ir::Domain& domain, const std::string& bounds) const;
};

/// An elementwise operation on matrices that the language has no form for: written entry by entry.
bool is_written_by_entries(const Writer& w, const Op& op);

/// A type as source text, without spaces of fields; and the bracketed spaces of a field.
std::string type_text(const Writer& w, const Type& type);
std::string spaces_text(const Writer& w, const Type& type);

inline size_t at(int32_t index) { return static_cast<size_t>(index); }

}  // namespace adjoule::lifting
