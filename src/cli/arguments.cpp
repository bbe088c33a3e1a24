#include "cli/arguments.h"

#include "base/system_path.h"
#include "base/text.h"
#include "cli/choices.h"
#include "cli/confirm_arguments.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shell_texts.h"
#include "plan/fact_table.h"
#include "plan/run.h"
#include "report/report.h"
#include "report/schema.h"
#include "report/wrap.h"
#include "source/scalar.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace gpulint::cli {
namespace {

Failure usage(std::string message) { return fail(std::move(message)); }

std::string not_one_of(std::string_view option, std::string_view word,
                       std::span<const std::string_view> choices) {
  return fmt::format("{}: \"{}\" is not one of {}{}", option, word, fmt::join(choices, ", "),
                     did_you_mean(word, choices));
}

Result<OutputTarget> output_from(const std::string& word, Command command) {
  const std::size_t colon = word.find(':');
  const std::string_view id = std::string_view(word).substr(0, colon);
  const std::vector<std::string_view> ids = format_ids(command);
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
    return usage(not_one_of("--output", id, ids));
  }
  OutputTarget target{.format = find_format(id), .path = {}};
  if (colon != std::string::npos) target.path = word.substr(colon + 1);
  if (colon != std::string::npos && target.path.empty()) {
    return usage(fmt::format("--output: \"{}\" names no file after the colon; write {}:{}", word,
                             id, target.format->file_name));
  }
  return target;
}

/// "html": those that show several GPUs.
std::string fleet_format_words() {
  std::vector<std::string_view> ids;
  for (const OutputFormat* format : formats_of(ReportKind::check)) {
    if (format->shows_fleet) ids.push_back(format->id);
  }
  return in_words(ids);
}

Result<std::vector<OutputTarget>> outputs_from(const RawOptions& raw, Command command) {
  std::vector<OutputTarget> outputs;
  const OutputTarget* on_stdout = nullptr;
  outputs.reserve(raw.outputs.size());
  for (const std::string& word : raw.outputs) {
    auto target = output_from(word, command);
    if (!target) return fail(std::move(target).error());
    outputs.push_back(*std::move(target));
    if (!outputs.back().path.empty()) continue;
    if (on_stdout != nullptr) {
      return usage(fmt::format(
          "--output: only one format can go to standard output; give the others a file, as in "
          "{}:{}",
          outputs.back().format->id, outputs.back().format->file_name));
    }
    on_stdout = &outputs.back();
  }
  if (outputs.empty()) outputs.emplace_back();
  return outputs;
}

Result<std::optional<Severity>> fail_on_from(const RawOptions& raw) {
  if (raw.exit_zero && !raw.fail_on.empty()) {
    return usage("--exit-zero: is --fail-on never; leave out one of them");
  }
  if (raw.exit_zero) return std::optional<Severity>{};
  const std::string word = raw.fail_on.empty() ? std::string(kDefaultFailOn) : raw.fail_on;
  if (word == "never") return std::optional<Severity>{};
  const auto severity = severity_from(word);
  if (!severity) return usage(not_one_of("--fail-on", word, kFailOnWords));
  return severity;
}

Result<ColorChoice> color_from(const std::string& word) {
  if (word == "auto") return ColorChoice::automatic;
  if (word == "always") return ColorChoice::always;
  if (word == "never") return ColorChoice::never;
  return usage(not_one_of("--color", word, kColorWords));
}

Result<void> read_facts(Arguments& arguments, const RawOptions& raw) {
  for (const std::string& word : raw.sets) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const bool is_key = name.starts_with('+') || name.starts_with('~') ||
                        (name.find('.') != std::string::npos && find_fact(name) == nullptr);
    if (is_key) {
      if (auto change = parse_override(word); !change) {
        return usage("--set: " + change.error().message);
      }
      arguments.overrides.push_back(word);
      continue;
    }
    if (equals == std::string::npos || equals == 0) {
      return usage(
          fmt::format("--set: \"{}\" is not FACT=VALUE, as in --set sample_bytes=600kB", word));
    }
    arguments.facts.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  if (raw.gpus_per_node > 0) {
    arguments.default_facts.emplace_back("gpus_per_node", std::to_string(raw.gpus_per_node));
  }
  if (raw.nodes > 0) arguments.default_facts.emplace_back("nodes", std::to_string(raw.nodes));
  return {};
}

/// Names of rules and families, separated by commas.
std::vector<std::string> names_in(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    for (const std::string_view name : split(word, ',')) {
      if (!trim(name).empty()) names.emplace_back(trim(name));
    }
  }
  return names;
}

Result<void> read_report(Arguments& arguments, const RawOptions& raw) {
  arguments.verbose = raw.verbose;
  arguments.quiet = raw.quiet;
  arguments.statistics = raw.statistics;
  arguments.select = names_in(raw.select);
  arguments.ignore = names_in(raw.ignore);
  if (raw.quiet && raw.verbose) return usage("--quiet: leave out --quiet or --verbose");
  const bool has_text =
      std::any_of(arguments.outputs.begin(), arguments.outputs.end(),
                  [](const OutputTarget& each) { return each.format == &default_format(); });
  if (raw.statistics && !has_text) {
    return usage("--statistics: only --output text counts; leave out --statistics");
  }
  return {};
}

