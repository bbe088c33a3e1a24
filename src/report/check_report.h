#pragma once

// What the reports of one card and of several have in common.

#include "device/device_report.h"
#include "probe/confirmation.h"
#include "report/json_text.h"

#include <string>

namespace gpulint {

Json check_json(const probe::Check& check);
Json pcie_json(const probe::PcieLink& link);
Json rates_json(const probe::DeviceReport& device);
void unavailable_json(Json& json, const probe::Unavailable& none);

/// What is said where no card was measured.
std::string nothing_confirmed(const probe::Unavailable& none);
std::string nothing_confirmed(const probe::Failed& failed);

/// One line for people.
std::string check_line(const probe::Check& check);
/// "1755 MHz, 690 W of 700 W, 61 C"; "" where nothing is known.
std::string state_words(const probe::CardState& state);
/// Each line with what a terminal would obey escaped: what a driver prints is input like any other.
std::string escaped_lines(const std::string& text);

}  // namespace gpulint
