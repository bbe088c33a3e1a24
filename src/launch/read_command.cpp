#include "launch/read_command.h"

#include "base/text.h"
#include "launch/flag_products.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace gpulint {
namespace {

/// `NAME=value` with a plain name.
bool is_variable_assignment(const ShellText& word) {
  const std::string& text = word.bytes;
  std::size_t at = 0;
  while (at < text.size() && is_name_part(text[at])) ++at;
  return at > 0 && at < text.size() && text[at] == '=' && (text[0] < '0' || text[0] > '9');
}

constexpr std::size_t kMostLaunchers = 12;  // in front of one program

bool is_lost(const ShellText& word) { return word.size() == 1 && !word.known(); }

void add_variable(FlagTree& variables, const std::string& name, const ShellText& value) {
  FlagNode node;
  node.written = value;
  node.is_unknown = !value.known();
  if (value.known()) node.items = {value};
  variables.add(std::string(kVariablesKey) + "." + name, std::move(node));
}

FlagTree variables_of(const ShellCommand& command) {
  FlagTree variables;
  if (command.environment) {
    for (const auto& [name, value] : *command.environment) add_variable(variables, name, value);
  }
  for (const auto& [name, value] : command.assignments) add_variable(variables, name, value);
  return variables;
}

class CommandReader {
 public:
  CommandReader(const ShellCommand& command, const CommandContext& context)
      : command_(command),
        context_(context),
        words_(command.words),
        variables_(variables_of(command)) {}

  std::optional<OpenLaunch> read() {
    launch_.place = command_.place;
    launch_.turns = command_.turns;
    launch_.folder = command_.folder;
    if (!read_launchers() || launch_.program.empty()) return std::nullopt;
    launch_.flags = read_program_flags(words_, launch_.entry, context_.common);
    if (by_name_ != nullptr && !shows(by_name_->unless)) return std::nullopt;
    if (launch_.entry == nullptr || launch_.entry->dialect.empty()) recognise_by_flags();
    finish_launchers();
    return std::move(launch_);
  }

 private:
  /// One launcher after the other up to the program; false: it starts nothing that could train.
  bool read_launchers() {
    bool inside_program = false;
    for (std::size_t depth = 0; depth < kMostLaunchers; ++depth) {
      while (!words_.empty() && !inside_program &&
             (is_variable_assignment(words_.front()) || is_lost(words_.front())))
        take_assignment();
      if (words_.empty()) return false;
      const Called called = context_.calls.of(words_, inside_program);
      if (called.launcher == nullptr) {
        if (!inside_program && !words_.front().bytes.ends_with(".py")) return false;
        if (context_.calls.starts_behind_dashes(words_)) {
          inside_program = false;
          continue;
        }
        name_program(1);
        return true;
      }
      const LauncherStarts starts = called.launcher->starts;
      if (starts == LauncherStarts::other) {
        const std::string& first = words_.front().bytes;
        if (called.launcher->unless.flags.empty() || (first != "-m" && !first.ends_with(".py")))
          return false;
        by_name_ = called.launcher;
        launch_.role = LauncherStarts::other;
        name_program(called.words);
        return true;
      }
      if (starts == LauncherStarts::training) {
        take_entry(called);
        return true;
      }
      take_launcher(called);
      inside_program = starts == LauncherStarts::program;
    }
    return true;
  }

  void take_assignment() {
    const ShellText word = words_.front();
    words_.erase(words_.begin());
    if (is_lost(word)) return;
    const std::size_t equals = word.bytes.find('=');
    add_variable(variables_, word.bytes.substr(0, equals),
                 word.part({static_cast<std::uint32_t>(equals) + 1,
                            static_cast<std::uint32_t>(word.size())}));
  }

  /// A program that is known to train.
  void take_entry(const Called& called) {
    launch_.role = LauncherStarts::training;
    launch_.entry = called.launcher;
    const DialectMapping& facts = *called.launcher->facts.mapping;
    if (!facts.keys.all().empty() || !facts.catalogue.empty() || !facts.defaults.empty())
      launch_.launchers.emplace_back(called.launcher, FlagTree());
    name_program(called.words);
  }

  /// A launcher with its own flags; what it starts is left.
  void take_launcher(const Called& called) {
    called_as_.emplace_back(file_name(words_.front().bytes));
    words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(called.words));
    bool module = false;
    launch_.launchers.emplace_back(called.launcher,
                                   take_own_flags(*called.launcher, words_, module));
    if (module) words_.insert(words_.begin(), ShellText::computed("-m"));
  }

