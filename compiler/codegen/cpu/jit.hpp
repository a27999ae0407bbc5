// Object code in memory -> functions to call.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "native.hpp"

namespace adjoule::codegen {

struct LoadedCode {
  std::shared_ptr<void> owner;
  std::vector<runtime::NativeFunction> functions;
};

/// Links object files into this process and looks the names up. Empty functions and a text in `error` on failure.
LoadedCode load_objects(const std::vector<std::string>& objects, const std::vector<std::string>& names, std::string& error);

}  // namespace adjoule::codegen
