#include "base/text.h"
#include "launch/carried_commands.h"
#include "lint/folder_walk.h"
#include "lint/lint.h"
#include "source/data_files.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace gpulint {
namespace {

/// Settings of the project's own tools; ours are in the first.
constexpr std::array<std::string_view, 2> kOfTools{"pyproject.toml", "Cargo.toml"};

/// A Python file larger than this is code or data.
constexpr std::size_t kMaxPythonBytes = std::size_t{256} << 10;

/// A folder around the file is named for configs.
bool lies_among_configs(std::string_view path) {
  for (const std::string_view folder : split(parent_path(path), '/')) {
    if (folder == "configs" || folder == "config" || folder == "conf") return true;
  }
  return false;
}

/// Nothing but names that are given values at the top of the file, and imports.
bool is_module_of_constants(std::string_view text) {
  constexpr std::size_t kFewest = 2;
  std::size_t assigned = 0;
  bool quoted = false;  // inside a text over several lines
  for (const std::string_view line : split(text, '\n')) {
    const bool was_quoted = quoted;
    for (std::size_t at = line.find("\"\"\""); at != line.npos; at = line.find("\"\"\"", at + 3))
      quoted = !quoted;
    constexpr std::string_view kGoesOn = " \t\r#)]}\"'";
    if (was_quoted || line.empty() || kGoesOn.find(line.front()) != line.npos) continue;
    const std::size_t end = std::min(line.find_first_of(" =:.([{"), line.size());
    const std::string_view word = line.substr(0, end);
    if (word == "import" || word == "from") continue;
    const std::string_view rest = trim(line.substr(end));
    const bool is_annotated = rest.starts_with(':') && rest.find('=') != rest.npos;
    if (!is_annotated && (!rest.starts_with('=') || rest.starts_with("=="))) return false;
    ++assigned;
  }
  return assigned >= kFewest;
}

bool may_be_taken(std::string_view name) { return may_be_config(name) || name.ends_with(".py"); }

/// What a person named, and what lies below it.
class Discovery {
 public:
  Discovery(const FileReader& reader, std::vector<Error>& errors)
      : reader_(reader),
        errors_(errors),
        walk_(reader,
              {.takes_name = may_be_taken,
               .takes = [this](const std::string& path) { return is_config(path); }},
              &errors) {}

  void name(const std::string& given) {
    const std::string path = normalize_path(given);
    switch (reader_.kind(path)) {
      case FileKind::missing:
        errors_.push_back({.message = "no such file or folder; check the path", .file = given});
        break;
      case FileKind::directory:
        walk_.below(path);
        break;
      case FileKind::regular:
      case FileKind::other:  // reading it will say what is wrong with it
        named_.push_back({path, reader_.canonical(path), false});
        break;
    }
  }

  /// One entry per real file: the name given by the user, else a real path, else the first link.
  std::vector<DiscoveredFile> finish() {
    std::vector<Found> found;
    for (WalkedFile& file : named_) found.push_back({std::move(file), true});
    for (WalkedFile& file : walk_.found()) found.push_back({std::move(file), false});
    const auto rank = [](const Found& each) {
      return std::tuple(std::string_view(each.file.canonical), !each.named, each.file.linked,
                        std::string_view(each.file.path));
    };
    std::sort(found.begin(), found.end(),
              [&](const Found& a, const Found& b) { return rank(a) < rank(b); });
    const auto same = [](const Found& a, const Found& b) {
      return a.file.canonical == b.file.canonical;
    };
    found.erase(std::unique(found.begin(), found.end(), same), found.end());
    std::vector<DiscoveredFile> files;
    files.reserve(found.size());
    for (Found& each : found) files.push_back({std::move(each.file.path), each.named});
    std::sort(files.begin(), files.end(),
              [](const DiscoveredFile& a, const DiscoveredFile& b) { return a.path < b.path; });
    return files;
  }

 private:
  struct Found {
    WalkedFile file;
    bool named = false;
  };

  bool is_config(const std::string& path) const {
    if (!path.ends_with(".py")) return true;
    if (!lies_among_configs(path)) return false;
    const auto text = reader_.read(path, kMaxPythonBytes);
    return text && is_python_config(path, *text);
  }

  const FileReader& reader_;
  std::vector<Error>& errors_;
  std::vector<WalkedFile> named_;
  FolderWalk walk_;
};

}  // namespace

bool may_be_config(std::string_view name) {
  const bool is_of_tool = std::find(kOfTools.begin(), kOfTools.end(), name) != kOfTools.end();
  return !name.starts_with(".gpulint") && !is_of_tool &&  // our own settings and baselines
         (may_be_script(name) || is_data_file_name(name) || extension(name) == "env");
}

bool is_python_config(std::string_view path, std::string_view text) {
  if (!path.ends_with(".py") || !lies_among_configs(path)) return false;
  constexpr std::array<std::string_view, 6> kMarks = {
      "_base_ =", "dict(type=", "dict(\n    type=", "read_base(", "LazyCall", "ConfigDict("};
  const bool is_marked = std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
    return text.find(mark) != std::string_view::npos;
  });
  return is_marked || is_module_of_constants(text);
}

std::vector<DiscoveredFile> discover(const FileReader& reader,
                                     const std::vector<std::string>& paths,
                                     std::vector<Error>& errors) {
  Discovery discovery(reader, errors);
  for (const std::string& path : paths) discovery.name(path);
  return discovery.finish();
}

}  // namespace gpulint
