// .npy and .csv: round trips, and every way in which a file can be wrong.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "csv.hpp"
#include "files.hpp"
#include "npy.hpp"

namespace adjoule::runtime {
namespace {

class TemporaryFolder : public ::testing::Test {
 protected:
  std::filesystem::path folder;
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "adjoule-files-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string path(const char* name) const { return (folder / name).string(); }
  size_t files() const { return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {})); }
};
using Npy = TemporaryFolder;
using Csv = TemporaryFolder;
using Files = TemporaryFolder;

template <typename F>
std::string failure_of(F&& action) {
  try {
    action();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, Failure::wrong_use);
    return e.what();
  }
  return "no failure";
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << "it says: " << (text)

/// A file as NumPy writes it, from a descr, the order, a shape and raw bytes.
std::string npy(const std::string& descr, const std::string& shape, const std::string& data, bool fortran = false,
                int version = 1) {
  std::string text =
      "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY");
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return bytes + text + data;
}

template <typename T>
std::string raw(std::initializer_list<T> numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), numbers.begin(), bytes.size());
  return bytes;
}

TEST_F(Npy, RealsComeBack) {
  Array a = Array::of_reals({1, -2.5, 1e300, 0.1, 5, 6}, {2, 3});
  write_npy(path("a.npy"), a);
  Array b = read_npy(path("a.npy"));
  EXPECT_EQ(b.shape, a.shape);
  EXPECT_EQ(b.reals, a.reals);
  EXPECT_FALSE(b.integral);
}

TEST_F(Npy, FloatsIntegersAndScalarsComeBack) {
  write_npy(path("f.npy"), Array::of_reals({0.5, 0.1}, {2}), true);
  EXPECT_EQ(read_npy(path("f.npy")).reals, (std::vector<double>{0.5, static_cast<double>(0.1f)}));
  write_npy(path("i.npy"), Array::of_integers({-1, 7}, {2, 1}));
  EXPECT_EQ(std::filesystem::file_size(path("i.npy")) % 64, 8u);  // int32, for they fit
  EXPECT_EQ(read_npy(path("i.npy")).integers, (std::vector<int64_t>{-1, 7}));
  write_npy(path("l.npy"), Array::of_integers({int64_t{1} << 40}, {}));
  Array l = read_npy(path("l.npy"));
  EXPECT_TRUE(l.shape.empty());
  EXPECT_EQ(l.integers[0], int64_t{1} << 40);
}

