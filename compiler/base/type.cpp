// Types as the user writes them.
#include "base/type.hpp"

namespace adjoule {

namespace {

std::string space_name(SpaceId space, const std::vector<std::string>& names) {
  if (space < 0 || static_cast<size_t>(space) >= names.size()) return "space#" + std::to_string(space);
  return names[static_cast<size_t>(space)];
}

std::string element_name(const Type& type, const std::vector<std::string>& space_names) {
  switch (type.element) {
    case Element::none: return "nothing";
    case Element::boolean: return "bool";
    case Element::integer: return "int";
    case Element::real: return "real";
    case Element::vector: return "vec" + std::to_string(type.size);
    case Element::matrix: return "mat" + std::to_string(type.size);
    case Element::reference: return space_name(type.space, space_names);
  }
  return "nothing";
}

/// "[a, b]" from the names of its parts; "" for none.
std::string bracketed(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "[" : ", ") + part;
  return text.empty() ? text : text + "]";
}

}  // namespace

std::string to_string(const Type& type, const std::vector<std::string>& space_names) {
  std::vector<std::string> lengths, spaces;
  for (int32_t length : type.array) lengths.push_back(std::to_string(length));
  if (type.field) {
    for (SpaceId space : type.spaces) spaces.push_back(space_name(space, space_names));
  }
  const std::string held = element_name(type, space_names) + bracketed(lengths) + bracketed(spaces);
  return type.stack ? "stack<" + held + ">" : held;
}

}  // namespace adjoule
