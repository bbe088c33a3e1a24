#include "lint/named_program.h"

#include "base/system_path.h"
#include "base/text.h"
#include "code/code_base.h"
#include "plan/run_paths.h"
#include "source/data_files.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

constexpr std::size_t kMostPackageBytes = std::size_t{1} << 20;

bool is_dotted(char c) { return is_name_part(c) || c == '.'; }

/// "a.b" of `NAME = "a.b:main"`, as setuptools and pyproject.toml write it.
std::string module_of_command(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const bool begins = at == 0 || std::string_view(" \t\n'\"").find(text[at - 1]) != text.npos;
    std::size_t end = at + name.size();
    const std::size_t equals = text.find_first_not_of(" \t'\"", end);
    if (!begins || equals == text.npos || text[equals] != '=') continue;
    std::size_t begin = text.find_first_not_of(" \t'\"", equals + 1);
    for (end = begin; end < text.size() && is_dotted(text[end]);) ++end;
    if (end < text.size() && text[end] == ':') return std::string(text.substr(begin, end - begin));
  }
  return {};
}

}  // namespace

bool lies_among_programs(const LintShared& shared, const std::string& root, std::string_view from) {
  const std::vector<Script>& scripts = shared.code->scripts(root);
  return std::any_of(scripts.begin(), scripts.end(), [&](const Script& each) {
    return parent_path(each.path) == parent_path(from);
  });
}

std::string known_end(const ShellText& name) {
  const std::size_t last = name.bytes.find_last_of("\x01\x02");
  if (last == std::string::npos) return name.bytes;
  std::string end = name.bytes.substr(last + 1);
  const std::size_t slash = end.find('/');
  // `$DIR/a.yaml` names a.yaml; `$NAME.yaml` names nothing.
  return slash == std::string::npos ? std::string() : end.substr(slash + 1);
}

namespace {

/// The file of the project that the end of a path leads to, with at least one folder left.
std::string find_end(const LintShared& shared, const std::string& root, const std::string& from,
                     std::string path) {
  while (true) {
    const NamedPath found = find_around(shared.files, root, from, path);
    if (!found.path.empty()) return found.path;
    const std::size_t slash = path.find('/');
    if (slash == std::string::npos || path.find('/', slash + 1) == std::string::npos) return {};
    path.erase(0, slash + 1);
  }
}

}  // namespace

std::string find_named(const LintShared& shared, const std::string& root, const std::string& from,
                       const ShellText& folder, const ShellText& word) {
  std::string name = known_end(word);
  // `${data}/train.py` with `./` in the variable.
  if (name.starts_with("./")) name = normalize_path(name);
  // Of another machine, or below a folder nobody knows: its last parts may be the project's.
  const bool is_full = is_absolute(name);
  const bool is_elsewhere = is_full || !word.known();
  if (is_full) {
    if (std::count(name.begin(), name.end(), '/') < 2) return {};
    name.erase(0, name.find('/') + 1);
  }
  if (name.empty()) return {};
  if (is_elsewhere) {
    std::string found = find_end(shared, root, from, name);
    if (!found.empty()) return found;
  }
  if (is_full) return {};
  std::string inside = known_end(folder);
  if (is_absolute(inside)) inside.erase(0, inside.find('/') + 1);
  if (!inside.empty()) {
    std::string found = find_end(shared, root, from, join_path(inside, name));
    if (!found.empty()) return found;
  }
  if (!is_elsewhere) return find_around(shared.files, root, from, name).path;
  // What a run reads is often a copy of what lies beside the script that starts it, or in the
  // folder of configs there.
  if (!is_data_file_name(name)) return {};
  std::vector<std::string> found;
  for (const std::string_view place : {"", "config", "configs", "conf", "cfg", "cfgs"}) {
    std::string beside =
        join_path(join_path(parent_path(from), std::string(place)), file_name(name));
    if (shared.files.kind(beside) != FileKind::regular) continue;
    if (place.empty()) return beside;
    found.push_back(std::move(beside));
  }
  return found.size() == 1 ? found.front() : std::string();
}

namespace {

/// `/home/me/clone/train.py`: a program that lies at the root of the project, wherever that was
/// when the command was written. Below the root the folders say which one is meant.
std::string at_the_root(const LintShared& shared, const std::string& root,
                        const ShellText& program) {
  if (shared.code == nullptr || !program.known() || !is_absolute(program.bytes)) return {};
  const std::string name(file_name(program.bytes));
  std::string found;
  for (const Script& each : shared.code->scripts(root)) {
    if (file_name(each.path) != name) continue;
    if (!found.empty()) return {};
    found = each.path;
  }
  const auto plain = [](std::string_view folder) { return folder == "." ? "" : folder; };
  return plain(parent_path(found)) == plain(root) ? found : std::string();
}

/// `project/src/train.py`, started beside the folder that the project was cloned into.
std::string below_the_clone(const LintShared& shared, const std::string& root,
                            const ShellText& program) {
  if (!program.known() || is_absolute(program.bytes)) return {};
  const std::string path = normalize_path(program.bytes);
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos || path.starts_with("../")) return {};
  std::string inside = normalize_path(join_path(root, path.substr(slash + 1)));
  const std::string clone = normalize_path(join_path(root, path.substr(0, slash)));
  const bool is_clone = shared.files.kind(clone) == FileKind::missing;
  return is_clone && shared.files.kind(inside) == FileKind::regular ? inside : std::string();
}

