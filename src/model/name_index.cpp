#include "model/name_index.h"

#include "base/text.h"
#include "catalog/strict_reader.h"
#include "model/model_names.h"

#include <string>
#include <string_view>
#include <utility>

namespace gpulint::model {
namespace {

NodeId value_of(const Document& document, std::string_view key) {
  return document.root() == kNoNode ? kNoNode : document.find(document.root(), key);
}

ModelName listed(ModelNameKind kind, std::string_view name, std::size_t file) {
  std::string comparable = comparable_name(name);
  std::string key = name_key(comparable);
  return {kind, std::move(key), std::move(comparable), file};
}

/// A list of architectures, or a mapping of each to the dimensions it implies; compared literally.
void add_architectures(const Document& document, std::size_t file, std::vector<ModelName>& names) {
  const NodeId architectures = value_of(document, "config_json");
  if (architectures == kNoNode) return;
  const auto add = [&](NodeId node) {
    const std::string name(document.scalar(node));
    names.push_back({ModelNameKind::architecture, name, name, file});
  };
  if (document.kind(architectures) == NodeKind::mapping) {
    for (const Member& member : document.members(architectures)) add(member.key);
  } else if (document.kind(architectures) == NodeKind::sequence) {
    for (const NodeId item : document.items(architectures)) add(item);
  }
}

}  // namespace

bool is_family(const Document& document) {
  return value_of(document, "program") != kNoNode &&
         value_of(document, "published_parameters") == kNoNode;
}

bool is_part(const Document& document) {
  return document.path().find("model_db/parts/") != std::string_view::npos;
}

void add_model_names(const Document& document, std::size_t file, std::vector<ModelName>& names) {
  if (is_part(document)) return;
  if (value_of(document, "program") != kNoNode) add_architectures(document, file, names);
  const std::string_view id = stem_of(document.path());
  if (is_family(document)) {
    names.push_back(listed(ModelNameKind::family, id, file));
    return;
  }
  names.push_back(listed(ModelNameKind::model, id, file));
  const NodeId further = value_of(document, "names");
  if (further == kNoNode || document.kind(further) != NodeKind::sequence) return;
  for (const NodeId node : document.items(further)) {
    const std::string_view name = document.scalar(node);
    names.push_back(listed(ModelNameKind::further, name, file));
    // Checkpoint folders drop the organisation: org/name is also name.
    const std::size_t slash = name.find('/');
    if (slash != std::string_view::npos && slash + 1 < name.size()) {
      names.push_back(listed(ModelNameKind::further, name.substr(slash + 1), file));
    }
  }
}

}  // namespace gpulint::model
