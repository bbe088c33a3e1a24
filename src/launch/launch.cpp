#include "launch/launch.h"

#include "base/text.h"
#include "launch/read_command.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostLaunches = 64;

class LaunchReader {
 public:
  explicit LaunchReader(const LaunchRequest& request)
      : request_(request), calls_(request.launchers) {
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
    if (!request_.script) directives_ = shell_directives(request_.text);
    if (request_.carrier != nullptr) carrier_ = {request_.carrier, request_.carrier_flags};
    // Where it is started from is not known, and paths that begin with its folder are looked up
    // around it.
    path_of_script_ = std::string(1, kUnknownByte) + "/" + std::string(file_name(request_.path));
    ShellVariables variables = directive_variables(request_.launchers, directives_);
    if (request_.carrier != nullptr)
      add_variables_set(*request_.carrier, request_.carrier_flags, variables);
    variables.insert(variables.end(), request_.variables.begin(), request_.variables.end());
    ShellRequest asked{
        .path = path_of_script_,
        .text = request_.text,
        .script = request_.script,
        .variables = std::move(variables),
        .unexported = request_.unexported,
        .open = [this](const ShellText& path) { return open(path, request_.open); },
        .lines = [this](const ShellText& path) { return open(path, request_.lines); },
        .variables_of =
            [this](const auto& directives) {
              return directive_variables(request_.launchers, directives);
            }};
    ShellScript script = read_shell(asked);
    std::vector<OpenLaunch> all;
    for (const ShellReading& reading : script.readings) add_reading(all, reading);
    // Without any option it starts nothing: it is started with one of them.
    if (all.empty()) {
      asked.tries_switches = true;
      script = read_shell(asked);
      for (const ShellReading& reading : script.readings) add_reading(all, reading);
    }
    LaunchScript result;
    result.limits = script.unread;  // what a script only may do is not said
    std::stable_sort(all.begin(), all.end(), [](const OpenLaunch& a, const OpenLaunch& b) {
      return std::tie(a.place.begin, a.turns) < std::tie(b.place.begin, b.turns);
    });
    keep_first_turns(all);
    for (OpenLaunch& launch : all) {
      if (result.launches.size() == kMostLaunches) {
        result.limits.emplace_back("more than 64 training commands; the rest was left out");
        break;
      }
      if (!launch.is_silent(common_.silent)) result.launches.push_back(finish(std::move(launch)));
    }
    return result;
  }

 private:
  /// Of a command that loops start more often than all can be read, the first rounds: the others
  /// are made alike.
  static void keep_first_turns(std::vector<OpenLaunch>& all) {
    constexpr std::size_t kMostTurns = 8;
    if (all.size() <= kMostLaunches) return;
    std::map<std::uint32_t, std::size_t> turns;  // by place
    std::erase_if(all, [&](const OpenLaunch& each) {
      return turns[each.place.begin]++ >= kMostTurns;
    });
  }

  using Open = std::function<std::optional<OpenedScript>(const std::string& path)>;

  std::optional<SourcedText> open(const ShellText& path, const Open& from) {
    if (!from) return std::nullopt;
    // The folder a script is started from is not known: its end leads to the file all the same.
    const std::size_t last = path.bytes.find_last_of("\x01\x02");
    std::string name = path.bytes.substr(last == std::string::npos ? 0 : last + 1);
    while (last != std::string::npos && name.starts_with('/')) name.erase(0, 1);
    if (name.empty()) return std::nullopt;
    const bool is_script = &from == &request_.open;
    const auto key = std::make_pair(is_script, name);
    if (const auto known = sourced_.find(key); known != sourced_.end()) return known->second;
    std::optional<SourcedText> sourced;
    if (std::optional<OpenedScript> file = from(name)) {
      constexpr std::size_t kMostText = std::size_t{4} << 20;
      if (text_.text.size() + file->text.size() < kMostText) {
        text_.text += '\n';
        sourced =
            SourcedText{file->text, static_cast<std::uint32_t>(text_.text.size()), file->path};
        text_.parts.push_back({sourced->begin, file->file, 0});
        text_.text += file->text;
      }
    }
    return sourced_.emplace(key, std::move(sourced)).first->second;
  }

  void add_reading(std::vector<OpenLaunch>& all, const ShellReading& reading) {
    const std::size_t before = all.size();
    const CommandContext context{request_.launchers, calls_, common_, directives_,
                                 carrier_.first != nullptr ? &carrier_ : nullptr};
    for (const ShellCommand& command : reading.commands) {
      std::optional<OpenLaunch> launch = read_command(command, context);
      if (!launch) continue;
      launch->flags.may_be_more = launch->flags.may_be_more || command.may_have_arguments;
      const auto most = static_cast<std::uint32_t>(text_.text.size());
      launch->place = {std::min(launch->place.begin, most), std::min(launch->place.end, most)};
      const auto same = std::find_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before),
                                     [&](const OpenLaunch& each) {
                                       return each.place == launch->place &&
                                              each.turns == launch->turns &&
                                              each.program == launch->program;
                                     });
      if (same == all.begin() + static_cast<std::ptrdiff_t>(before)) {
        all.push_back(std::move(*launch));
      } else {
        same->join(*launch);
      }
    }
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
    if (!result.script.empty() || !launch.module.empty())
      result.given = document(launch.flags.given, {}, true);
    result.may_be_more = launch.flags.may_be_more;
    result.has_unknown = launch.flags.has_unknown;
    result.subcommand = std::move(launch.flags.subcommand);
    result.module = std::move(launch.module);
    result.removed = std::move(launch.flags.removed);
    result.chosen = std::move(launch.flags.chosen);
    for (const auto& [launcher, flags] : launch.launchers)
      result.launchers.push_back(
          {launcher, document(with_known_ends(*launcher, flags), {}, false)});
    result.configs = std::move(launch.flags.configs);
    result.folder = std::move(launch.folder);
    result.place = launch.place;
    return result;
  }

  /// `--config_file $ROOT/launch/four.yaml` below a folder that nobody knows: a file of the project
  /// that the end of the name leads to, with a folder left.
  FlagTree with_known_ends(const Launcher& launcher, FlagTree flags) const {
    for (const Reference& reference : launcher.facts.references) {
      const FlagNode* node = flags.find(reference.key);
      if (node == nullptr || node->end.empty() || !request_.has) continue;
      if (!request_.has(node->end.bytes)) continue;
      FlagNode known = *node;
      known.items = {node->end};
      known.is_unknown = false;
      flags.add(reference.key, std::move(known));
    }
    return flags;
  }

  const LaunchRequest& request_;
  LauncherCalls calls_;
  CommonFlags common_;
  std::string otherwise_;
  std::string path_of_script_;
  LaunchText text_;
  std::vector<ShellDirective> directives_;
  LauncherFlags carrier_ = {nullptr, {}};
  std::map<std::pair<bool, std::string>, std::optional<SourcedText>> sourced_;  // scripts, lines
};

}  // namespace

LaunchScript read_launches(const LaunchRequest& request) { return LaunchReader(request).read(); }

}  // namespace gpulint
