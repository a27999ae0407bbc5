// A file a compilation: header (magic, checksum of the rest), fault sites, objects. Written under a temporary name and renamed, so
// that readers see whole files only; checked by checksum all the same, since disks and people do what they do.
#include "codegen/cpu/cache.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/SHA1.h>
#include <llvm/Support/xxhash.h>

#include "codegen/cpu/target.hpp"

namespace adjoule::codegen {
namespace {

namespace fs = std::filesystem;

constexpr char magic[9] = "ADJOULE1";
constexpr uint64_t most_bytes = uint64_t{512} << 20;

// --- serialisation: numbers as they lie in memory; a cache never leaves its machine

struct Writer {
  std::string bytes;
  template <typename T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(const std::string& s) {
    number(static_cast<uint64_t>(s.size()));
    bytes += s;
  }
  template <typename T>
  void numbers(const std::vector<T>& list) {
    number(static_cast<uint64_t>(list.size()));
    for (const T& item : list) number(item);
  }
};

struct Reader {
  const std::string& bytes;
  size_t at = 0;
  bool broken = false;
  template <typename T>
  T number() {
    T value{};
    if (bytes.size() - at < sizeof value) broken = true;
    if (broken) return value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::string text() {
    auto size = number<uint64_t>();
    if (size > bytes.size() - at) broken = true;
    if (broken) return {};
    at += size;
    return bytes.substr(at - size, size);
  }
};

void write_span(Writer& out, Span span) {
  out.number(span.file);
  out.number(span.begin);
  out.number(span.end);
}

void write_type(Writer& out, const Type& type) {
  out.number(type.element);
  out.number(type.size);
  out.number(type.space);
  out.numbers(type.array);
  out.number(type.stack);
  out.number(type.field);
  out.numbers(type.spaces);
}

void write_domain(Writer& out, const ir::Domain& domain) {
  out.number(domain.space);
  out.number(domain.region);
  out.number(domain.width);
  out.number(domain.side.axis);
  out.number(domain.side.high);
  out.number(domain.reversed);
}

bool can_fault(ir::Opcode code) {
  return code == ir::Opcode::check_index || code == ir::Opcode::check_nonzero || code == ir::Opcode::pop;
}

void write_op(Writer& out, const ir::Op& op) {
  out.number(op.code);
  if (can_fault(op.code)) write_span(out, op.span);
  out.numbers(op.operands);
  out.numbers(op.results);
  out.numbers(op.blocks);
  out.number(op.integer);
  out.number(op.real);
  out.number(op.space);
  out.number(op.reduction);
  out.numbers(op.modes);
  out.number(static_cast<uint64_t>(op.domains.size()));
  for (const ir::Domain& domain : op.domains) write_domain(out, domain);
}

void write_procedure(Writer& out, const ir::Procedure& procedure) {
  out.text(procedure.name);
  out.number(procedure.body);
  out.number(static_cast<uint64_t>(procedure.values.size()));
  for (const ir::ValueInfo& value : procedure.values) {
    write_type(out, value.type);
    out.number(value.handle);
  }
  out.number(static_cast<uint64_t>(procedure.ops.size()));
  for (const ir::Op& op : procedure.ops) write_op(out, op);
  out.number(static_cast<uint64_t>(procedure.blocks.size()));
  for (const ir::Block& block : procedure.blocks) {
    out.numbers(block.arguments);
    out.numbers(block.ops);
    out.numbers(block.yields);
  }
  out.number(static_cast<uint64_t>(procedure.consumed.size()));
  for (bool consumed : procedure.consumed) out.number(consumed);
}

void write_options(Writer& out, const ir::Program& program, const CompileOptions& options) {
  for (const ir::SpaceInfo& space : program.spaces) {
    out.text(space.name);
    out.number(space.grid);
    out.number(space.dims);
    out.number(space.open);
    for (Boundary boundary : space.boundary) out.number(boundary);
  }
  out.number(options.single);
  out.number(options.optimisation);
  out.numbers(options.sizes);
  for (size_t i = 0; i < options.extents.size(); ++i) {
    // Open extents are read at run time: the same code serves all of them.
    bool open = i < program.spaces.size() && program.spaces[i].open;
    for (int32_t extent : options.extents[i]) out.number(open ? -1 : extent);
  }
}

/// Which build of the compiler this is: the binary that holds this function, by size and time of writing.
std::string build_identity() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&build_identity), &info) == 0 || !info.dli_fname) return "unknown";
  std::error_code ignored;
  fs::path file = info.dli_fname;
  if (!file.has_parent_path()) file = "/proc/self/exe";
  std::ostringstream text;
  text << fs::file_size(file, ignored) << '/' << fs::last_write_time(file, ignored).time_since_epoch().count();
  return text.str();
}

