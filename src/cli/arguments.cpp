#include "cli/arguments.h"

#include "base/text.h"
#include "cli/help.h"
#include "report/report.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gpulint::cli {
namespace {

struct CommandName {
  std::string_view name;
  Command command;
};
constexpr std::array<CommandName, 7> kCommands{{{"check", Command::check},
                                                {"lint", Command::check},
                                                {"facts", Command::facts},
                                                {"estimate", Command::estimate},
                                                {"list", Command::list},
                                                {"explain", Command::explain},
                                                {"confirm", Command::confirm}}};

struct FormatName {
  std::string_view name;
  OutputFormat format;
};
constexpr std::array<FormatName, 11> kFormats{{{"text", OutputFormat::text},
                                               {"json", OutputFormat::json},
                                               {"concise", OutputFormat::concise},
                                               {"jsonl", OutputFormat::jsonl},
                                               {"sarif", OutputFormat::sarif},
                                               {"github", OutputFormat::github},
                                               {"gitlab", OutputFormat::gitlab},
                                               {"junit", OutputFormat::junit},
                                               {"checkstyle", OutputFormat::checkstyle},
                                               {"rdjson", OutputFormat::rdjson},
                                               {"markdown", OutputFormat::markdown}}};

/// Texts as typed; `Arguments` holds what they mean.
struct RawOptions {
  std::vector<std::string> positional;  // of check
  std::string single;                   // the one word of the other commands
  std::vector<std::string> gpus;
  std::vector<std::string> hosts;
  std::vector<std::string> sets;
  std::vector<std::string> outputs;
  std::int64_t gpus_per_node = 0;
  std::int64_t nodes = 0;
  std::string fail_on = "warning";
  std::string color = "auto";
  std::string data;
  std::string stdin_filename;
  std::string explain_silence;
  unsigned jobs = 0;
  bool verbose = false;
};

void repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                const std::string& value_name, const std::string& help) {
  app.add_option(name, values, help)->allow_extra_args(false)->type_name(value_name);
}

/// Positive counts, described by their type name alone.
void add_count(CLI::App& app, const std::string& name, std::int64_t& value,
               const std::string& help) {
  CLI::Validator range = CLI::Range(std::int64_t{1}, std::int64_t{1'000'000});
  app.add_option(name, value, help)->type_name("N")->check(range.description(""));
}

void add_target_options(CLI::App& app, RawOptions& raw) {
  repeatable(
      app, "--gpu", raw.gpus, "ID",
      "target GPU: an id of `gpulint list gpus`, a driver's name, or auto for this machine's");
  repeatable(app, "--host", raw.hosts, "ID", "target machine: an id of `gpulint list hosts`");
  add_count(app, "--gpus", raw.gpus_per_node, "GPUs per machine, where the config does not say");
  add_count(app, "--nodes", raw.nodes, "machines, where the config does not say");
  repeatable(app, "--set", raw.sets, "FACT=VALUE",
             "state a fact the config leaves open (`gpulint list facts`); repeatable");
}

void add_output_options(CLI::App& app, RawOptions& raw, const std::string& formats) {
  repeatable(app, "--output", raw.outputs, "FORMAT[:PATH]",
             formats + ", to standard output or a file; repeatable");
  app.add_option("--color", raw.color, "auto, always or never; NO_COLOR is obeyed")
      ->type_name("WHEN");
}

void add_data_option(CLI::App& app, RawOptions& raw) {
  app.add_option("--data", raw.data, "folder with more rules/, hardware_db/ or dialects/")
      ->type_name("DIR");
}

void add_stdin_option(CLI::App& app, RawOptions& raw) {
  app.add_option("--stdin-filename", raw.stdin_filename,
                 "name for the text on standard input (path -): its ending tells YAML, JSON or env")
      ->type_name("PATH");
}

void add_check_options(CLI::App& app, RawOptions& raw) {
  app.add_option("PATHS", raw.positional, "files and folders; - is standard input")->type_name("");
  add_target_options(app, raw);
  app.add_option("--fail-on", raw.fail_on,
                 "exit with 1 from this severity on: error, warning (default), note or never")
      ->type_name("SEVERITY");
  add_output_options(app, raw,
                     "text (default), concise, json, jsonl, sarif, github, gitlab, junit, "
                     "checkstyle, rdjson or markdown");
  add_data_option(app, raw);
  add_stdin_option(app, raw);
  app.add_option("--jobs", raw.jobs, "threads; 0 (default) is one per core")
      ->type_name("N")
      ->check(CLI::Range(0U, 256U).description(""));
  app.add_flag("--verbose", raw.verbose, "name each skipped file and why");
  app.add_option("--explain-silence", raw.explain_silence,
                 "say for each config why this rule reported nothing")
      ->type_name("RULE");
}

