#include "source/yaml_scan.h"

#include <algorithm>
#include <charconv>

namespace gpulint {
namespace {

constexpr bool is_line_break(char c) { return c == '\n' || c == '\r'; }
constexpr bool is_blank_in_line(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_yaml_space(char c) { return is_blank_in_line(c) || is_line_break(c); }
constexpr bool is_flow_indicator(char c) {
  return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

std::uint32_t size_of(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }

std::uint32_t line_end(std::string_view text, std::uint32_t at) {
  const std::size_t found = text.find_first_of("\r\n", at);
  return found == std::string_view::npos ? size_of(text) : static_cast<std::uint32_t>(found);
}

/// Behind the line break at `at`, of whichever kind.
std::uint32_t next_line(std::string_view text, std::uint32_t at) {
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] == '\n' && (at == 0 || text[at - 1] == '\r')) return at + 1;
  return at < text.size() && text[at] == '\n' ? at + 1 : at;
}

/// Characters yaml-cpp takes into a tag.
constexpr bool is_tag_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-#;/?:@&=+$_.~*'()%!").find(c) != std::string_view::npos;
}

std::uint32_t end_of_tag(std::string_view text, std::uint32_t at) {
  if (text.substr(at, 2) == "!<") {
    const std::size_t close = text.find('>', at);
    return close == std::string_view::npos ? size_of(text) : static_cast<std::uint32_t>(close) + 1;
  }
  while (at < text.size() && is_tag_character(text[at])) ++at;
  return at;
}

std::uint32_t count_spaces(std::string_view text, std::uint32_t at) {
  std::uint32_t end = at;
  while (end < text.size() && text[end] == ' ') ++end;
  return end - at;
}

/// Steps over a run of white space that holds a line break, and over what it was folded to.
bool match_fold(std::string_view text, std::uint32_t& at, std::string_view value, std::size_t& i) {
  std::uint32_t end = at;
  bool has_break = false;
  while (end < text.size() && is_yaml_space(text[end])) has_break |= is_line_break(text[end++]);
  if (!has_break || i >= value.size()) return false;
  const std::size_t before = i;
  if (value[i] == ' ') {
    ++i;
  } else {
    while (i < value.size() && value[i] == '\n') ++i;
  }
  if (i == before) return false;
  at = end;
  return true;
}

}  // namespace

std::uint32_t end_of_plain(std::string_view text, std::uint32_t begin, std::string_view value) {
  if (text.substr(begin, value.size()) == value) return begin + size_of(value);
  std::uint32_t at = begin;
  std::uint32_t last = begin;
  for (std::size_t i = 0; i < value.size() && at < text.size();) {
    if (is_yaml_space(text[at]) && match_fold(text, at, value, i)) continue;
    if (text[at] != value[i]) break;
    ++i;
    if (!is_yaml_space(text[at++])) last = at;
  }
  return last;
}

std::optional<std::uint32_t> end_of_quoted(std::string_view text, std::uint32_t begin) {
  const char quote = text[begin];
  const std::string_view stops = quote == '"' ? "\"\\" : "'";
  for (std::size_t at = begin + std::size_t{1}; at < text.size();) {
    at = text.find_first_of(stops, at);
    if (at == std::string_view::npos) break;
    const bool escape = text[at] == '\\' || (quote == '\'' && text.substr(at, 2) == "''");
    if (!escape) return static_cast<std::uint32_t>(at) + 1;
    at += 2;
  }
  return std::nullopt;
}

std::uint32_t breaks_before_closing_quote(std::string_view text, std::uint32_t begin,
                                          std::uint32_t end) {
  std::uint32_t breaks = 0;
  std::uint32_t at = end - 1;
  for (; at > begin + 1 && is_yaml_space(text[at - 1]); --at) {
    const char c = text[at - 1];
    if (c == '\n' || (c == '\r' && text[at] != '\n')) ++breaks;
  }
  // Behind a backslash yaml-cpp counts right: it may be an escaped break, or an escape like \n.
  const std::string_view before = text.substr(begin, at - begin);
  const bool escape =
      before.size() > 2 && (before.ends_with('\\') || before[before.size() - 2] == '\\');
  return text[begin] == '"' && escape ? 0 : breaks;
}

