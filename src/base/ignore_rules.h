#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// The patterns of one .gitignore, in the meaning of gitignore(5).
class IgnoreFile {
 public:
  /// `folder`: where the file lies, as the walk spells it ("" = working directory).
  IgnoreFile(std::string folder, std::string_view text);

  enum class Verdict { none, ignored, kept };
  /// What the last matching pattern says about `path`, which lies below the file's folder.
  Verdict judge(std::string_view path, bool is_directory) const;

 private:
  struct Pattern {
    std::string glob;
    std::string text;  // of a pattern that asks for a whole name or for its end
    enum class Shape { glob, name, end } shape = Shape::glob;
    bool negated = false;
    bool directories_only = false;
    bool name_only = false;  // no '/' inside: matches at any depth
  };
  static bool matches(const Pattern& pattern, std::string_view name, std::string_view relative);

  std::string folder_;
  std::vector<Pattern> patterns_;
};

/// The .gitignore files that hold in one folder: its own and those of its parents. Immutable, so
/// that folders share their parents' part.
struct IgnoreScope {
  const IgnoreScope* parent = nullptr;
  IgnoreFile file;
};

/// The innermost file that has an opinion decides, as in git. Parents of `path` are not asked: the
/// walk never enters an ignored folder.
bool is_ignored(const IgnoreScope* scope, std::string_view path, bool is_directory);

}  // namespace gpulint
