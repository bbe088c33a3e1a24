#include "launch/flag_products.h"

#include "base/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <utility>

namespace gpulint {
namespace {

/// 0: nobody knows.
std::int64_t count_of(const FlagNode& node) {
  if (node.is_unknown || node.items.size() != 1) return 0;
  const std::string& text = node.items.front().bytes;
  const char* const end = text.data() + text.size();
  std::int64_t count = 0;
  const auto [last, error] = std::from_chars(text.data(), end, count);
  return error == std::errc{} && last == end ? count : 0;
}

const FlagNode* given_to(const Launcher& launcher, std::span<const std::string> flags,
                         const std::vector<LauncherFlags>& launchers) {
  for (const auto& [other, tree] : launchers) {
    const FlagNode* node = other == &launcher ? any_flag(tree, flags) : nullptr;
    if (node != nullptr) return node;
  }
  return nullptr;
}

}  // namespace

const FlagNode* any_flag(const FlagTree& tree, std::span<const std::string> flags) {
  for (const std::string& flag : flags) {
    if (const FlagNode* node = tree.find(flag)) return node;
  }
  return nullptr;
}

void multiply_flags(std::vector<LauncherFlags>& launchers) {
  for (auto& [launcher, tree] : launchers) {
    for (const FlagProduct& product : launcher->products) {
      const FlagNode* of = any_flag(tree, product.of);
      if (of == nullptr) continue;
      const FlagNode* times = given_to(*launcher, product.times, launchers);
      const FlagNode* spread =
          times == nullptr ? given_to(*launcher, product.spread, launchers) : nullptr;
      if (spread != nullptr && count_of(*spread) != 1) continue;
      const std::int64_t factor = times == nullptr ? 1 : count_of(*times);
      const std::int64_t whole = saturating_multiply(count_of(*of), factor);
      if (whole <= 0) continue;
      FlagNode made = *of;
      if (factor != 1) made.items = {ShellText::computed(fmt::format("{}", whole))};
      tree.add(product.name, std::move(made));
    }
  }
}

}  // namespace gpulint
