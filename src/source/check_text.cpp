// What every reader asks of a text before it looks inside.

#include "source/tree_builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// The encoding a text declares or, by its zero bytes, seems to have; empty for anything else.
std::string_view foreign_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xff\xfe\0\0"sv) || text.starts_with("\0\0\xfe\xff"sv)) return "UTF-32";
  if (text.starts_with("\xff\xfe"sv) || text.starts_with("\xfe\xff"sv)) return "UTF-16";
  if (text.size() >= 4 && (text[0] == '\0') != (text[1] == '\0') &&
      (text[0] == '\0') == (text[2] == '\0') && (text[1] == '\0') == (text[3] == '\0')) {
    return "UTF-16 without a byte order mark";
  }
  return {};
}

bool is_control(unsigned char c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r'; }

}  // namespace

std::uint32_t byte_order_mark_size(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? static_cast<std::uint32_t>(kByteOrderMark.size()) : 0;
}

Error error_at(const std::string& path, std::string_view text, FileId file, Range span,
               std::string message) {
  const std::uint32_t size = static_cast<std::uint32_t>(text.size());
  const std::uint32_t begin = std::min(span.begin, size);
  const std::uint32_t end = std::clamp(span.end, begin, size);
  Error error{std::move(message), path, {file, begin, end}};
  error.place = LineIndex(text).at(text, begin);
  return error;
}

Result<void> check_text(const std::string& path, std::string_view text, FileId file,
                        const ReadLimits& limits) {
  // Offsets are 32-bit and yaml-cpp counts in int.
  constexpr std::size_t kLargest = 0x7fffffff;
  if (text.size() > std::min(limits.max_bytes, kLargest)) {
    Error error{fmt::format("{} bytes are more than the limit of {} bytes per file; a training "
                            "config is far smaller: leave this file out",
                            text.size(), std::min(limits.max_bytes, kLargest)),
                path};
    error.limit = true;
    return fail(std::move(error));
  }
  if (const std::string_view encoding = foreign_encoding(text); !encoding.empty()) {
    return fail(error_at(path, text.substr(0, 0), file, {},
                         fmt::format("the text is {}; save the file as UTF-8", encoding)));
  }
  bool ascii = true;
  bool control = false;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    ascii = ascii & (byte < 0x80);
    control = control | is_control(byte);
  }
  if (!ascii) {
    const std::size_t bad = first_invalid_utf8(text);
    if (bad != std::string_view::npos) {
      const std::uint32_t at = static_cast<std::uint32_t>(bad);
      return fail(error_at(path, text, file, {at, at + 1},
                           fmt::format("byte 0x{:02x} at offset {} is not UTF-8; save the file as "
                                       "UTF-8",
                                       static_cast<unsigned char>(text[bad]), bad)));
    }
  }
  if (control) {
    const auto found = std::find_if(
        text.begin(), text.end(), [](char c) { return is_control(static_cast<unsigned char>(c)); });
    const std::uint32_t at = static_cast<std::uint32_t>(found - text.begin());
    return fail(
        error_at(path, text, file, {at, at + 1},
                 fmt::format("byte 0x{:02x} at offset {} is a control character, so this is "
                             "not the text of a config; remove it, or leave this file out",
                             static_cast<unsigned char>(*found), at)));
  }
  return {};
}

}  // namespace gpulint
