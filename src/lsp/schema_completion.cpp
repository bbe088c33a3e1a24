#include "lsp/schema_completion.h"

#include "base/text.h"
#include "report/schema.h"

#include <algorithm>

namespace gpulint::lsp {
namespace {

constexpr int kSchemaKeyItem = 10;
constexpr int kSchemaWordItem = 12;

/// The schemas that may stand for one: itself, or what it lists as alternatives.
void add_alternatives(const Json& schema, std::vector<const Json*>& found) {
  found.push_back(&schema);
  for (const char* word : {"anyOf", "oneOf", "allOf"}) {
    for (const Json& each : items_at(schema, {word})) add_alternatives(each, found);
  }
}

/// What a key of these leads to; items of lists are looked into.
std::vector<const Json*> below_key(const std::vector<const Json*>& schemas,
                                   const std::string& key) {
  std::vector<const Json*> found;
  for (const Json* schema : schemas) {
    if (const Json* items = member(*schema, {"items"})) {
      std::vector<const Json*> inside;
      add_alternatives(*items, inside);
      const auto deeper = below_key(inside, key);
      found.insert(found.end(), deeper.begin(), deeper.end());
    }
    if (const Json* property = member(*schema, {"properties", key})) {
      add_alternatives(*property, found);
    } else if (const Json* others = member(*schema, {"additionalProperties"})) {
      if (others->is_object()) add_alternatives(*others, found);
    }
  }
  return found;
}

/// Items of lists, where a list's own schema stands for them.
std::vector<const Json*> with_items(std::vector<const Json*> schemas) {
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    if (const Json* items = member(*schemas[i], {"items"})) add_alternatives(*items, schemas);
  }
  return schemas;
}

Json schema_item(const std::string& label, const std::string& text, int kind, const Json& range) {
  return {{"label", label}, {"kind", kind}, {"textEdit", {{"range", range}, {"newText", text}}}};
}

void add_words(const Json& schema, const TypedPlace& place, const Json& range, Json& items) {
  for (const Json& word : items_at(schema, {"enum"})) {
    const std::string text = word.is_string() ? word.get<std::string>() : to_text(word);
    if (to_lower(text).find(to_lower(place.typed)) == std::string::npos) continue;
    items.push_back(schema_item(text, text, kSchemaWordItem, range));
  }
}

void add_keys(const Json& schema, const TypedPlace& place, const Json& range, Json& items) {
  const auto add = [&](const std::string& key, const Json& about) {
    if (contains(place.siblings, key)) return;
    Json item = schema_item(key, place.has_colon ? key : key + ": ", kSchemaKeyItem, range);
    if (const auto text = text_at(about, {"description"})) item["documentation"] = *text;
    items.push_back(std::move(item));
  };
  if (const Json* properties = member(schema, {"properties"}); properties != nullptr) {
    for (const auto& [key, about] : properties->items()) add(key, about);
  }
  for (const Json& name : items_at(schema, {"propertyNames", "enum"})) {
    if (name.is_string()) add(name.get<std::string>(), Json::object());
  }
}

}  // namespace

Json project_completions(const Catalog& catalog, const TypedPlace& place, const Json& range) {
  Json items = Json::array();
  const auto text = schema_text("project", catalog, {});
  const auto schema = text ? parse_json(*text) : std::nullopt;
  if (schema) {
    std::vector<const Json*> here;
    add_alternatives(*schema, here);
    for (const std::string& parent : place.parents) here = below_key(here, parent);
    if (place.key.empty()) {
      here = with_items(std::move(here));
      for (const Json* each : here) add_keys(*each, place, range, items);
      for (const Json* each : here) add_words(*each, place, range, items);
    } else {
      here = with_items(below_key(here, place.key));
      for (const Json* each : here) add_words(*each, place, range, items);
    }
  }
  return {{"isIncomplete", false}, {"items", std::move(items)}};
}

}  // namespace gpulint::lsp
