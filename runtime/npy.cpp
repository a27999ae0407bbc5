// Reading and writing .npy: magic, version, length of the header, a Python dictionary as text, then the numbers.
#include "npy.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <optional>

#include "files.hpp"

namespace adjoule::runtime {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& why) {
  throw Error(Failure::wrong_use, fmt::format("{}: {}", name, why));
}

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;
  size_t data = 0;  // where the numbers begin
};

/// Reads just the dictionary that NumPy writes: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }.
struct DictionaryReader {
  std::string_view text;
  const std::string& name;
  size_t at = 0;

  [[noreturn]] void bad() const { fail(name, "is not a readable .npy file: its header is damaged"); }
  void blanks() {
    while (at < text.size() && std::strchr(" \t\n\r", text[at])) ++at;
  }
  bool take(char c) {
    blanks();
    if (at >= text.size() || text[at] != c) return false;
    ++at;
    return true;
  }
  void expect(char c) {
    if (!take(c)) bad();
  }
  std::string quoted() {
    blanks();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) bad();
    char quote = text[at++];
    size_t end = text.find(quote, at);
    if (end == std::string_view::npos) bad();
    std::string result(text.substr(at, end - at));
    at = end + 1;
    return result;
  }
  bool boolean() {
    blanks();
    for (bool value : {true, false}) {
      std::string_view word = value ? "True" : "False";
      if (text.substr(at, word.size()) == word) {
        at += word.size();
        return value;
      }
    }
    bad();
  }
  int64_t number() {
    blanks();
    int64_t value = 0;
    size_t start = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      if (value > std::numeric_limits<int64_t>::max() / 10 - 10) bad();
      value = value * 10 + (text[at] - '0');
    }
    if (at == start) bad();
    if (at < text.size() && text[at] == 'L') ++at;  // Python 2
    return value;
  }
  std::vector<int64_t> tuple() {
    expect('(');
    std::vector<int64_t> result;
    while (!take(')')) {
      result.push_back(number());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return result;
  }
  Header dictionary() {
    Header header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      std::string key = quoted();
      expect(':');
      if (key == "descr") {
        blanks();
        if (at < text.size() && text[at] == '[') fail(name, "holds records; only plain numbers can be read");
        header.descr = quoted();
        descr = true;
      } else if (key == "fortran_order") {
        header.fortran = boolean();
        order = true;
      } else if (key == "shape") {
        header.shape = tuple();
        shape = true;
      } else {
        bad();
      }
      take(',');
    }
    if (!descr || !order || !shape) bad();
    return header;
  }
};

Header read_header(const std::string& bytes, const std::string& name) {
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0) {
    fail(name, bytes.empty() ? "is empty" : "is not a .npy file (save it with numpy.save)");
  }
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  size_t version = byte(6), begin = 0, length = 0;
  if (version == 1) {
    begin = 10;
    length = byte(8) | byte(9) << 8;
  } else if (version == 2 || version == 3) {
    if (bytes.size() < 12) fail(name, "ends within its header");
    begin = 12;
    length = byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  } else {
    fail(name, fmt::format("has version {} of the .npy format; 1 and 2 can be read", version));
  }
  if (length > bytes.size() - begin) fail(name, "ends within its header");
  DictionaryReader reader{std::string_view(bytes).substr(begin, length), name};
  Header header = reader.dictionary();
  header.data = begin + length;
  return header;
}

struct Kind {
  const char* descr;
  const char* words;
  size_t bytes;
  bool integral;
};
constexpr Kind kinds[] = {{"<f8", "float64", 8, false}, {"<f4", "float32", 4, false}, {"<i4", "int32", 4, true},
                          {"<i8", "int64", 8, true},    {"|b1", "bool", 1, true},     {"?", "bool", 1, true}};

const Kind& kind_of(const std::string& descr, const std::string& name) {
  for (const Kind& kind : kinds) {
    if (descr == kind.descr) return kind;
  }
  if (!descr.empty() && descr[0] == '>') {
    fail(name, fmt::format("holds big-endian numbers ('{}'); save it with .astype('<{}')", descr, descr.substr(1)));
  }
  fail(name, fmt::format("holds numbers of the kind '{}'; float64, float32, int32, int64 and bool can be read", descr));
}

