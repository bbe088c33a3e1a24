#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/dialect_parts.h"
#include "catalog/strict_reader.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace gpulint {
namespace {

constexpr std::array<std::string_view, 6> kScalarNames = {"yaml-1.1", "yaml-1.2", "omegaconf",
                                                          "json",     "env",      "unknown"};
constexpr std::array<ScalarSchema, 5> kScalarSchemas = {ScalarSchema::yaml11, ScalarSchema::yaml12,
                                                        ScalarSchema::omegaconf, ScalarSchema::json,
                                                        ScalarSchema::env};
constexpr std::array<std::string_view, 4> kReferenceNames = {"base", "mount", "defaults", "model"};
constexpr std::array<ReferenceKind, 4> kReferenceKinds = {
    ReferenceKind::base, ReferenceKind::mount, ReferenceKind::defaults, ReferenceKind::model};
constexpr int kGreatestRank = 1000;
constexpr int kGreatestPriority = 100;

int read_small(Complaints& complaints, NodeId node, int least, int greatest, int otherwise) {
  return static_cast<int>(read_integer(complaints, node, least, greatest).value_or(otherwise));
}

/// `trains`: evidence of training, which keeps rules with `unless_trains` from holding.
RecognitionRule read_recognition(Complaints& complaints, NodeId node,
                                 const std::vector<std::string>& trains) {
  StrictMapping mapping(complaints, node);
  RecognitionRule rule;
  rule.is = read_word(complaints, mapping.find("is"));
  rule.all = read_words(complaints, mapping.find("all"));
  rule.any = read_words(complaints, mapping.find("any"));
  rule.none = read_words(complaints, mapping.find("none"));
  if (const NodeId some = mapping.find("some"); some != kNoNode) {
    StrictMapping counted(complaints, some);
    rule.some = read_words(complaints, counted.need("of"));
    const auto greatest = static_cast<int>(rule.some.size());
    rule.at_least = read_small(complaints, counted.need("at_least"), 1, std::max(1, greatest), 1);
    counted.refuse_unknown_keys();
  }
  rule.paths = read_words(complaints, mapping.find("paths"));
  rule.anywhere = read_boolean(complaints, mapping.find("anywhere")).value_or(false);
  rule.lowers = read_boolean(complaints, mapping.find("lowers")).value_or(false);
  rule.unjudged = read_boolean(complaints, mapping.find("unjudged")).value_or(false);
  if (read_boolean(complaints, mapping.find("unless_trains")).value_or(false)) {
    rule.none.insert(rule.none.end(), trains.begin(), trains.end());
  }
  constexpr int kMostMeasured = 100;
  rule.measured = read_small(complaints, mapping.find("measured"), 1, kMostMeasured, 0);
  mapping.refuse_unknown_keys();
  if (mapping.is_mapping() && rule.all.empty() && rule.any.empty() && rule.some.empty() &&
      rule.paths.empty() && rule.measured == 0) {
    complaints.about(
        node, "recognises every file; give \"all\", \"any\", \"some\", \"paths\" or \"measured\"");
  }
  return rule;
}

void read_default(Complaints& complaints, std::string_view fact, NodeId node, bool one_of_several,
                  std::vector<DefaultValue>& defaults) {
  StrictMapping mapping(complaints, node);
  DefaultValue& value = defaults.emplace_back();
  value.fact = fact;
  value.value = read_word(complaints, mapping.need("value"));
  value.source = read_word(complaints, mapping.need("source"));
  value.overridable = read_boolean(complaints, mapping.find("overridable")).value_or(false);
  value.assumed = read_boolean(complaints, mapping.find("assumed")).value_or(false);
  value.when_key = read_word(complaints, mapping.find("when_key"));
  value.when_key_is = read_word(complaints, mapping.find("when_key_is"));
  value.when_fact = read_word(complaints, mapping.find("when_fact"));
  value.when_value = read_word(complaints, mapping.find("when_value"));
  if (one_of_several && value.when_key.empty() && value.when_fact.empty()) {
    complaints.about(node, "one of several defaults needs \"when_key\" or \"when_fact\"");
  }
  mapping.refuse_unknown_keys();
}

std::vector<DefaultValue> read_defaults(Complaints& complaints, NodeId node) {
  std::vector<DefaultValue> defaults;
  if (node == kNoNode) return defaults;
  for (const auto& [fact, value] : read_entries(complaints, node)) {
    if (complaints.document().kind(value) != NodeKind::sequence) {
      read_default(complaints, fact, value, false, defaults);
      continue;
    }
    for (const NodeId item : read_items(complaints, value)) {
      read_default(complaints, fact, item, true, defaults);
    }
  }
  return defaults;
}

std::vector<KeyMapping> read_keys(Complaints& complaints, NodeId node) {
  std::vector<KeyMapping> keys;
  if (node == kNoNode) return keys;
  const auto entries = read_entries(complaints, node);
  keys.reserve(entries.size());
  for (const auto& [path, value] : entries) read_key(complaints, path, value, keys);
  return keys;
}

/// Paths of the lists that are not part of the mapping but name keys of the framework too. They are
/// complained about where the dialect itself is read.
void add_listed_paths(const Document& document, std::vector<std::string>& paths) {
  Complaints ignored(document);
  StrictMapping file(ignored, document.root());
  for (const std::string_view list : {"false_friends", "partial_keys"}) {
    for (std::string& path : read_words(ignored, file.find(list))) {
      paths.push_back(std::move(path));
    }
  }
}

/// Marks the keys that mean the same in whatever section they stand.
void mark_anywhere(Complaints& complaints, NodeId node, std::vector<KeyMapping>& keys) {
  for (const std::string& name : read_words(complaints, node)) {
    bool found = false;
    for (KeyMapping& key : keys) {
      if (key.path != name) continue;
      key.anywhere = true;
      found = true;
    }
    if (!found) complaints.about(node, "\"keys\" does not have a key \"" + name + "\"");
  }
}

DialectMapping read_mapping(const Document& document, Complaints& complaints, StrictMapping& file,
                            bool foreign) {
  std::vector<KeyMapping> keys =
      read_keys(complaints, foreign ? file.find("keys") : file.need("keys"));
  mark_anywhere(complaints, file.find("anywhere"), keys);
  DialectMapping mapping{{}, read_defaults(complaints, file.find("defaults"))};
  read_key_checks(complaints, file, mapping);
  std::vector<std::string> paths = read_words(complaints, file.find("known_keys"));
  for (const KeyMapping& key : keys) paths.push_back(key.path);
  mapping.keys = std::move(keys);
  add_listed_paths(document, paths);
  mapping.known_keys = known_keys_of(paths);
  return mapping;
}

/// The mapping of a document that was checked before: nothing is left to complain about.
DialectMapping read_checked_mapping(const Document& document) {
  Complaints complaints(document);
  StrictMapping file(complaints, document.root());
  return read_mapping(document, complaints, file, /*foreign=*/true);
}

void read_value_maps(Complaints& complaints, NodeId node, std::vector<ValueMap>& maps) {
  if (node == kNoNode) return;
  for (const auto& [name, values] : read_entries(complaints, node)) {
    maps.push_back({std::string(name), read_value_mappings(complaints, values)});
  }
}

std::vector<Spelling> read_spellings(Complaints& complaints, NodeId node) {
  std::vector<Spelling> spellings;
  if (node == kNoNode) return spellings;
  for (const auto& [fact, ways] : read_entries(complaints, node)) {
    for (const NodeId words : read_items(complaints, ways)) {
      spellings.push_back({std::string(fact), read_words(complaints, words)});
    }
  }
  return spellings;
}

std::vector<Reference> read_references(Complaints& complaints, NodeId node) {
  std::vector<Reference> references;
  if (node == kNoNode) return references;
  for (const auto& [key, value] : read_entries(complaints, node)) {
    Reference& reference = references.emplace_back();
    reference.key = key;
    if (complaints.document().kind(value) == NodeKind::mapping) {
      StrictMapping joined(complaints, value);
      reference.kind = ReferenceKind::joined;
      reference.dialect = read_word(complaints, joined.need("joined"));
      reference.yields = read_boolean(complaints, joined.find("yields")).value_or(false);
      joined.refuse_unknown_keys();
    } else if (const auto kind = read_choice(complaints, value, kReferenceNames)) {
      reference.kind = kReferenceKinds[*kind];
    }
  }
  return references;
}

std::vector<Companion> read_companions(Complaints& complaints, NodeId node) {
  std::vector<Companion> companions;
  if (node == kNoNode) return companions;
  for (const auto& [dialect, value] : read_entries(complaints, node)) {
    StrictMapping mapping(complaints, value);
    Companion& companion = companions.emplace_back();
    companion.dialect = dialect;
    companion.refuses_conflicts =
        read_boolean(complaints, mapping.find("refuses_conflicts")).value_or(false);
    companion.compares = read_words(complaints, mapping.find("compares"));
    companion.decides = read_words(complaints, mapping.find("decides"));
    companion.fills_none = read_words(complaints, mapping.find("fills_none"));
    mapping.refuse_unknown_keys();
  }
  return companions;
}

std::optional<ScalarSchema> read_schema(Complaints& complaints, NodeId node) {
  const std::optional<std::size_t> index = read_choice(complaints, node, kScalarNames);
  if (!index || *index >= kScalarSchemas.size()) return std::nullopt;
  return kScalarSchemas[*index];
}

KeyDecorations read_decorations(Complaints& complaints, NodeId node) {
  KeyDecorations decorations;
  if (node == kNoNode) return decorations;
  StrictMapping mapping(complaints, node);
  decorations.before = read_words(complaints, mapping.find("before"));
  decorations.after = read_words(complaints, mapping.find("after"));
  decorations.of = read_words(complaints, mapping.need("of"));
  mapping.refuse_unknown_keys();
  return decorations;
}

enum class MappingIsRead : std::uint8_t { now, when_asked_for };

Result<Dialect> read_dialect(const Document& document, MappingIsRead mapping_is_read) {
  Complaints complaints(document);
  if (document.root() == kNoNode) {
    complaints.at(0, 0, "the file is empty; expected a dialect");
    return fail(std::move(complaints).joined());
  }
  StrictMapping file(complaints, document.root());
  Dialect dialect;
  dialect.id = stem_of(document.path());
  dialect.summary = read_word(complaints, file.need("summary"));
  dialect.rank = read_small(complaints, file.need("rank"), 0, kGreatestRank, kGreatestRank);
  dialect.answers_to = read_words(complaints, file.find("answers_to"));
  dialect.scalars = read_schema(complaints, file.need("scalars"));
  dialect.casts_numbers = read_boolean(complaints, file.find("casts_numbers")).value_or(true);
  dialect.scales_learning_rate =
      read_boolean(complaints, file.find("scales_learning_rate")).value_or(false);
  dialect.exact_case = read_boolean(complaints, file.find("exact_case")).value_or(false);
  dialect.json_comments = read_boolean(complaints, file.find("json_comments")).value_or(false);
  dialect.sections = read_words(complaints, file.find("sections"), /*may_be_empty=*/true);
  if (dialect.sections.empty()) dialect.sections.emplace_back();
  const std::vector<std::string> trains = read_words(complaints, file.find("trains"));
  for (const NodeId item : read_items(complaints, file.need("recognise"))) {
    dialect.recognise.push_back(read_recognition(complaints, item, trains));
  }
  dialect.foreign = read_boolean(complaints, file.find("foreign")).value_or(false);
  if (mapping_is_read == MappingIsRead::now) {
    dialect.mapping = read_mapping(document, complaints, file, dialect.foreign);
  } else {
    dialect.mapping =
        OnDemand<DialectMapping>::made_by([&document] { return read_checked_mapping(document); });
    for (const std::string_view key : {"keys", "defaults", "known_keys", "anywhere", "domains",
                                       "accepts", "catalogue", "remarks"})
      file.find(key);
  }
  dialect.leaf_sections = read_words(complaints, file.find("leaf_sections"), true);
  dialect.decorations = read_decorations(complaints, file.find("decorations"));
  dialect.foreign_sections = read_words(complaints, file.find("foreign_sections"));
  dialect.judged_by = read_words(complaints, file.find("judged_by"));
  dialect.phase_sections = read_words(complaints, file.find("phase_sections"));
  dialect.run_sections = read_words(complaints, file.find("run_sections"));
  dialect.traits = read_words(complaints, file.find("traits"));
  dialect.partial_keys = read_words(complaints, file.find("partial_keys"));
  dialect.references = read_references(complaints, file.find("references"));
  dialect.companions = read_companions(complaints, file.find("companions"));
  dialect.model_configs = read_words(complaints, file.find("model_configs"));
  dialect.supplement = read_boolean(complaints, file.find("supplement")).value_or(false);
  read_value_maps(complaints, file.find("value_maps"), dialect.value_maps);
  dialect.spellings = read_spellings(complaints, file.find("spellings"));
  dialect.false_friends = read_words(complaints, file.find("false_friends"));
  dialect.absent_switches = read_words(complaints, file.find("absent_switches"));
  dialect.own_network = read_words(complaints, file.find("own_network"));
  dialect.usual_network = read_words(complaints, file.find("usual_network"));
  const NodeId sources = file.need("sources");
  if (file.is_mapping()) {
    dialect.sources = read_sources(complaints, document.root(), sources, {});
  }
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(dialect));
}

}  // namespace

