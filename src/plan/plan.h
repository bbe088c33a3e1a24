#pragma once

#include "base/file_reader.h"
#include "catalog/dialect.h"
#include "catalog/project.h"
#include "plan/training_plan.h"
#include "source/document.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpulint {

/// Which dialect a document is written in.
struct Recognition {
  const Dialect* dialect = nullptr;  // nullptr: not a training config
  std::string section;               // root under which its keys lie; "" = top level
  std::string reason;  // why it is none: "no training keys", "a docker-compose file", …
};
Recognition recognise(const Document& document, std::span<const Dialect> dialects,
                      std::span<const std::pair<std::string, std::string>> in_house_keys = {});

/// Cheap look at text that could not be parsed or is over a limit: does it hold two or more
/// recognition keys?
bool looks_like_training_config(std::string_view text, std::span<const Dialect> dialects);

struct PlanRequest {
  const Document* document = nullptr;
  Recognition recognition;
  std::span<const std::pair<std::string, std::string>> in_house_keys = {};  // `.gpulint.yaml` keys
  /// Facts stated outside the config (command line, `.gpulint.yaml`): they fill what the config
  /// leaves unknown.
  std::span<const std::pair<std::string, std::pair<std::string, SourceSpan>>> project_facts = {};
};

/// Facts of each phase (usually one): key map, value forms, references, dialect defaults, then what
/// follows from them (derive.cpp: global batch, world size, mixed precision from its switches,
/// batch bytes, …).
std::vector<Plan> make_plans(const PlanRequest& request);

}  // namespace gpulint
