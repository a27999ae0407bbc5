// Reading whole files, and writing them so that nothing is lost: into a temporary file beside the target, renamed over
// it only when every byte has reached the disk.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace adjoule::runtime {

/// The bytes of a file. Throws Error (wrong_use) that says why it cannot be read.
std::string read_file(const std::string& path);

/// A file that appears under its name only on commit(). Throws Error (failed_run) on a full disk, (wrong_use) where the
/// target cannot be written at all. Destroyed without commit, it leaves nothing behind.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* bytes, size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  std::string path_, temporary_;
  std::FILE* file_ = nullptr;
  [[noreturn]] void fail(const char* doing);
  void discard();
};

/// Throws Error (wrong_use) when a file could not be made there: found out before a long run, not after it.
void check_writable(const std::string& path);

void write_file(const std::string& path, std::string_view text);

}  // namespace adjoule::runtime
