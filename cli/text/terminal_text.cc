#include "text/terminal_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace detops_cli {
namespace {

struct Character {
  uint32_t code;
  size_t bytes;  // 0: this is no UTF-8
};

// The first character of a text that is not empty.
Character First(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {0, 0};
  uint32_t code = lead & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0, 0};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kLeast[bytes] || code > 0x10FFFF || surrogate ? Character{0, 0} : Character{code, bytes};
}

bool IsShown(uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  // Ends of lines and paragraphs, and what turns or isolates the direction of writing.
  const bool direction = (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                         (code >= 0x2066 && code <= 0x2069) || code == 0x061C;
  return !control && !direction;
}

}  // namespace

std::string TerminalText(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character character = First(text);
    const size_t bytes = character.bytes == 0 ? 1 : character.bytes;
    if (character.bytes != 0 && IsShown(character.code)) {
      shown += text.substr(0, bytes);
    } else {
      for (size_t i = 0; i < bytes; ++i) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

}  // namespace detops_cli
