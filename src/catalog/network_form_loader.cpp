#include "catalog/dialect_parts.h"
#include "catalog/network_form.h"
#include "catalog/strict_reader.h"

#include <string>

namespace gpulint {
namespace {

std::vector<FormEvidence> read_form_evidence(Complaints& complaints, NodeId node) {
  return read_mappings<FormEvidence>(complaints, node,
                                     [&](StrictMapping& rule, NodeId item, FormEvidence& each) {
                                       each.all = read_words(complaints, rule.find("all"));
                                       each.any = read_words(complaints, rule.find("any"));
                                       each.none = read_words(complaints, rule.find("none"));
                                       if (each.all.empty() && each.any.empty()) {
                                         complaints.about(item, "needs \"all\" or \"any\"");
                                       }
                                     });
}

/// `hidden_size: n_embd`, a list of keys, a mapping of `key`, `values` and others, or a list of
/// such mappings, the first of which that says it counts.
void read_dimension(Complaints& complaints, std::string_view name, NodeId node,
                    std::vector<FormDimension>& dimensions) {
  const Document& document = complaints.document();
  if (document.kind(node) == NodeKind::sequence && !document.items(node).empty() &&
      document.kind(document.items(node).front()) == NodeKind::mapping) {
    for (const NodeId item : document.items(node))
      read_dimension(complaints, name, item, dimensions);
    return;
  }
  FormDimension& dimension = dimensions.emplace_back();
  dimension.dimension = name;
  if (complaints.document().kind(node) != NodeKind::mapping) {
    dimension.keys = read_words(complaints, node);
    return;
  }
  StrictMapping mapping(complaints, node);
  dimension.keys = read_words(complaints, mapping.find("key"));
  dimension.values = read_value_mappings(complaints, mapping.find("values"));
  dimension.times = read_word(complaints, mapping.find("times"));
  dimension.over = read_word(complaints, mapping.find("over"));
  if (const NodeId unstated = mapping.find("unstated"); unstated != kNoNode) {
    dimension.unstated = read_word(complaints, unstated);
  }
  if (dimension.keys.empty() && !dimension.unstated) {
    complaints.about(node, "needs \"key\" or \"unstated\"");
  }
  mapping.refuse_unknown_keys();
}

void read_open(Complaints& complaints, std::string_view name, NodeId node,
               std::vector<OpenDimension>& open) {
  StrictMapping mapping(complaints, node);
  OpenDimension& dimension = open.emplace_back();
  dimension.dimension = name;
  dimension.low = read_word(complaints, mapping.need("low"));
  dimension.usual = read_word(complaints, mapping.need("usual"));
  dimension.high = read_word(complaints, mapping.need("high"));
  mapping.refuse_unknown_keys();
}

}  // namespace

Result<NetworkForm> NetworkForm::parse(const Document& document) {
  Complaints complaints(document);
  if (document.root() == kNoNode) {
    complaints.at(0, 0, "the file is empty; expected a network form");
    return fail(std::move(complaints).joined());
  }
  StrictMapping file(complaints, document.root());
  NetworkForm form;
  FormContents contents;
  form.id = stem_of(document.path());
  form.summary = read_word(complaints, file.need("summary"));
  form.family = read_word(complaints, file.find("family"));
  form.model = read_words(complaints, file.find("model"));
  if (form.family.empty() == form.model.empty()) {
    complaints.about(document.root(), "needs either \"family\" or \"model\"");
  }
  form.recognise = read_form_evidence(complaints, file.need("recognise"));
  if (const NodeId node = file.find("dimensions"); node != kNoNode) {
    for (const auto& [name, value] : read_entries(complaints, node))
      read_dimension(complaints, name, value, contents.dimensions);
  }
  contents.tokenizers = read_words(complaints, file.find("tokenizers"));
  if (const NodeId node = file.find("vocabularies"); node != kNoNode) {
    constexpr std::int64_t kMostWords = 10'000'000;
    for (const auto& [name, words] : read_entries(complaints, node)) {
      contents.vocabularies.emplace_back(
          std::string(name), read_integer(complaints, words, 1, kMostWords).value_or(1));
    }
  }
  if (const NodeId node = file.find("open"); node != kNoNode) {
    for (const auto& [name, value] : read_entries(complaints, node))
      read_open(complaints, name, value, contents.open);
  }
  if (const NodeId node = file.find("beside"); node != kNoNode) {
    for (const auto& [key, part] : read_entries(complaints, node))
      contents.beside.push_back({std::string(key), std::string(read_word(complaints, part))});
  }
  form.loose = read_boolean(complaints, file.find("loose")).value_or(false);
  form.exact = read_boolean(complaints, file.find("exact")).value_or(false);
  const NodeId sources = file.need("sources");
  if (file.is_mapping()) contents.sources = read_sources(complaints, document.root(), sources, {});
  file.refuse_unknown_keys();
  form.contents = std::move(contents);
  return std::move(complaints).finish(std::move(form));
}

}  // namespace gpulint
