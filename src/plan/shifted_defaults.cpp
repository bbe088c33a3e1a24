#include "plan/shifted_defaults.h"

#include "base/text.h"
#include "code/code_base.h"
#include "plan/allowed_releases.h"
#include "plan/fact_table.h"
#include "plan/taken_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>

namespace gpulint {
namespace {

/// The defaults of a key that had another one before, the oldest first, with the releases of each.
std::vector<TakenChoice> defaults_of(const TakenKey& key) {
  std::vector<TakenChoice> defaults = key.former_defaults;
  const ReleaseSet last = defaults.back().releases;
  const ReleaseSet older = (ReleaseSet{1} << std::bit_width(last)) - 1;
  defaults.push_back({key.default_value, key.releases & ~older});
  return defaults;
}

class DefaultObserver {
 public:
  DefaultObserver(const CatalogueTerms& terms, Plan& plan)
      : terms_(terms), document_(terms.keys.document()), plan_(plan) {}

  void observe() {
    for (const CatalogueUse& use : terms_.dialect.mapping->catalogue) {
      for (const CatalogueSection& section : sections_of(terms_, use)) {
        for (const std::string& name : use.tables) observe_table(use, section, name);
      }
    }
  }

 private:
  void observe_table(const CatalogueUse& use, const CatalogueSection& section,
                     std::string_view name) {
    const std::vector<std::string_view> parts = split(name, '/');
    if (!asks_for(parts.front())) return;
    const auto* package = terms_.catalog.described<PackageKeys>(parts.front());
    const KeyTable* table = package == nullptr ? nullptr : package->table(parts.back());
    if (table == nullptr) return;
    std::optional<AllowedReleases> allowed;
    for (const TakenKey& key : table->keys) {
      if (key.former_defaults.empty()) continue;
      const std::string fact = open_fact(section, key.name);
      if (fact.empty() || !is_only_one(use, key)) continue;
      if (!allowed) allowed = allowed_releases(*terms_.run, *package);
      if (allowed->statement.empty() || !allowed->is_bounded || allowed->is_between) return;
      judge(section, *package, key, fact, *allowed);
    }
  }

  bool asks_for(std::string_view package) {
    const auto known = asked_.find(package);
    if (known != asked_.end()) return known->second;
    return asked_.emplace(package, is_required(*terms_.run, package)).first->second;
  }

  /// The fact that a key would state, where neither the config nor anything beside it does.
  std::string open_fact(const CatalogueSection& section, std::string_view key) const {
    const std::string path =
        section.under.empty() ? std::string(key) : fmt::format("{}.{}", section.under, key);
    if (terms_.keys.has(path_below(terms_.top.path, path))) return {};
    for (const KeyMapping& mapping : terms_.dialect.mapping->keys.all()) {
      if (mapping.path != path) continue;
      const FactRow* row = find_fact(mapping.fact);
      const Provenance* from = row == nullptr ? nullptr : provenance_of(plan_.facts, *row);
      const bool is_open = from == nullptr || from->origin == Origin::dialect_default ||
                           from->origin == Origin::assumed;
      return row != nullptr && is_open ? std::string(row->name) : std::string();
    }
    return {};
  }

  /// No other class that may read the mapping has a key of that name, with a default of its own.
  bool is_only_one(const CatalogueUse& use, const TakenKey& key) const {
    return std::all_of(use.tables.begin(), use.tables.end(), [&](const std::string& name) {
      const std::vector<std::string_view> parts = split(name, '/');
      const auto* package = terms_.catalog.described<PackageKeys>(parts.front());
      const KeyTable* table = package == nullptr ? nullptr : package->table(parts.back());
      const TakenKey* other = table == nullptr ? nullptr : table->find(key.name);
      return other == nullptr || other == &key;
    });
  }

  void judge(const CatalogueSection& section, const PackageKeys& package, const TakenKey& key,
             const std::string& fact, const AllowedReleases& allowed) {
    std::vector<std::string> said;
    for (const TakenChoice& each : defaults_of(key)) {
      if ((each.releases & allowed.set) == 0) continue;
      said.push_back(fmt::format("{} {}", each.name, span_text(package, each.releases)));
    }
    if (said.size() < 2 || terms_.run->project()->names(terms_.run->root(), key.name)) return;
    Observation& item = plan_.observations.emplace_back();
    item.list = "shifted_defaults";
    const NodeId first = document_.node(section.node).first_child;
    item.span = document_.span(first == kNoNode ? section.node : document_.node(first).key);
    item.pointer = document_.pointer(section.node);
    item.name = key.name;
    item.value = fmt::format("{} takes {}", package.id, join(said, " and "));
    item.detail = allowed.statement;
    item.fact = fact;
  }

  const CatalogueTerms& terms_;
  const Document& document_;
  Plan& plan_;
  std::map<std::string, bool, std::less<>> asked_;  // packages that the project names
};

}  // namespace

void observe_shifted_defaults(const CatalogueTerms& terms, Plan& plan) {
  if (terms.run == nullptr || terms.run->project() == nullptr) return;
  DefaultObserver(terms, plan).observe();
}

}  // namespace gpulint
