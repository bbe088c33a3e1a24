#include "report/schema_parts.h"

#include "base/text.h"

#include <fmt/format.h>

namespace gpulint::schema {
namespace {

Json typed(std::string_view type, std::string_view description) {
  return described({{"type", std::string(type)}}, description);
}

}  // namespace

Json described(Json schema, std::string_view description) {
  if (!description.empty()) schema["description"] = std::string(description);
  return schema;
}

Json closed(Properties properties, std::initializer_list<std::string_view> required) {
  Json known = Json::object();
  for (const auto& [name, value] : properties) known[std::string(name)] = value;
  Json schema{
      {"type", "object"}, {"properties", std::move(known)}, {"additionalProperties", false}};
  for (const std::string_view name : required) schema["required"].push_back(std::string(name));
  return schema;
}

Json map_of(Json value, Json keys) {
  Json schema{{"type", "object"}, {"additionalProperties", std::move(value)}};
  if (!keys.is_null()) schema["propertyNames"] = std::move(keys);
  return schema;
}

Json list_of(Json item, bool may_be_empty) {
  Json schema{{"type", "array"}, {"items", std::move(item)}};
  if (!may_be_empty) schema["minItems"] = 1;
  return schema;
}

Json word(std::string_view description) {
  Json schema = typed("string", description);
  schema["minLength"] = 1;
  return schema;
}

Json boolean(std::string_view description) { return typed("boolean", description); }

Json integer(std::int64_t least, std::string_view description) {
  Json schema = typed("integer", description);
  schema["minimum"] = least;
  return schema;
}

Json fraction(double most, std::string_view description) {
  Json schema = typed("number", description);
  schema["exclusiveMinimum"] = 0;
  schema["maximum"] = most;
  return schema;
}

Json choice(std::span<const std::string_view> choices, std::string_view description) {
  Json names = Json::array();
  for (const std::string_view each : choices) names.push_back(std::string(each));
  return described({{"enum", std::move(names)}}, description);
}

Json choice(std::initializer_list<std::string_view> choices, std::string_view description) {
  return choice(std::span(choices.begin(), choices.size()), description);
}

Json quantity(std::initializer_list<std::string_view> units, std::string_view description) {
  Json schema = typed("string", description);
  schema["pattern"] = fmt::format(R"(^\s*[0-9][0-9_.]*([eE][+-]?[0-9]+)?\s*({})\s*$)",
                                  fmt::join(units.begin(), units.end(), "|"));
  return schema;
}

Json bytes(std::string_view description) {
  return quantity({"B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"}, description);
}

Json bandwidth(std::string_view description) {
  return quantity({"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"},
                  description);
}

Json any_of(std::initializer_list<Json> forms, std::string_view description) {
  Json list = Json::array();
  for (const Json& form : forms) list.push_back(form);
  return described({{"anyOf", std::move(list)}}, description);
}

Json words(std::string_view description) {
  return any_of({word(), list_of(scalar())}, description);
}

Json scalar(std::string_view description) {
  return described({{"type", {"string", "number", "boolean", "null"}}}, description);
}

Json file(std::string_view kind, std::string_view description, Json body) {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", fmt::format("gpulint {}", kind)},
              {"description", std::string(description)}};
  for (auto& [key, value] : body.items()) schema[key] = value;
  return schema;
}

}  // namespace gpulint::schema
