#include "code/script_choice.h"

#include "base/text.h"
#include "code/named_file.h"
#include "code/script_text.h"
#include "source/data_files.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace gpulint {

std::size_t common_folder(std::string_view a, std::string_view b) {
  std::size_t folders = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) {
    if (a[i] == '/') folders = i + 1;
  }
  return folders;
}

bool lies_elsewhere(std::string_view path, const ScriptMarks& marks) {
  for (const std::string_view folder : split(parent_path(path), '/')) {
    for (const std::string& other : marks.other_folders) {
      if (folder == other) return true;
    }
  }
  return false;
}

namespace {

bool has_word_of_place(std::string_view name, const std::vector<std::string>& words) {
  constexpr std::size_t kShort = 3;  // "exp_2", "exps", but no "8experts"
  const std::string text = to_lower(name);
  const auto is_letter = [&](std::size_t i) {
    return i < text.size() && text[i] >= 'a' && text[i] <= 'z';
  };
  const auto has = [&](const std::string& word) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      std::size_t end = at + word.size();
      if (end < text.size() && text[end] == 's') ++end;
      if (word.size() > kShort || !is_letter(end)) return true;
    }
    return false;
  };
  return std::any_of(words.begin(), words.end(), has);
}

}  // namespace

bool names_config_place(std::string_view name, const ScriptMarks& marks) {
  return has_word_of_place(name, marks.config_places);
}

bool names_settings(std::string_view name, const ScriptMarks& marks) {
  return names_config_place(name, marks) || has_word_of_place(name, marks.setting_names);
}

bool lies_among_configs(std::string_view path, const ScriptMarks& marks) {
  return names_config_place(parent_path(path), marks) || names_config_place(file_name(path), marks);
}

std::size_t find_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos && !word.empty();
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_name_part(text[at - 1]);
    if (begins && (end == text.size() || !is_name_part(text[end]))) return at;
  }
  return std::string_view::npos;
}

bool has_word(std::string_view text, std::string_view word) {
  return find_word(text, word) != std::string_view::npos;
}

std::vector<std::string_view> top_keys(const Document& document) {
  std::vector<std::string_view> keys;
  const NodeId root = document.root() == kNoNode ? kNoNode : document.resolve(document.root());
  if (root == kNoNode || document.kind(root) != NodeKind::mapping) return keys;
  for (const Member& member : document.members(root))
    keys.push_back(document.scalar(document.resolve(member.key)));
  return keys;
}

bool takes_other_section(const Document& document, const Script& script, const Script& other) {
  bool is_own = false;
  bool is_of_other = false;
  for (const std::string_view key : top_keys(document)) {
    const NodeId section = document.find(document.root(), key);
    if (section == kNoNode || document.kind(section) != NodeKind::mapping) continue;
    const bool is_in = has_word(script.text, key);
    const bool is_in_other = has_word(other.text, key);
    is_own = is_own || (is_in && !is_in_other);
    is_of_other = is_of_other || (is_in_other && !is_in);
  }
  return is_own && is_of_other;
}

