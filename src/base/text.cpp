#include "base/text.h"

#include "base/system_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

struct CodePoint {
  std::uint32_t value = 0;
  std::uint32_t size = 0;  // bytes; 0 = not UTF-8
};

/// Decodes one code point; overlong forms, surrogates and values past U+10FFFF are not UTF-8.
CodePoint decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::uint32_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (size == 0 || first > 0xf4) return {};
  std::uint32_t value = first & (0xffU >> (size + 1));
  for (std::uint32_t i = 1; i < size; ++i) {
    const std::uint32_t next = byte(at + i);
    if ((next & 0xc0U) != 0x80U) return {};
    value = (value << 6U) | (next & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
    return {};
  return {value, size};
}

/// Characters that can move a cursor, hide text or reorder a line.
bool is_dangerous(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c ||
         (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
         (c >= 0xe0000 && c <= 0xe007f);
}

/// One path component against a pattern component: *, ?, [abc], [!a-z].
bool match_component(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  const auto match_class = [&](std::size_t& at, char c) {
    std::size_t i = at + 1;
    const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
    if (negated) ++i;
    bool found = false;
    for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false) {
      const char low = pattern[i];
      char high = low;
      if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
        high = pattern[i + 2];
        i += 2;
      }
      if (c >= low && c <= high) found = true;
      ++i;
    }
    if (i >= pattern.size()) return false;  // no closing bracket: matches nothing
    at = i;
    return found != negated;
  };
  while (t < text.size()) {
    if (p < pattern.size()) {
      std::size_t at = p;
      const char c = pattern[p];
      if (c == '*') {
        star = p++;
        star_text = t;
        continue;
      }
      if (c == '\\' && p + 1 < pattern.size() && pattern[p + 1] == text[t]) {
        p += 2;
        ++t;
        continue;
      }
      if (c == '?' || (c == '[' ? match_class(at, text[t]) : c == text[t])) {
        p = at + 1;
        ++t;
        continue;
      }
    }
    if (star == std::string_view::npos) return false;
    p = star + 1;
    t = ++star_text;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string_view first_component(std::string_view path) { return path.substr(0, path.find('/')); }
std::string_view rest_of(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
}

/// Has no component that normalising takes out.
bool is_normal(std::string_view path) {
  if (path.empty() || path.ends_with('/') || drive_size(path) > 0) return false;
  std::size_t begin = path.front() == '/' ? 1 : 0;
  while (true) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == path.size()) return true;
    begin = end + 1;
  }
}

/// Work is bounded: a pattern has few `**`, and each restarts at most once per component.
bool match_components(std::string_view pattern, std::string_view path, int depth) {
  if (depth > 64) return false;
  while (!pattern.empty()) {
    const std::string_view part = first_component(pattern);
    if (part == "**") {
      pattern = rest_of(pattern);
      if (pattern.empty()) return true;
      for (std::string_view tail = path; !tail.empty(); tail = rest_of(tail)) {
        if (match_components(pattern, tail, depth + 1)) return true;
      }
      return false;
    }
    if (path.empty() || !match_component(part, first_component(path))) return false;
    pattern = rest_of(pattern);
    path = rest_of(path);
  }
  return path.empty();
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         equals_ignoring_case(text.substr(0, prefix.size()), prefix);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view singular_of(std::string_view nouns) {
  return trim(nouns.substr(0, nouns.find('|')));
}

std::string plural_of(std::string_view nouns) {
  const std::size_t bar = nouns.find('|');
  if (bar == std::string_view::npos) return std::string(trim(nouns)) + "s";
  return std::string(trim(nouns.substr(bar + 1)));
}

std::string counted(std::int64_t count, std::string_view nouns) {
  return std::to_string(count) + " " +
         (count == 1 ? std::string(singular_of(nouns)) : plural_of(nouns));
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string result;
  for (const std::string& part : parts) {
    if (&part != parts.data()) result += separator;
    result += part;
  }
  return result;
}

bool contains(std::span<const std::string> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_any(std::string_view text, std::span<const std::string> words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return text.find(word) != std::string_view::npos;
  });
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) return limit + 1;
  // What both begin and end with changes nothing; most pairs of names differ in the middle, if at
  // all.
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  std::size_t least_before = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
      least = std::min(least, current[j]);
    }
    // Every later entry comes from these two rows.
    if (least > limit && least_before > limit) return limit + 1;
    least_before = least;
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return std::min(previous[b.size()], limit + 1);
}

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate, limit);
    if (distance > limit || (distance == limit && !best.empty())) continue;
    best = candidate;
    limit = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view best = closest(word, candidates);
  return best.empty() ? std::string{} : fmt::format(" (did you mean \"{}\"?)", best);
}

