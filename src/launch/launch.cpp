#include "launch/launch.h"

#include "base/text.h"
#include "launch/command_line.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostLaunches = 64;
constexpr std::size_t kMostLaunchers = 12;  // in front of one program

/// A command while its readings are joined.
struct OpenLaunch {
  TextRange place;
  std::vector<std::uint32_t> turns;
  std::string program;
  ShellText script;
  LauncherStarts role = LauncherStarts::command;
  const Launcher* entry = nullptr;
  ProgramFlags flags;
  std::vector<std::pair<const Launcher*, FlagTree>> launchers;
  ShellText folder;
};

/// A launcher that a command starts with, and by how many of its words.
struct Called {
  const Launcher* launcher = nullptr;
  std::size_t words = 0;
};

bool word_matches(std::string_view pattern, std::string_view word, bool first) {
  if (!first || pattern.find('/') != std::string_view::npos) {
    return matches_shell_pattern(pattern, word) ||
           (first && matches_shell_pattern("*/" + std::string(pattern), word));
  }
  return matches_shell_pattern(pattern, file_name(word));
}

/// Characters that a call asks for literally: of several that match, the more exact one counts.
std::size_t exactness(const LauncherCall& call) {
  std::size_t count = 0;
  for (const std::string& word : call.words) {
    count += static_cast<std::size_t>(
        std::count_if(word.begin(), word.end(), [](char c) { return c != '*' && c != '?'; }));
    if (word.find('*') == std::string::npos) count += 100;  // a whole word says more than a part
  }
  return count;
}

