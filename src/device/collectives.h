#pragma once

#include "device/meeting.h"
#include "device/nccl.h"
#include "device/node_report.h"
#include "device/open_card.h"

#include <memory>
#include <string>
#include <vector>

namespace gpulint::probe {

/// Times collectives over the cards of all processes of the job, whose results are compared with
/// what they have to be first, and adds them to `report`: a rate of a kind and size, or in
/// `not_measured` why there is none. The cards have buffers.
void time_collectives(const NcclApi& nccl, const JobPlace& place,
                      const std::vector<std::unique_ptr<OpenCard>>& cards, Deadline deadline,
                      NodeReport& report);

}  // namespace gpulint::probe
