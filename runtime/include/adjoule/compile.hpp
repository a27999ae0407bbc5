// Compiling a program from its text. Needs the whole compiler (LLVM); a program that was compiled ahead needs only
// adjoule.hpp.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adjoule/adjoule.hpp"

namespace adjoule {

namespace driver {
struct Compilation;
}

/// A program that has been read and checked. Cheap to copy; instances keep what they need of it.
class __attribute__((visibility("default"))) Program {
 public:
  /// Throws Error: wrong_use when the file cannot be read, wrong_program with all its mistakes otherwise.
  static Program from_file(const std::string& path);
  static Program from_string(std::string text, std::string name = "<string>");

  /// Evaluates sizes and extents. Throws wrong_use: a size that is missing, unknown or leads to an impossible extent.
  Instance instantiate(const Options& options = {}) const;

  const std::vector<Message>& warnings() const { return *warnings_; }
  std::string warning_text() const;  // as shown on a terminal, "" without warnings

  explicit Program(std::shared_ptr<const driver::Compilation> compilation);
  const driver::Compilation& compilation() const { return *compilation_; }  // for the command and for tests

 private:
  std::shared_ptr<const driver::Compilation> compilation_;
  std::shared_ptr<const std::vector<Message>> warnings_;
};

}  // namespace adjoule