template <typename T>
T number_at(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void read_number(Array& array, const Kind& kind, size_t to, const char* from) {
  if (!kind.integral) {
    array.reals[to] = kind.bytes == 8 ? number_at<double>(from) : static_cast<double>(number_at<float>(from));
  } else if (kind.bytes == 1) {
    array.integers[to] = *from != 0;
  } else {
    array.integers[to] = kind.bytes == 8 ? number_at<int64_t>(from) : number_at<int32_t>(from);
  }
}

/// The place in Fortran order of the element with row-major number `index`.
size_t fortran_place(size_t index, const std::vector<int64_t>& shape) {
  size_t place = 0, stride = 1;
  std::vector<size_t> coordinates(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    coordinates[d] = index % static_cast<size_t>(shape[d]);
    index /= static_cast<size_t>(shape[d]);
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    place += coordinates[d] * stride;
    stride *= static_cast<size_t>(shape[d]);
  }
  return place;
}

size_t checked_count(const Header& header, const Kind& kind, size_t bytes_there, const std::string& name) {
  size_t count = 1;
  bool none = false;
  for (int64_t d : header.shape) none = none || d == 0;
  for (int64_t d : header.shape) {
    if (none) break;
    if (static_cast<size_t>(d) > std::numeric_limits<size_t>::max() / 16 / count) fail(name, "has an impossible shape");
    count *= static_cast<size_t>(d);
  }
  if (none) count = 0;
  if (bytes_there < count * kind.bytes) {
    fail(name, fmt::format("is cut off: {} numbers of {} bytes are announced, {} bytes are there", count, kind.bytes,
                           bytes_there));
  }
  if (bytes_there > count * kind.bytes) {
    fail(name, fmt::format("is longer than its header says: {} bytes too many", bytes_there - count * kind.bytes));
  }
  return count;
}

std::string header_text(const char* descr, const std::vector<int64_t>& shape) {
  std::string tuple;
  for (int64_t d : shape) tuple += fmt::format("{}, ", d);
  if (shape.size() > 1) tuple.resize(tuple.size() - 2);
  if (shape.size() == 1) tuple.resize(tuple.size() - 1);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, tuple);
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string result("\x93NUMPY\x01\x00", 8);
  result += static_cast<char>(text.size() & 0xFF);
  result += static_cast<char>(text.size() >> 8);
  return result + text;
}

template <typename T, typename From>
void write_numbers(AtomicFile& file, const std::vector<From>& numbers) {
  std::vector<T> block;
  constexpr size_t step = 1 << 14;
  for (size_t i = 0; i < numbers.size(); i += step) {
    size_t end = std::min(numbers.size(), i + step);
    block.assign(numbers.begin() + static_cast<std::ptrdiff_t>(i), numbers.begin() + static_cast<std::ptrdiff_t>(end));
    file.write(block.data(), block.size() * sizeof(T));
  }
}

bool fits_int32(const Array& array) {
  for (int64_t i : array.integers) {
    if (i < std::numeric_limits<int32_t>::min() || i > std::numeric_limits<int32_t>::max()) return false;
  }
  return true;
}

}  // namespace

Array parse_npy(const std::string& bytes, const std::string& name) {
  Header header = read_header(bytes, name);
  const Kind& kind = kind_of(header.descr, name);
  size_t count = checked_count(header, kind, bytes.size() - header.data, name);
  Array array;
  array.shape = header.shape;
  array.integral = kind.integral;
  if (kind.integral)
    array.integers.resize(count);
  else
    array.reals.resize(count);
  const char* data = bytes.data() + header.data;
  bool swap = header.fortran && header.shape.size() > 1;
  for (size_t i = 0; i < count; ++i) {
    read_number(array, kind, i, data + (swap ? fortran_place(i, header.shape) : i) * kind.bytes);
  }
  return array;
}

Array read_npy(const std::string& path) { return parse_npy(read_file(path), path); }

void write_npy(const std::string& path, const Array& array, bool single, bool narrow) {
  AtomicFile file(path);
  bool small = array.integral && narrow && fits_int32(array);
  file.write(header_text(array.integral ? (small ? "<i4" : "<i8") : (single ? "<f4" : "<f8"), array.shape));
  if (!array.integral) {
    if (single)
      write_numbers<float>(file, array.reals);
    else
      write_numbers<double>(file, array.reals);
  } else if (small) {
    write_numbers<int32_t>(file, array.integers);
  } else {
    write_numbers<int64_t>(file, array.integers);
  }
  file.commit();
}

NpyWriter::NpyWriter(const std::string& path, std::vector<int64_t> shape, bool integral, bool single)
    : file_(std::make_unique<AtomicFile>(path)), integral_(integral), single_(single) {
  file_->write(header_text(integral ? "<i8" : (single ? "<f4" : "<f8"), shape));
}

NpyWriter::~NpyWriter() = default;

void NpyWriter::append(const Array& row) {
  if (integral_)
    write_numbers<int64_t>(*file_, row.integers);
  else if (single_)
    write_numbers<float>(*file_, row.reals);
  else
    write_numbers<double>(*file_, row.reals);
}

void NpyWriter::commit() { file_->commit(); }

}  // namespace adjoule::runtime
