#pragma once

// Words that stand for what code does, as parts of its text.

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// "^xla$" is a name or a part of one (`use_xla`), and is not in `xlabel`; "^lora" begins one.
bool has_word_part(std::string_view text, std::string_view word);

/// `apart_from`: names in which a word means something else, as `enable_checkpointing` has
/// `_checkpointing`.
bool has_any_part(std::string_view text, const std::vector<std::string>& words,
                  const std::vector<std::string>& apart_from = {});

}  // namespace gpulint
