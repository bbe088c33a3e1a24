#include "device/card_digits.h"

#include <fmt/format.h>

#include <cstdint>

namespace gpulint::probe {

std::string card_digits(std::string_view uuid) {
  if (uuid.empty()) return "";
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : uuid) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:08x}", static_cast<std::uint32_t>(hash ^ hash >> 32));
}

}  // namespace gpulint::probe