TEST_F(Npy, RowsAreWrittenAsTheyCome) {
  NpyWriter writer(path("t.npy"), {2, 3}, false);
  writer.append(Array::of_reals({1, 2, 3}, {3}));
  EXPECT_FALSE(std::filesystem::exists(path("t.npy")));
  writer.append(Array::of_reals({4, 5, 6}, {3}));
  writer.commit();
  EXPECT_EQ(read_npy(path("t.npy")).reals, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Npy, KindsAndVersionsOfNumPy) {
  EXPECT_EQ(parse_npy(npy("<f4", "(2,)", raw<float>({0.5f, 2})), "n").reals, (std::vector<double>{0.5, 2}));
  EXPECT_EQ(parse_npy(npy("<i8", "(1L,)", raw<int64_t>({9}), false, 2), "n").integers, (std::vector<int64_t>{9}));
  EXPECT_EQ(parse_npy(npy("|b1", "(2,)", std::string("\1\0", 2)), "n").integers, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(parse_npy(npy("<f8", "()", raw<double>({3})), "n").shape.size(), 0u);
  EXPECT_EQ(parse_npy(npy("<f8", "(0, 3)", ""), "n").count(), 0);
}

TEST_F(Npy, FortranOrderIsTurned) {
  Array a = parse_npy(npy("<i4", "(2, 3)", raw<int32_t>({1, 4, 2, 5, 3, 6}), true), "n");
  EXPECT_EQ(a.integers, (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Npy, WrongFiles) {
  auto said = [](const std::string& bytes) { return failure_of([&] { parse_npy(bytes, "x.npy"); }); };
  EXPECT_SAYS(said(""), "x.npy: is empty");
  EXPECT_SAYS(said("PK\3\4 something else"), "is not a .npy file");
  EXPECT_SAYS(said(npy("<c16", "(1,)", raw<double>({1, 2}))), "'<c16'");
  EXPECT_SAYS(said(npy("<f2", "(1,)", "ab")), "float64, float32, int32, int64 and bool");
  EXPECT_SAYS(said(npy(">f8", "(1,)", raw<double>({1}))), "big-endian");
  EXPECT_SAYS(said(npy("|O", "(1,)", "abcdefgh")), "'|O'");
  EXPECT_SAYS(said(npy("<f8", "(3,)", raw<double>({1, 2}))), "is cut off");
  EXPECT_SAYS(said(npy("<f8", "(1,)", raw<double>({1, 2}))), "8 bytes too many");
  EXPECT_SAYS(said(npy("<f8", "(-1,)", "")), "header is damaged");
  EXPECT_SAYS(said(npy("<f8", "(4000000000, 4000000000, 4000000000)", "")), "impossible shape");
  EXPECT_SAYS(said(npy("<f8", "(99999999999999999999,)", "")), "damaged");
  EXPECT_SAYS(said(npy("<f8", "(1,", raw<double>({1}))), "damaged");
  std::string cut = npy("<f8", "(1,)", "");
  EXPECT_SAYS(said(cut.substr(0, 20)), "ends within its header");
  EXPECT_SAYS(said(npy("<f8", "(1,)", raw<double>({1}), false, 9)), "version 9");
  EXPECT_SAYS(failure_of([&] { read_npy(path("none.npy")); }), "cannot read");
  EXPECT_SAYS(failure_of([&] { read_npy(folder.string()); }), "is a directory");
}

TEST_F(Npy, EveryTruncationIsAMessage) {
  std::string whole = npy("<f8", "(2, 2)", raw<double>({1, 2, 3, 4}));
  for (size_t n = 0; n < whole.size(); ++n)
    EXPECT_NE(failure_of([&] { parse_npy(whole.substr(0, n), "x"); }), "no failure") << n;
}

TEST_F(Csv, ColumnsByName) {
  std::string text = "year, hare,\"the, lynx\"\r\n# a comment\n1900,30.0,4\n\n1901,+4.72e1,\"6.1\"\n";
  Array both = parse_csv(text, "d.csv", {"the, lynx", "hare"});
  EXPECT_EQ(both.shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(both.reals, (std::vector<double>{4, 30, 6.1, 47.2}));
  Array one = parse_csv(text, "d.csv", {"year"});
  EXPECT_EQ(one.shape, (std::vector<int64_t>{2}));
  EXPECT_EQ(parse_csv("\xEF\xBB\xBFx\n1", "d.csv", {"x"}).reals, std::vector<double>{1});
}

TEST_F(Csv, WrongFiles) {
  auto said = [](const std::string& text, const char* column) {
    return failure_of([&] { parse_csv(text, "d.csv", {column}); });
  };
  EXPECT_SAYS(said("", "x"), "d.csv:1: the file is empty");
  EXPECT_SAYS(said("hare,lynx\n1,2\n", "har"), "d.csv:1: there is no column 'har'; did you mean 'hare'?");
  EXPECT_SAYS(said("hare,lynx\n1,2\n", "wolf"), "the columns are hare, lynx");
  EXPECT_SAYS(said("x\n1\n2,3\n", "x"), "d.csv:3: 2 cells stand here, but the header has 1");
  EXPECT_SAYS(said("x,y\n1,2\n1,two\n", "y"), "d.csv:3: 'two' in column 'y' is not a number");
  EXPECT_SAYS(said("x,y\n1,\n", "y"), "d.csv:2: nothing stands in column 'y'");
  EXPECT_SAYS(said("x\n\"1\n", "x"), "a quote is not closed");
  EXPECT_SAYS(said("x\n0x10\n", "x"), "is not a number");
}

TEST_F(Files, NothingIsLostWhenWritingFails) {
  write_file(path("a"), "before");
  {
    AtomicFile file(path("a"));
    file.write("half");
  }  // not committed
  EXPECT_EQ(read_file(path("a")), "before");
  EXPECT_EQ(files(), 1u);
  EXPECT_SAYS(failure_of([&] { AtomicFile file(path("no/such/folder")); }), "cannot write");
  EXPECT_SAYS(failure_of([&] { check_writable(path("no/such")); }), "No such file");
  EXPECT_SAYS(failure_of([&] { check_writable(folder.string()); }), "is a directory");
}

TEST_F(Files, AFullDiskIsReported) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP();
  try {
    write_file("/dev/full", "some bytes");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, Failure::failed_run);
    EXPECT_NE(std::string(e.what()).find("No space left"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace adjoule::runtime
