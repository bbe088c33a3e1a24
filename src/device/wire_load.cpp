#include "device/wire_load.h"

namespace gpulint::probe {
namespace {

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

Json to_json(const CardState& state) {
  return {{"sm_clock", number(state.sm_clock)},
          {"power", number(state.power)},
          {"power_limit", number(state.power_limit)},
          {"temperature", number(state.temperature)}};
}

Json to_json(const Sustained& sustained) {
  return {{"what", name_of(sustained.kind)}, {"seconds", sustained.seconds},
          {"samples", sustained.samples},    {"first", sustained.first},
          {"last", sustained.last},          {"low", to_json(sustained.low)},
          {"high", to_json(sustained.high)}, {"slowed_down", sustained.slowed_down}};
}

void read_state(Reader& reader, CardState& state) {
  reader.read("sm_clock", state.sm_clock);
  reader.read("power", state.power);
  reader.read("power_limit", state.power_limit);
  reader.read("temperature", state.temperature);
}

void read_sustained(Reader& reader, Sustained& sustained) {
  std::string name;
  reader.read("what", name);
  const std::optional<RateKind> kind = rate_kind_from(name);
  if (!kind || !product_of(*kind)) reader.refuse();
  sustained.kind = kind.value_or(RateKind::copy);
  reader.read("seconds", sustained.seconds);
  reader.read("samples", sustained.samples);
  reader.read("first", sustained.first);
  reader.read("last", sustained.last);
  reader.part("low", sustained.low, read_state);
  reader.part("high", sustained.high, read_state);
  reader.read("slowed_down", sustained.slowed_down);
}

}  // namespace gpulint::probe
