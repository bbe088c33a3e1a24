#pragma once

#include "base/severity.h"

#include <span>
#include <string_view>

namespace gpulint {

/// Rules that stand for no file of rules/: they judge the text, the comments that silence the
/// others, and what the project recorded.
inline constexpr std::string_view kSyntaxError = "syntax-error";
inline constexpr std::string_view kLimitExceeded = "limit-exceeded";
inline constexpr std::string_view kStaleRecording = "stale-recording";
inline constexpr std::string_view kUnusedSuppression = "unused-suppression";
inline constexpr std::string_view kUnknownSuppression = "unknown-suppression";
inline constexpr std::string_view kExpiredSuppression = "expired-suppression";
inline constexpr std::string_view kMalformedSuppression = "malformed-suppression";
inline constexpr std::string_view kForbiddenSuppression = "forbidden-suppression";

struct OwnRule {
  std::string_view id;
  Severity severity = Severity::warning;
  std::string_view summary;
  std::string_view why;  // one paragraph per line
};

/// All of them, sorted by id; static lifetime.
std::span<const OwnRule> own_rules();
/// nullptr when `id` is none of them.
const OwnRule* own_rule(std::string_view id);
/// True for the rules about suppressions themselves: a suppression cannot silence those.
bool judges_suppressions(std::string_view id);

}  // namespace gpulint
