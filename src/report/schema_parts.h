#pragma once

// The words schemas are made of.

#include "catalog/catalog.h"
#include "report/json_text.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint::schema {

/// Properties in the order an editor should offer them.
using Properties = std::initializer_list<std::pair<std::string_view, Json>>;

/// A mapping that knows exactly these keys.
Json closed(Properties properties, std::initializer_list<std::string_view> required = {});
/// A mapping from free keys to `value`; `keys` (may be null) restricts them.
Json map_of(Json value, Json keys = nullptr);
Json list_of(Json item, bool may_be_empty = true);
Json word(std::string_view description = {});
Json boolean(std::string_view description = {});
Json integer(std::int64_t least, std::string_view description = {});
Json fraction(double most, std::string_view description = {});
/// One of `choices`.
Json choice(std::span<const std::string_view> choices, std::string_view description = {});
Json choice(std::initializer_list<std::string_view> choices, std::string_view description = {});
/// A number with one of `units`: "80 GiB".
Json quantity(std::initializer_list<std::string_view> units, std::string_view description);
Json bytes(std::string_view description);
Json bandwidth(std::string_view description);
/// Any of these forms.
Json any_of(std::initializer_list<Json> forms, std::string_view description = {});
/// One word or a list of them.
Json words(std::string_view description = {});
/// Numbers, booleans and words alike.
Json scalar(std::string_view description = {});
Json described(Json schema, std::string_view description);

/// The outermost schema of one kind of file.
Json file(std::string_view kind, std::string_view description, Json body);

Json project(std::span<const std::string_view> rules, const Catalog& catalog);
Json rule();
Json dialect();
Json gpu();
Json host();
Json model(std::span<const std::string> operators);
Json architecture();
Json fleet(std::span<const std::string_view> gpus);
Json optimizer();
Json adapter();
Json implementation();
Json engine();
Json word_list();
/// What a table of the catalogue takes ("trl/SFTConfig"); nullopt for a name that is not there.
std::optional<Json> taken_keys(const Catalog& catalog, std::string_view table);

/// Capabilities of a GPU, all of them unless its architecture fixes them.
Json features(bool all);
/// "8.6", quoted.
Json major_minor(std::string_view description);
/// Citations: one list for the whole file, or one per field.
Json sources();
/// Native words and what each means.
Json value_mapping();
/// What a native key states: a fact, or one with the conversion of its values, or several.
Json key();
/// Names of all facts.
std::vector<std::string_view> fact_names();

}  // namespace gpulint::schema
