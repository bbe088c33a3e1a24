#pragma once

// What the ranks of a run exchange in one optimizer step, as far as a device can be asked how long
// it takes. Plain values: where they come from needs no device, and what times them no model.

#include "run/estimate_request.h"
#include "run/quantity.h"
#include "time/step_time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpulint {

enum class ExchangeKind : std::uint8_t { all_reduce, all_gather, reduce_scatter };
std::string_view name_of(ExchangeKind kind);

/// One kind of exchange over one group of ranks.
struct Exchange {
  ExchangeKind kind = ExchangeKind::all_reduce;
  std::string name;         // "gradients", "weights", "activations"
  std::string of;           // for people: "activations between tensor-parallel ranks"
  std::int64_t ranks = 1;   // of the group
  bool inside_host = true;  // no network between them
  Bytes link_bytes;         // that every link of a ring carries, of one step
  TimeInterval predicted;   // of all of it, whether computation hides it or not
};

/// nullopt where the time of a step cannot be predicted (names in `unknown`); empty where ranks
/// exchange nothing.
std::optional<std::vector<Exchange>> exchanges_of(const EstimateRequest& request,
                                                  UnknownFacts& unknown);

/// What links inside a host carry for such a GPU, as NCCL's bus bandwidth, where so many ranks are
/// on it: as measured between as many, else as assumed.
struct HostLinkRate {
  RateInterval bandwidth;
  std::string name;  // "NVLink"
};
HostLinkRate link_inside_host(const Gpu& gpu, std::int64_t ranks_on_host, ExchangeKind kind);

}  // namespace gpulint