void read_key(Complaints& complaints, std::string_view path, NodeId node,
              std::vector<KeyMapping>& keys) {
  const Document& document = complaints.document();
  if (path.empty()) complaints.about(node, "a key cannot be empty");
  if (document.kind(node) == NodeKind::sequence) {
    for (const NodeId item : read_items(complaints, node)) read_key(complaints, path, item, keys);
    return;
  }
  KeyMapping& key = keys.emplace_back();
  key.path = path;
  if (document.kind(node) == NodeKind::scalar) {
    key.fact = read_word(complaints, node);
    return;
  }
  StrictMapping mapping(complaints, node);
  key.fact = read_word(complaints, mapping.need("fact"));
  key.transform = read_word(complaints, mapping.find("transform"));
  const NodeId values = mapping.find("values");
  if (values != kNoNode && document.kind(values) == NodeKind::scalar) {
    key.value_map = read_word(complaints, values);
  } else {
    key.values = read_value_mappings(complaints, values);
    key.value_map = read_word(complaints, mapping.find("value_map"));
  }
  key.priority = read_small(complaints, mapping.find("priority"), 0, kGreatestPriority, 0);
  mapping.refuse_unknown_keys();
}

std::vector<ValueMapping> read_value_mappings(Complaints& complaints, NodeId node) {
  std::vector<ValueMapping> values;
  if (node == kNoNode) return values;
  const auto entries = read_entries(complaints, node);
  values.reserve(entries.size());
  for (const auto& [native, value] : entries) {
    ValueMapping& mapping = values.emplace_back();
    mapping.native = native;
    if (!is_null(complaints.document(), value)) mapping.canonical = read_word(complaints, value);
  }
  return values;
}

