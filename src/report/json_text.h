#pragma once

#include "lint/lint.h"

#include <nlohmann/json.hpp>

#include <string>

namespace gpulint {

/// Keys keep the order they were written in.
using Json = nlohmann::ordered_json;

/// Two-space indentation, one value, a final line end; bytes that are not UTF-8 (paths may hold
/// any) become U+FFFD. All of it is ASCII: a log that shows it must not be turned around by a name.
inline std::string json_text(const Json& value) {
  return value.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

/// One finding as the formats `json` and `jsonl` write it.
Json finding_json(const LintResult& result, const Finding& finding);

}  // namespace gpulint
