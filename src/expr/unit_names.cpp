#include "expr/unit_names.h"

#include <array>

namespace gpulint::expr {
namespace {

constexpr Unit kOperations{0, 0, 1, 0};

constexpr UnitName whole(std::string_view name, std::int64_t factor, Unit unit) {
  return {name, static_cast<double>(factor), factor, unit};
}

constexpr std::array<UnitName, 22> kUnitNames{{
    whole("B", 1, kBytes),
    whole("KiB", std::int64_t{1} << 10, kBytes),
    whole("MiB", std::int64_t{1} << 20, kBytes),
    whole("GiB", std::int64_t{1} << 30, kBytes),
    whole("TiB", std::int64_t{1} << 40, kBytes),
    whole("KB", 1'000, kBytes),
    whole("kB", 1'000, kBytes),
    whole("MB", 1'000'000, kBytes),
    whole("GB", 1'000'000'000, kBytes),
    whole("TB", 1'000'000'000'000, kBytes),
    {"ns", 1e-9, 0, kSeconds},
    {"us", 1e-6, 0, kSeconds},
    {"ms", 1e-3, 0, kSeconds},
    whole("s", 1, kSeconds),
    whole("min", 60, kSeconds),
    whole("h", 3'600, kSeconds),
    whole("days", 86'400, kSeconds),
    whole("FLOP", 1, kOperations),
    whole("GFLOP", 1'000'000'000, kOperations),
    whole("TFLOP", 1'000'000'000'000, kOperations),
    whole("PFLOP", 1'000'000'000'000'000, kOperations),
    whole("USD", 1, kDollars),
}};

}  // namespace

std::span<const UnitName> unit_names() { return kUnitNames; }

const UnitName* find_unit(std::string_view name) {
  for (const UnitName& unit : kUnitNames) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

}  // namespace gpulint::expr
