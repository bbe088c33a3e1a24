#pragma once

#include "device/meeting.h"
#include "device/nccl.h"
#include "device/node_report.h"
#include "device/open_card.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gpulint::probe {

/// Times collectives over the cards of all processes of the job, whose results are compared with
/// what they have to be first, and adds them to `report`: a rate of a kind and size, or in
/// `not_measured` why there is none. The cards have buffers. Where another process of the job ends
/// early, this one would wait in the driver for ever: it publishes what it knows and ends.
using PublishNode = std::function<void(const NodeReport& known)>;
void time_collectives(const NcclApi& nccl, const JobPlace& place,
                      const std::vector<std::unique_ptr<OpenCard>>& cards, Deadline deadline,
                      const PublishNode& publish, NodeReport& report);

}  // namespace gpulint::probe
