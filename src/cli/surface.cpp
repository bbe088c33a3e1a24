#include "cli/surface.h"

#include "cli/choices.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/shell_texts.h"
#include "report/schema.h"
#include "run/known_models.h"

#include <algorithm>

namespace gpulint::cli {
namespace {

template <class Names>
std::vector<std::string> texts(const Names& names) {
  return {std::begin(names), std::end(names)};
}

std::vector<std::string> rule_ids(const Catalog& catalog) {
  std::vector<std::string> ids;
  for (const Rule& rule : catalog.rules()) ids.push_back(rule.id);
  return ids;
}

/// Values of an option that is spelled alike in every command.
std::vector<std::string> choices_of(std::string_view option, Command command,
                                    const Catalog& catalog) {
  if (option == "--gpu") {
    std::vector<std::string> ids = texts(catalog.gpu_ids());
    ids.insert(ids.begin(), "auto");
    return ids;
  }
  if (option == "--host") return texts(catalog.host_ids());
  if (option == "--output") return texts(format_ids(command));
  if (option == "--fail-on") return texts(kFailOnWords);
  if (option == "--color") return texts(kColorWords);
  if (option == "--explain-silence") return rule_ids(catalog);
  return {};
}

/// What the words behind the command's name may be.
std::vector<std::string> word_choices(Command command, const Catalog& catalog) {
  switch (command) {
    case Command::list:
      return texts(kListTopics);
    case Command::explain:
      return rule_ids(catalog);
    case Command::schema:
      return texts(kSchemaKinds);
    case Command::completions:
      return texts(kShells);
    case Command::config:
      return {"verify"};
    default:
      return {};
  }
}

OptionSurface surface_of(const CLI::Option& option, Command command, const Catalog& catalog) {
  OptionSurface surface;
  surface.help = option.get_description();
  if (option.get_positional()) {
    surface.choices = word_choices(command, catalog);
    surface.names_file = surface.choices.empty();
    return surface;
  }
  surface.name = option.get_lnames().empty() ? "-" + option.get_snames().front()
                                             : "--" + option.get_lnames().front();
  if (option.get_expected_max() == 0) return surface;
  surface.value = option.get_type_name();
  surface.choices = choices_of(surface.name, command, catalog);
  surface.names_file = surface.value == "PATH" || surface.value == "DIR" || surface.value == "FILE";
  return surface;
}

CommandSurface surface_of(const CommandName& named, const Catalog& catalog) {
  CLI::App app;
  RawOptions raw;
  add_options(app, named.command, raw);
  CommandSurface surface{.name = std::string(named.name),
                         .usage = usage_of(named.command),
                         .purpose = purpose_of(named.command),
                         .options = {}};
  for (const CLI::Option* option : app.get_options()) {
    surface.options.push_back(surface_of(*option, named.command, catalog));
  }
  return surface;
}

}  // namespace

std::vector<CommandSurface> command_surface(const Catalog& catalog) {
  std::vector<CommandSurface> commands;
  std::vector<Command> seen;
  for (const CommandName& named : command_names()) {
    if (std::find(seen.begin(), seen.end(), named.command) != seen.end()) continue;
    seen.push_back(named.command);
    commands.push_back(surface_of(named, catalog));
  }
  return commands;
}

}  // namespace gpulint::cli
