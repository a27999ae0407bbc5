// All programs of tests/programs, and the complete program of the language page, check without a word.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "semantics_support.hpp"

namespace adjoule::semantics {
namespace {

std::vector<std::string> programs() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(ADJOULE_PROGRAMS_DIR)) {
    if (entry.path().extension() == ".adj") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Programs, AllCheckWithoutErrors) {
  const std::vector<std::string> files = programs();
  ASSERT_GE(files.size(), 33u);
  for (const std::string& file : files) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    const auto c = check_text(text.str());
    EXPECT_EQ(count_errors(*c), 0u) << file << "\n" << c->messages();
    for (size_t i = 0; i < c->checked.symbols.size(); ++i) {
      const Symbol& s = c->checked.symbols[i];
      const bool value = s.kind == SymbolKind::local_let || s.kind == SymbolKind::local_var ||
                         s.kind == SymbolKind::local_field || s.kind == SymbolKind::loop_index ||
                         s.kind == SymbolKind::field;
      EXPECT_FALSE(value && s.type.is_none()) << file << ": " << s.name;
    }
  }
}

}  // namespace
}  // namespace adjoule::semantics
