#include "report/schema.h"

#include "finding/own_rules.h"
#include "report/schema_parts.h"

#include <algorithm>
#include <vector>

namespace gpulint {
namespace {

Json project_schema(const Catalog& catalog) {
  std::vector<std::string_view> rules;
  for (const Rule& rule : catalog.rules()) rules.push_back(rule.id);
  for (const OwnRule& own : own_rules()) rules.push_back(own.id);
  std::sort(rules.begin(), rules.end());
  return schema::project(rules, catalog);
}

}  // namespace

std::optional<std::string> schema_text(std::string_view kind, const Catalog& catalog,
                                       std::span<const std::string> operators) {
  if (kind == "project") return json_text(project_schema(catalog));
  if (kind == "rule") return json_text(schema::rule());
  if (kind == "dialect") return json_text(schema::dialect());
  if (kind == "gpu") return json_text(schema::gpu());
  if (kind == "host") return json_text(schema::host());
  if (kind == "model") return json_text(schema::model(operators));
  if (kind == "architecture") return json_text(schema::architecture());
  if (kind == "fleet") return json_text(schema::fleet(catalog.gpu_ids()));
  if (kind == "optimizer") return json_text(schema::optimizer());
  if (kind == "adapter") return json_text(schema::adapter());
  if (kind == "implementation") return json_text(schema::implementation());
  if (kind == "engine") return json_text(schema::engine());
  if (kind == "words") return json_text(schema::word_list());
  if (const auto keys = schema::taken_keys(catalog, kind)) return json_text(*keys);
  return std::nullopt;
}

}  // namespace gpulint
