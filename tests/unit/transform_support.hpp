// What the tests of the transforms share: a small program to build procedures in, counting operations, running before
// and after, and the walk that proves a buffer plan right.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ir/builder.hpp"
#include "ir/interpreter.hpp"
#include "ir/print.hpp"
#include "ir/verify.hpp"
#include "transform/transform.hpp"

namespace adjoule::transform::testing {

constexpr SpaceId particle = 1;  // plain, 7 elements
constexpr SpaceId cell = 2;      // periodic grid, 4 x 3
constexpr SpaceId rim = 3;       // a grid of 5 with boundary zero

/// The spaces above and `time`.
ir::Program program();
ir::Environment environment();

inline Type particles(Type t = real_type()) { return field_of(std::move(t), {particle}); }
inline ir::Domain over(SpaceId space) { return {.space = space}; }

/// How many operations of that kind there are, nested ones included.
int count(const ir::Procedure& procedure, ir::Opcode code);
/// The only operation of that kind.
const ir::Op& only(const ir::Procedure& procedure, ir::Opcode code);

/// Both are well formed and give the same outputs, bit for bit, on inputs drawn at random (also in single precision).
void expect_same(const ir::Program& program, const ir::Procedure& before, const ir::Procedure& after);

/// Every consumed version is owned and dead afterwards, every owned one is consumed or dropped once on every path.
std::vector<std::string> plan_errors(const ir::Procedure& procedure);

/// A planned procedure as native code runs it: a loop that updates a version which it also reads sees its own stores,
/// and contents that are left undefined are NaN.
ir::Procedure as_native(const ir::Procedure& planned);

/// A plan that holds and gives the same outputs as `before`, also as native code runs it.
void expect_plan(const ir::Program& program, const ir::Procedure& before, const ir::Procedure& planned);

}  // namespace adjoule::transform::testing