Result<void> read_runs(Arguments& arguments, const RawOptions& raw) {
  for (const std::string& word : raw.runs) {
    std::vector<std::string> files;
    for (const std::string_view file : split(word, ',')) files.emplace_back(trim(file));
    const bool has_empty = std::any_of(files.begin(), files.end(),
                                       [](const std::string& file) { return file.empty(); });
    if (has_empty || files.size() < 2) {
      return usage(fmt::format(
          "--run: \"{}\" joins no files; write --run train.yaml,accelerate.yaml", word));
    }
    arguments.runs.push_back(std::move(files));
  }
  return {};
}

/// `config verify [PATHS]`.
Result<void> read_config_action(Arguments& arguments, const std::vector<std::string>& words) {
  if (words.empty() || words.front() != "verify") {
    return usage("say what to do, as in gpulint config verify");
  }
  arguments.paths.assign(words.begin() + 1, words.end());
  if (arguments.paths.empty()) arguments.paths.emplace_back(".");
  return {};
}

Result<void> read_positional(Arguments& arguments, const RawOptions& raw) {
  const std::string& word = raw.single;
  switch (arguments.command) {
    case Command::check:
    case Command::watch:
      arguments.paths = raw.positional;
      if (raw.positional.empty() && raw.runs.empty()) arguments.paths = {"."};
      return {};
    case Command::facts:
    case Command::estimate:
    case Command::fit:
      if (word.empty() && raw.runs.empty()) {
        return usage("name one config, as in gpulint facts configs/train.yaml");
      }
      if (!word.empty()) arguments.paths = {word};
      return {};
    case Command::diff:
      arguments.paths.assign(raw.positional.begin() + (raw.positional.empty() ? 0 : 1),
                             raw.positional.end());
      if (arguments.paths.empty()) arguments.paths.emplace_back(".");
      return {};
    case Command::list:
      if (word.empty()) {
        return usage("name what to list: " + in_words(kListTopics));
      }
      break;
    case Command::step:
      if (word.empty()) return usage("name one model, as in gpulint step resnet50 --set batch=8");
      break;
    case Command::explain:
      if (word.empty()) return usage("name one rule, as in gpulint explain amp-disabled");
      break;
    case Command::schema:
      if (word.empty())
        return usage(fmt::format("name one kind: {}", fmt::join(kSchemaKinds, ", ")));
      break;
    case Command::completions:
      if (word.empty()) return usage(fmt::format("name one shell: {}", fmt::join(kShells, ", ")));
      break;
    case Command::config:
      return read_config_action(arguments, raw.positional);
    case Command::man:
      return {};
    case Command::runs:
      arguments.paths = raw.positional.empty() ? std::vector<std::string>{"."} : raw.positional;
      return {};
    case Command::lsp:
      return {};
    case Command::init:
      arguments.paths = raw.positional.empty() ? std::vector<std::string>{"."} : raw.positional;
      arguments.to_stdout = raw.to_stdout;
      arguments.force = raw.force;
      return {};
    case Command::confirm:
      return read_confirm(arguments, raw);
  }
  arguments.topic = word;
  return {};
}

Result<void> read_fixes(Arguments& arguments, const RawOptions& raw) {
  if (raw.fix && raw.diff) return usage("--diff: writes nothing; leave out --fix or --diff");
  if (raw.fix_only && raw.diff)
    return usage("--diff: writes nothing; leave out --fix-only or --diff");
  if (raw.diff) arguments.fixes = FixMode::diff;
  if (raw.fix) arguments.fixes = FixMode::written;
  if (raw.fix_only) arguments.fixes = FixMode::only;
  const bool none = arguments.fixes == FixMode::offered;
  if (none && raw.unsafe_fixes) {
    return usage(
        "--unsafe-fixes: has no effect without --fix, --fix-only or --diff; add one of them");
  }
  if (none && raw.follow_symlinks) {
    return usage("--follow-symlinks: add --fix or --fix-only; nothing else writes");
  }
  if (arguments.fixes == FixMode::diff && !raw.outputs.empty()) {
    return usage("--output: --diff prints the diff alone; leave one of them out");
  }
  arguments.unsafe_fixes = raw.unsafe_fixes;
  arguments.follow_symlinks = raw.follow_symlinks;
  return {};
}

/// Paths as the program writes them.
void write_slashes(Arguments& arguments) {
  const auto change = [](std::string& path) { path = with_slashes(std::move(path)); };
  for (std::string& path : arguments.paths) change(path);
  for (std::vector<std::string>& run : arguments.runs)
    std::for_each(run.begin(), run.end(), change);
  for (OutputTarget& output : arguments.outputs) change(output.path);
  for (auto* path :
       {&arguments.data, &arguments.review.baseline, &arguments.review.write_baseline}) {
    if (*path) change(**path);
  }
  for (std::string* path : {&arguments.stdin_filename, &arguments.merge_folder}) change(*path);
}

