#include "lint/refused_options.h"

#include "base/text.h"
#include "lint/launch_index.h"
#include "lint/named_program.h"
#include "lint/unset_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace gpulint {
namespace {

/// The files that a command may start: those in the folders around the script, the nearest first;
/// else the only one of that name.
std::vector<std::string> files_started_by(const LintShared& shared, const FileTask& task,
                                     std::string_view text, const Launch& launch) {
  const std::string name = plain_path(launch);
  // What is fetched first has files of its own.
  if (name.empty() || text.find("git clone") != text.npos) return {};
  std::vector<std::string> around;
  std::vector<std::string> all;
  for (const std::string& path : shared.code->python_files(task.root, "")) {
    if (path != name && !path.ends_with("/" + name)) continue;
    all.push_back(path);
    const std::string folder = path.substr(0, path.size() - name.size());
    if (task.path.starts_with(folder)) around.push_back(path);
  }
  std::sort(around.begin(), around.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  const bool stays = launch.folder.size() <= 1 && name.find('/') == name.npos;
  const bool is_anothers = stays && lies_among_programs(shared, task.root, task.path);
  if (around.empty() && all.size() == 1 && !is_anothers) return all;
  return around;
}

bool is_number(std::string_view text, bool may_have_point) {
  std::string_view digits = trim(text);
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty()) return false;
  const auto is_part = [&](char c) {
    return (c >= '0' && c <= '9') || c == '_' || (may_have_point && c == '.');
  };
  // `1e-3`, `nan` and what else float() reads is not looked into.
  const bool is_word = may_have_point && digits.find_first_of("eEnNiI") != digits.npos;
  return is_word || std::all_of(digits.begin(), digits.end(), is_part);
}

bool means_off(std::string_view text) {
  const std::string word = to_lower(trim(text));
  return word == "false" || word == "0" || word == "no" || word == "off" || word == "f" ||
         word == "n";
}

class OptionChecker {
 public:
  OptionChecker(const LintShared& shared, const std::string& root, std::string program,
                std::string_view text, const Launch& launch,
                std::vector<Observation>& observations)
      : shared_(shared),
        code_(*shared.code),
        text_(text),
        root_(root),
        program_(std::move(program)),
        options_(code_.options_of(root, program_)),
        given_(*launch.given),
        file_(launch.given->span(launch.given->root()).file),
        launch_(launch),
        observations_(observations) {}

  void check() {
    check_switches();
    check_reversed();
    check_unread();
    check_variables();
    if (!options_.is_known) return;
    std::vector<const ProgramOption*> met;
    for (const Member& member : given_.members(given_.root())) {
      const std::string flag(given_.scalar(given_.resolve(member.key)));
      if (flag == "-h" || flag == "--help" || flag == "-" || flag == "--") return;
      const ProgramOption* option = options_.find(flag);
      met.push_back(option);
      if (option == nullptr) {
        check_unknown(flag, member.key);
      } else {
        check_value(*option, flag, member.value);
      }
    }
    if (launch_.may_be_more) return;
    for (const ProgramOption& option : options_.options) {
      if (option.is_required && std::find(met.begin(), met.end(), &option) == met.end())
        add(given_.root(), option.names.back(),
            fmt::format("needs {}, which is not given", option.names.back()), &option);
    }
  }

 private:
  /// `--model $model` where nothing sets it. Names in capitals are those of the environment.
  void check_variables() {
    for (const Member& member : given_.members(given_.root())) {
      const NodeId value = given_.resolve(member.value);
      const std::string flag(given_.scalar(given_.resolve(member.key)));
      const ProgramOption* option = options_.find_seen(flag);
      const bool takes_value = option != nullptr && option->takes_one;
      if (!takes_value || given_.kind(value) != NodeKind::scalar || given_.scalar(value) != "???")
        continue;
      const SourceSpan span = given_.span(given_.resolve(member.key));
      if (span.file != file_ || span.begin == span.end) continue;
      const UnsetVariable unset = unset_variable_behind(text_, span.end);
      const LaunchIndex* launches = shared_.launches;
      if (unset.name.empty() ||
          (launches != nullptr && launches->exports(shared_, root_, unset.name)))
        continue;
      if (unset.is_empty_text && option->type != "int" && option->type != "float") continue;
      add(member.key, flag,
          fmt::format("{} gets no value, and {} stops ({})", flag, program_, at(*option)), nullptr);
      Observation& item = observations_.back();
      item.list = "unset_variables";
      item.value = fmt::format("nothing sets `${}`:", unset.name);
    }
  }

