#pragma once

#include "probe/confirmation.h"
#include "probe/fleet.h"

#include <string>

namespace gpulint {

/// `gpulint confirm`: for people, without a device in one line; and one object of schema
/// gpulint.confirm/1.
std::string confirm_text(const probe::Confirmation& confirmation);
std::string confirm_json(const probe::Confirmation& confirmation);

/// `gpulint confirm --merge`: one table, the outliers, what was skipped; and one object of schema
/// gpulint.confirm-fleet/1.
std::string merged_text(const probe::Fleet& fleet);
std::string merged_json(const probe::Fleet& fleet);

}  // namespace gpulint
