#include "disk/descriptor.h"

#include <algorithm>

namespace gpulint::disk {

std::optional<std::string> read_up_to(const Descriptor& file, std::size_t limit,
                                      std::size_t expected) {
  constexpr std::size_t kLeastStep = 4096;
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
  // One byte more than expected, so that the end is seen without a second round.
  std::string text(std::min(limit, expected + 1), '\0');
  std::size_t size = 0;
  while (size < limit) {
    if (size == text.size()) text.resize(std::min(limit, std::max(kLeastStep, 2 * size)));
    const auto most = static_cast<unsigned>(std::min(text.size() - size, kMostAtOnce));
    const auto got = ::read(file.number(), text.data() + size, most);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace gpulint::disk
