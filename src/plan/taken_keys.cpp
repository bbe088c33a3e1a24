#include "plan/taken_keys.h"

#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace gpulint {

void TakenKeys::take(const PackageKeys& package, const KeyTable& table) const {
  const Table entry(&package, &table);
  if (std::find(tables_.begin(), tables_.end(), entry) != tables_.end()) return;
  tables_.push_back(entry);
  names_.clear();
  is_open_ = is_open_ || table.open != 0;
  pending_.insert(pending_.begin(), table.extends.begin(), table.extends.end());
}

/// Keys of a table that nobody described may be any.
void TakenKeys::read_next() const {
  const std::string name = std::move(pending_.front());
  pending_.erase(pending_.begin());
  const std::vector<std::string_view> parts = split(name, '/');
  const auto* package = catalog_.described<PackageKeys>(parts.front());
  const KeyTable* table = package == nullptr ? nullptr : package->table(parts.back());
  if (table == nullptr) {
    is_open_ = true;
    return;
  }
  take(*package, *table);
}

const TakenKeys::Table* TakenKeys::at(std::size_t index) const {
  while (index >= tables_.size() && !pending_.empty()) read_next();
  return index < tables_.size() ? &tables_[index] : nullptr;
}

bool TakenKeys::is_open() const {
  for (std::size_t i = 0; at(i) != nullptr; ++i) {
  }
  return is_open_;
}

bool TakenKeys::empty() const { return at(0) == nullptr; }
const PackageKeys& TakenKeys::package() const { return *at(0)->first; }

std::vector<TakenBy> TakenKeys::find(std::string_view key) const {
  std::vector<TakenBy> found;
  for (std::size_t i = 0; const Table* entry = at(i); ++i) {
    const TakenKey* taken = entry->second->find(key);
    if (taken == nullptr) continue;
    const PackageKeys* package = entry->first;
    auto by = std::find_if(found.begin(), found.end(),
                           [&](const TakenBy& each) { return each.package == package; });
    if (by == found.end()) by = found.insert(found.end(), {package, 0, package->all(), {}});
    by->releases |= taken->releases;
    by->unknown &= ~entry->second->releases;
    by->entries.push_back(taken);
    if (taken->releases == package->all()) break;
  }
  // What takes any key goes on taking one that it named before, and hands it on.
  for (TakenBy& by : found) {
    const ReleaseSet before = by.releases ^ (by.releases - 1);  // up to the first that takes it
    for (const auto& [package, table] : tables_) {
      if (package == by.package) by.unknown |= table->open & ~before;
    }
  }
  return found;
}

const std::vector<std::string>& TakenKeys::names() const {
  if (!names_.empty()) return names_;
  std::vector<std::string> names;
  for (std::size_t i = 0; const Table* entry = at(i); ++i) {
    for (const TakenKey& key : entry->second->keys) names.push_back(key.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  names_ = std::move(names);
  return names_;
}

std::vector<const PackageKeys*> TakenKeys::packages() const {
  std::vector<const PackageKeys*> packages;
  for (std::size_t i = 0; const Table* entry = at(i); ++i) {
    const PackageKeys* package = entry->first;
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
  if (from_start) return fmt::format("in {} and earlier", last);
  if (to_end) return fmt::format("in {} and later", first);
  return fmt::format("in {} to {}", first, last);
}

}  // namespace gpulint
