#include "lint/own_options.h"

#include "base/system_path.h"
#include "base/text.h"
#include "code/code_base.h"
#include "lint/folders.h"
#include "plan/private_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

constexpr std::size_t kMostShownBytes = 60;  // a message is cut that is much longer

bool is_shown_in_full(const std::string& path) { return path.ends_with(".py"); }

/// "`--a`, `--b` and 3 more options"
std::string shown(const std::vector<const ProgramOption*>& options) {
  std::string names;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string name = fmt::format("`{}`", options[i]->names.back());
    const std::size_t left = options.size() - i;
    if (i > 0 && names.size() + name.size() > kMostShownBytes)
      return fmt::format("{} and {} more option{}", names, left, left == 1 ? "" : "s");
    names += (i == 0 ? "" : ", ") + name;
  }
  return names;
}

Observation& add(const LintShared& shared, const std::vector<const ProgramOption*>& options,
                 std::string_view list, std::vector<Observation>& observations) {
  const SourceSpan place = options.front()->place;
  Observation& item = observations.emplace_back();
  item.list = list;
  item.span = {shared.files.number(shared.code->path_of(place.file)), place.begin, place.end};
  item.name = options.front()->names.back();
  item.value = shown(options);
  return item;
}

void observe_stuck(const LintShared& shared, const std::vector<const ProgramOption*>& stuck,
                   std::string_view why, std::vector<Observation>& observations) {
  if (stuck.empty()) return;
  Observation& item = add(shared, stuck, "stuck_switches", observations);
  item.detail = fmt::format("{} on whatever the command line says: {}",
                            stuck.size() == 1 ? "stays" : "stay", why);
}

void observe_stuck_switches(const LintShared& shared, const std::string& root,
                            const std::string& program, std::vector<Observation>& observations) {
  std::vector<const ProgramOption*> switches;
  std::vector<const ProgramOption*> texts;
  for (const ProgramOption& option : shared.code->options_of(root, program).seen) {
    // Of a library's description there is no file to point at.
    const bool is_at_hand = option.place.known() &&
                            is_shown_in_full(shared.code->path_of(option.place.file));
    if (option.is_stuck && is_at_hand && !option.names.empty() &&
        !shared.code->is_unread(root, program, option))
      (option.is_switch ? switches : texts).push_back(&option);
  }
  observe_stuck(shared, switches, "`store_true` with `default=True`", observations);
  observe_stuck(shared, texts, "`type=bool` takes any text for true", observations);
}

void observe_mistyped_options(const LintShared& shared, const std::string& root,
                              const std::string& program, std::vector<Observation>& observations) {
  std::vector<const ProgramOption*> mistyped;
  for (const ProgramOption& option : shared.code->options_of(root, program).seen) {
    const bool is_at_hand = is_shown_in_full(shared.code->path_of(option.place.file));
    if (option.refuses_default && is_at_hand && !shared.code->is_unread(root, program, option))
      mistyped.push_back(&option);
  }
  if (!mistyped.empty()) add(shared, mistyped, "mistyped_options", observations);
}

/// `int(args.epochs)`: the code makes a number of what is given.
bool is_converted(const ProgramOptions& options, const ProgramOption& option) {
  const std::string end = "." + option.dest;
  for (const python::Module* module : options.modules) {
    const std::string& text = module->text;
    for (std::size_t at = text.find(end); at != text.npos; at = text.find(end, at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && (is_name_part(text[begin - 1]) || text[begin - 1] == '.')) --begin;
      const std::string_view before = std::string_view(text).substr(0, begin);
      for (const char* word : {"int(", "float(", "eval(", "round(", "Fraction(", "Decimal("}) {
        if (before.ends_with(word)) return true;
      }
    }
  }
  return false;
}

void observe_untyped_options(const LintShared& shared, const std::string& root,
                             const std::string& program, std::vector<Observation>& observations) {
  const ProgramOptions& options = shared.code->options_of(root, program);
  std::vector<const ProgramOption*> untyped;
  for (const ProgramOption& option : options.seen) {
    const bool is_at_hand = is_shown_in_full(shared.code->path_of(option.place.file));
    if (option.keeps_text && is_at_hand && !option.names.empty() &&
        option.names.back().starts_with('-') && !is_converted(options, option) &&
        !shared.code->is_unread(root, program, option))
      untyped.push_back(&option);
  }
  if (untyped.empty()) return;
  Observation& item = add(shared, untyped, "untyped_options", observations);
  item.detail = untyped.size() == 1 ? "has a number for default and no `type=`"
                                    : "have numbers for defaults and no `type=`";
}

void observe_unread_options(const LintShared& shared, const std::string& root,
                            const std::string& program, std::vector<Observation>& observations) {
  // A command that gives the option is told already.
  const auto is_told = [&](const ProgramOption& option) {
    return std::any_of(observations.begin(), observations.end(), [&](const Observation& each) {
      const bool is_given = each.list == "unread_options" && each.fact == "given";
      return is_given && std::any_of(option.names.begin(), option.names.end(), [&](auto& name) {
               return each.value == fmt::format("`{}`", name);
             });
    });
  };
  std::vector<const ProgramOption*> unread;
  for (const ProgramOption& option : shared.code->options_of(root, program).seen) {
    const bool is_at_hand = is_shown_in_full(shared.code->path_of(option.place.file));
    if (is_at_hand && shared.code->is_unread(root, program, option) && !is_told(option))
      unread.push_back(&option);
  }
  if (unread.empty()) return;
  Observation& item = add(shared, unread, "unread_options", observations);
  item.detail = unread.size() == 1 ? "has no effect: the program does not read it"
                                   : "have no effect: the program does not read them";
}

