#pragma once

#include "model/tape.h"
#include "model/tensor.h"

#include <cstdint>

namespace gpulint::model {

struct Experts {
  std::int64_t top_k = 1;         // experts per token
  std::int64_t intermediate = 0;  // width of one expert
  bool bias = false;
  std::int64_t adapter_rank = 0;  // of low-rank factors beside each weight; 0 = none
};

/// Gated feed-forward experts: x[..., hidden] with router probabilities [..., experts]. Every token
/// goes through `top_k` of them and the results are summed, weighted by the router.
Tensor mixture_of_experts(Tape& tape, const Tensor& x, const Tensor& router,
                          const Experts& experts);

}  // namespace gpulint::model