  /// What the program parses and no code reads.
  void check_unread() {
    for (const Member& member : given_.members(given_.root())) {
      const std::string flag(given_.scalar(given_.resolve(member.key)));
      const ProgramOption* option = options_.find_seen(flag);
      if (option == nullptr || !code_.is_unread(root_, program_, *option)) continue;
      add(member.key, flag,
          fmt::format("has no effect: the program does not read it ({})", at(*option)), nullptr);
      observations_.back().list = "unread_options";
      observations_.back().value = fmt::format("`{}`", flag);
      observations_.back().fact = "given";
    }
  }

  /// `--amp False` of an option whose type is bool: the text is true.
  void check_switches() {
    if (gets_typed_values()) return;
    for (const Member& member : given_.members(given_.root())) {
      const std::string flag(given_.scalar(given_.resolve(member.key)));
      const ProgramOption* option = options_.find_seen(flag);
      const NodeId value = given_.resolve(member.value);
      const bool may_stick = option != nullptr && option->takes_any_as_true &&
                             given_.kind(value) == NodeKind::scalar &&
                             means_off(given_.scalar(value));
      if (!may_stick || code_.is_unread(root_, program_, *option)) continue;
      add(value, flag, fmt::format("takes any text for true (`type=bool`, {})", at(*option)),
          nullptr);
      observations_.back().list = "stuck_switches";
      observations_.back().value =
          fmt::format("`{} {}` turns it on: {}", flag, given_.scalar(value), program_);
      observations_.back().fact = "given";
    }
  }

  /// `wandb.config` of a sweep: the program reads False, and not the text of its option.
  bool gets_typed_values() const {
    return std::any_of(
        launch_.launchers.begin(), launch_.launchers.end(), [&](const LaunchedBy& by) {
          const auto& form = by.launcher->carried;
          return form && !form->typed_in.empty() &&
                 std::any_of(options_.modules.begin(), options_.modules.end(),
                             [&](const python::Module* module) {
                               return module->text.find(form->typed_in) != std::string::npos;
                             });
        });
  }

  std::string at(const ProgramOption& option) const {
    return fmt::format("{}:{}", code_.path_of(option.place.file),
                       code_.line_of(option.place.file, option.place.begin));
  }

  /// `--shuffle` of `store_false`, which turns the shuffling off.
  void check_reversed() {
    for (const Member& member : given_.members(given_.root())) {
      const std::string flag(given_.scalar(given_.resolve(member.key)));
      const ProgramOption* option = options_.find_seen(flag);
      if (option == nullptr || !option->turns_off || says_off(flag) || says_off(option->help))
        continue;
      if (code_.is_unread(root_, program_, *option)) continue;
      add(member.key, flag, fmt::format("`action=\"store_false\"`, {}", at(*option)), nullptr);
      observations_.back().list = "reversed_switches";
    }
  }

  /// `--no-shuffle`, "do not shuffle", "toggle": whoever gives it knows.
  static bool says_off(std::string_view text) {
    std::string lower = to_lower(text);
    for (std::size_t at = lower.find('{'); at != lower.npos; at = lower.find('{', at)) {
      const std::size_t end = lower.find('}', at);  // inside the braces of an f-string is code
      lower.erase(at, end == lower.npos ? end : end + 1 - at);
    }
    std::string word;
    for (std::size_t i = 0; i <= lower.size(); ++i) {
      if (i < lower.size() && lower[i] >= 'a' && lower[i] <= 'z') {
        word += lower[i];
        continue;
      }
      if (is_negation(word)) return true;
      word.clear();
    }
    return false;
  }

  static bool is_negation(std::string_view word) {
    for (const char* each : {"no",   "not",   "non",    "off",     "dont",    "don",
                             "skip", "never", "toggle", "without", "disable", "disables",
                             "false", "stop", "ignore", "turn", "omit", "exclude", "avoid"}) {
      if (word == each) return true;
    }
    return word.starts_with("disabl") || word.starts_with("deactiv");
  }

  void check_unknown(const std::string& flag, NodeId key) {
    if (options_.may_import_more && is_named_somewhere(flag)) return;
    std::vector<std::string_view> names;
    for (const ProgramOption& option : options_.options) {
      for (const std::string& name : option.names) {
        if (name.starts_with("--")) names.push_back(name);
      }
    }
    const ProgramOption* meant = twin_of(flag);
    const std::string_view near =
        meant != nullptr ? std::string_view(twin_name_) : closest(flag, names);
    add(key, flag,
        near.empty() ? fmt::format("takes no {}", flag)
                     : fmt::format("takes no {}; did you mean {}?", flag, near),
        near.empty() ? nullptr : options_.find(near));
  }

