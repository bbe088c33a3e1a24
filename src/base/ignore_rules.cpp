#include "base/ignore_rules.h"

#include "base/text.h"

#include <utility>

namespace gpulint {
namespace {

/// Trailing blanks do not count unless the last one is escaped.
std::string_view without_trailing_blanks(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
    if (line.size() >= 2 && line[line.size() - 2] == '\\') break;
    line.remove_suffix(1);
  }
  return line;
}

std::string_view relative_to(std::string_view folder, std::string_view path) {
  if (folder.empty() || folder == ".") return path;
  if (path.starts_with(folder)) path.remove_prefix(folder.size());
  while (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

}  // namespace

IgnoreFile::IgnoreFile(std::string folder, std::string_view text) : folder_(std::move(folder)) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (std::string_view line : split(text, '\n')) {
    line = without_trailing_blanks(line);
    if (line.empty() || line.front() == '#') continue;
    Pattern pattern;
    if (line.front() == '!') {
      pattern.negated = true;
      line.remove_prefix(1);
    } else if (line.starts_with("\\#") || line.starts_with("\\!")) {
      line.remove_prefix(1);
    }
    if (line.ends_with('/')) {
      pattern.directories_only = true;
      line.remove_suffix(1);
    }
    pattern.name_only = line.find('/') == std::string_view::npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    if (line.empty()) continue;
    pattern.glob = line;
    if (pattern.name_only) {
      const bool is_end = line.front() == '*';
      const std::string_view ending = line.substr(is_end ? 1 : 0);
      if (ending.find_first_of("*?[\\") == std::string_view::npos) {
        pattern.shape = is_end ? Pattern::Shape::end : Pattern::Shape::name;
        pattern.text = ending;
      }
    }
    patterns_.push_back(std::move(pattern));
  }
}

bool IgnoreFile::matches(const Pattern& pattern, std::string_view name, std::string_view relative) {
  switch (pattern.shape) {
    case Pattern::Shape::name:
      return name == pattern.text;
    case Pattern::Shape::end:
      return name.ends_with(pattern.text);
    case Pattern::Shape::glob:
      break;
  }
  return glob_match(pattern.glob, pattern.name_only ? name : relative);
}

IgnoreFile::Verdict IgnoreFile::judge(std::string_view path, bool is_directory) const {
  const std::string_view relative = relative_to(folder_, path);
  const std::string_view name = file_name(path);
  for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern) {
    if (pattern->directories_only && !is_directory) continue;
    if (matches(*pattern, name, relative)) {
      return pattern->negated ? Verdict::kept : Verdict::ignored;
    }
  }
  return Verdict::none;
}

bool is_ignored(const IgnoreScope* scope, std::string_view path, bool is_directory) {
  for (; scope != nullptr; scope = scope->parent) {
    const IgnoreFile::Verdict verdict = scope->file.judge(path, is_directory);
    if (verdict != IgnoreFile::Verdict::none) return verdict == IgnoreFile::Verdict::ignored;
  }
  return false;
}

}  // namespace gpulint
