// The rules of access modes, applied to the record of one finished parallel loop (access_modes.hpp):
//   own     each loop index stands alone and unshifted at one position, the same in all accesses
//   reduce  one operator, never read (the loop's mode was chosen so; a field that is also read or written is own)
#include "lowering/access_modes.hpp"

#include <algorithm>

namespace adjoule::lowering {
namespace {

using ir::Value;

/// The positions at which loop index `index` stands alone in an access.
uint32_t positions(const Access& access, Value index) {
  uint32_t mask = 0;
  for (size_t i = 0; i < access.indices.size() && i < 32; ++i) {
    if (access.indices[i] == index) mask |= uint32_t{1} << i;
  }
  return mask;
}

/// Where each loop index must stand: the positions that all the accesses have in common.
std::vector<uint32_t> common_positions(const ParallelLoop& loop, const std::vector<const Access*>& accesses) {
  std::vector<uint32_t> masks(loop.indices.size(), ~uint32_t{0});
  for (const Access* access : accesses) {
    for (size_t i = 0; i < masks.size(); ++i) masks[i] &= positions(*access, loop.indices[i]);
  }
  return masks;
}

/// The first loop index that does not stand at its place; -1 when all do.
int misplaced(const ParallelLoop& loop, const Access& access, const std::vector<uint32_t>& masks) {
  for (size_t i = 0; i < masks.size(); ++i) {
    if ((positions(access, loop.indices[i]) & masks[i]) == 0) return static_cast<int>(i);
  }
  return -1;
}

/// An access that shows where the own element is: the first one, writes before reads, in which each loop index stands
/// alone.
const Access* owner(const ParallelLoop& loop, const std::vector<const Access*>& accesses) {
  std::vector<uint32_t> anywhere(loop.indices.size(), ~uint32_t{0});
  for (bool writes : {true, false}) {
    for (const Access* access : accesses) {
      if ((access->kind != AccessKind::read) == writes && misplaced(loop, *access, anywhere) < 0) return access;
    }
  }
  return nullptr;
}

bool is_reduction(const Access& access) {
  return access.operation == "+=" || access.operation == "min=" || access.operation == "max=";
}

std::string quoted(const std::string& name) { return "`" + name + "`"; }

const std::string& space_name(const ir::Program& program, const ir::Procedure& procedure, const ParallelLoop& loop) {
  return program.spaces[static_cast<size_t>(procedure.type(loop.indices[0]).space)].name;
}

const Access* find_write(const std::vector<const Access*>& accesses) {
  for (const Access* access : accesses) {
    if (access->kind != AccessKind::read) return access;
  }
  return nullptr;
}

const Access* find_read(const std::vector<const Access*>& accesses) {
  for (const Access* access : accesses) {
    if (access->kind == AccessKind::read) return access;
  }
  return nullptr;
}

/// A reduction with another operator than `first`.
const Access* find_other_reduction(const std::vector<const Access*>& accesses, const Access& first) {
  for (const Access* access : accesses) {
    if (access->kind != AccessKind::read && access->operation != first.operation) return access;
  }
  return nullptr;
}

void report_read(const ParallelLoop& loop, const std::string& name, const std::string& space, const Access& read,
                 const std::vector<const Access*>& accesses, int index, Diagnostics& diagnostics) {
  const Access* write = find_write(accesses);
  bool reduced = write && is_reduction(*write);
  Diagnostic& d = diagnostics.error(read.span,
                                    quoted(name) + " is read at another element of " + quoted(space) + " here and " +
                                        (reduced ? "changed with " + quoted(write->operation) : "written") +
                                        " in the same parallel loop",
                                    "split the loop, or write into a new field");
  if (write) d.notes.push_back({write->span, reduced ? "changed here" : "written here"});
  d.notes.push_back(
      {read.span, "the loop's index " + quoted(loop.index_names[static_cast<size_t>(index)]) +
                      " does not stand alone at its place here, so another iteration may own this element"});
}

void report_reduction(const std::string& name, const Access& reduction, const std::vector<const Access*>& accesses,
                      Diagnostics& diagnostics) {
  const Access* read = find_read(accesses);
  const Access* other = find_other_reduction(accesses, reduction);
  std::string what = quoted(name) + " is reduced here with " + quoted(reduction.operation) +
                     " into elements that other iterations reach too, and ";
  if (other) {
    Diagnostic& d =
        diagnostics.error(reduction.span, what + "changed with " + quoted(other->operation) + " in the same loop",
                          "split the loop: one operator in each");
    d.notes.push_back({other->span, "changed here"});
  } else if (read) {
    Diagnostic& d = diagnostics.error(
        reduction.span, what + "read in the same loop",
        "split the loop, or keep what is read under another name before it: `let old = " + name + ";`");
    d.notes.push_back({read->span, "read here"});
  }
}

void report_write(const ParallelLoop& loop, const std::string& name, const Access& write, int index, const Access* own,
                  Diagnostics& diagnostics) {
  const std::string& index_name = loop.index_names[static_cast<size_t>(index)];
  Diagnostic& d = diagnostics.error(
      write.span,
      quoted(name) + " is written here at an element that is not this iteration's own: the loop's index " +
          quoted(index_name) + " does not stand alone at its place, so two iterations could write the same element",
      "write the element of the loop's own index, combine contributions with `+=`, or make the loop a `serial for`");
  if (own && own != &write) d.notes.push_back({own->span, "used at the loop's own element here"});
}

void check_own(const ir::Program& program, const ir::Procedure& procedure, const ParallelLoop& loop,
               const std::string& name, const std::vector<const Access*>& accesses, Diagnostics& diagnostics) {
  std::vector<uint32_t> common = common_positions(loop, accesses);
  if (std::all_of(common.begin(), common.end(), [](uint32_t mask) { return mask != 0; })) return;
  const Access* own = owner(loop, accesses);
  std::vector<uint32_t> places(loop.indices.size(), ~uint32_t{0});
  if (own) places = common_positions(loop, {own});
  // A write in a wrong place is the graver mistake: it is reported before a read.
  for (const Access* access : accesses) {
    int index = misplaced(loop, *access, places);
    if (access->kind == AccessKind::read || index < 0) continue;
    if (is_reduction(*access)) return report_reduction(name, *access, accesses, diagnostics);
    return report_write(loop, name, *access, index, own, diagnostics);
  }
  for (const Access* access : accesses) {
    int index = misplaced(loop, *access, places);
    if (index < 0) continue;
    return report_read(loop, name, space_name(program, procedure, loop), *access, accesses, index, diagnostics);
  }
}

}  // namespace

void check_access_modes(const ir::Program& program, const ir::Procedure& procedure, const ParallelLoop& loop,
                        Diagnostics& diagnostics) {
  for (size_t i = 0; i < loop.handles.size(); ++i) {
    std::vector<const Access*> accesses;
    for (const Access& access : loop.accesses) {
      if (access.handle == loop.handles[i]) accesses.push_back(&access);
    }
    if (loop.modes[i] != ir::Mode::own || accesses.empty()) continue;
    check_own(program, procedure, loop, loop.names[i], accesses, diagnostics);
  }
}

}  // namespace adjoule::lowering
