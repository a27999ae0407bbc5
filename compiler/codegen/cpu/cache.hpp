// Compiled objects on disk, by a key that names everything that their bytes depend on.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "codegen/compile.hpp"

namespace adjoule::codegen {

struct CachedObject {
  std::vector<FaultSite> fault_sites;
  std::vector<std::string> objects;
};

/// The procedures in full (with the places of what can fault), the options, this build of the compiler, LLVM and the CPU.
std::string cache_key(const ir::Program& program, const std::vector<const ir::Procedure*>& procedures,
                      const CompileOptions& options);

/// Nothing when there is no such file, or when it is broken.
std::optional<CachedObject> read_cache(const CompileOptions& options, const std::string& key);

/// Never fails visibly: a cache that cannot be written is a slower start, not an error.
void write_cache(const CompileOptions& options, const std::string& key, const CachedObject& entry);

}  // namespace adjoule::codegen
