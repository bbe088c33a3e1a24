#pragma once

#include "memory/footprint.h"
#include "memory/precision.h"
#include "run/resolved_run.h"

namespace gpulint {

/// One rank's part of the network after tensor and pipeline parallelism, in elements.
struct RankWeights {
  double parameters = 0;
  double trainable = 0;
  double block = 0;           // the largest block: what engines gather and reduce together
  double adapters = 0;        // trainable ones in an adapter's format
  double outside_blocks = 0;  // embeddings and head, gathered with the network as a whole
  // Before experts are spread: ranks that hold different experts split the optimizer's values among
  // fewer, so that a rank's part is that of a network without expert parallelism.
  double unspread = 0;
  double unspread_trainable = 0;
};
RankWeights rank_weights(const ResolvedRun& run, const ModelFootprint& footprint);

/// Weights before any sharding: quantized, plain and adapter weights each in their format.
Interval weight_bytes(const ResolvedRun& run, const ModelFootprint& footprint,
                      const NumberFormats& formats, const RankWeights& rank, UnknownFacts& unknown);

/// How many networks of the same size may stand beside the trained one and run forward only: the
/// reference of a preference loss, unless the base below an adapter serves as that, and for policy
/// gradients a reward and a value model too (TRL's dpo_trainer.py, ppo_trainer.py). Losses without
/// a reference (ORPO, SimPO) and scores computed beforehand need none, and a smaller model can be
/// the judge: they are the high end, unless it is stated what is kept.
int most_networks_beside(const ResolvedRun& run);

}  // namespace gpulint