std::string without_percent_escapes(std::string_view tag) {
  std::string result;
  for (std::size_t i = 0; i < tag.size(); ++i) {
    unsigned byte = 0;
    const char* digits = tag.data() + i + 1;
    const bool escape = tag[i] == '%' && i + 2 < tag.size() &&
                        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    result += escape ? static_cast<char>(byte) : tag[i];
    if (escape) i += 2;
  }
  return result;
}

std::uint32_t end_of_block_scalar(std::string_view text, std::uint32_t begin,
                                  std::int64_t parent_column) {
  const std::uint32_t header_end = line_end(text, begin);
  std::int64_t indent = -1;  // unknown until the first line with content
  std::uint32_t end = begin + 1;
  for (; end < header_end && !is_yaml_space(text[end]); ++end) {
    if (text[end] >= '1' && text[end] <= '9')
      indent = std::max<std::int64_t>(parent_column, 0) + (text[end] - '0');
  }
  for (std::uint32_t at = next_line(text, header_end); at < text.size();) {
    const std::uint32_t spaces = count_spaces(text, at);
    const std::uint32_t stop = line_end(text, at);
    if (at + spaces < stop) {
      if (indent < 0) indent = std::max<std::int64_t>(spaces, parent_column + 1);
      const bool marker =
          spaces == 0 && (text.substr(at, 3) == "---" || text.substr(at, 3) == "...");
      if (spaces < indent || marker) break;
      end = stop;
    }
    at = next_line(text, stop);
  }
  return end;
}

std::uint32_t end_of_name(std::string_view text, std::uint32_t begin) {
  std::uint32_t at = begin + 1;
  while (at < text.size() && !is_yaml_space(text[at]) && !is_flow_indicator(text[at])) ++at;
  return std::min(at, size_of(text));
}

std::uint32_t skip_blanks_and_comments(std::string_view text, std::uint32_t at) {
  while (at < text.size()) {
    if (is_yaml_space(text[at])) {
      ++at;
    } else if (text[at] == '#') {
      at = line_end(text, at);
    } else {
      break;
    }
  }
  return std::min(at, size_of(text));
}

Properties skip_properties(std::string_view text, std::uint32_t at, bool anchor, bool tag) {
  Properties found{at, at};
  while (anchor || tag) {
    const std::uint32_t next = skip_blanks_and_comments(text, found.content);
    if (anchor && next < text.size() && text[next] == '&') {
      found.end = end_of_name(text, next);
      anchor = false;
    } else if (tag && next < text.size() && text[next] == '!') {
      found.end = end_of_tag(text, next);
      tag = false;
    } else {
      break;
    }
    found.content = found.end;
  }
  if (found.content != at) found.content = skip_blanks_and_comments(text, found.content);
  return found;
}

std::uint32_t end_of_null_word(std::string_view text, std::uint32_t at) {
  if (at >= text.size()) return at;
  if (text[at] == '~') return at + 1;
  const std::string_view word = text.substr(at, 4);
  return word == "null" || word == "Null" || word == "NULL" ? at + 4 : at;
}

bool null_word_at(std::string_view text, std::uint32_t at) {
  const std::uint32_t end = end_of_null_word(text, at);
  if (end == at) return false;
  return end >= text.size() || is_yaml_space(text[end]) || is_flow_indicator(text[end]) ||
         text[end] == ':';
}

void collect_comments(std::string_view text, std::uint32_t from, std::uint32_t to,
                      TreeBuilder& builder) {
  for (std::uint32_t at = from; at < to;) {
    if (text[at] == '#') {
      const std::uint32_t end = line_end(text, at);
      builder.comment({at, end});
      at = end;
    } else if (text[at] == '&') {
      at = end_of_name(text, at);
    } else if (text[at] == '!') {
      at = std::max(end_of_tag(text, at), at + 1);
    } else if (text[at] == '%' && (at == 0 || is_line_break(text[at - 1]))) {
      const std::uint32_t end = line_end(text, at);  // a directive, perhaps with a comment
      while (at < end && !(text[at] == '#' && is_blank_in_line(text[at - 1]))) ++at;
    } else {
      ++at;
    }
  }
}

}  // namespace gpulint
