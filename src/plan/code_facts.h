#pragma once

#include "code/read_code.h"
#include "plan/code_path.h"
#include "plan/map_keys.h"
#include "plan/run_files.h"
#include "source/document.h"

#include <span>
#include <vector>

namespace gpulint {

/// What the code says of a run that is described by bare keys.
struct CodeTerms {
  const CodeReading& code;
  const CodeBase& base;
  const RunFiles& files;
  const Document& document;
  std::span<const Dialect> dialects;
  /// The config is known by bare keys alone: where the code is certain, it decides what they mean.
  bool decides = false;
};

/// Adds the facts of the code to those of the keys. One that was followed from a key to the call
/// that takes it is stated by the key; one that stands in the code has the origin `code`. A fact on
/// which calls disagree stays what the keys say and gets no default.
void add_code_facts(const CodeTerms& terms, Mapping& mapping);

/// The way of each value that the code states or takes, in the order of the facts.
std::vector<CodePath> code_paths(const CodeTerms& terms);

/// What nobody could follow of the run's network.
std::vector<UnknownPart> unknown_parts(const CodeReading& code, const CodeBase& base);

/// True where a script makes an optimizer and says how its batches or its rounds are.
bool is_training_script(const CodeReading& code);

/// True where the code takes enough of its training from the config's own keys.
bool is_training_config(const CodeReading& code, const Document& document);

}  // namespace gpulint
