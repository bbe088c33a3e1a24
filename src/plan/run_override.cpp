#include "base/text.h"
#include "plan/run.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace gpulint {

Result<Override> parse_override(std::string_view text) {
  Override change;
  std::string_view rest = trim(text);
  const bool removes = rest.starts_with('~');
  if (removes) rest.remove_prefix(1);
  while (!removes && rest.starts_with('+')) {
    change.adds = true;
    rest.remove_prefix(1);
  }
  const std::size_t equals = rest.find('=');
  const std::string_view path = trim(rest.substr(0, equals));
  const bool empty_part =
      path.starts_with('.') || path.ends_with('.') || path.find("..") != std::string_view::npos;
  if (path.empty() || empty_part || (!removes && equals == std::string_view::npos)) {
    return fail(fmt::format(
        "\"{}\" is not a change to a key; write trainer.devices=4, +key=value or ~key", text));
  }
  change.path = std::string(path);
  if (!removes) change.value = std::string(trim(rest.substr(equals + 1)));
  if (change.value && change.value->empty()) change.value = "null";
  return change;
}

}  // namespace gpulint
