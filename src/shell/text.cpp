#include "shell/text.h"

namespace gpulint {
namespace {

struct ClassMatch {
  bool matches = false;
  std::size_t end = 0;  // behind the bracket; 0: it is not a class
};

/// `[abc]`, `[!a-z]` at `begin` of a pattern.
ClassMatch match_class(std::string_view pattern, std::size_t begin, char c) {
  std::size_t at = begin + 1;
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  bool found = false;
  for (bool first = true; at < pattern.size() && (first || pattern[at] != ']'); first = false) {
    const bool is_range =
        at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']';
    const char last = is_range ? pattern[at + 2] : pattern[at];
    found = found || (c >= pattern[at] && c <= last);
    at += is_range ? 3 : 1;
  }
  if (at >= pattern.size()) return {};
  return {found != negated, at + 1};
}

}  // namespace

ShellText ShellText::of(std::string_view bytes, std::uint32_t begin) {
  ShellText text;
  text.bytes = bytes;
  text.origins.resize(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    text.origins[i] = begin + static_cast<std::uint32_t>(i);
  return text;
}

ShellText ShellText::unknown(std::uint32_t origin) {
  ShellText text;
  text.add(kUnknownByte, origin);
  return text;
}

ShellText ShellText::unset(std::uint32_t origin) {
  ShellText text;
  text.add(kUnsetByte, origin);
  return text;
}

ShellText ShellText::argument_count(std::uint32_t origin) {
  ShellText text = unset(origin);
  text.add('#', origin);
  return text;
}

ShellText ShellText::computed(std::string_view bytes) {
  ShellText text;
  text.bytes = bytes;
  text.origins.assign(bytes.size(), kNowhere);
  return text;
}

void ShellText::add(const ShellText& other, TextRange range) {
  bytes.append(other.bytes, range.begin, range.size());
  origins.insert(origins.end(), other.origins.begin() + range.begin,
                 other.origins.begin() + range.end);
}

void ShellText::add_quoted(const ShellText& word, std::uint32_t origin) {
  add('\'', origin);
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word.bytes[i] == '\'') {
      for (const char c : std::string_view("'\\'")) add(c, word.origins[i]);
    }
    add(word.bytes[i], word.origins[i]);
  }
  add('\'', origin);
}

ShellText ShellText::part(TextRange range) const {
  ShellText text;
  text.add(*this, range);
  return text;
}

// Goes back to the last `*` only, which is enough for patterns without alternatives: linear in
// pattern times text.
bool matches_shell_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (t < text.size()) {
    bool matched = false;
    std::size_t next = p + 1;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
      continue;
    }
    if (p < pattern.size() && pattern[p] == '[') {
      const ClassMatch found = match_class(pattern, p, text[t]);
      matched = found.end == 0 ? text[t] == '[' : found.matches;
      if (found.end != 0) next = found.end;
    } else if (p < pattern.size()) {
      matched = pattern[p] == '?' || pattern[p] == text[t];
    }
    if (matched) {
      p = next;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace gpulint
