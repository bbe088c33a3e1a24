#pragma once

// Variables of a shell script that nothing in it sets. Internal to this room.

#include <cstdint>
#include <string>
#include <string_view>

namespace gpulint {

struct UnsetVariable {
  std::string name;            // "": the value is none, or something may set it
  bool is_empty_text = false;  // `--flag=$name`: the value is there, and empty
};

/// The variable that is all of the value of a flag, which ends at `end`, where no quote keeps an
/// empty word and every mention of it in the script reads it. Names with capitals are taken for
/// those of the environment.
UnsetVariable unset_variable_behind(std::string_view text, std::uint32_t end);

}  // namespace gpulint