class LaunchReader {
 public:
  explicit LaunchReader(const LaunchRequest& request) : request_(request) {
    for (const Launcher* launcher : request.launchers) {
      if (launcher->starts != LauncherStarts::training || !launcher->dialect.empty()) continue;
      const auto add = [](std::vector<std::string_view>& to, const std::vector<std::string>& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      add(common_.overrides, launcher->overrides);
      add(common_.configs, launcher->configs);
      add(common_.silent, launcher->silent);
      if (!launcher->otherwise.empty()) otherwise_ = launcher->otherwise;
    }
    text_.path = request.path;
    text_.text = request.text;
    text_.file = request.file;
    text_.parts = {{0, request.file, 0}};
    text_.comments = shell_comments(request.text);
  }

  LaunchScript read() {
    directives_ = shell_directives(request_.text);
    // Where it is started from is not known, and paths that begin with its folder are looked up
    // around it.
    path_of_script_ = std::string(1, kUnknownByte) + "/" + std::string(file_name(request_.path));
    const ShellScript script = read_shell(
        {.path = path_of_script_,
         .text = request_.text,
         .variables = variables_of(directives_),
         .open = [this](const ShellText& path) { return open(path); },
         .variables_of = [this](const auto& directives) { return variables_of(directives); }});
    LaunchScript result;
    result.limits = script.limits;
    std::vector<OpenLaunch> all;
    for (const ShellReading& reading : script.readings) add_reading(all, reading);
    std::stable_sort(all.begin(), all.end(), [](const OpenLaunch& a, const OpenLaunch& b) {
      return std::tie(a.place.begin, a.turns) < std::tie(b.place.begin, b.turns);
    });
    for (OpenLaunch& launch : all) {
      if (result.launches.size() == kMostLaunches) {
        result.limits.emplace_back("more than 64 training commands; the rest was left out");
        break;
      }
      if (!is_silent(launch)) result.launches.push_back(finish(std::move(launch)));
    }
    return result;
  }

 private:
  std::optional<SourcedText> open(const ShellText& path) {
    if (!request_.open) return std::nullopt;
    // The folder a script is started from is not known: its end leads to the file all the same.
    const std::size_t last = path.bytes.find_last_of("\x01\x02");
    std::string name = path.bytes.substr(last == std::string::npos ? 0 : last + 1);
    while (last != std::string::npos && name.starts_with('/')) name.erase(0, 1);
    if (name.empty()) return std::nullopt;
    if (const auto known = sourced_.find(name); known != sourced_.end()) return known->second;
    std::optional<SourcedText> sourced;
    if (std::optional<OpenedScript> file = request_.open(name)) {
      constexpr std::size_t kMostText = std::size_t{4} << 20;
      if (text_.text.size() + file->text.size() < kMostText) {
        text_.text += '\n';
        sourced =
            SourcedText{file->text, static_cast<std::uint32_t>(text_.text.size()), file->path};
        text_.parts.push_back({sourced->begin, file->file, 0});
        text_.text += file->text;
      }
    }
    return sourced_.emplace(name, std::move(sourced)).first->second;
  }

  const Launcher* launcher_of_mark(std::string_view mark) const {
    for (const Launcher* launcher : request_.launchers) {
      const auto& marks = launcher->directives;
      if (std::find(marks.begin(), marks.end(), mark) != marks.end()) return launcher;
    }
    return nullptr;
  }

  /// What the comments of a batch script ask for, one tree per launcher.
  std::vector<std::pair<const Launcher*, FlagTree>> flags_of(
      const std::vector<ShellDirective>& directives) const {
    std::vector<std::pair<const Launcher*, FlagTree>> found;
    for (const ShellDirective& directive : directives) {
      const Launcher* launcher = launcher_of_mark(directive.mark);
      if (launcher == nullptr) continue;
      if (found.empty() || found.back().first != launcher) found.push_back({launcher, {}});
      Words words = directive.words;
      bool module = false;
      FlagTree flags = take_own_flags(*launcher, words, module);
      flags.fill_from(found.back().second);
      found.back().second = std::move(flags);
    }
    return found;
  }

  ShellVariables variables_of(const std::vector<ShellDirective>& directives) const {
    ShellVariables variables;
    for (const auto& [launcher, flags] : flags_of(directives)) {
      for (const auto& [flag, names] : launcher->sets) {
        const FlagNode* node = flags.find(flag);
        if (node == nullptr || node->items.size() != 1) continue;
        ShellText value = node->items.front();
        // `gpu:a100:4`: the count stands behind the last colon.
        if (const std::size_t colon = value.bytes.rfind(':'); colon != std::string::npos)
          value = value.part(
              {static_cast<std::uint32_t>(colon) + 1, static_cast<std::uint32_t>(value.size())});
        for (const std::string& name : names) variables.emplace_back(name, value);
      }
    }
    return variables;
  }

  /// The most exact of all launchers whose call the words begin with. Readings of one script ask
  /// for the same few programs again and again.
  Called called_by(const Words& words, bool inside_program) const {
    constexpr std::size_t kMostCallWords = 3;
    std::string key = inside_program ? "program" : "command";
    for (std::size_t i = 0; i < std::min(kMostCallWords, words.size()); ++i)
      key += '\n' + words[i].bytes;
    const auto known = called_.find(key);
    if (known != called_.end()) return known->second;
    return called_.emplace(std::move(key), find_called(words, inside_program)).first->second;
  }

  Called find_called(const Words& words, bool inside_program) const {
    Called best;
    std::size_t most = 0;
    for (const Launcher* launcher : request_.launchers) {
      for (const LauncherCall& call : launcher->calls) {
        if (call.words.size() > words.size()) continue;
        bool matches = true;
        for (std::size_t i = 0; i < call.words.size() && matches; ++i)
          matches = word_matches(call.words[i], words[i].bytes, i == 0);
        const std::size_t exact = matches ? exactness(call) + 1 : 0;
        if (exact <= most) continue;
        most = exact;
        best = {launcher, call.words.size()};
      }
    }
    // A word pattern says what a program is, not that any file of such a name is one.
    const bool is_guess = most < 100 && !inside_program;
    const bool is_script = !words.empty() && (words.front().bytes.ends_with(".sh") ||
                                              words.front().bytes.ends_with(".bash"));
    if (is_script || (is_guess && words.front().bytes.find('.') != std::string::npos &&
                      !words.front().bytes.ends_with(".py")))
      return {};
    return best;
  }

  void add_reading(std::vector<OpenLaunch>& all, const ShellReading& reading) {
    std::vector<bool> seen(all.size());
    const std::size_t before = all.size();
    for (const ShellCommand& command : reading.commands) {
      std::optional<OpenLaunch> launch = read_command(command);
      if (!launch) continue;
      const auto same = std::find_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before),
                                     [&](const OpenLaunch& each) {
                                       return each.place == launch->place &&
                                              each.turns == launch->turns &&
                                              each.program == launch->program;
                                     });
      if (same == all.begin() + static_cast<std::ptrdiff_t>(before)) {
        all.push_back(std::move(*launch));
      } else {
        join(*same, std::move(*launch));
      }
    }
  }

  static void join(OpenLaunch& into, OpenLaunch other) {
    into.flags.flags.merge(other.flags.flags);
    into.flags.overrides.merge(other.flags.overrides);
    std::erase_if(into.flags.configs, [&](const NamedConfig& config) {
      return std::none_of(
          other.flags.configs.begin(), other.flags.configs.end(),
          [&](const NamedConfig& each) { return each.name.bytes == config.name.bytes; });
    });
    for (auto& [launcher, flags] : into.launchers) {
      const auto same =
          std::find_if(other.launchers.begin(), other.launchers.end(),
                       [wanted = launcher](const auto& each) { return each.first == wanted; });
      flags.merge(same == other.launchers.end() ? FlagTree() : same->second);
    }
  }

  std::optional<OpenLaunch> read_command(const ShellCommand& command) const {
    OpenLaunch launch;
    launch.place = command.place;
    launch.turns = command.turns;
    launch.folder = command.folder;
    FlagTree variables = variables_of(command);
    Words words = command.words;
    bool inside_program = false;
    for (std::size_t depth = 0; depth < kMostLaunchers; ++depth) {
      while (!words.empty() && !inside_program &&
             (is_variable_assignment(words.front()) || is_lost(words.front())))
        take_assignment(words, variables);
      if (words.empty()) return std::nullopt;
      const Called called = called_by(words, inside_program);
      if (called.launcher == nullptr) {
        if (!inside_program && !words.front().bytes.ends_with(".py")) return std::nullopt;
        if (starts_behind_dashes(words)) {
          inside_program = false;
          continue;
        }
        name_program(launch, words, 1);
        break;
      }
      const LauncherStarts starts = called.launcher->starts;
      if (starts == LauncherStarts::other) return std::nullopt;
      if (starts == LauncherStarts::training) {
        launch.role = starts;
        launch.entry = called.launcher;
        if (!called.launcher->facts.mapping->keys.empty())
          launch.launchers.emplace_back(called.launcher, FlagTree());
        name_program(launch, words, called.words);
        break;
      }
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(called.words));
      bool module = false;
      launch.launchers.emplace_back(called.launcher,
                                    take_own_flags(*called.launcher, words, module));
      inside_program = starts == LauncherStarts::program;
      if (module) words.insert(words.begin(), ShellText::computed("-m"));
    }
    if (launch.program.empty()) return std::nullopt;
    launch.flags = read_program_flags(words, launch.entry, common_);
    if (launch.entry == nullptr || launch.entry->dialect.empty()) recognise_by_flags(launch);
    finish_launchers(launch, variables, command);
    return launch;
  }

  /// `submit.py --gpus 8 -- torchrun train.py`: a program that hands on what stands behind the
  /// dashes, which then are the words.
  bool starts_behind_dashes(Words& words) const {
    const auto dashes = std::find_if(words.begin(), words.end(),
                                     [](const ShellText& word) { return word.bytes == "--"; });
    if (dashes == words.end()) return false;
    // `-- source setup.sh \&\& python train.py`: a line of its own for another shell.
    auto begin = dashes + 1;
    for (auto at = begin; at != words.end(); ++at) {
      if (at->bytes == "&&" || at->bytes == ";") begin = at + 1;
    }
    Words behind(begin, words.end());
    if (behind.empty() || called_by(behind, false).launcher == nullptr) return false;
    words = std::move(behind);
    return true;
  }

  static bool is_lost(const ShellText& word) { return word.size() == 1 && !word.known(); }

  static void take_assignment(Words& words, FlagTree& variables) {
    const ShellText word = words.front();
    words.erase(words.begin());
    if (is_lost(word)) return;
    const std::size_t equals = word.bytes.find('=');
    add_variable(variables, word.bytes.substr(0, equals),
                 word.part({static_cast<std::uint32_t>(equals) + 1,
                            static_cast<std::uint32_t>(word.size())}));
  }

  static void add_variable(FlagTree& variables, const std::string& name, const ShellText& value) {
    FlagNode node;
    node.written = value;
    node.is_unknown = !value.known();
    if (value.known()) node.items = {value};
    variables.add("env." + name, std::move(node));
  }

  static FlagTree variables_of(const ShellCommand& command) {
    FlagTree variables;
    if (command.environment) {
      for (const auto& [name, value] : *command.environment) add_variable(variables, name, value);
    }
    for (const auto& [name, value] : command.assignments) add_variable(variables, name, value);
    return variables;
  }

  /// Takes the program's own words away; what is left are its flags.
  static void name_program(OpenLaunch& launch, Words& words, std::size_t count) {
    if (words.front().bytes == "-m" && words.size() > 1) {
      launch.program = words[1].known() ? words[1].bytes : "a module";
      count = std::max<std::size_t>(count, 2);
    } else if (!words.front().known() &&
               words.front().bytes.find_last_of("\x01\x02") + 1 == words.front().size()) {
      launch.program = "a program";
    } else {
      launch.program = file_name(words.front().bytes);
      if (words.front().bytes.ends_with(".py")) launch.script = words.front();
      for (std::size_t i = 1; i < count && i < words.size(); ++i)
        launch.program += " " + words[i].bytes;
    }
    words.erase(words.begin(),
                words.begin() + static_cast<std::ptrdiff_t>(std::min(count, words.size())));
  }

  /// Flags that only one framework has say what a program of any name is.
  void recognise_by_flags(OpenLaunch& launch) const {
    for (const Launcher* launcher : request_.launchers) {
      if (launcher->evidence.empty() || launcher->starts != LauncherStarts::training) continue;
      const auto count = std::count_if(
          launcher->evidence.begin(), launcher->evidence.end(),
          [&](const std::string& flag) { return launch.flags.flags.find(flag) != nullptr; });
      if (count < launcher->least_evidence) continue;
      launch.role = LauncherStarts::training;
      launch.entry = launcher;
      return;
    }
  }

  /// Innermost first, then what the script's comments ask for; each sees the variables.
  void finish_launchers(OpenLaunch& launch, const FlagTree& variables,
                        const ShellCommand& command) const {
    std::reverse(launch.launchers.begin(), launch.launchers.end());
    if (launch.entry != nullptr) {
      const auto own = std::find_if(launch.launchers.begin(), launch.launchers.end(),
                                    [&](const auto& each) { return each.first == launch.entry; });
      if (own != launch.launchers.end()) own->second = launch.flags.flags;
    }
    if (command.directives) {
      for (auto& each : flags_of(*command.directives)) launch.launchers.push_back(std::move(each));
    }
    for (auto& each : flags_of(directives_)) launch.launchers.push_back(std::move(each));
    // What nobody calls every program sees: the environment.
    for (const Launcher* launcher : request_.launchers) {
      if (launcher->calls.empty() && launcher->directives.empty())
        launch.launchers.emplace_back(launcher, FlagTree());
    }
    for (auto& [launcher, flags] : launch.launchers) flags.fill_from(variables);
  }

  /// Flags by which a program of any name does not train.
  bool is_silent(const OpenLaunch& launch) const {
    const auto says = [&](std::string_view condition) {
      const std::size_t equals = condition.find('=');
      const FlagNode* node = launch.flags.flags.find(condition.substr(0, equals));
      if (node == nullptr) node = launch.flags.overrides.find(condition.substr(0, equals));
      if (node == nullptr || node->is_unknown || node->items.size() != 1) return false;
      const std::string value = to_lower(node->items.front().bytes);
      if (equals == std::string_view::npos) return value == "true" || value == "1";
      return matches_shell_pattern(condition.substr(equals + 1), value);
    };
    if (std::any_of(common_.silent.begin(), common_.silent.end(), says)) return true;
    return launch.entry != nullptr &&
           std::any_of(launch.entry->silent.begin(), launch.entry->silent.end(), says);
  }

  Launch finish(OpenLaunch launch) const {
    Launch result;
    result.program = std::move(launch.program);
    result.script = std::move(launch.script);
    result.role = launch.role;
    result.otherwise = otherwise_;
    std::string_view under;
    bool keeps_dashes = false;
    if (launch.entry != nullptr) {
      result.dialect = launch.entry->dialect;
      result.under = launch.entry->under;
      under = launch.entry->under;
      keeps_dashes = launch.entry->keeps_dashes;
    }
    const auto document = [&](const FlagTree& tree, std::string_view below, bool dashes) {
      return std::make_shared<const Document>(
          flag_document(tree, text_, launch.place, below, dashes));
    };
    FlagTree all = launch.flags.overrides;
    all.fill_from(launch.flags.flags);
    result.all = document(all, under, keeps_dashes);
    result.flags = document(launch.flags.flags, under, keeps_dashes);
    result.overrides = document(launch.flags.overrides, {}, false);
    result.removed = std::move(launch.flags.removed);
    for (const auto& [launcher, flags] : launch.launchers)
      result.launchers.push_back({launcher, document(flags, {}, false)});
    result.configs = std::move(launch.flags.configs);
    result.folder = std::move(launch.folder);
    result.place = launch.place;
    return result;
  }

  const LaunchRequest& request_;
  CommonFlags common_;
  std::string otherwise_;
  mutable std::map<std::string, Called> called_;
  std::string path_of_script_;
  LaunchText text_;
  std::vector<ShellDirective> directives_;
  std::map<std::string, std::optional<SourcedText>> sourced_;
};

}  // namespace

LaunchScript read_launches(const LaunchRequest& request) { return LaunchReader(request).read(); }

bool may_launch(std::string_view text, std::span<const Launcher* const> launchers) {
  constexpr std::size_t kShortest = 3;  // shorter names are in every text
  for (const Launcher* launcher : launchers) {
    if (launcher->starts == LauncherStarts::other) continue;
    for (const LauncherCall& call : launcher->calls) {
      std::string_view word = call.words.back();
      while (word.starts_with('*')) word.remove_prefix(1);
      word = word.substr(0, word.find('*'));
      if (word.size() >= kShortest && text.find(word) != std::string_view::npos) return true;
    }
  }
  return false;
}

}  // namespace gpulint
