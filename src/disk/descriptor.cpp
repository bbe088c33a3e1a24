#include "disk/descriptor.h"

namespace gpulint::disk {

std::optional<std::string> read_up_to(const Descriptor& file, std::size_t limit) {
  std::string text(limit, '\0');
  std::size_t size = 0;
  while (size < limit) {
    const ssize_t got = ::read(file.number(), text.data() + size, limit - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace gpulint::disk