Result<Arguments> arguments_from(const RawOptions& raw, Command command, bool command_named) {
  Arguments arguments;
  arguments.command = command;
  arguments.command_named = command_named;
  if (auto read = read_positional(arguments, raw); !read) return fail(std::move(read).error());
  if (auto read = read_facts(arguments, raw); !read) return fail(std::move(read).error());
  if (auto read = read_runs(arguments, raw); !read) return fail(std::move(read).error());
  auto outputs = outputs_from(raw, command);
  if (!outputs) return fail(std::move(outputs).error());
  auto fail_on = fail_on_from(raw);
  if (!fail_on) return fail(std::move(fail_on).error());
  auto color = color_from(raw.color);
  if (!color) return fail(std::move(color).error());
  const bool takes_several = command == Command::estimate || command == Command::fit ||
                             command == Command::diff || has_matrix(*outputs);
  if (raw.gpus.size() > 1 && !takes_several) {
    return usage(fmt::format("--gpu: only estimate, fit, diff and --output {} take several GPUs",
                             fleet_format_words()));
  }
  if (raw.hosts.size() > 1) return usage("--host: name one machine");
  arguments.gpus = raw.gpus;
  arguments.measured = raw.measured;
  if (!raw.hosts.empty()) arguments.host = raw.hosts.front();
  arguments.outputs = std::move(*outputs);
  arguments.fail_on = *fail_on;
  arguments.color = *color;
  if (!raw.data.empty()) arguments.data = raw.data;
  arguments.stdin_filename = raw.stdin_filename;
  if (!raw.explain_silence.empty()) arguments.explain_silence = raw.explain_silence;
  arguments.jobs = raw.jobs;
  if (auto read = read_report(arguments, raw); !read) return fail(std::move(read).error());
  arguments.unread = raw.unread;
  arguments.why = raw.why;
  arguments.no_code = raw.no_code;
  arguments.previews = raw.previews;
  arguments.force_exclude = raw.force_exclude;
  auto review = review_arguments(raw.review);
  if (!review) return fail(std::move(review).error());
  arguments.review = std::move(*review);
  if (command == Command::diff && !raw.positional.empty()) {
    arguments.review.base = raw.positional.front();
  }
  if (auto read = read_fixes(arguments, raw); !read) return fail(std::move(read).error());
  if (kHasDrives) write_slashes(arguments);
  return arguments;
}

std::string help_of(CLI::App& app, Command command, bool whole_program) {
  app.formatter(std::make_shared<CLI::Formatter>());
  const std::string text = whole_program ? main_help(app.help())
                                         : fmt::format("{}\n{}{}", purpose_of(command), app.help(),
                                                       epilogue_of(command));
  return wrap_lines(text, help_width());
}

std::string unexpected_word(const CLI::App& app, const std::string& word) {
  if (!word.starts_with('-')) return fmt::format("unexpected argument \"{}\"", word);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return fmt::format("unknown option {}{}", word, did_you_mean(word, candidates));
}

/// What `help` and `help COMMAND` stand for.
std::vector<std::string> help_asked(const std::vector<std::string>& words) {
  std::vector<std::string> asked(words.begin() + 1, words.end());
  asked.emplace_back("--help");
  return asked;
}

ParsedCommandLine usage_error(std::string_view message, std::string_view command) {
  return {.arguments = {},
          .text = fmt::format("error: {}\nsee gpulint {} --help\n", escape_for_display(message),
                              command),
          .exit_code = 2};
}

}  // namespace

bool has_matrix(const std::vector<OutputTarget>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const OutputTarget& target) { return target.format->shows_fleet; });
}

ParsedCommandLine parse_command_line(const std::vector<std::string>& words) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "--version" || first == "version") {
    return {.arguments = {}, .text = fmt::format("gpulint {}\n", kVersion)};
  }
  if (first == "help") return parse_command_line(help_asked(words));
  const auto commands = command_names();
  const auto named = std::find_if(commands.begin(), commands.end(),
                                  [&](const CommandName& each) { return each.name == first; });
  const bool is_named = named != commands.end();
  const Command command = is_named ? named->command : Command::check;
  const std::string_view name = is_named ? named->name : "check";

  RawOptions raw;
  CLI::App app("", fmt::format("gpulint {}", name));
  app.allow_windows_style_options(false);  // "/a" is a path everywhere
  add_options(app, command, raw);
  if (words.empty()) return {.arguments = {}, .text = help_of(app, command, true), .exit_code = 2};
  try {
    // CLI11 takes the words from the back.
    const std::vector<std::string> whole = with_default_values(words);
    app.parse(std::vector<std::string>(whole.rbegin(), whole.rend() - (is_named ? 1 : 0)));
  } catch (const CLI::CallForHelp&) {
    return {.arguments = {}, .text = help_of(app, command, !is_named)};
  } catch (const CLI::ExtrasError&) {
    return usage_error(unexpected_word(app, app.remaining().front()), name);
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what(), name);
  }
  Result<Arguments> arguments = arguments_from(raw, command, is_named);
  if (!arguments) return usage_error(arguments.error().message, name);
  return {.arguments = std::move(*arguments), .text = {}};
}

}  // namespace gpulint::cli
