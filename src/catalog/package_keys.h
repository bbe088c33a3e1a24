#pragma once

// Which keys the classes, functions and command lines of a package take, by release: one file of
// knowledge/catalogue/, which tools/catalogue makes from the released packages.

#include "base/result.h"
#include "catalog/data_kind.h"
#include "source/document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Releases of a package, one bit each, the oldest first.
using ReleaseSet = std::uint64_t;
inline constexpr std::size_t kMostReleases = 64;

/// A word that a key takes, or has taken when it is left out.
struct TakenChoice {
  std::string name;
  ReleaseSet releases = 0;
};

struct TakenKey {
  std::string name;
  ReleaseSet releases = 0;           // that take it
  std::vector<std::string> types;    // bool, int, float, str, list, mapping, any; empty = unknown
  std::vector<TakenChoice> choices;  // all there are; empty = any value of its types
  bool checked = false;              // the package itself raises on another choice
  std::optional<double> low;         // least and greatest number that it validates
  std::optional<double> high;
  std::string table;          // that its mapping is read into; "" = none
  std::string default_value;  // of the last release; "" = none, or none that is a plain value
  /// Plain values that were the default before, the oldest first; the last release that had one and
  /// the first that has the next are neighbours. Releases before the first of them: unknown.
  std::vector<TakenChoice> former_defaults = {};
  ReleaseSet deprecated = 0;  // that warn about it
  std::string now;            // the key that took its place
};

/// What one class, function or command line takes.
struct KeyTable {
  std::string name;
  std::string file;                  // of the package, where it is defined
  ReleaseSet releases = 0;           // that have it
  std::vector<std::string> extends;  // "package/table" whose keys it takes too
  ReleaseSet open = 0;               // of those: that take keys which they do not name
  bool is_call = false;              // configs name it and state its arguments
  std::vector<TakenKey> keys;        // sorted by name

  const TakenKey* find(std::string_view key) const;
};

/// What releases of a package ask for beside them.
struct NeededPackage {
  std::string name;         // in the index, or of conda
  std::string least;        // the oldest release of it that will do
  ReleaseSet releases = 0;  // of the package, that ask for this
};

struct PackageKeys {
  static constexpr DataKind kKind = DataKind::catalogue;

  std::string id;  // its name in the index
  std::string summary;
  std::string read;                   // date
  std::vector<std::string> releases;  // the oldest first
  std::vector<std::string> also;      // further names that requirements have for it
  std::vector<NeededPackage> needs;
  std::vector<std::string> modules;   // by which its calls are named; "a.*" = whatever lies below a
  std::vector<KeyTable> tables;       // sorted by name
  std::vector<std::string> sources;

  const KeyTable* table(std::string_view name) const;
  ReleaseSet all() const;
  /// "4.46.3", the newest of a set that is not empty.
  std::string_view newest(ReleaseSet releases) const;
  std::string_view oldest(ReleaseSet releases) const;

  static Result<PackageKeys> parse(const Document& document);
};

}  // namespace gpulint
