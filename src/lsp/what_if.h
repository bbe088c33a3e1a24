#pragma once

#include "lsp/checks.h"
#include "lsp/json.h"

#include <optional>
#include <string>

namespace gpulint::lsp {

/// What a view with sliders asks: the estimate of a document with other facts.
inline constexpr std::string_view kWhatIfCommand = "gpulint.whatIf";

/// {"path", "facts": {fact: text}, "estimate": as `estimate --output json`} with `changes`, an
/// object of facts, laid over the config; nullopt, and the reason in `why`, where one of them is no
/// fact or no value of it, or the document states no run.
std::optional<Json> what_if_of(const Check& check, const std::string& path, const Json& changes,
                               std::string& why);

}  // namespace gpulint::lsp
