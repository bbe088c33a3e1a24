#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Half-open range of bytes of a ShellText.
struct TextRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t size() const { return end - begin; }
  friend bool operator==(const TextRange&, const TextRange&) = default;
};

/// Stands for bytes that only a running shell knows. No reader accepts a text that holds it.
inline constexpr char kUnknownByte = '\x01';
/// The same for a variable or an argument that the script itself never sets: whoever starts it may
/// set it, and mostly does not.
inline constexpr char kUnsetByte = '\x02';
/// Origin of a byte that stands nowhere in the script (the result of an arithmetic expression).
inline constexpr std::uint32_t kNowhere = 0xffffffffU;

/// Text whose every byte knows where the script states it, through variables and quotes.
struct ShellText {
  std::string bytes;
  std::vector<std::uint32_t> origins;  // as many as bytes

  /// Bytes that all stand where they are, from `begin` of the script on.
  static ShellText of(std::string_view bytes, std::uint32_t begin = 0);
  /// One unknown byte that `origin` asks for.
  static ShellText unknown(std::uint32_t origin);
  static ShellText unset(std::uint32_t origin);
  /// `$#` of the script itself: mostly 0.
  static ShellText argument_count(std::uint32_t origin);
  /// Bytes that were computed.
  static ShellText computed(std::string_view bytes);

  bool empty() const { return bytes.empty(); }
  std::size_t size() const { return bytes.size(); }
  bool known() const { return bytes.find_first_of("\x01\x02") == std::string::npos; }
  bool is_unset() const { return bytes.size() == 1 && bytes.front() == kUnsetByte; }
  bool is_argument_count() const { return bytes == std::string_view("\x02#"); }
  void add(char byte, std::uint32_t origin) {
    bytes += byte;
    origins.push_back(origin);
  }
  void add(const ShellText& other) { add(other, {0, static_cast<std::uint32_t>(other.size())}); }
  void add(const ShellText& other, TextRange range);
  /// As a word that a shell reads back as it is; `origin` for what stands around it.
  void add_quoted(const ShellText& word, std::uint32_t origin);
  ShellText part(TextRange range) const;

  friend bool operator==(const ShellText&, const ShellText&) = default;
};

/// True when `text` matches a shell pattern of `*`, `?`, `[…]` and plain characters.
bool matches_shell_pattern(std::string_view pattern, std::string_view text);

}  // namespace gpulint