void add_options(CLI::App& app, Command command, RawOptions& raw) {
  switch (command) {
    case Command::check:
      add_check_options(app, raw);
      break;
    case Command::facts:
    case Command::estimate:
      app.add_option("CONFIG", raw.single, "one config; - is standard input")->type_name("");
      add_target_options(app, raw);
      add_output_options(app, raw, "text (default) or json");
      add_data_option(app, raw);
      add_stdin_option(app, raw);
      break;
    case Command::list:
      app.add_option("WHAT", raw.single, "rules, gpus, hosts, models, dialects or facts")
          ->type_name("");
      add_data_option(app, raw);
      break;
    case Command::explain:
      app.add_option("RULE", raw.single, "a rule's id, as findings print it")->type_name("");
      add_data_option(app, raw);
      break;
    case Command::confirm:
      app.add_option("CONFIG", raw.single, "not yet: measure the device alone")->type_name("");
      add_output_options(app, raw, "text (default) or json");
      add_data_option(app, raw);
      break;
  }
}

Failure usage(std::string message) { return fail(std::move(message)); }

std::string not_one_of(std::string_view option, std::string_view word,
                       std::span<const std::string_view> choices) {
  return fmt::format("{}: \"{}\" is not one of {}{}", option, word, fmt::join(choices, ", "),
                     did_you_mean(word, choices));
}

Result<std::vector<OutputTarget>> outputs_from(const RawOptions& raw, Command command) {
  // The commands that look at one config know the first two.
  const std::size_t known = command == Command::check ? kFormats.size() : 2;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < known; ++i) names.push_back(kFormats[i].name);
  std::vector<OutputTarget> outputs;
  for (const std::string& word : raw.outputs) {
    const std::size_t colon = word.find(':');
    const std::string_view name = std::string_view(word).substr(0, colon);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return usage(not_one_of("--output", name, names));
    OutputTarget target;
    target.format = kFormats[static_cast<std::size_t>(found - names.begin())].format;
    if (colon != std::string::npos) target.path = word.substr(colon + 1);
    if (colon != std::string::npos && target.path.empty()) {
      return usage(fmt::format("--output: \"{}\" names no file after the colon", word));
    }
    outputs.push_back(std::move(target));
  }
  const auto on_stdout =
      std::count_if(outputs.begin(), outputs.end(),
                    [](const OutputTarget& target) { return target.path.empty(); });
  if (on_stdout > 1) {
    return usage(
        "--output: only one format can go to standard output; give the others a file, "
        "as in json:report.json");
  }
  if (outputs.empty()) outputs.push_back({});
  return outputs;
}

Result<std::optional<Severity>> fail_on_from(const std::string& word) {
  constexpr std::array<std::string_view, 4> kNames{"error", "warning", "note", "never"};
  if (word == "never") return std::optional<Severity>{};
  const auto severity = severity_from(word);
  if (!severity) return usage(not_one_of("--fail-on", word, kNames));
  return severity;
}

Result<ColorChoice> color_from(const std::string& word) {
  constexpr std::array<std::string_view, 3> kNames{"auto", "always", "never"};
  if (word == "auto") return ColorChoice::automatic;
  if (word == "always") return ColorChoice::always;
  if (word == "never") return ColorChoice::never;
  return usage(not_one_of("--color", word, kNames));
}

Result<void> read_facts(Arguments& arguments, const RawOptions& raw) {
  for (const std::string& word : raw.sets) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return usage(
          fmt::format("--set: \"{}\" is not FACT=VALUE, as in --set sample_bytes=600kB", word));
    }
    arguments.facts.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  if (raw.gpus_per_node > 0) {
    arguments.facts.emplace_back("gpus_per_node", std::to_string(raw.gpus_per_node));
  }
  if (raw.nodes > 0) arguments.facts.emplace_back("nodes", std::to_string(raw.nodes));
  return {};
}

