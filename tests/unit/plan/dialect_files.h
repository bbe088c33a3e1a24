#pragma once

#include "catalog/dialect.h"
#include "plan/plan.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// The dialect files of the source tree, read through the strict loader, in order of rank.
const std::vector<Dialect>& shipped_dialects();

/// Text of a file; fails the test when it cannot be read.
std::string read_text(const std::string& path);

Document document_of(std::string_view text, std::string path = "config.yaml");
Recognition recognised(const Document& document);
/// Plans of a config text.
std::vector<Plan> plans_of(std::string_view text, std::string path = "config.yaml");

/// Facts of the first plan as canonical text; "" for an unknown fact.
struct Facts {
  Plan plan;
  std::string operator[](std::string_view fact) const;
  std::string origin(std::string_view fact) const;
  /// "name=value" of the observations of one list.
  std::vector<std::string> observed(std::string_view list) const;
};
Facts facts_of(std::string_view text, std::string path = "config.yaml");

}  // namespace gpulint
