#include "device/wire_footprint.h"

namespace gpulint::probe {
namespace {

Json missing_json(const MissingMemory& missing) {
  return {{"event", missing.event},
          {"phase", name_of(missing.phase)},
          {"bytes", to_json(missing.bytes)}};
}

void read_missing(Reader& reader, MissingMemory& missing) {
  std::string phase;
  reader.read("event", missing.event);
  reader.read("phase", phase);
  reader.read("bytes", missing.bytes);
  const std::optional<TracePhase> known = trace_phase_from(phase);
  if (!known) reader.refuse();
  missing.phase = known.value_or(TracePhase::setup);
}

}  // namespace

Json to_json(const FootprintReport& report) {
  return {{"verdict", name_of(report.verdict)},
          {"why", report.why},
          {"tried", report.tried},
          {"basis", report.basis},
          {"expandable", report.expandable},
          {"fallback", report.fallback},
          {"missing", report.missing ? missing_json(*report.missing) : Json()},
          {"needed", to_json(report.needed)},
          {"outside", to_json(report.outside)},
          {"free_at_start", to_json(report.free_at_start)},
          {"floor", to_json(report.floor)},
          {"reserved_peak", to_json(report.reserved_peak)},
          {"taken_peak", to_json(report.taken_peak)},
          {"free_at_peak", to_json(report.free_at_peak)},
          {"drift", to_json(report.drift)},
          {"segments", report.segments},
          {"fragmentation", report.fragmentation}};
}

void read_footprint(Reader& reader, FootprintReport& report) {
  std::string verdict;
  reader.read("verdict", verdict);
  const std::optional<FootprintVerdict> known = footprint_verdict_from(verdict);
  if (!known) reader.refuse();
  report.verdict = known.value_or(FootprintVerdict::refused);
  reader.read("why", report.why);
  reader.read("tried", report.tried);
  reader.read("basis", report.basis);
  reader.read("expandable", report.expandable);
  reader.read("fallback", report.fallback);
  reader.part("missing", report.missing, read_missing);
  reader.read("needed", report.needed);
  reader.read("outside", report.outside);
  reader.read("free_at_start", report.free_at_start);
  reader.read("floor", report.floor);
  reader.read("reserved_peak", report.reserved_peak);
  reader.read("taken_peak", report.taken_peak);
  reader.read("free_at_peak", report.free_at_peak);
  reader.read("drift", report.drift);
  reader.read("segments", report.segments);
  reader.read("fragmentation", report.fragmentation);
}

}  // namespace gpulint::probe
