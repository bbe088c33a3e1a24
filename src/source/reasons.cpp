#include "source/reasons.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <string>

namespace gpulint {
namespace {

constexpr auto kReasons = std::to_array<std::string_view>({
    "debug",    "deliberate", "on purpose",    "intention", "stab",          "nan",
    "overflow", "underflow",  "diverge",       "numerical", "because",       "required",
    "must",     "needs",      "avoid",         "otherwise", "not supported", "unsupported",
    "clarity",  "reproduc",   "does not work", "precise",   "out of memory",
    "oom",      "deadlock",   "hangs",         "windows",   "crash",         "pickle",
    "in ram",   "in memory",  "preload",       "pre-load",  "multiprocessing",
    "non-finite"});

}  // namespace

bool gives_reason(std::string_view comment) {
  if (comment.empty()) return false;
  const std::string words = to_lower(comment);
  return std::any_of(kReasons.begin(), kReasons.end(), [&](std::string_view reason) {
    return words.find(reason) != std::string::npos;
  });
}

}  // namespace gpulint
