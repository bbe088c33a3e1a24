#pragma once

#include "device/node_report.h"
#include "host/wire_reader.h"

#include <string>
#include <string_view>

namespace gpulint::probe {

/// What the measuring process sends of several cards, as one JSON text, and the same read again: a
/// native library ran in that process, so nothing in it is trusted.
std::string write_node_wire(const NodeOutcome& outcome);
NodeOutcome read_node_wire(std::string_view text);

/// The parts of a report that people are shown as JSON, too.
Json to_json(const MemoryHealth& health);
Json to_json(const CardPair& pair);
Json to_json(const NumaCopy& copy);
Json to_json(const CollectiveRate& rate);

}  // namespace gpulint::probe
