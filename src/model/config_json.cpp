// config.json of a checkpoint -> family and dimensions. The first architecture somebody described
// decides the family, else the type of the model (transformers) or its class (diffusers). Composite
// models (vision and language) keep the decoder's fields one level deeper, under "text_config".

#include "base/text.h"
#include "catalog/strict_reader.h"
#include "model/footprint.h"

#include <algorithm>

namespace gpulint::model {

namespace {

/// What these files write for "not set": the default of the family stands.
constexpr std::int64_t kNotSet = -1;

constexpr std::string_view kTextPart = "text_config";

NodeId field_of(const Document& config, NodeId mapping, std::string_view name) {
  if (mapping == kNoNode || config.kind(mapping) != NodeKind::mapping) return kNoNode;
  return config.find(mapping, name);
}

/// A part of a composite; InternVL's own code calls the language model "llm_config".
NodeId part_of(const Document& config, std::string_view name) {
  const NodeId part = field_of(config, config.root(), name);
  if (part != kNoNode || name != kTextPart) return part;
  return field_of(config, config.root(), "llm_config");
}

/// Of the language model inside a composite, else of the file itself: what a composite repeats of
/// it may be another number (PaliGemma's vocabulary). "vision_config.patch_size" is a field of a
/// part.
NodeId field_anywhere(const Document& config, std::string_view name) {
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
    return field_of(config, part_of(config, name.substr(0, dot)), name.substr(dot + 1));
  }
  const NodeId inside = field_of(config, part_of(config, kTextPart), name);
  return inside != kNoNode ? inside : field_of(config, config.root(), name);
}

/// The first of several spellings that the file has: "hidden_size|dim".
NodeId field_spelt(const Document& config, std::string_view names) {
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find('|', at), names.size());
    const NodeId field = field_anywhere(config, names.substr(at, end - at));
    if (field != kNoNode) return field;
    at = end + 1;
  }
  return kNoNode;
}

void add_scalar(const Document& config, NodeId node, std::vector<std::string>& texts) {
  if (node != kNoNode && config.kind(node) == NodeKind::scalar) {
    texts.emplace_back(config.scalar(node));
  }
}

/// What the file calls its network, the most exact name first.
std::vector<std::string> architectures_of(const Document& config) {
  std::vector<std::string> names;
  const NodeId listed = field_of(config, config.root(), "architectures");
  if (listed != kNoNode && config.kind(listed) == NodeKind::sequence) {
    for (const NodeId item : config.items(listed)) add_scalar(config, item, names);
  }
  add_scalar(config, field_of(config, config.root(), "model_type"), names);
  add_scalar(config, field_of(config, config.root(), "_class_name"), names);
  return names;
}

/// Two spellings of one thing: one number for a list of them or both edges of a square for one
/// number, and words in a list or in one text, between bars.
expr::Value respelled(expr::Value value, expr::Kind wanted) {
  const auto* list = std::get_if<expr::List>(&value.data);
  if (wanted == expr::Kind::list && list == nullptr && value.known()) {
    return expr::List{std::move(value)};
  }
  if (wanted == expr::Kind::number && list != nullptr && list->size() == 2) {
    const auto* height = std::get_if<std::int64_t>(&list->front().data);
    const auto* width = std::get_if<std::int64_t>(&list->back().data);
    if (height != nullptr && width != nullptr && *height == *width) return *height;
  }
  if (wanted != expr::Kind::string || list == nullptr) return value;
  std::string joined;
  for (const expr::Value& item : *list) {
    const auto* word = std::get_if<std::string>(&item.data);
    if (word == nullptr) return value;
    joined += (joined.empty() ? "" : "|") + *word;
  }
  return joined;
}

/// Unknown for null and for "not set". A table of labels counts.
expr::Value value_of(const Document& config, NodeId field, expr::Kind wanted) {
  if (wanted == expr::Kind::number && config.kind(field) == NodeKind::mapping) {
    return static_cast<std::int64_t>(config.members(field).size());
  }
  expr::Value value = respelled(plain_value(config, field), wanted);
  const auto* number = std::get_if<std::int64_t>(&value.data);
  if (number != nullptr && *number == kNotSet) return {};
  return value;
}

}  // namespace

Result<ModelLibrary::Found> ModelLibrary::from_config(const Document& config) {
  const std::vector<std::string> names = architectures_of(config);
  if (names.empty()) {
    return fail(Error{"names no \"architectures\"", std::string(config.path())});
  }
  std::optional<Place> family;
  std::string architecture;
  for (const std::string& name : names) {
    architecture = name;
    if ((family = family_of(name))) break;
  }
  if (!family) {
    return fail(
        Error{"the architecture \"" + escape_for_display(names.front()) + "\" is not described",
              std::string(config.path())});
  }
  Result<const Program*> compiled = program(id_of(*family));
  if (!compiled) return fail(compiled.error());
  const Program& found_program = **compiled;
  Found found{.program = &found_program, .is_family = true};
  found.entry.id = found.entry.family = found_program.id;
  found.entry.path = std::string(config.path());
  if (const auto implied = found_program.config_json.find(architecture);
      implied != found_program.config_json.end()) {
    found.entry.dimensions = implied->second;
  }
  for (const Dimension& dimension : found_program.dimensions) {
    const auto renamed = found_program.config_fields.find(dimension.name);
    const bool same = renamed == found_program.config_fields.end();
    const NodeId field = field_spelt(config, same ? dimension.name : renamed->second);
    if (field == kNoNode) continue;
    const expr::Kind kind = found_program.symbols.symbols()[dimension.symbol].type.kind;
    expr::Value value = value_of(config, field, kind);
    if (!value.known()) continue;
    found.entry.dimensions.insert_or_assign(dimension.name, std::move(value));
  }
  return found;
}

Result<ModelLibrary::Found> ModelLibrary::of_family(std::string_view family,
                                                    std::map<std::string, expr::Value> dimensions,
                                                    std::string_view path) {
  Result<const Program*> compiled = program(family);
  if (!compiled) return fail(compiled.error());
  for (const Dimension& dimension : (*compiled)->dimensions) {
    const bool of_run = dimension.name == "batch";  // whoever plays the program gives it
    if (of_run || dimension.value || dimensions.contains(dimension.name)) continue;
    return fail(Error{
        "a network of the family \"" + std::string(family) + "\" needs \"" + dimension.name + "\"",
        std::string(path)});
  }
  Found found{.program = *compiled, .is_family = true};
  found.entry.id = found.entry.family = std::string(family);
  found.entry.path = std::string(path);
  for (const Dimension& dimension : found.program->dimensions) {
    const auto stated = dimensions.find(dimension.name);
    if (stated == dimensions.end()) continue;
    const expr::Kind kind = found.program->symbols.symbols()[dimension.symbol].type.kind;
    found.entry.dimensions.insert_or_assign(dimension.name,
                                            respelled(std::move(stated->second), kind));
  }
  found.is_stated = true;
  return found;
}

}  // namespace gpulint::model
