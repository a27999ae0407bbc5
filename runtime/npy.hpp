// NumPy's .npy files: versions 1 and 2, little endian, float32, float64, int32, int64 and bool.
#pragma once
#include <memory>
#include <string>

#include "adjoule/adjoule.hpp"

namespace adjoule::runtime {

class AtomicFile;

/// Reads an array; Fortran order is turned into C order. Throws Error (wrong_use) with the file's name and what is
/// wrong: other kinds of numbers, a header that is none, a file that is too short or too long.
Array read_npy(const std::string& path);
Array parse_npy(const std::string& bytes, const std::string& name);

/// Reals are written as float64, or as float32 where `single`; integers as int32 when `narrow` (and they fit), else
/// int64.
void write_npy(const std::string& path, const Array& array, bool single = false, bool narrow = true);

/// Rows of one array, written as they come; the file appears under its name on commit().
class NpyWriter {
 public:
  NpyWriter(const std::string& path, std::vector<int64_t> shape, bool integral, bool single = false);
  ~NpyWriter();
  void append(const Array& row);
  void commit();

 private:
  std::unique_ptr<AtomicFile> file_;
  bool integral_, single_;
};

}  // namespace adjoule::runtime
