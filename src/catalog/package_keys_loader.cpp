#include "base/text.h"
#include "catalog/package_keys.h"
#include "catalog/strict_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <utility>

namespace gpulint {
namespace {

constexpr std::array<std::string_view, 7> kKeyTypes = {"bool", "int",     "float", "str",
                                                       "list", "mapping", "any"};

/// Reads the tables of one package.
class PackageReader {
 public:
  PackageReader(Complaints& complaints, PackageKeys& package)
      : complaints_(complaints), package_(package) {}

  void read_tables(NodeId node) {
    for (const auto& [name, value] : read_entries(complaints_, node)) {
      StrictMapping mapping(complaints_, value);
      KeyTable& table = package_.tables.emplace_back();
      table.name = name;
      table.file = read_word(complaints_, mapping.need("file"));
      table.releases = span(mapping.find("since"), mapping.find("until"), package_.all());
      table.extends = read_words(complaints_, mapping.find("extends"));
      const bool is_open = read_boolean(complaints_, mapping.find("open")).value_or(false);
      const ReleaseSet opened =
          span(mapping.find("open_since"), mapping.find("open_until"), table.releases);
      if (is_open) table.open = opened;
      table.is_call = read_boolean(complaints_, mapping.find("call")).value_or(false);
      read_keys(mapping.find("keys"), table);
      mapping.refuse_unknown_keys();
    }
    const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
    std::sort(package_.tables.begin(), package_.tables.end(), by_name);
    for (KeyTable& table : package_.tables) {
      std::sort(table.keys.begin(), table.keys.end(), by_name);
    }
  }

  /// `torch: {"1.7.7": "1.9"}`: from that release on, up to the next that is named.
  void read_needs(NodeId node) {
    if (node == kNoNode) return;
    for (const auto& [name, value] : read_entries(complaints_, node)) {
      const std::size_t first = package_.needs.size();
      for (const auto& [since, least] : read_entries(complaints_, value)) {
        NeededPackage& need = package_.needs.emplace_back();
        need.name = name;
        need.least = read_word(complaints_, least);
        need.releases = from(value, since) & package_.all();
        for (std::size_t i = first; i + 1 < package_.needs.size(); ++i)
          package_.needs[i].releases &= ~need.releases;
      }
    }
  }

 private:
  void read_keys(NodeId node, KeyTable& table) {
    if (node == kNoNode || is_null(complaints_.document(), node)) return;
    for (const auto& [name, value] : read_entries(complaints_, node)) {
      TakenKey& key = table.keys.emplace_back();
      key.name = name;
      key.releases = table.releases;
      read_key(value, key);
    }
  }

  /// There are thousands of these, so each is read in one pass.
  void read_key(NodeId node, TakenKey& key) {
    NodeId since = kNoNode;
    NodeId until = kNoNode;
    NodeId choices = kNoNode;
    NodeId former_defaults = kNoNode;
    NodeId deprecated = kNoNode;
    for (const auto& [name, value] : read_entries(complaints_, node)) {
      if (name == "type") {
        key.types = read_words(complaints_, value);
        for (const std::string& type : key.types) check_type(value, type);
      } else if (name == "default") {
        key.default_value = complaints_.document().scalar(value);
      } else if (name == "was") {
        former_defaults = value;
      } else if (name == "since") {
        since = value;
      } else if (name == "until") {
        until = value;
      } else if (name == "choices") {
        choices = value;
      } else if (name == "checked") {
        key.checked = read_boolean(complaints_, value).value_or(false);
      } else if (name == "low") {
        key.low = number(value);
      } else if (name == "high") {
        key.high = number(value);
      } else if (name == "table") {
        key.table = read_word(complaints_, value);
      } else if (name == "now") {
        key.now = read_word(complaints_, value);
      } else if (name == "deprecated") {
        deprecated = value;
      } else {
        complaints_.about(value, "unknown key");
      }
    }
    key.releases = span(since, until, key.releases);
    key.choices = read_choices(choices, key.releases);
    key.former_defaults = read_choices(former_defaults, key.releases);
    if (deprecated != kNoNode) key.deprecated = span(deprecated, kNoNode, key.releases);
  }

  void check_type(NodeId node, const std::string& type) {
    if (std::find(kKeyTypes.begin(), kKeyTypes.end(), type) == kKeyTypes.end()) {
      complaints_.about(node, "unknown type \"" + type + "\"" + did_you_mean(type, kKeyTypes));
    }
  }

