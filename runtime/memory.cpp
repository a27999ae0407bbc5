// Linux tells it in /proc/meminfo and in the files of the control group (version 2, then 1).
#include "memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>

namespace adjoule::runtime {
namespace {

constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

int64_t number_in(const char* path) {
  std::ifstream file(path);
  int64_t value = 0;
  return file >> value ? value : unlimited;
}

int64_t system_available() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("MemAvailable:", 0) != 0) continue;
    std::istringstream words(line.substr(13));
    int64_t kibibytes = 0;
    if (words >> kibibytes) return kibibytes * 1024;
  }
  return unlimited;
}

int64_t group_available() {
  int64_t limit = number_in("/sys/fs/cgroup/memory.max");
  int64_t used = number_in("/sys/fs/cgroup/memory.current");
  if (limit == unlimited) {
    limit = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    used = number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes");
  }
  if (limit == unlimited || used == unlimited) return unlimited;
  return std::max<int64_t>(0, limit - used);
}

}  // namespace

int64_t available_memory() { return std::min(system_available(), group_available()); }

std::string human_bytes(int64_t bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 5) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace adjoule::runtime
