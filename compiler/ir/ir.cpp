// The few members of the IR's data structures that are not plain data.
#include "ir/ir.hpp"

namespace adjoule::ir {

std::vector<std::string> Program::space_names() const {
  std::vector<std::string> names;
  names.reserve(spaces.size());
  for (const SpaceInfo& space : spaces) names.push_back(space.name);
  return names;
}

}  // namespace adjoule::ir