Dialect read_facts_of_flags(Complaints& complaints, StrictMapping& file) {
  Dialect facts;
  facts.supplement = true;
  facts.scalars = ScalarSchema::yaml12;
  DialectMapping mapping{read_keys(complaints, file.find("keys")),
                         read_defaults(complaints, file.find("defaults"))};
  mapping.catalogue = read_catalogue_uses(complaints, file.find("catalogue"));
  mapping.known_keys = known_keys_of(read_words(complaints, file.find("known_keys")));
  facts.mapping = std::move(mapping);
  facts.references = read_references(complaints, file.find("references"));
  return facts;
}

Result<Dialect> parse_dialect(const Document& document) {
  return read_dialect(document, MappingIsRead::now);
}

Result<Dialect> open_dialect(const Document& document) {
  return read_dialect(document, MappingIsRead::when_asked_for);
}

// Dialects are large: each is moved once.
void put_in_order(std::vector<Dialect>& dialects) {
  std::vector<Dialect*> order(dialects.size());
  std::transform(dialects.begin(), dialects.end(), order.begin(),
                 [](Dialect& each) { return &each; });
  std::sort(order.begin(), order.end(), [](const Dialect* a, const Dialect* b) {
    return std::tie(a->rank, a->id) < std::tie(b->rank, b->id);
  });
  std::vector<Dialect> ordered;
  ordered.reserve(dialects.size());
  for (Dialect* each : order) ordered.push_back(std::move(*each));
  dialects = std::move(ordered);
}

}  // namespace gpulint
