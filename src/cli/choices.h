#pragma once

// The words that options and commands take: the parser, the help, the completions and the manual
// page read these lists.

#include "cli/arguments.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::cli {

inline constexpr std::array<std::string_view, 12> kListTopics{
    "rules", "gpus",       "architectures", "hosts",           "models",  "dialects",
    "facts", "optimizers", "adapters",      "implementations", "engines", "formats"};
inline constexpr std::array<std::string_view, 4> kFailOnWords{"error", "warning", "note", "never"};
inline constexpr std::string_view kDefaultFailOn = "warning";
inline constexpr std::array<std::string_view, 3> kColorWords{"auto", "always", "never"};

/// Ids of the formats that `command` can write; none for a command without --output.
std::vector<std::string_view> format_ids(Command command);

/// "text (default), json or markdown"; `preferred` is marked, "" marks none.
std::string in_words(std::span<const std::string_view> choices, std::string_view preferred = {});

}  // namespace gpulint::cli
