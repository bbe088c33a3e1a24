#pragma once

// The network that a config's text describes, and how many parameters it has.

#include "model/interpreter.h"
#include "run/stated_network.h"
#include "source/read.h"
#include "unit/estimate/embedded.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint::test {

inline Document config_of(std::string text) {
  Result<Document> document = read_yaml("train.yaml", std::move(text), 0);
  REQUIRE(document);
  return std::move(*document);
}

/// The network that the text describes to the shipped forms; nullopt: none.
inline std::optional<model::ModelLibrary::Found> network_of(std::string text) {
  const Document config = config_of(std::move(text));
  const auto knows = [](std::string_view name) { return known_models().find(name).has_value(); };
  const std::vector<std::string> beside = shipped_catalog().words("networks-beside");
  const std::vector<std::string> ignored = shipped_catalog().words("no-networks");
  const auto network = stated_network(config, shipped_catalog().all_described<NetworkForm>(),
                                      {beside, ignored, knows});
  if (!network) return std::nullopt;
  return known_models().with_network(*network, config.path()).network();
}

inline std::int64_t parameters_of(const model::ModelLibrary::Found& found) {
  auto dimensions = found.entry.dimensions;
  dimensions["batch"] = std::int64_t{1};
  const auto tape = model::run_program(*found.program, dimensions, {}, {});
  REQUIRE(tape);
  return model::summarise(*tape).parameters;
}

}  // namespace gpulint::test