void observe_absent_attributes(const LintShared& shared, const std::string& root,
                               const std::string& program,
                               std::vector<Observation>& observations) {
  for (const ProgramOptions::Lack& each : shared.code->options_of(root, program).lacks) {
    const std::string path = shared.code->path_of(each.place.file);
    if (!is_shown_in_full(path)) continue;
    Observation& item = observations.emplace_back();
    item.list = "code_refusals";
    item.span = {shared.files.number(path), each.place.begin, each.place.end};
    item.name = each.name;
    item.value =
        fmt::format("{}:{}", path, shared.code->line_of(each.place.file, each.place.begin));
    item.detail = fmt::format("ends the run: it reads `{}`, which no option of the parser sets",
                              each.name);
  }
}

/// `yaml.load(file)`, which the releases that are installed today refuse.
void observe_bare_calls(const LintShared& shared, const std::string& root,
                        const std::string& program, std::vector<Observation>& observations) {
  for (const ProgramOptions::Lack& each : shared.code->options_of(root, program).bare_calls) {
    const std::vector<std::string_view> words = split(each.name, ' ');
    const std::string path = shared.code->path_of(each.place.file);
    if (words.size() != 4 || !is_shown_in_full(path)) continue;
    const auto excludes = [&](const std::string& folder) {
      const std::vector<Requirement>& stated = shared.code->requirements(folder, words[2]);
      return std::any_of(stated.begin(), stated.end(), [&](const Requirement& requirement) {
        return excludes_from(requirement, words[3]);
      });
    };
    constexpr int kMostFolders = 16;
    bool is_older = excludes(root);
    std::string folder = folder_of(program);
    for (int i = 0; i < kMostFolders && folder != "." && folder != root && !is_older; ++i) {
      is_older = excludes(folder);
      folder = folder_of(folder);
    }
    if (is_older) continue;
    Observation& item = observations.emplace_back();
    item.list = "bare_calls";
    item.span = {shared.files.number(path), each.place.begin, each.place.end};
    item.name = words[0];
    item.value = words[1];
    item.detail = fmt::format("{} {}", words[2], words[3]);
  }
}

/// Of a git submodule that was not fetched.
bool is_of_submodule(const LintShared& shared, const std::string& root, std::string_view path) {
  constexpr std::size_t kMostOfSubmodules = std::size_t{1} << 20;
  const std::string own(kSubmodules);
  const std::string name = root == "." ? own : join_path(root, own);
  if (shared.files.kind(name) != FileKind::regular) return false;
  const auto text = shared.files.reader().read(name, kMostOfSubmodules);
  if (!text) return true;
  for (const std::string_view folder : submodule_folders(*text)) {
    if (path.starts_with(normalize_path(join_path(root, std::string(folder))) + "/")) return true;
  }
  return false;
}

/// What a program imports before anything else, and what is not there, ends it.
void observe_absent_imports(const LintShared& shared, const std::string& root,
                            const std::string& program, std::vector<Observation>& observations) {
  std::vector<AbsentImport> absent = shared.code->absent_imports(root, program);
  const FileReader& reader = shared.files.reader();
  std::erase_if(absent, [&](const AbsentImport& each) {
    return each.lacks.empty() && (may_be_private(reader, each.file + "/__init__.py") ||
                                  may_be_private(reader, each.file + ".py") ||
                                  is_of_submodule(shared, root, each.file));
  });
  if (absent.empty()) return;
  const AbsentImport& first = absent.front();
  const std::string path = shared.code->path_of(first.place.file);
  const std::string what =
      first.lacks.empty()
          ? fmt::format("`{}`, which the project does not have", first.name)
          : fmt::format("`{}` from `{}`, which does not define it", first.lacks, first.name);
  Observation& item = observations.emplace_back();
  item.list = "absent_imports";
  item.span = {shared.files.number(path), first.place.begin, first.place.end};
  item.name = first.name;
  item.detail = what;
}

}  // namespace

std::vector<std::string> programs_of(const std::string& path, const Run& run) {
  return is_shown_in_full(path) ? std::vector<std::string>{path} : run.code().scripts;
}

void observe_own_options(const LintShared& shared, const std::string& root,
                         std::span<const std::string> programs,
                         std::vector<Observation>& observations) {
  if (shared.code == nullptr) return;
  for (const std::string& program : programs) {
    if (!is_shown_in_full(program)) continue;
    observe_stuck_switches(shared, root, program, observations);
    observe_mistyped_options(shared, root, program, observations);
    observe_untyped_options(shared, root, program, observations);
    observe_unread_options(shared, root, program, observations);
    observe_absent_attributes(shared, root, program, observations);
    observe_absent_imports(shared, root, program, observations);
    observe_bare_calls(shared, root, program, observations);
  }
}

}  // namespace gpulint
