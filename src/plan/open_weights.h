#pragma once

#include "plan/complete.h"

namespace gpulint {

class Catalog;
class Document;

/// The weights' format and quantization stay open where a value that no fact came from may name
/// them (`bit: bfloat16`, `--train_type hqq_lora`). Comes before defaults are added.
void leave_formats_open(const Document& document, const Catalog& catalog, FactSources& sources);

/// What is trained stays open where a key that no fact came from may keep weights as they are
/// (`FREEZE_VIT: true`, `--use_llm_lora 16`, `--train_type dora`): nobody may take all of them for
/// trained then. `facts`: the completed ones of the sources.
void leave_frozen_open(const Document& document, const Catalog& catalog, const TrainingPlan& facts,
                       FactSources& sources);

/// A batch that its comment counts in tokens ("tokens per batch") is no number of samples.
void leave_token_batches_open(const Document& document, FactSources& sources);

}  // namespace gpulint
