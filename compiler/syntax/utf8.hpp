// UTF-8, checked before anything reads it: ANTLR ends the process on an invalid byte.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace adjoule::syntax {

/// The offset of the first byte that is not part of valid UTF-8.
std::optional<size_t> first_invalid_utf8(std::string_view text);

/// ANTLR counts code points, spans count bytes: the byte offset of every code point, and the end of the text.
std::vector<uint32_t> code_point_offsets(std::string_view text);

}  // namespace adjoule::syntax
