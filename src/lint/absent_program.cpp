#include "lint/absent_program.h"

#include "base/system_path.h"
#include "base/text.h"
#include "launch/carried_commands.h"
#include "lint/folders.h"
#include "lint/named_program.h"
#include "plan/private_files.h"
#include "plan/run_paths.h"
#include "source/data_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace gpulint {
namespace {

/// What the script makes or fetches may be there when the command is run.
bool may_make_files(std::string_view text) {
  constexpr std::array<std::string_view, 10> kWords = {
      "git clone", "wget ",  "curl ", "unzip ",      "tar ", "git checkout",
      "\"w\"",     "'w'",    ".dump(", "write_text("};  // of a program that starts others
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// The file is named once more than by the command: it is copied, linked or written, perhaps.
bool is_handled(std::string_view text, std::string_view name) {
  constexpr std::array<std::string_view, 6> kBefore = {"cp ", "mv ", "ln ", "cat >", "tee ", "> "};
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t begin = text.rfind('\n', at);
    const std::string_view line =
        text.substr(begin == text.npos ? 0 : begin + 1, at - (begin == text.npos ? 0 : begin + 1));
    if (std::any_of(kBefore.begin(), kBefore.end(),
                    [&](std::string_view word) { return line.find(word) != line.npos; }))
      return true;
  }
  return false;
}

/// Where the script is started nobody knows, and that is right from some folder or from none. From
/// there it may go to another (`cd ..`), whose path is then the rest.
bool has_known_folder(std::string_view text, const Launch& launch) {
  const std::string& folder = launch.folder.bytes;
  const bool stays = folder.size() <= 1 && text.find("cd ") == text.npos;
  const bool is_relative =
      folder.size() > 1 && folder.find_last_of("\x01\x02") == 0 && folder[1] == '/';
  return stays || launch.folder.known() || is_relative;
}

/// A path that no file of the project ends with, where a command names a program of it.
struct AbsentPath {
  std::string name;       // "" = it is there, or nobody knows
  std::string elsewhere;  // the first file that is called so
};

AbsentPath absent_path(const LintShared& shared, const FileTask& task, std::string_view text,
                       const Launch& launch) {
  AbsentPath made;
  const std::string name = plain_path(launch);
  if (name.empty() || launch.script.empty() || !has_known_folder(text, launch)) return made;
  if (may_make_files(text) || is_handled(text, file_name(name))) return made;
  for (const std::string& path : shared.code->python_files(task.root, "")) {
    if (path == name || path.ends_with("/" + name)) return made;
    if (made.elsewhere.empty() && file_name(path) == file_name(name)) made.elsewhere = path;
  }
  const std::string here = normalize_path(join_path(task.root, name));
  const std::string beside = normalize_path(join_path(folder_of(task.path), name));
  const FileReader& reader = shared.files.reader();
  if (!may_be_private(reader, here) && !may_be_private(reader, beside)) made.name = name;
  return made;
}

bool has_top(const LintShared& shared, const FileTask& task, const std::string& name) {
  const std::string first = name.substr(0, name.find('/'));
  const std::string top = normalize_path(join_path(task.root, first)) + "/";
  const std::vector<std::string> files = shared.code->python_files(task.root, "");
  return std::any_of(files.begin(), files.end(),
                     [&](const std::string& path) { return path.starts_with(top); });
}

/// The folder that the path names holds other programs.
bool has_folder_of_programs(const LintShared& shared, const FileTask& task,
                            const std::string& name) {
  const NamedPath folder = find_around(shared.files, task.root, task.path,
                                       std::string(parent_path(name)), FileKind::directory);
  return !folder.path.empty() && !shared.code->files_in(task.root, folder.path).empty();
}

/// A name alone: where other commands of this script, or of those beside it, start programs that
/// are there by their names alone, the folder is the one that is meant.
bool starts_others_there(const LintShared& shared, const FileTask& task, const Launch& launch) {
  constexpr std::size_t kMostScriptsBeside = 64;
  constexpr std::size_t kMostSiblingText = std::size_t{1} << 16;
  const FileReader& reader = shared.files.reader();
  const std::string folder = folder_of(task.path);
  const auto entries = reader.list(folder);
  if (!entries) return false;
  std::vector<std::string> bases = {normalize_path(join_path(folder, known_end(launch.folder)))};
  if (launch.folder.size() <= 1) bases.push_back(task.root);
  std::size_t asked = 0;
  for (const DirectoryEntry& each : *entries) {
    if (each.kind != FileKind::regular || !may_be_script(each.name)) continue;
    if (++asked > kMostScriptsBeside) return false;
    const auto text = reader.read(join_path(folder, each.name), kMostSiblingText);
    if (!text) continue;
    for (std::size_t at = text->find(".py"); at != text->npos; at = text->find(".py", at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && is_name_part((*text)[begin - 1])) --begin;
      const bool is_bare = begin < at && begin > 0 && (*text)[begin - 1] == ' ';
      if (!is_bare) continue;
      const std::string name = text->substr(begin, at + 3 - begin);
      if (std::any_of(bases.begin(), bases.end(), [&](const std::string& base) {
            return shared.files.kind(normalize_path(join_path(base, name))) == FileKind::regular;
          }))
        return true;
    }
  }
  return false;
}

/// What is certain to be written for the project, and is not there.
AbsentPath absent_program(const LintShared& shared, const FileTask& task, std::string_view text,
                          const Launch& launch) {
  AbsentPath found = absent_path(shared, task, text, launch);
  if (found.name.empty()) return found;
  const bool is_path = found.name.find('/') != found.name.npos;
  const bool is_moved = is_path && !found.elsewhere.empty() && has_top(shared, task, found.name);
  if (!is_moved) found.elsewhere.clear();
  const bool is_own = is_path ? is_moved || has_folder_of_programs(shared, task, found.name)
                              : starts_others_there(shared, task, launch);
  if (!is_own) found.name.clear();
  return found;
}

/// `--config configs/train.yaml`, where the folder is there and the file is not.
void observe_absent_config(const LintShared& shared, const FileTask& task, std::string_view text,
                           const Launch& launch, const NamedConfig& named,
                           std::vector<Observation>& observations) {
  const std::string& name = named.name.bytes;
  const bool is_plain = named.is_marked && named.name.known() && is_data_file_name(name) &&
                        !is_absolute(name) && name.find('/') != name.npos &&
                        name.find_first_of("~$*{<") == name.npos;
  if (!is_plain || !has_known_folder(text, launch) || may_make_files(text)) return;
  if (!find_named(shared, task.root, task.path, launch.folder, named.name).empty()) return;
  std::string path = normalize_path(name);
  while (path.starts_with("../")) path.erase(0, 3);
  if (is_handled(text, file_name(path))) return;
  const NamedPath folder = find_around(shared.files, task.root, task.path,
                                       std::string(parent_path(path)), FileKind::directory);
  if (folder.path.empty()) return;
  const auto entries = shared.files.reader().list(folder.path);
  const bool has_others =
      entries && std::any_of(entries->begin(), entries->end(), [&](const DirectoryEntry& each) {
        return each.kind == FileKind::regular && extension(each.name) == extension(path);
      });
  if (!has_others ||
      may_be_private(shared.files.reader(), join_path(folder.path, std::string(file_name(path)))))
    return;
  const auto [first, last] =
      std::minmax_element(named.name.origins.begin(), named.name.origins.end());
  if (named.name.origins.empty() || *last >= text.size()) return;
  Observation& item = observations.emplace_back();
  item.list = "absent_files";
  item.span = {task.id, *first, *last + 1};
  item.name = named.flag;
  item.value = name;
  item.detail = folder.path;
}

/// A line of the command ends in a backslash and a blank.
void observe_broken_continuation(const FileTask& task, std::string_view text,
                                 const StartedRun& started,
                                 std::vector<Observation>& observations) {
  const TextRange& place = started.launch->place;
  if (place.begin >= text.size()) return;
  // The blank is the last word of the command, or stands behind it.
  for (std::size_t at = text.find('\\', place.begin); at != text.npos;
       at = text.find('\\', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
    const bool ends_line = end < text.size() && (text[end] == '\n' || text[end] == '\r');
    if (!ends_line) continue;
    if (end == at + 1) continue;  // it goes on
    const std::string_view next = trim(text.substr(end, text.find('\n', end + 1) - end));
    if (at > place.end + 1 || !next.starts_with('-')) return;
    Observation& item = observations.emplace_back();
    item.list = "broken_continuations";
    item.span = {task.id, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + 1)};
    item.name = started.launch->program;
    item.value = std::string(next.substr(0, next.find_first_of(" \t=")));
    return;
  }
}

}  // namespace

void observe_absent_program(const LintShared& shared, const FileTask& task, std::string_view text,
                            const StartedRun& started, std::vector<Observation>& observations) {
  const Launch& launch = *started.launch;
  observe_broken_continuation(task, text, started, observations);
  if (shared.code == nullptr) return;
  for (const NamedConfig& named : launch.configs)
    observe_absent_config(shared, task, text, launch, named, observations);
  if (!started.program.empty()) return;
  const AbsentPath absent = absent_program(shared, task, text, launch);
  if (absent.name.empty()) return;
  // A part of the path may be a variable's; what stands in a file that is sourced is told there.
  const auto [first, last] =
      std::minmax_element(launch.script.origins.begin(), launch.script.origins.end());
  if (*last >= text.size()) return;
  Observation& item = observations.emplace_back();
  item.list = "absent_programs";
  item.span = {task.id, *first, *last + 1};
  item.name = launch.script.bytes;
  item.detail = "which does not exist";
  if (!absent.elsewhere.empty()) item.detail += fmt::format("; {} does", absent.elsewhere);
}

}  // namespace gpulint
