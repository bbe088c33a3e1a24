// config.json of a checkpoint -> family and dimensions. The first architecture somebody described
// decides the family; composite models (vision and language) keep the decoder's fields one level
// deeper, under "text_config".

#include "base/text.h"
#include "catalog/strict_reader.h"
#include "model/footprint.h"

namespace gpulint::model {

namespace {

NodeId field_of(const Document& config, NodeId mapping, std::string_view name) {
  if (mapping == kNoNode || config.kind(mapping) != NodeKind::mapping) return kNoNode;
  return config.find(mapping, name);
}

/// The field itself, or that of the language model inside a composite.
NodeId field_anywhere(const Document& config, std::string_view name) {
  const NodeId here = field_of(config, config.root(), name);
  if (here != kNoNode) return here;
  return field_of(config, field_of(config, config.root(), "text_config"), name);
}

}  // namespace

Result<ModelLibrary::Found> ModelLibrary::from_config(const Document& config) {
  const NodeId listed = field_of(config, config.root(), "architectures");
  if (listed == kNoNode || config.kind(listed) != NodeKind::sequence) {
    return fail(Error{"names no \"architectures\"", std::string(config.path())});
  }
  std::optional<Place> family;
  std::string first;
  std::string architecture;
  for (const NodeId item : config.items(listed)) {
    if (config.kind(item) != NodeKind::scalar) continue;
    if (first.empty()) first = std::string(config.scalar(item));
    if (family) continue;
    architecture = std::string(config.scalar(item));
    family = family_of(architecture);
  }
  if (!family) {
    return fail(Error{"the architecture \"" + escape_for_display(first) + "\" is not described",
                      std::string(config.path())});
  }
  Result<const Program*> compiled = program(id_of(*family));
  if (!compiled) return fail(compiled.error());
  const Program& found_program = **compiled;
  Found found{&found_program, {}, true};
  found.entry.id = found.entry.family = found_program.id;
  if (const auto implied = found_program.config_json.find(architecture);
      implied != found_program.config_json.end()) {
    found.entry.dimensions = implied->second;
  }
  for (const Dimension& dimension : found_program.dimensions) {
    const auto renamed = found_program.config_fields.find(dimension.name);
    const bool same = renamed == found_program.config_fields.end();
    const NodeId field = field_anywhere(config, same ? dimension.name : renamed->second);
    if (field == kNoNode) continue;
    expr::Value value = plain_value(config, field);
    if (value.known()) found.entry.dimensions.insert_or_assign(dimension.name, std::move(value));
  }
  return found;
}

}  // namespace gpulint::model
