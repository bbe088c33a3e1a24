#include "lsp/uri.h"

#include "base/system_path.h"
#include "base/text.h"

#include <fmt/format.h>

namespace gpulint::lsp {
namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      plain += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const auto high = hex_digit(text[at + 1]);
    const auto low = hex_digit(text[at + 2]);
    if (!high || !low || *high * 16 + *low == 0) return std::nullopt;
    plain += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return plain;
}

/// "C:/a" of "/c:/a": editors write the letter of a drive as they like.
std::string without_slash_before_drive(std::string path) {
  if (!path.starts_with('/') || drive_size(std::string_view(path).substr(1)) != 2) return path;
  path.erase(0, 1);
  if (path[0] >= 'a') path[0] = static_cast<char>(path[0] - 'a' + 'A');
  return path;
}

bool stands_for_itself(char c) {
  return is_name_part(c) || c == '-' || c == '.' || c == '~' || c == '/';
}

}  // namespace

std::optional<std::string> path_of_uri(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (!starts_with_ignoring_case(uri, kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  if (uri.starts_with("localhost/")) uri.remove_prefix(std::string_view("localhost").size());
  if (!uri.starts_with('/')) return std::nullopt;
  const auto path = decoded(uri.substr(0, uri.find_first_of("?#")));
  if (!path) return std::nullopt;
  return normalize_path(without_slash_before_drive(*path));
}

std::string uri_of_path(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "file:///";
  for (const char c : path) {
    if (stands_for_itself(c)) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

}  // namespace gpulint::lsp