std::string escape_for_display(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint code = decode(text, at);
    if (code.size == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
      ++at;
      continue;
    }
    if (code.value == '\t') {
      result += ' ';
    } else if (!is_dangerous(code.value)) {
      result += text.substr(at, code.size);
    } else if (code.value < 0x100) {
      result += fmt::format("\\x{:02x}", code.value);
    } else {
      result += fmt::format("\\u{{{:04x}}}", code.value);
    }
    at += code.size;
  }
  return result;
}

std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const CodePoint code = decode(text, at);
    if (code.size == 0) return at;
    at += code.size;
  }
  return std::string_view::npos;
}

LineIndex::LineIndex(std::string_view text) {
  starts_.push_back(0);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n' || (text[at] == '\r' && (at + 1 == text.size() || text[at + 1] != '\n'))) {
      starts_.push_back(static_cast<std::uint32_t>(at + 1));
    }
  }
}

LineColumn LineIndex::at(std::string_view text, std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text.size()));
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  if (next == starts_.begin()) return {};
  const std::uint32_t start = *std::prev(next);
  std::uint32_t column = 1;
  for (std::uint32_t at = start; at < offset; ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80U) ++column;
  }
  // A byte order mark is not a character of the first line.
  if (start == 0 && offset >= 3 && text.substr(0, 3) == "\xef\xbb\xbf") --column;
  return {static_cast<std::uint32_t>(next - starts_.begin()), column};
}

std::string_view LineIndex::line(std::string_view text, std::uint32_t number) const {
  if (number == 0 || number > starts_.size()) return {};
  const std::size_t begin = starts_[number - 1];
  std::size_t end = number < starts_.size() ? starts_[number] : text.size();
  while (end > begin && (text[end - 1] == '\n' || text[end - 1] == '\r')) --end;
  return text.substr(begin, end - begin);
}

std::string normalize_path(std::string_view path) {
  if (is_normal(path)) return std::string(path);
  const std::size_t drive = drive_size(path);
  if (drive > 0) {
    const std::string_view below = path.substr(drive);
    return std::string(path.substr(0, drive)) + normalize_path(below.empty() ? "/" : below);
  }
  const bool absolute = path.starts_with('/');
  std::vector<std::string_view> kept;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == ".." && !kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (part != ".." || !absolute) {
      kept.push_back(part);
    }
  }
  std::string result = absolute ? "/" : "";
  for (const std::string_view part : kept) {
    if (!result.empty() && result.back() != '/') result += '/';
    result += part;
  }
  return result.empty() ? "." : result;
}

std::string_view parent_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::size_t drive = drive_size(path);
  return slash <= drive ? path.substr(0, drive + 1) : path.substr(0, slash);
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view stem_of(std::string_view path) {
  const std::string_view name = file_name(path);
  return name.substr(0, name.rfind('.'));
}

std::string extension(std::string_view path) {
  const std::string_view name = file_name(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string{} : to_lower(name.substr(dot + 1));
}

std::string join_path(std::string_view folder, std::string_view relative) {
  if (is_absolute(relative) || folder.empty() || folder == ".") return normalize_path(relative);
  std::string path;
  path.reserve(folder.size() + 1 + relative.size());
  path.append(folder).append(1, '/').append(relative);
  return normalize_path(path);
}

bool glob_match(std::string_view pattern, std::string_view path) {
  if (pattern.starts_with("./")) pattern.remove_prefix(2);
  if (path.starts_with("./")) path.remove_prefix(2);
  return match_components(pattern, path, 0);
}

}  // namespace gpulint
