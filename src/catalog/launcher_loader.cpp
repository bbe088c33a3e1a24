#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/dialect_parts.h"
#include "catalog/launcher.h"
#include "catalog/strict_reader.h"

#include <array>
#include <optional>

namespace gpulint {
namespace {

constexpr std::array<std::string_view, 4> kStartsNames = {"program", "command", "training",
                                                          "other"};

std::vector<LauncherCall> read_calls(Complaints& complaints, NodeId node) {
  std::vector<LauncherCall> calls;
  if (node == kNoNode) return calls;
  for (const std::string& text : read_words(complaints, node)) {
    LauncherCall& call = calls.emplace_back();
    for (const std::string_view word : split(text, ' ')) {
      if (!word.empty()) call.words.emplace_back(word);
    }
  }
  return calls;
}

std::vector<std::pair<std::string, std::vector<std::string>>> read_lists(Complaints& complaints,
                                                                         NodeId node) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
  if (node == kNoNode) return lists;
  for (const auto& [name, words] : read_entries(complaints, node))
    lists.emplace_back(name, read_words(complaints, words));
  return lists;
}

FlagEvidence read_flag_evidence(Complaints& complaints, NodeId node) {
  FlagEvidence evidence;
  if (node == kNoNode) return evidence;
  StrictMapping counted(complaints, node);
  evidence.flags = read_words(complaints, counted.need("of"));
  const auto most = static_cast<std::int64_t>(evidence.flags.size());
  evidence.at_least =
      static_cast<int>(read_integer(complaints, counted.need("at_least"), 1, most).value_or(1));
  counted.refuse_unknown_keys();
  return evidence;
}

std::optional<ProcessVariables> read_process_variables(Complaints& complaints, NodeId node) {
  if (node == kNoNode) return std::nullopt;
  ProcessVariables variables;
  StrictMapping file(complaints, node);
  if (const NodeId first = file.find("first"); first != kNoNode) {
    for (const auto& [name, value] : read_entries(complaints, first))
      variables.first.emplace_back(name, read_word(complaints, value));
  }
  variables.ranks = read_words(complaints, file.find("ranks"));
  variables.unset = read_words(complaints, file.find("unset"));
  file.refuse_unknown_keys();
  return variables;
}

FlagProduct read_product(Complaints& complaints, std::string name, NodeId node) {
  StrictMapping file(complaints, node);
  FlagProduct made;
  made.name = std::move(name);
  made.of = read_words(complaints, file.need("of"));
  made.times = read_words(complaints, file.find("times"));
  made.spread = read_words(complaints, file.find("spread"));
  file.refuse_unknown_keys();
  return made;
}

CarriedWord read_carried_word(Complaints& complaints, std::string name, NodeId node) {
  StrictMapping file(complaints, node);
  CarriedWord made;
  made.name = std::move(name);
  made.word = read_word(complaints, file.find("word"));
  made.key = read_word(complaints, file.find("key"));
  made.options = read_word(complaints, file.find("options"));
  made.before = read_word(complaints, file.find("before"));
  file.refuse_unknown_keys();
  return made;
}

std::optional<CarrierForm> read_carrier(Complaints& complaints, NodeId node) {
  if (node == kNoNode) return std::nullopt;
  CarrierForm form;
  StrictMapping file(complaints, node);
  form.all = read_words(complaints, file.find("all"));
  form.any = read_words(complaints, file.find("any"));
  form.none = read_words(complaints, file.find("none"));
  if (form.all.empty() && form.any.empty())
    complaints.about(node, "names no key by which such a file is known; give `all` or `any`");
  form.units = read_words(complaints, file.need("units"), /*may_be_empty=*/true);
  form.words = read_words(complaints, file.find("words"));
  form.otherwise = read_words(complaints, file.find("otherwise"));
  if (const NodeId words = file.find("stands_for"); words != kNoNode) {
    for (const auto& [name, value] : read_entries(complaints, words))
      form.stands_for.push_back(read_carried_word(complaints, std::string(name), value));
  }
  form.scripts = read_words(complaints, file.find("scripts"));
  if (form.words.empty() && form.scripts.empty())
    complaints.about(node, "says of no key that it holds commands; give `words` or `scripts`");
  form.variables = read_words(complaints, file.find("variables"));
  if (const NodeId given = file.find("given"); given != kNoNode) {
    for (const auto& [name, value] : read_entries(complaints, given))
      form.given.emplace_back(name, read_word(complaints, value));
  }
  if (const NodeId sums = file.find("sums"); sums != kNoNode) {
    for (const auto& [name, keys] : read_entries(complaints, sums))
      form.sums.emplace_back(name, read_words(complaints, keys));
  }
  form.typed_in = read_word(complaints, file.find("typed_in"));
  form.named_only = read_boolean(complaints, file.find("named_only")).value_or(false);
  file.refuse_unknown_keys();
  return form;
}

}  // namespace

Result<Launcher> Launcher::parse(const Document& document) {
  Complaints complaints(document);
  if (document.root() == kNoNode) {
    complaints.at(0, 0, "the file is empty; expected a launcher");
    return fail(std::move(complaints).joined());
  }
  StrictMapping file(complaints, document.root());
  Launcher launcher;
  launcher.id = stem_of(document.path());
  launcher.summary = read_word(complaints, file.need("summary"));
  launcher.calls = read_calls(complaints, file.find("calls"));
  launcher.directives = read_words(complaints, file.find("directives"));
  if (const auto starts = read_choice(complaints, file.need("starts"), kStartsNames))
    launcher.starts = static_cast<LauncherStarts>(*starts);
  constexpr int kMostPositionals = 8;
  launcher.positionals = static_cast<int>(
      read_integer(complaints, file.find("positionals"), 0, kMostPositionals).value_or(0));
  launcher.opens = read_words(complaints, file.find("opens"));
  launcher.switches = read_words(complaints, file.find("switches"));
  launcher.pairs = read_words(complaints, file.find("pairs"));
  launcher.modules = read_words(complaints, file.find("modules"));
  launcher.sets = read_lists(complaints, file.find("sets"));
  launcher.processes = read_lists(complaints, file.find("processes"));
  if (const NodeId products = file.find("products"); products != kNoNode) {
    for (const auto& [name, product] : read_entries(complaints, products))
      launcher.products.push_back(read_product(complaints, std::string(name), product));
  }
  launcher.process_variables = read_process_variables(complaints, file.find("process_variables"));
  launcher.carried = read_carrier(complaints, file.find("carried"));
  launcher.dialect = read_word(complaints, file.find("dialect"));
  launcher.otherwise = read_word(complaints, file.find("otherwise"));
  launcher.evidence = read_flag_evidence(complaints, file.find("evidence"));
  launcher.unless = read_flag_evidence(complaints, file.find("unless"));
  launcher.under = read_word(complaints, file.find("under"));
  launcher.keeps_dashes = read_boolean(complaints, file.find("keeps_dashes")).value_or(false);
  launcher.overrides = read_words(complaints, file.find("overrides"), /*may_be_empty=*/true);
  launcher.configs = read_words(complaints, file.find("configs"));
  launcher.silent = read_words(complaints, file.find("silent"));
  launcher.terms.decides = read_words(complaints, file.find("decides"));
  launcher.terms.fills_none = read_words(complaints, file.find("fills_none"));
  launcher.facts = read_facts_of_flags(complaints, file);
  launcher.facts.id = launcher.id;
  launcher.facts.summary = launcher.summary;
  const NodeId sources = file.need("sources");
  if (file.is_mapping()) launcher.sources = read_sources(complaints, document.root(), sources, {});
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(launcher));
}

}  // namespace gpulint