void write_machine(Writer& out) {
  static const std::string build = build_identity();
  const Target& target = host_target();
  out.text(build);
  out.text(LLVM_VERSION_STRING);
  out.text(target.triple);
  out.text(target.cpu);
  out.text(target.features);
}

// --- the directory

fs::path directory_of(const CompileOptions& options) {
  auto variable = [](const char* name) -> std::string {
    const char* text = std::getenv(name);
    return text ? text : "";
  };
  if (!options.cache_directory.empty()) return options.cache_directory;
  if (std::string own = variable("ADJOULE_CACHE_DIR"); !own.empty()) return own;
  if (std::string base = variable("XDG_CACHE_HOME"); !base.empty()) return fs::path(base) / "adjoule";
  if (std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "adjoule";
  return {};
}

/// Keeps the directory under its cap by removing what was not used for longest.
void shrink(const fs::path& directory) {
  struct Entry {
    fs::file_time_type time;
    uint64_t bytes;
    fs::path path;
  };
  std::error_code error;
  std::vector<Entry> entries;
  uint64_t total = 0;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".o" && it->path().extension() != ".tmp") continue;
    std::error_code gone;
    Entry entry{it->last_write_time(gone), it->file_size(gone), it->path()};
    if (gone) continue;
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  if (total <= most_bytes) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const Entry& entry : entries) {
    if (total <= most_bytes / 4 * 3) break;
    fs::remove(entry.path, error);
    total -= entry.bytes;
  }
}

std::string whole_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return {};
  return std::string(std::istreambuf_iterator<char>(in), {});
}

uint64_t checksum(llvm::StringRef bytes) { return llvm::xxh3_64bits(bytes); }

constexpr size_t header_bytes = 8 + sizeof(uint64_t);

}  // namespace

std::string cache_key(const ir::Program& program, const std::vector<const ir::Procedure*>& procedures,
                      const CompileOptions& options) {
  Writer out;
  write_machine(out);
  write_options(out, program, options);
  for (const ir::Procedure* procedure : procedures) write_procedure(out, *procedure);
  auto digest = llvm::SHA1::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(out.bytes.data()), out.bytes.size()));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

std::optional<CachedObject> read_cache(const CompileOptions& options, const std::string& key) {
  fs::path directory = directory_of(options);
  if (directory.empty()) return std::nullopt;
  fs::path path = directory / (key + ".o");
  std::string bytes = whole_file(path);
  if (bytes.size() < header_bytes || bytes.compare(0, 8, magic) != 0) return std::nullopt;
  Reader in{bytes, 8};
  auto expected = in.number<uint64_t>();
  if (expected != checksum(llvm::StringRef(bytes).drop_front(header_bytes))) return std::nullopt;
  CachedObject entry;
  auto sites = in.number<uint64_t>();
  for (uint64_t i = 0; i < sites && !in.broken; ++i) {
    FaultSite site;
    site.span.file = in.number<int32_t>();
    site.span.begin = in.number<uint32_t>();
    site.span.end = in.number<uint32_t>();
    site.code = in.number<ir::Opcode>();
    site.space = in.text();
    entry.fault_sites.push_back(std::move(site));
  }
  auto objects = in.number<uint64_t>();
  for (uint64_t i = 0; i < objects && !in.broken; ++i) entry.objects.push_back(in.text());
  if (in.broken) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);   // used now
  return entry;
}

void write_cache(const CompileOptions& options, const std::string& key, const CachedObject& entry) {
  fs::path directory = directory_of(options);
  if (directory.empty()) return;
  Writer body;
  body.number(static_cast<uint64_t>(entry.fault_sites.size()));
  for (const FaultSite& site : entry.fault_sites) {
    write_span(body, site.span);
    body.number(site.code);
    body.text(site.space);
  }
  body.number(static_cast<uint64_t>(entry.objects.size()));
  for (const std::string& object : entry.objects) body.text(object);
  std::error_code error;
  fs::create_directories(directory, error);
  static std::atomic<int> counter{0};
  fs::path temporary = directory / (key + "." + std::to_string(getpid()) + "-" + std::to_string(++counter) + ".tmp");
  {
    Writer head;
    head.bytes.append(magic, 8);
    head.number(checksum(body.bytes));
    std::ofstream out(temporary, std::ios::binary);
    out << head.bytes << body.bytes;
    out.close();
    if (!out) {
      fs::remove(temporary, error);
      return;
    }
  }
  fs::rename(temporary, directory / (key + ".o"), error);
  if (error) fs::remove(temporary, error);
  shrink(directory);
}

}  // namespace adjoule::codegen
