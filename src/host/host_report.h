#pragma once

#include "host/figure.h"
#include "host/host_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulint::probe {

/// What was found out about this machine, as far as it was found out.
struct HostReport {
  std::optional<HostFacts> facts;
  std::vector<Figure> figures;
  std::vector<std::string> not_measured;  // "jpeg_decode: why"
  friend bool operator==(const HostReport&, const HostReport&) = default;
};

/// The figure of a kind that `workers` reached; nullptr where it was not measured. `workers` 0: the
/// first of the kind.
const Figure* find_figure(const HostReport& report, FigureKind kind, int workers = 0);

}  // namespace gpulint::probe
