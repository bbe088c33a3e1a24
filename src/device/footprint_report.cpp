#include "device/footprint_report.h"

#include <array>

namespace gpulint::probe {
namespace {

/// In the order of FootprintVerdict.
constexpr std::array<std::string_view, kFootprintVerdictCount> kNames{
    "fits", "fits_tight", "fits_unconfirmed", "out_of_memory", "refused", "aborted"};

}  // namespace

std::string_view name_of(FootprintVerdict verdict) {
  return kNames[static_cast<std::size_t>(verdict)];
}

std::optional<FootprintVerdict> footprint_verdict_from(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<FootprintVerdict>(i);
  }
  return std::nullopt;
}

}  // namespace gpulint::probe