namespace {

/// The module that holds what the whole config builds: `_target_: project.workspaces.x.Workspace`.
std::string target_module(const Document& document) {
  if (document.root() == kNoNode) return {};
  const NodeId target = document.find(document.root(), kTarget);
  if (target == kNoNode || document.kind(target) != NodeKind::scalar) return {};
  std::string path(document.scalar(target));
  path.resize(std::min(path.rfind('.'), path.size()));
  std::replace(path.begin(), path.end(), '.', '/');
  return path.find('/') == std::string::npos ? std::string() : path + ".py";
}

/// The path that ends at a byte of a text: "configs/a.yaml" of `default="configs/a.yaml"`.
std::string_view path_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  const auto is_of_path = [](char c) {
    return is_name_part(c) || c == '-' || c == '.' || c == '/';
  };
  while (begin > 0 && is_of_path(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

/// The file of that name beside the script is another one: `config.yaml` of each part of a project.
/// A script that is started in a folder above it may mean the one there.
bool has_its_own(const CodeRequest& request, const Script& script, std::string_view name) {
  const std::string_view folder = parent_path(loaded_name(request));
  const std::string beside = join_path(parent_path(script.path), std::string(name));
  const bool is_above = folder.empty() || folder == "." || folder == request.root ||
                        script.path.starts_with(std::string(folder) + "/");
  return !is_above && beside != loaded_name(request) && request.code->is_file(beside);
}

/// The script's text has the name of the config, and not as that of a file in another folder.
bool names_file(const CodeRequest& request, const Script& script, std::string_view name) {
  for (std::size_t at = script.text.find(name); at != std::string::npos;
       at = script.text.find(name, at + 1)) {
    const std::string_view written = path_before(script.text, at + name.size());
    if (file_name(written) == written) {
      if (has_its_own(request, script, written)) continue;
      return true;
    }
    const std::string meant = named_file(request, script.path, written);
    // One that is not there may lie elsewhere when the script is started, below the same folder.
    const auto folder = [](std::string_view path) { return file_name(parent_path(path)); };
    const bool is_alike = folder(written) == folder(loaded_name(request)) ||
                          folder(written).find_first_not_of('.') == std::string_view::npos;
    if (meant == loaded_name(request) || (meant.empty() && is_alike)) return true;
  }
  return false;
}

/// Hydra's program of a config with its name: `config_name=Path(__file__).stem`.
bool is_entry_of_its_name(const Script& script, std::string_view stem) {
  const std::string_view own = file_name(script.path);
  return script.is_entry && own.substr(0, own.rfind('.')) == stem &&
         script.text.find("__file__") != std::string::npos;
}

/// The config says by which script it is read: `# python bin/train.py --config conf/a.yaml`.
bool names_script(std::string_view text, std::string_view path) {
  const std::string_view name = file_name(path);
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    std::string_view written = path_before(text, at + name.size());
    while (written.starts_with("./")) written.remove_prefix(2);
    const bool is_whole = written == path;
    if (is_whole || (written.size() > name.size() && path.ends_with(written))) return true;
  }
  return false;
}

/// A comment of the config shows the command of a program that is not in the project (any more).
bool names_absent_program(const CodeRequest& request) {
  constexpr std::string_view kStarts = "python ";
  const std::string_view text = request.document->text();
  for (std::size_t at = text.find(kStarts); at != text.npos; at = text.find(kStarts, at + 1)) {
    const std::size_t begin = at + kStarts.size();
    std::string_view path = text.substr(begin, text.find_first_of(" \n\r\t", begin) - begin);
    while (path.starts_with("./")) path.remove_prefix(2);
    if (!path.ends_with(".py") || path.find('/') == path.npos) continue;
    const std::vector<std::string> files = request.code->python_files(request.root, "");
    return std::none_of(files.begin(), files.end(), [&](const std::string& each) {
      return each == path || (each.ends_with(path) && each[each.size() - path.size() - 1] == '/');
    });
  }
  return false;
}

/// Scripts that the config names are meant as well as those that name it; where there are neither,
/// those whose decorator takes any config of its folder.
void name_others(std::vector<Candidate>& all) {
  bool has_named = false;
  for (Candidate& each : all) {
    each.named = each.named || each.is_said;
    has_named = has_named || each.named;
  }
  for (Candidate& each : all) each.named = each.named || (!has_named && each.takes_folder);
}

std::string_view top_folder(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace

bool has_configs_elsewhere(const CodeRequest& request, const Script& script) {
  const std::string inside = request.path.starts_with(request.root + "/")
                                 ? request.path.substr(request.root.size() + 1)
                                 : request.path;
  bool found = false;
  for (const std::string_view kind : kDataEndings) {
    const std::string ending = "." + std::string(kind);
    for (std::size_t at = script.text.find(ending); at != std::string::npos;
         at = script.text.find(ending, at + 1)) {
      std::string_view written = path_before(script.text, at + ending.size());
      while (written.starts_with("./")) written.remove_prefix(2);
      if (named_file(request, script.path, written).empty()) continue;
      const std::string_view folder = top_folder(written);
      if (folder.empty() || folder == ".." || folder == top_folder(inside)) return false;
      found = true;
    }
  }
  return found;
}

bool is_own_program(const CodeRequest& request, std::string_view script) {
  const std::string_view name = file_name(request.path);
  const std::string_view own = file_name(script);
  return script != request.path && own.ends_with(".py") &&
         own.substr(0, own.rfind('.')) == name.substr(0, name.rfind('.'));
}

namespace {

std::string_view stem_of(std::string_view path) {
  const std::string_view name = file_name(path);
  return name.substr(0, name.rfind('.'));
}

/// One that can be started and takes a config; `unet.py` may try itself out, and takes none for it.
const python::Module* program_at(const CodeRequest& request, const std::string& path) {
  const ScriptMarks& marks = request.code->consumers().scripts();
  if (path == request.path) return nullptr;
  const python::Module* module = request.code->module(request.root, path);
  const bool is_program = module != nullptr && has_any(module->text, marks.starts) &&
                          has_any(module->text, marks.takes_config);
  return is_program ? module : nullptr;
}

/// Programs of the config's name.
std::vector<const python::Module*> own_programs(const CodeRequest& request) {
  const std::string own = std::string(stem_of(request.path)) + ".py";
  std::vector<const python::Module*> found;
  for (const std::string& path : request.code->python_files_called(request.root, own)) {
    if (const python::Module* program = program_at(request, path)) found.push_back(program);
  }
  return found;
}

/// Programs whose names end in the config's, and that name its file: `run_filter.py` of
/// `filter.yaml`.
std::vector<const python::Module*> programs_by_part(const CodeRequest& request) {
  constexpr std::size_t kShortest = 6;  // letters of a name that is no word like any other
  const std::string_view stem = stem_of(request.path);
  std::vector<const python::Module*> found;
  if (stem.size() < kShortest) return found;
  for (const std::string& path : request.code->python_files(request.root, "")) {
    const std::string_view own = stem_of(path);
    if (own != stem && !own.ends_with("_" + std::string(stem))) continue;
    const python::Module* program = program_at(request, path);
    if (program != nullptr && program->text.find(file_name(request.path)) != std::string::npos)
      found.push_back(program);
  }
  return found;
}

}  // namespace

bool has_own_program(const CodeRequest& request) { return !own_programs(request).empty(); }

bool is_of_idle_program(const CodeRequest& request) {
  const std::vector<const python::Module*> own = programs_by_part(request);
  const std::string name(file_name(request.path));
  const std::vector<Script>& scripts = request.code->scripts(request.root);
  return !own.empty() &&
         std::all_of(own.begin(), own.end(),
                     [&](const python::Module* program) {
                       return std::none_of(
                           scripts.begin(), scripts.end(),
                           [&](const Script& each) { return each.path == program->path; });
                     }) &&
         std::none_of(scripts.begin(), scripts.end(),
                      [&](const Script& each) { return names_file(request, each, name); });
}

bool may_have_program(CodeBase& code, const std::string& root, std::string_view config) {
  const auto top = [&](std::string_view path) {
    return top_folder(path.starts_with(root + "/") ? path.substr(root.size() + 1) : path);
  };
  const std::string_view own = top(config);
  const std::vector<Script>& scripts = code.scripts(root);
  if (own.empty() || names_config_place(own, code.consumers().scripts())) return !scripts.empty();
  return std::any_of(scripts.begin(), scripts.end(), [&](const Script& each) {
    return top(each.path).empty() || top(each.path) == own;
  });
}

namespace {

/// Of a file's name, in lower case: those that tell programs of a project apart.
std::vector<std::string> telling_words(std::string_view path, const ScriptMarks& marks) {
  constexpr std::size_t kShortest = 5;
  std::vector<std::string> words;
  std::string lower = to_lower(stem_of(path));
  std::replace(lower.begin(), lower.end(), '-', '_');
  for (const std::string_view word : split(lower, '_')) {
    const bool is_usual = has_any(word, marks.config_places) || has_any(word, marks.trains);
    if (word.size() >= kShortest && !is_usual) words.emplace_back(word);
  }
  return words;
}

/// Of the file's name and of the folder around it.
std::vector<std::string> telling_words_around(std::string_view path, const ScriptMarks& marks) {
  std::vector<std::string> words = telling_words(path, marks);
  for (std::string& word : telling_words(parent_path(path), marks))
    words.push_back(std::move(word));
  return words;
}

/// `configs/distill/a.yaml` is one of `distill.py`.
bool is_called_as_folder(std::string_view script, std::string_view config) {
  return stem_of(script) == file_name(parent_path(config));
}

}  // namespace

std::vector<Candidate> candidates(const CodeRequest& request) {
  std::vector<Candidate> found;
  const ScriptMarks& marks = request.code->consumers().scripts();
  const std::vector<std::string> words = telling_words_around(request.path, marks);
  const std::string name(file_name(loaded_name(request)));
  const std::string stem = name.substr(0, name.rfind('.'));
  const std::string target = target_module(*request.document);
  const std::string_view folder = parent_path(loaded_name(request));
  const std::string_view text = request.document->text();
  for (const Script& script : request.code->scripts(request.root)) {
    Candidate made{&script};
    made.named = names_file(request, script, name) || looks_for(script.text, name, marks) ||
                 (script.is_entry && script.text.find('"' + stem + '"') != std::string::npos) ||
                 is_entry_of_its_name(script, stem) ||
                 (!target.empty() && ("/" + script.path).ends_with("/" + target));
    made.is_said = names_script(text, script.path);
    const std::vector<std::string> own = telling_words_around(script.path, marks);
    made.shares_word =
        is_called_as_folder(script.path, request.path) ||
        std::any_of(own.begin(), own.end(),
                    [&](const std::string& word) { return contains(words, word); });
    made.takes_folder = script.is_entry && !made.named &&
                        entry_config(*request.code, request.root, script.path).path ==
                            (folder == "." ? std::string_view() : folder);
    made.near = common_folder(script.path, request.path);
    made.depth = static_cast<std::size_t>(
        std::count(script.path.begin() + static_cast<std::ptrdiff_t>(made.near),
                   script.path.end(), '/'));
    made.takes_config = script.takes_config;
    made.is_train = to_lower(file_name(script.path)).find("train") != std::string::npos;
    if (script.path == request.program) {
      made.named = made.takes_config = true;
      made.near = 0;
      return {made};
    }
    found.push_back(made);
  }
  if (!request.program.empty()) return {};  // what it starts is not in the project
  name_none_beside(request, name, found);
  const bool is_named = std::any_of(found.begin(), found.end(), [](const Candidate& each) {
    return each.named || each.is_said;
  });
  if (!is_named && names_absent_program(request)) return {};
  name_others(found);
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    // One that neither takes a config nor is called after training is hardly meant, however near.
    const bool a_is_likely = a.takes_config || a.is_train;
    const bool b_is_likely = b.takes_config || b.is_train;
    return std::tuple(!a.named, !a.is_said, !a_is_likely, b.near, !a.shares_word,
                      !a.takes_config, !a.is_train, a.depth) <
           std::tuple(!b.named, !b.is_said, !b_is_likely, a.near, !b.shares_word,
                      !b.takes_config, !b.is_train, b.depth);
  });
  return found;
}

}  // namespace gpulint
