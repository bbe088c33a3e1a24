#include "python/escapes.h"

#include <cstddef>
#include <cstdint>

namespace gpulint::python {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | ((code >> 18) & 0x07));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// Reads `digits` hexadecimal digits at `at`; false when there are fewer.
bool read_hex(std::string_view text, std::size_t& at, int digits, std::uint32_t& code) {
  code = 0;
  for (int i = 0; i < digits; ++i, ++at) {
    if (at >= text.size()) return false;
    const char c = text[at];
    const int value = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (value < 0) return false;
    code = code * 16 + static_cast<std::uint32_t>(value);
  }
  return true;
}

/// One escape whose backslash stands before `at`.
void unescape_one(std::string_view text, std::size_t& at, std::string& out) {
  const char c = text[at++];
  std::uint32_t code = 0;
  const std::size_t start = at;
  switch (c) {
    case 'n':
      out += '\n';
      return;
    case 't':
      out += '\t';
      return;
    case 'r':
      out += '\r';
      return;
    case '0':
      out += '\0';
      return;
    case '\n':
      return;
    case '\\':
    case '\'':
    case '"':
      out += c;
      return;
    case 'x':
    case 'u':
    case 'U':
      if (read_hex(text, at, c == 'x' ? 2 : c == 'u' ? 4 : 8, code) && code < 0x110000) {
        append_utf8(out, code);
        return;
      }
      at = start;
      break;
    default:
      break;
  }
  out += '\\';
  out += c;
}

}  // namespace

std::string unescape(std::string_view text, bool raw) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c != '\\' || raw || at >= text.size()) {
      out += c;
    } else {
      unescape_one(text, at, out);
    }
  }
  return out;
}

}  // namespace gpulint::python
