#pragma once

// JSON as a client sends it: anything may be missing or of another type than the protocol says.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint::lsp {

using Json = nlohmann::json;
using JsonPath = std::initializer_list<std::string_view>;

/// What lies below `value` under these keys; nullptr where there is nothing.
const Json* member(const Json& value, JsonPath path);
/// nullopt where there is nothing, or something of another type.
std::optional<std::string> text_at(const Json& value, JsonPath path);
std::optional<std::int64_t> integer_at(const Json& value, JsonPath path);
std::optional<bool> flag_at(const Json& value, JsonPath path);
/// The items of a list; an empty list where there is none.
const Json& items_at(const Json& value, JsonPath path);

/// Nesting of lists and objects in a text, brackets in strings left out: what a reader would need
/// of its stack.
std::size_t nesting_of(std::string_view text);
/// nullopt where `text` is not JSON.
std::optional<Json> parse_json(std::string_view text);
/// In one line; bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Json& value);

}  // namespace gpulint::lsp
