// A strict UTF-8 check: no overlong forms, no surrogates, nothing above U+10FFFF.
#include "syntax/utf8.hpp"

namespace adjoule::syntax {

namespace {

/// Length of the sequence that this byte begins; 0 when none may begin so.
size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

/// The second byte rules out overlong forms, surrogates and what lies above U+10FFFF.
bool second_byte_allowed(unsigned char lead, unsigned char second) {
  if (lead == 0xE0) return second >= 0xA0 && second <= 0xBF;
  if (lead == 0xED) return second >= 0x80 && second <= 0x9F;
  if (lead == 0xF0) return second >= 0x90 && second <= 0xBF;
  if (lead == 0xF4) return second >= 0x80 && second <= 0x8F;
  return second >= 0x80 && second <= 0xBF;
}

}  // namespace

std::optional<size_t> first_invalid_utf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  for (size_t i = 0; i < text.size();) {
    const size_t length = sequence_length(byte(i));
    if (length == 0 || i + length > text.size()) return i;
    if (length > 1 && !second_byte_allowed(byte(i), byte(i + 1))) return i;
    for (size_t k = 2; k < length; ++k) {
      if ((byte(i + k) & 0xC0u) != 0x80u) return i;
    }
    i += length;
  }
  return std::nullopt;
}

std::vector<uint32_t> code_point_offsets(std::string_view text) {
  std::vector<uint32_t> offsets;
  offsets.reserve(text.size() + 1);
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0u) != 0x80u) offsets.push_back(static_cast<uint32_t>(i));
  }
  offsets.push_back(static_cast<uint32_t>(text.size()));
  return offsets;
}

}  // namespace adjoule::syntax
