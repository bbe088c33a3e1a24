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
  /// That have none of its tables, or one that takes any key: they may take it some other way.
  ReleaseSet unknown = 0;
  std::vector<const TakenKey*> entries;
};

class TakenKeys {
 public:
  explicit TakenKeys(const Catalog& catalog) : catalog_(catalog) {}

  /// Adds "package/table" with what it extends. A package is read when the tables before it do not
  /// take every key that is asked for: most files need no more than the first.
  void add(std::string name) { pending_.push_back(std::move(name)); }
  void add(const PackageKeys& package, const KeyTable& table) { take(package, table); }

  bool is_open() const;
  bool empty() const;
  /// Per package; empty where no table takes the key. What all releases of a package take is not
  /// looked for in further tables.
  std::vector<TakenBy> find(std::string_view key) const;
  /// All keys, sorted.
  const std::vector<std::string>& names() const;
  std::vector<const PackageKeys*> packages() const;
  /// Of the first table; there is one.
  const PackageKeys& package() const;

 private:
  using Table = std::pair<const PackageKeys*, const KeyTable*>;
  /// The table at an index, read if need be; nullptr behind the last.
  const Table* at(std::size_t index) const;
  void read_next() const;
  void take(const PackageKeys& package, const KeyTable& table) const;

  const Catalog& catalog_;
  mutable std::vector<std::string> pending_;  // the next one first
  mutable std::vector<Table> tables_;
  mutable bool is_open_ = false;
  mutable std::vector<std::string> names_;  // once asked
};

/// What the packages behind a dialect take in the mapping at a dotted path below its section root;
/// empty where the catalogue says nothing of it. The values of `with` keys are not asked.
TakenKeys taken_in(const Catalog& catalog, const Dialect& dialect, std::string_view path);

/// "bool, default false" and which packages take the key; "" for an unknown one.
std::string taken_text(const TakenKeys& taken, std::string_view key);
/// Words that the key takes in some release; empty where it takes any.
std::vector<std::string> taken_choices(const TakenKeys& taken, std::string_view key);

/// "in 4.45.2 and earlier", "in 0.20.0 and later", "in 4.40.2 to 4.45.2": of those that were read.
std::string span_text(const PackageKeys& package, ReleaseSet releases);

}  // namespace gpulint
