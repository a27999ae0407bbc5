// How much memory this machine can still give.
#pragma once
#include <cstdint>
#include <string>

namespace adjoule::runtime {

/// Bytes that can be used without swapping or being killed: what the system reports as available, and the limit of the
/// control group that this process runs in. A very large number where neither can be read.
int64_t available_memory();

/// "1.2 GiB"
std::string human_bytes(int64_t bytes);

}  // namespace adjoule::runtime
