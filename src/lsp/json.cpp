#include "lsp/json.h"

#include <algorithm>

namespace gpulint::lsp {

const Json* member(const Json& value, JsonPath path) {
  const Json* at = &value;
  for (const std::string_view key : path) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(key);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

std::optional<std::string> text_at(const Json& value, JsonPath path) {
  const Json* at = member(value, path);
  if (at == nullptr || !at->is_string()) return std::nullopt;
  return at->get<std::string>();
}

std::optional<std::int64_t> integer_at(const Json& value, JsonPath path) {
  const Json* at = member(value, path);
  if (at == nullptr || !at->is_number_integer()) return std::nullopt;
  // Larger ones do not exist where the protocol asks for whole numbers; what is left is negative.
  return at->get<std::int64_t>();
}

std::optional<bool> flag_at(const Json& value, JsonPath path) {
  const Json* at = member(value, path);
  if (at == nullptr || !at->is_boolean()) return std::nullopt;
  return at->get<bool>();
}

const Json& items_at(const Json& value, JsonPath path) {
  static const Json kNone = Json::array();
  const Json* at = member(value, path);
  return at == nullptr || !at->is_array() ? kNone : *at;
}

std::size_t nesting_of(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

std::optional<Json> parse_json(std::string_view text) {
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

std::string to_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gpulint::lsp