  /// "name", "name >=4.40.2", "name <=4.57.6".
  std::vector<TakenChoice> read_choices(NodeId node, ReleaseSet within) {
    std::vector<TakenChoice> choices;
    if (node == kNoNode) return choices;
    for (const NodeId item : read_items(complaints_, node)) {
      const std::vector<std::string_view> words = split(complaints_.document().scalar(item), ' ');
      TakenChoice& choice = choices.emplace_back();
      choice.name = words.front();
      choice.releases = within;
      for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i].starts_with(">=")) {
          choice.releases &= from(item, words[i].substr(2));
        } else if (words[i].starts_with("<=")) {
          choice.releases &= up_to(item, words[i].substr(2));
        } else {
          choice.name += ' ';
          choice.name += words[i];
        }
      }
    }
    return choices;
  }

  std::optional<double> number(NodeId node) {
    if (node == kNoNode) return std::nullopt;
    const std::string text(read_word(complaints_, node));
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0') complaints_.about(node, "expected a number");
    return value;
  }

  ReleaseSet span(NodeId since, NodeId until, ReleaseSet within) {
    if (since != kNoNode) within &= from(since, read_word(complaints_, since));
    if (until != kNoNode) within &= up_to(until, read_word(complaints_, until));
    return within;
  }

  ReleaseSet from(NodeId node, std::string_view release) {
    return ~((ReleaseSet{1} << index(node, release)) - 1);
  }
  ReleaseSet up_to(NodeId node, std::string_view release) {
    const std::size_t last = index(node, release);
    return last + 1 >= kMostReleases ? ~ReleaseSet{0} : (ReleaseSet{1} << (last + 1)) - 1;
  }

  std::size_t index(NodeId node, std::string_view release) {
    const auto found = std::find(package_.releases.begin(), package_.releases.end(), release);
    if (found == package_.releases.end()) {
      complaints_.about(node, "\"releases\" does not list " + std::string(release));
      return 0;
    }
    return static_cast<std::size_t>(found - package_.releases.begin());
  }

  Complaints& complaints_;
  PackageKeys& package_;
};

}  // namespace

const TakenKey* KeyTable::find(std::string_view key) const {
  const auto found = std::lower_bound(
      keys.begin(), keys.end(), key,
      [](const TakenKey& each, std::string_view wanted) { return each.name < wanted; });
  return found != keys.end() && found->name == key ? &*found : nullptr;
}

const KeyTable* PackageKeys::table(std::string_view name) const {
  const auto found = std::lower_bound(
      tables.begin(), tables.end(), name,
      [](const KeyTable& each, std::string_view wanted) { return each.name < wanted; });
  return found != tables.end() && found->name == name ? &*found : nullptr;
}

ReleaseSet PackageKeys::all() const {
  return releases.size() >= kMostReleases ? ~ReleaseSet{0} : (ReleaseSet{1} << releases.size()) - 1;
}

std::string_view PackageKeys::newest(ReleaseSet set) const {
  return releases[static_cast<std::size_t>(std::bit_width(set)) - 1];
}

std::string_view PackageKeys::oldest(ReleaseSet set) const {
  return releases[static_cast<std::size_t>(std::countr_zero(set))];
}

Result<PackageKeys> PackageKeys::parse(const Document& document) {
  Complaints complaints(document);
  if (document.root() == kNoNode) complaints.at(0, 0, "the file is empty; expected a package");
  StrictMapping file(complaints, document.root());
  PackageKeys package;
  package.id = stem_of(document.path());
  package.summary = read_word(complaints, file.need("summary"));
  package.read = read_word(complaints, file.need("read"));
  const NodeId releases = file.need("releases");
  package.releases = read_words(complaints, releases);
  if (package.releases.empty() || package.releases.size() > kMostReleases) {
    complaints.about(releases, "expected 1 to 64 releases");
    return std::move(complaints).finish(std::move(package));
  }
  package.also = read_words(complaints, file.find("also"));
  package.modules = read_words(complaints, file.find("modules"));
  PackageReader(complaints, package).read_needs(file.find("needs"));
  if (const NodeId tables = file.need("tables"); tables != kNoNode) {
    PackageReader(complaints, package).read_tables(tables);
  }
  package.sources = read_words(complaints, file.need("sources"));
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(package));
}

}  // namespace gpulint