  /// Takes the program's own words away; what is left are its flags.
  void name_program(std::size_t count) {
    // A flag may name a script as well as a module.
    if (words_.front().bytes == "-m" && words_.size() > 1 && words_[1].bytes.ends_with(".py"))
      words_.erase(words_.begin());
    const ShellText first = words_.front();
    if (first.bytes == "-m" && words_.size() > 1) {
      launch_.program = words_[1].known() ? words_[1].bytes : "a module";
      if (words_[1].known()) launch_.module = words_[1].bytes;
      count = std::max<std::size_t>(count, 2);
    } else if (!first.known() && first.bytes.find_last_of("\x01\x02") + 1 == first.size()) {
      launch_.program = "a program";
    } else {
      launch_.program = file_name(first.bytes);
      if (first.bytes.ends_with(".py")) launch_.script = first;
      for (std::size_t i = 1; i < count && i < words_.size(); ++i)
        launch_.program += " " + words_[i].bytes;
    }
    words_.erase(words_.begin(),
                 words_.begin() + static_cast<std::ptrdiff_t>(std::min(count, words_.size())));
  }

  bool shows(const FlagEvidence& evidence) const {
    const auto is_given = [&](const std::string& flag) {
      return launch_.flags.flags.find(flag) != nullptr;
    };
    const std::vector<std::string>& flags = evidence.flags;
    return std::count_if(flags.begin(), flags.end(), is_given) >= evidence.at_least;
  }

  /// Flags that only one framework has say what a program of any name is.
  void recognise_by_flags() {
    for (const Launcher* launcher : context_.launchers) {
      if (launcher->evidence.flags.empty() || launcher->starts != LauncherStarts::training)
        continue;
      if (!shows(launcher->evidence)) continue;
      launch_.role = LauncherStarts::training;
      launch_.entry = launcher;
      return;
    }
  }

  /// Innermost first, then what the comments of scripts ask for; each sees the variables.
  void finish_launchers() {
    std::vector<LauncherFlags>& all = launch_.launchers;
    std::reverse(all.begin(), all.end());
    if (launch_.entry != nullptr) {
      const auto own = std::find_if(all.begin(), all.end(), [&](const LauncherFlags& each) {
        return each.first == launch_.entry;
      });
      if (own != all.end()) own->second = own_words();
    }
    const std::size_t called = all.size();
    if (command_.directives) add_directives(*command_.directives);
    add_directives(context_.directives);
    count_processes(called);
    multiply_flags(all);
    if (context_.carrier != nullptr) all.push_back(*context_.carrier);
    // What nobody calls every program sees: the environment.
    for (const Launcher* launcher : context_.launchers) {
      if (launcher->calls.empty() && launcher->directives.empty() && !launcher->carried)
        all.emplace_back(launcher, FlagTree());
    }
    for (auto& [launcher, flags] : all) flags.fill_from(variables_);
  }

  /// `srun -n 8 python train.py`: so many processes, where no other launcher stands between. What
  /// the `called` launchers leave out comments may say.
  void count_processes(std::size_t called) {
    std::vector<LauncherFlags>& all = launch_.launchers;
    std::size_t outer = called_as_.size();
    for (std::size_t i = called - outer; i < called; ++i) {
      const Launcher& launcher = *all[i].first;
      const std::string& word = called_as_[--outer];
      if (!launcher.terms.decides.empty()) return;
      for (const auto& [calls, flags] : launcher.processes) {
        if (calls != word) continue;
        for (std::size_t from = i; from < all.size(); ++from) {
          const FlagNode* count =
              all[from].first == &launcher ? any_flag(all[from].second, flags) : nullptr;
          if (count == nullptr) continue;
          all[i].second.add("processes", *count);
          return;
        }
      }
    }
  }

  /// What the program itself reads: its flags, and `a.b=c` where words alone are such to it.
  FlagTree own_words() const {
    FlagTree words = launch_.flags.flags;
    const std::vector<std::string>& overrides = launch_.entry->overrides;
    if (std::find(overrides.begin(), overrides.end(), "") != overrides.end())
      words.fill_from(launch_.flags.overrides);
    return words;
  }

  void add_directives(const std::vector<ShellDirective>& directives) {
    for (LauncherFlags& each : directive_flags(context_.launchers, directives))
      launch_.launchers.push_back(std::move(each));
  }

  const ShellCommand& command_;
  const CommandContext& context_;
  Words words_;
  FlagTree variables_;
  OpenLaunch launch_;
  std::vector<std::string> called_as_;  // launchers that start the program, outermost first
  const Launcher* by_name_ = nullptr;  // by its name the program does something else
};

}  // namespace

std::optional<OpenLaunch> read_command(const ShellCommand& command, const CommandContext& context) {
  return CommandReader(command, context).read();
}

}  // namespace gpulint
