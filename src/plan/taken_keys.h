#pragma once

// What several tables of the catalogue take together.

#include "catalog/catalog.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// How one package takes a key: in some releases, by one table or several.
struct TakenBy {
  const PackageKeys* package = nullptr;
  ReleaseSet releases = 0;
  std::vector<const TakenKey*> entries;
};

class TakenKeys {
 public:
  explicit TakenKeys(const Catalog& catalog) : catalog_(catalog) {}

  /// Adds "package/table" with what it extends; false where nobody described it.
  bool add(std::string_view name);
  void add(const PackageKeys& package, const KeyTable& table);

  bool is_open() const { return is_open_; }
  bool empty() const { return tables_.empty(); }
  /// Per package; empty where no table takes the key.
  std::vector<TakenBy> find(std::string_view key) const;
  /// All keys, sorted.
  std::vector<std::string> names() const;
  std::vector<const PackageKeys*> packages() const;
  const PackageKeys& package() const { return *tables_.front().first; }

 private:
  const Catalog& catalog_;
  std::vector<std::pair<const PackageKeys*, const KeyTable*>> tables_;
  bool is_open_ = false;
};

/// What the packages behind a dialect take in the mapping at a dotted path below its section root;
/// empty where the catalogue says nothing of it. The values of `with` keys are not asked.
TakenKeys taken_in(const Catalog& catalog, const Dialect& dialect, std::string_view path);

/// "bool, default false" and which packages take the key; "" for an unknown one.
std::string taken_text(const TakenKeys& taken, std::string_view key);
/// Words that the key takes in some release; empty where it takes any.
std::vector<std::string> taken_choices(const TakenKeys& taken, std::string_view key);

/// "up to 4.45.2", "from 0.20.0 on", "from 4.40.2 to 4.45.2".
std::string span_text(const PackageKeys& package, ReleaseSet releases);

}  // namespace gpulint