Result<void> read_positional(Arguments& arguments, const RawOptions& raw) {
  const std::string& word = raw.single;
  switch (arguments.command) {
    case Command::check:
      arguments.paths = raw.positional.empty() ? std::vector<std::string>{"."} : raw.positional;
      return {};
    case Command::facts:
    case Command::estimate:
      if (word.empty()) return usage("name one config, as in gpulint facts configs/train.yaml");
      arguments.paths = {word};
      return {};
    case Command::list:
      if (word.empty()) {
        return usage("name what to list: rules, gpus, hosts, models, dialects or facts");
      }
      break;
    case Command::explain:
      if (word.empty()) return usage("name one rule, as in gpulint explain amp-disabled");
      break;
    case Command::confirm:
      if (!word.empty()) {
        return usage("confirm: a config's predictions cannot be measured yet; run it without one");
      }
      return {};
  }
  arguments.topic = word;
  return {};
}

Result<Arguments> arguments_from(const RawOptions& raw, Command command) {
  Arguments arguments;
  arguments.command = command;
  if (auto read = read_positional(arguments, raw); !read) return fail(std::move(read).error());
  if (auto read = read_facts(arguments, raw); !read) return fail(std::move(read).error());
  auto outputs = outputs_from(raw, command);
  if (!outputs) return fail(std::move(outputs).error());
  auto fail_on = fail_on_from(raw.fail_on);
  if (!fail_on) return fail(std::move(fail_on).error());
  auto color = color_from(raw.color);
  if (!color) return fail(std::move(color).error());
  if (command != Command::estimate && raw.gpus.size() > 1) {
    return usage("--gpu: only estimate takes several GPUs");
  }
  if (raw.hosts.size() > 1) return usage("--host: name one machine");
  arguments.gpus = raw.gpus;
  if (!raw.hosts.empty()) arguments.host = raw.hosts.front();
  arguments.outputs = std::move(*outputs);
  arguments.fail_on = *fail_on;
  arguments.color = *color;
  if (!raw.data.empty()) arguments.data = raw.data;
  arguments.stdin_filename = raw.stdin_filename;
  if (!raw.explain_silence.empty()) arguments.explain_silence = raw.explain_silence;
  arguments.jobs = raw.jobs;
  arguments.verbose = raw.verbose;
  return arguments;
}

std::string help_of(CLI::App& app, Command command, bool whole_program) {
  app.formatter(std::make_shared<CLI::Formatter>());
  return whole_program
             ? main_help(app.help())
             : fmt::format("{}\n{}{}", purpose_of(command), app.help(), epilogue_of(command));
}

std::string unexpected_word(const CLI::App& app, const std::string& word) {
  if (!word.starts_with('-')) return fmt::format("\"{}\" is one argument too many", word);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return fmt::format("{} is no option here{}", word, did_you_mean(word, candidates));
}

ParsedCommandLine usage_error(std::string_view message, std::string_view command) {
  return {.arguments = {},
          .text = fmt::format("error: {}\nsee gpulint {} --help\n", escape_for_display(message),
                              command),
          .exit_code = 2};
}

}  // namespace

ParsedCommandLine parse_command_line(const std::vector<std::string>& words) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "--version") return {.arguments = {}, .text = fmt::format("gpulint {}\n", kVersion)};
  const auto named = std::find_if(kCommands.begin(), kCommands.end(),
                                  [&](const CommandName& each) { return each.name == first; });
  const bool is_named = named != kCommands.end();
  const Command command = is_named ? named->command : Command::check;
  const std::string_view name = is_named ? named->name : "check";

  RawOptions raw;
  CLI::App app("", fmt::format("gpulint {}", name));
  add_options(app, command, raw);
  if (words.empty()) return {.arguments = {}, .text = help_of(app, command, true), .exit_code = 2};
  try {
    // CLI11 takes the words from the back.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - (is_named ? 1 : 0)));
  } catch (const CLI::CallForHelp&) {
    return {.arguments = {}, .text = help_of(app, command, !is_named)};
  } catch (const CLI::ExtrasError&) {
    return usage_error(unexpected_word(app, app.remaining().front()), name);
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what(), name);
  }
  Result<Arguments> arguments = arguments_from(raw, command);
  if (!arguments) return usage_error(arguments.error().message, name);
  return {.arguments = std::move(*arguments), .text = {}};
}

}  // namespace gpulint::cli
