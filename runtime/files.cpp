// Whole files, in and out.
#include "files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "adjoule/adjoule.hpp"

namespace adjoule::runtime {

std::string read_file(const std::string& path) {
  auto fail = [&](const std::string& why) -> void {
    throw Error(Failure::wrong_use, fmt::format("cannot read {}: {}", path, why));
  };
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) fail(std::strerror(errno));
  struct stat status{};
  if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
    std::fclose(file);
    fail("it is a directory");
  }
  std::string bytes;
  if (status.st_size > 0) bytes.reserve(static_cast<size_t>(status.st_size));
  char block[1 << 16];
  while (size_t n = std::fread(block, 1, sizeof block, file)) bytes.append(block, n);
  bool bad = std::ferror(file) != 0;
  int number = errno;
  std::fclose(file);
  if (bad) fail(std::strerror(number));
  return bytes;
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".XXXXXX") {
  struct stat status{};
  if (stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw Error(Failure::wrong_use, fmt::format("cannot write {}: it is a directory", path_));
  }
  // A device or a pipe cannot be renamed over: it is written directly.
  bool direct = stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (direct) {
    temporary_.clear();
    file_ = std::fopen(path_.c_str(), "wb");
  } else {
    int descriptor = mkstemp(temporary_.data());
    if (descriptor >= 0) {
      mode_t mask = umask(0);
      umask(mask);
      fchmod(descriptor, 0666 & ~mask);
      file_ = fdopen(descriptor, "wb");
    }
  }
  if (!file_) throw Error(Failure::wrong_use, fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (!file_) return;
  std::fclose(file_);
  file_ = nullptr;
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* doing) {
  int number = errno;
  discard();
  throw Error(Failure::failed_run, fmt::format("{} {} failed: {}{}", doing, path_, std::strerror(number),
                                               temporary_.empty() ? "" : "; what was there before is unchanged"));
}

void AtomicFile::write(const void* bytes, size_t count) {
  if (count != 0 && std::fwrite(bytes, 1, count, file_) != count) fail("writing");
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0) fail("writing");
  if (!temporary_.empty() && fsync(fileno(file_)) != 0) fail("writing");
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0 || (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0)) {
    int number = errno;
    if (!temporary_.empty()) unlink(temporary_.c_str());
    throw Error(Failure::failed_run, fmt::format("writing {} failed: {}", path_, std::strerror(number)));
  }
}

void check_writable(const std::string& path) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  struct stat status{};
  bool there = stat(path.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode))
    throw Error(Failure::wrong_use, fmt::format("cannot write {}: it is a directory", path));
  if (there && !S_ISREG(status.st_mode)) return;
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(Failure::wrong_use, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  }
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace adjoule::runtime