  /// The same but for dashes in place of underscores, which argparse tells apart.
  const ProgramOption* twin_of(const std::string& flag) {
    const auto plain = [](std::string text) {
      std::replace(text.begin(), text.end(), '_', '-');
      return text.substr(std::min(text.find_first_not_of('-'), text.size()));
    };
    for (const ProgramOption& option : options_.options) {
      for (const std::string& name : option.names) {
        if (plain(name) != plain(flag)) continue;
        twin_name_ = name;
        return &option;
      }
    }
    return nullptr;
  }

  bool is_named_somewhere(const std::string& flag) {
    std::string word = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
    if (code_.names(root_, word)) return true;
    std::replace(word.begin(), word.end(), '-', '_');
    return code_.names(root_, word);
  }

  void check_value(const ProgramOption& option, const std::string& flag, NodeId node) {
    const NodeId value = given_.resolve(node);
    if (!option.takes_one || given_.kind(value) != NodeKind::scalar) return;
    const std::string text(given_.scalar(value));
    if (text == "???" || text.find_first_of("${}\x01\x02") != text.npos) return;
    if (stands_in_for_an_argument(given_.span(value))) return;
    const bool is_int = option.type == "int";
    if ((is_int || option.type == "float") && !is_number(text, !is_int)) {
      add(value, flag,
          fmt::format("takes {} for {}, not {}", is_int ? "an integer" : "a number", flag, text),
          &option);
      return;
    }
    const std::vector<std::string>& choices = option.choices;
    if (choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end()) return;
    constexpr std::size_t kMostShown = 6;
    std::string shown;
    for (std::size_t i = 0; i < choices.size() && i < kMostShown; ++i)
      shown += (i == 0 ? "" : ", ") + choices[i];
    if (choices.size() > kMostShown) shown += ", ...";
    add(value, flag, fmt::format("takes no {} for {}, which is one of {}", text, flag, shown),
        &option);
  }

  /// `${1:-none}`: it says that the script wants an argument, which whoever starts it gives.
  bool stands_in_for_an_argument(SourceSpan span) const {
    if (span.file != file_ || span.begin > text_.size()) return false;
    std::string_view before = text_.substr(0, span.begin);
    if (!before.ends_with('-')) return false;
    before.remove_suffix(1);
    if (before.ends_with(':')) before.remove_suffix(1);
    const std::size_t last = before.find_last_not_of("0123456789");
    return last != before.npos && last + 1 < before.size() &&
           before.substr(0, last + 1).ends_with("${");
  }

  void add(NodeId node, const std::string& flag, std::string happens, const ProgramOption* option) {
    Observation& item = observations_.emplace_back();
    item.list = "refused_options";
    item.span = given_.span(node);
    item.pointer = given_.pointer(node);
    item.name = flag;
    item.value = program_;
    if (option != nullptr && option->place.known())
      happens += fmt::format(" ({})", at(*option));
    item.detail = std::move(happens);
  }

  const LintShared& shared_;
  CodeBase& code_;
  std::string_view text_;  // of the script
  const std::string& root_;
  std::string program_;
  const ProgramOptions& options_;
  const Document& given_;
  FileId file_;
  const Launch& launch_;
  std::string twin_name_;
  std::vector<Observation>& observations_;
};

}  // namespace

void observe_refused_options(const LintShared& shared, const FileTask& task, std::string_view text,
                             const StartedRun& started, std::vector<Observation>& observations) {
  if (shared.code == nullptr || started.launch->given == nullptr) return;
  std::vector<Observation> found;
  bool is_first = true;
  for (std::string& program : files_started_by(shared, task, text, *started.launch)) {
    std::vector<Observation> refused;
    OptionChecker(shared, task.root, std::move(program), text, *started.launch, refused)
        .check();
    if (std::exchange(is_first, false)) {
      found = std::move(refused);
      continue;
    }
    std::erase_if(found, [&](const Observation& each) {
      return std::none_of(refused.begin(), refused.end(), [&](const Observation& other) {
        return other.span == each.span && other.name == each.name;
      });
    });
  }
  observations.insert(observations.end(), std::make_move_iterator(found.begin()),
                      std::make_move_iterator(found.end()));
}

}  // namespace gpulint
