#include "plan/taken_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gpulint {

bool TakenKeys::add(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return false;
  const PackageKeys* package = catalog_.described<PackageKeys>(name.substr(0, slash));
  const KeyTable* table = package == nullptr ? nullptr : package->table(name.substr(slash + 1));
  if (table == nullptr) return false;
  add(*package, *table);
  return true;
}

void TakenKeys::add(const PackageKeys& package, const KeyTable& table) {
  const std::pair<const PackageKeys*, const KeyTable*> entry(&package, &table);
  if (std::find(tables_.begin(), tables_.end(), entry) != tables_.end()) return;
  tables_.push_back(entry);
  is_open_ = is_open_ || table.is_open;
  for (const std::string& base : table.extends) {
    // Keys of a base that nobody described may be any.
    if (!add(base)) is_open_ = true;
  }
}

std::vector<TakenBy> TakenKeys::find(std::string_view key) const {
  std::vector<TakenBy> found;
  for (const auto& [package, table] : tables_) {
    const TakenKey* entry = table->find(key);
    if (entry == nullptr) continue;
    auto by = std::find_if(found.begin(), found.end(),
                           [&](const TakenBy& each) { return each.package == package; });
    if (by == found.end()) by = found.insert(found.end(), {package, 0, {}});
    by->releases |= entry->releases;
    by->entries.push_back(entry);
  }
  return found;
}

std::vector<std::string> TakenKeys::names() const {
  std::vector<std::string> names;
  for (const auto& [package, table] : tables_) {
    for (const TakenKey& key : table->keys) names.push_back(key.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<const PackageKeys*> TakenKeys::packages() const {
  std::vector<const PackageKeys*> packages;
  for (const auto& [package, table] : tables_) {
    const bool is_new = std::find(packages.begin(), packages.end(), package) == packages.end();
    if (is_new) packages.push_back(package);
  }
  return packages;
}

TakenKeys taken_in(const Catalog& catalog, const Dialect& dialect, std::string_view path) {
  TakenKeys taken(catalog);
  for (const CatalogueUse& use : dialect.mapping->catalogue) {
    for (const std::string& under : use.under) {
      if (under == path) {
        for (const std::string& table : use.tables) taken.add(table);
      }
    }
  }
  const std::size_t dot = path.rfind('.');
  if (!taken.empty() || path.empty()) return taken;
  const TakenKeys parent = taken_in(
      catalog, dialect, dot == std::string_view::npos ? std::string_view() : path.substr(0, dot));
  for (const TakenBy& by : parent.find(path.substr(dot + 1))) {
    const KeyTable* table = by.package->table(by.entries.front()->table);
    if (table != nullptr) taken.add(*by.package, *table);
  }
  return taken;
}

std::vector<std::string> taken_choices(const TakenKeys& taken, std::string_view key) {
  std::vector<std::string> choices;
  for (const TakenBy& by : taken.find(key)) {
    for (const TakenKey* entry : by.entries) {
      for (const TakenChoice& choice : entry->choices) choices.push_back(choice.name);
    }
  }
  std::sort(choices.begin(), choices.end());
  choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
  return choices;
}

std::string taken_text(const TakenKeys& taken, std::string_view key) {
  std::string text;
  for (const TakenBy& by : taken.find(key)) {
    const TakenKey& entry = *by.entries.back();
    if (!text.empty()) text += "; ";
    text += by.package->id;
    if (by.releases != by.package->all()) text += " " + span_text(*by.package, by.releases);
    if (!entry.types.empty()) text += fmt::format(", {}", fmt::join(entry.types, " or "));
    if (!entry.default_value.empty()) text += ", default " + entry.default_value;
    if (!entry.now.empty()) text += ", replaced by " + entry.now;
  }
  return text;
}

std::string span_text(const PackageKeys& package, ReleaseSet releases) {
  const std::string_view first = package.oldest(releases);
  const std::string_view last = package.newest(releases);
  const bool from_start = first == package.releases.front();
  const bool to_end = last == package.releases.back();
  if (from_start && to_end) return "every release";
  if (from_start) return fmt::format("up to {}", last);
  if (to_end) return fmt::format("from {} on", first);
  return fmt::format("from {} to {}", first, last);
}

}  // namespace gpulint
