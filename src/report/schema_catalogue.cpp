// What a framework's class or command line takes, as an editor's schema: `gpulint schema
// trl/SFTConfig`.

#include "catalog/package_keys.h"
#include "report/schema_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint::schema {
namespace {

constexpr int kDeepest = 4;  // sections within sections; deeper ones take anything

struct Named {
  const PackageKeys* package = nullptr;
  const KeyTable* table = nullptr;
};

/// "trl/SFTConfig".
Named find_table(const Catalog& catalog, std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == name.npos) return {};
  const auto* package = catalog.described<PackageKeys>(name.substr(0, slash));
  if (package == nullptr) return {};
  return {package, package->table(name.substr(slash + 1))};
}

std::string_view json_type(std::string_view type) {
  if (type == "bool") return "boolean";
  if (type == "int") return "integer";
  if (type == "float") return "number";
  if (type == "str") return "string";
  if (type == "list") return "array";
  return type == "mapping" ? "object" : "";
}

/// Null leaves a key to its default. Empty where the types are not known, or any will do.
Json types_of(const TakenKey& key) {
  Json types = Json::array();
  for (const std::string& type : key.types) {
    const std::string_view name = json_type(type);
    if (name.empty()) return Json::array();
    types.push_back(std::string(name));
  }
  if (!types.empty()) types.push_back("null");
  return types;
}

class TableSchema {
 public:
  explicit TableSchema(const Catalog& catalog) : catalog_(catalog) {}

  Json of(const Named& named, int depth) const {
    Json schema{{"type", "object"}, {"properties", Json::object()}};
    bool is_closed = true;
    add(named, depth, schema["properties"], is_closed);
    schema["additionalProperties"] = !is_closed;
    return schema;
  }

 private:
  void add(const Named& named, int depth, Json& properties, bool& is_closed) const {
    is_closed = is_closed && named.table->open == 0;
    for (const TakenKey& key : named.table->keys) {
      if (!properties.contains(key.name)) properties[key.name] = of_key(*named.package, key, depth);
    }
    for (const std::string& base : named.table->extends) {
      const Named extended = find_table(catalog_, base);
      if (extended.table != nullptr) {
        add(extended, depth, properties, is_closed);
      } else {
        is_closed = false;
      }
    }
  }

  Json of_key(const PackageKeys& package, const TakenKey& key, int depth) const {
    Json schema = value_of(key, depth);
    const ReleaseSet newest = ReleaseSet{1} << (package.releases.size() - 1);
    std::string said;
    if (!key.default_value.empty()) said = "default: " + key.default_value;
    if ((key.releases & newest) == 0) {
      said += fmt::format("{}accepted up to {} {}", said.empty() ? "" : "; ", package.id,
                          package.newest(key.releases));
      schema["deprecated"] = true;
    } else if ((key.deprecated & newest) != 0) {
      schema["deprecated"] = true;
    }
    if (!key.now.empty()) said += fmt::format("{}now {}", said.empty() ? "" : "; ", key.now);
    return described(std::move(schema), said);
  }

  Json value_of(const TakenKey& key, int depth) const {
    if (!key.choices.empty()) return choices_of(key);
    const Named section = key.table.empty() ? Named{} : find_table(catalog_, key.table);
    if (section.table != nullptr && depth < kDeepest) {
      // A path to a file, or nothing, may stand for the section.
      return {{"anyOf", {of(section, depth + 1), {{"type", {"string", "null"}}}}}};
    }
    Json schema = Json::object();
    if (Json types = types_of(key); !types.empty()) schema["type"] = std::move(types);
    if (key.low) schema["minimum"] = *key.low;
    if (key.high) schema["maximum"] = *key.high;
    return schema;
  }

  static Json choices_of(const TakenKey& key) {
    Json words = Json::array();
    for (const TakenChoice& choice : key.choices) words.push_back(choice.name);
    words.push_back(nullptr);
    // A switch or a number beside the words is written without quotes.
    const bool has_others = std::any_of(key.types.begin(), key.types.end(),
                                        [](const std::string& type) { return type != "str"; });
    if (!has_others) return {{"enum", std::move(words)}};
    Json types = types_of(key);
    std::erase_if(types.get_ref<Json::array_t&>(),
                  [](const Json& type) { return type == "string" || type == "null"; });
    if (types.empty()) return Json::object();
    return {{"anyOf", {{{"enum", std::move(words)}}, {{"type", std::move(types)}}}}};
  }

  const Catalog& catalog_;
};

}  // namespace

std::optional<Json> taken_keys(const Catalog& catalog, std::string_view table) {
  const Named named = find_table(catalog, table);
  if (named.table == nullptr) return std::nullopt;
  return file(table,
              fmt::format("keys of {}, {} {} to {}, read {}", named.table->name, named.package->id,
                          named.package->releases.front(), named.package->releases.back(),
                          named.package->read),
              TableSchema(catalog).of(named, 0));
}

}  // namespace gpulint::schema

namespace gpulint {

std::vector<std::string> tables_like(std::string_view kind, const Catalog& catalog) {
  std::vector<std::string> names;
  const auto* package = catalog.described<PackageKeys>(kind.substr(0, kind.find('/')));
  if (package == nullptr) return names;
  for (const KeyTable& table : package->tables) names.push_back(package->id + "/" + table.name);
  return names;
}

}  // namespace gpulint
