#include "base/text.h"
#include "plan/fact_table.h"
#include "plan/map_keys.h"
#include "plan/plan.h"
#include "plan/transforms.h"
#include "plan/value_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

namespace {

std::string did_you_mean_fact(std::string_view name) {
  std::vector<std::string_view> names;
  for (const FactRow& row : fact_table()) names.push_back(row.name);
  return did_you_mean(name, names);
}

struct Checker {
  std::span<const Dialect> all;
  const Catalog* catalog = nullptr;
  std::vector<std::string> mistakes = {};

  void say(std::string_view where, std::string_view what) {
    mistakes.push_back(where.empty() ? std::string(what) : fmt::format("{}: {}", where, what));
  }

  const FactRow* fact(std::string_view where, std::string_view name) {
    const FactRow* row = find_fact(name);
    if (row == nullptr) {
      say(where, fmt::format("unknown fact \"{}\"{}", name, did_you_mean_fact(name)));
    }
    return row;
  }

  void fits(std::string_view where, const FactRow& row, std::string_view value) {
    TrainingPlan scratch;
    std::string why;
    if (!set_fact(scratch, row, value, {}, &why)) {
      say(where, fmt::format("{}: \"{}\": {}", row.name, value, why));
    } else if (catalog != nullptr) {
      why = undescribed_word(row, value, *catalog);
      if (!why.empty()) say(where, fmt::format("{}: {}", row.name, why));
    }
  }

  void values(std::string_view where, const FactRow& row, std::span<const ValueMapping> mappings) {
    for (const ValueMapping& value : mappings) {
      if (value.canonical && *value.canonical != kAbsent) fits(where, row, *value.canonical);
    }
  }

  void key(std::string_view where, const KeyMapping& key) {
    const FactRow* row = fact(where, key.fact);
    if (!find_transform(key.transform)) {
      say(where, fmt::format("unknown transform \"{}\"", key.transform));
    }
    const ValueMap* shared = find_value_map(all, key.value_map);
    if (!key.value_map.empty() && shared == nullptr) {
      say(where, fmt::format("unknown value map \"{}\"", key.value_map));
    }
    if (row == nullptr) return;
    values(where, *row, key.values);
    if (shared != nullptr) values(where, *row, shared->values);
  }

  void dialect(std::string_view where, std::string_view name) {
    std::vector<std::string_view> ids;
    for (const Dialect& each : all) ids.push_back(each.id);
    if (std::find(ids.begin(), ids.end(), name) != ids.end()) return;
    mistakes.push_back(
        fmt::format("{}: unknown dialect \"{}\"{}", where, name, did_you_mean(name, ids)));
  }

  void references(const Dialect& checked) {
    for (const Reference& each : checked.references) {
      if (each.kind == ReferenceKind::joined) dialect("references." + each.key, each.dialect);
    }
    for (const Companion& each : checked.companions) {
      const std::string where = "companions." + each.dialect;
      dialect(where, each.dialect);
      for (const std::string& name : each.decides) fact(where, name);
      for (const std::string& name : each.fills_none) fact(where, name);
    }
  }

  void default_value(const DefaultValue& value) {
    const std::string where = "defaults." + value.fact;
    if (const FactRow* row = fact(where, value.fact)) fits(where, *row, value.value);
    if (value.when_fact.empty() && !value.when_value.empty())
      mistakes.push_back(where + ": \"when_value\" needs \"when_fact\"");
    if (value.when_key.empty() && !value.when_key_is.empty())
      mistakes.push_back(where + ": \"when_key_is\" needs \"when_key\"");
    if (value.when_fact.empty()) return;
    const FactRow* condition = fact(where, value.when_fact);
    if (condition != nullptr && !value.when_value.empty()) {
      fits(where, *condition, std::string(wanted_value(value.when_value).value));
    }
  }
};

}  // namespace

std::string mistake_of(const KeyMapping& key, std::span<const Dialect> all,
                       const Catalog* catalog) {
  Checker checker{all, catalog};
  if (find_fact(key.fact) != nullptr) checker.key("", key);
  return join(checker.mistakes, "; ");
}

Result<void> check_dialect(const Dialect& dialect, std::span<const Dialect> all,
                           const Catalog* catalog) {
  Checker checker{all, catalog};
  for (const KeyMapping& key : dialect.mapping->keys.all()) checker.key("keys." + key.path, key);
  for (const DefaultValue& value : dialect.mapping->defaults) checker.default_value(value);
  for (const Domain& domain : dialect.mapping->domains) checker.fact("domains", domain.fact);
  checker.references(dialect);
  for (const std::string& name : dialect.absent_switches) checker.fact("absent_switches", name);
  if (checker.mistakes.empty()) return {};
  return fail(Error{join(checker.mistakes, "\n"), fmt::format("dialects/{}.yaml", dialect.id)});
}

}  // namespace gpulint
