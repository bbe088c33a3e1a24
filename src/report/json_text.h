#pragma once

#include "lint/lint.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace gpulint {

/// Keys keep the order they were written in.
using Json = nlohmann::ordered_json;

/// Two-space indentation, one value, a final line end; bytes that are not UTF-8 (paths may hold
/// any) become U+FFFD. All of it is ASCII: a log that shows it must not be turned around by a name.
inline std::string json_text(const Json& value) {
  return value.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

inline std::int64_t number_of(Bytes bytes) { return bytes.count(); }
inline double number_of(Seconds seconds) { return seconds.value; }
inline double number_of(PerSecond rate) { return rate.value; }
inline double number_of(Money money) { return money.dollars; }
inline double number_of(double ratio) { return ratio; }

/// What has a low, a central and a high end, in bytes, seconds, 1/s or dollars; null when unknown.
template <class Range>
Json interval_json(const std::optional<Range>& range) {
  if (!range) return nullptr;
  return {{"low", number_of(range->low)},
          {"central", number_of(range->central)},
          {"high", number_of(range->high)}};
}

/// One finding as the formats `json` and `jsonl` write it.
Json finding_json(const LintResult& result, const Finding& finding);

}  // namespace gpulint