/// `train.py`, which lies nowhere around: the job is started from another folder. The only file of
/// that name in the project, or in the part of it that the script belongs to:
/// `finetune/code/main.py` of `finetune/jobs/a.sh`.
std::string only_of_its_name(const LintShared& shared, const std::string& root,
                             const std::string& from, const Launch& launch) {
  const ShellText& program = launch.script;
  if (shared.code == nullptr || !program.known() || is_absolute(program.bytes)) return {};
  const std::string name = normalize_path(program.bytes);
  const bool stays = launch.folder.size() <= 1 && name.find('/') == name.npos;
  if (stays && lies_among_programs(shared, root, from)) return {};
  std::vector<std::string> found;
  for (const std::string& path :
       shared.code->python_files_called(root, std::string(file_name(name)))) {
    if (path.ends_with("/" + name)) found.push_back(path);
  }
  if (found.size() == 1) return found.front();
  for (std::string_view part = parent_path(from); !part.empty() && part != root;
       part = parent_path(part)) {
    const auto is_outside = [&](const std::string& path) {
      return !path.starts_with(std::string(part) + "/");
    };
    std::vector<std::string> inside = found;
    std::erase_if(inside, is_outside);
    if (inside.size() == 1) return inside.front();
    if (!inside.empty()) return {};
  }
  return {};
}

/// `/home/me/clone/train.py` of a clone whose files have moved since: the only program of that name
/// takes all the options that the command gives.
std::string moved_in_the_clone(const LintShared& shared, const std::string& root,
                               const Launch& launch) {
  constexpr std::size_t kFewestOptions = 3;  // fewer may be those of any program
  const ShellText& program = launch.script;
  if (shared.code == nullptr || launch.given == nullptr || !program.known() ||
      !is_absolute(program.bytes))
    return {};
  const std::vector<std::string>& called =
      shared.code->python_files_called(root, std::string(file_name(program.bytes)));
  const Document& given = *launch.given;
  if (called.size() != 1 || given.root() == kNoNode) return {};
  const ProgramOptions& options = shared.code->options_of(root, called.front());
  std::size_t known = 0;
  for (const Member& each : given.members(given.root())) {
    if (options.find_seen(given.scalar(given.resolve(each.key))) == nullptr) return {};
    ++known;
  }
  return known >= kFewestOptions ? called.front() : std::string();
}

}  // namespace

std::string plain_path(const Launch& launch) {
  if (!launch.script.empty()) {
    if (!launch.script.known() || launch.script.bytes.starts_with('/')) return {};
    std::string name = normalize_path(join_path(known_end(launch.folder), launch.script.bytes));
    while (name.starts_with("../")) name.erase(0, 3);
    return name;
  }
  std::string path = launch.module;
  if (path.find('/') != path.npos) return {};
  std::replace(path.begin(), path.end(), '.', '/');
  return path.empty() ? path : path + ".py";
}

std::string named_program(const LintShared& shared, const std::string& root,
                          const std::string& from, const Launch& launch) {
  if (!launch.script.empty()) {
    std::string found = find_named(shared, root, from, launch.folder, launch.script);
    if (found.empty()) found = below_the_clone(shared, root, launch.script);
    if (found.empty()) found = only_of_its_name(shared, root, from, launch);
    if (found.empty()) found = at_the_root(shared, root, launch.script);
    return found.empty() ? moved_in_the_clone(shared, root, launch) : found;
  }
  std::string module = launch.module;
  const bool is_command = module.empty() && !launch.program.empty() &&
                          launch.program.find_first_of(" ./") == std::string::npos;
  for (const char* file : {"pyproject.toml", "setup.py", "setup.cfg"}) {
    if (!is_command || !module.empty()) break;
    const std::string path = root.empty() ? file : join_path(root, file);
    if (shared.files.kind(path) != FileKind::regular) continue;
    const auto text = shared.files.text(path, kMostPackageBytes);
    if (text) module = module_of_command(text->text, launch.program);
  }
  if (module.empty() || module.find('/') != std::string::npos) return {};
  std::replace(module.begin(), module.end(), '.', '/');
  for (const char* before : {"", "src/"}) {
    for (const char* ending : {".py", "/__main__.py"}) {
      const ShellText name = ShellText::computed(before + module + ending);
      std::string found = find_named(shared, root, from, launch.folder, name);
      if (!found.empty()) return found;
    }
  }
  return {};
}

}  // namespace gpulint
