#pragma once

#include "catalog/catalog.h"
#include "lint/lint.h"
#include "report/json_text.h"

#include <map>
#include <string>

namespace gpulint {

/// The rules of a SARIF run with their positions in the list.
struct SarifRules {
  Json list = Json::array();
  std::map<std::string, std::size_t, std::less<>> index;
};

/// Every rule of the catalog and those that judge the text itself, sorted by id; a rule that only
/// `result` knows is added behind them with its id for a description.
SarifRules sarif_rules(const LintResult& result, const Catalog& catalog);

/// note, warning or error, as SARIF spells them.
std::string sarif_level(Severity severity);

}  // namespace gpulint
