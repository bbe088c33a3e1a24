// Keys held against what released packages take. What may be wrong about a key is decided in the
// order of certainty: no release takes it, none that the project allows does, no release takes it
// together with another key, or its value is none that the package accepts. The project's own code
// may add keys to those of a framework or take them out before the framework sees them, so a key
// that the code names is left alone; that is asked last, because it reads all of the code.

#include "plan/catalogue_keys.h"

#include "base/text.h"
#include "catalog/launcher.h"
#include "code/code_base.h"
#include "plan/allowed_releases.h"
#include "plan/called_tables.h"
#include "plan/misspelt_keys.h"
#include "plan/native_value.h"
#include "plan/taken_keys.h"
#include "plan/taken_values.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

namespace gpulint {
namespace {

/// A mapping that is read into tables.
struct JudgedMapping {
  NodeId node = kNoNode;
  const TakenKeys* taken = nullptr;
  std::string raises = {};                               // "" = nobody is known to refuse a key
  std::string label = {};                                // what takes the keys
  const std::vector<std::string>* also_known = nullptr;  // keys of the dialect's own file
  bool checks_values = true;                             // CatalogueUse
};

struct JudgedKey {
  NodeId key = kNoNode;
  NodeId value = kNoNode;
  std::string name;
  std::vector<TakenBy> by;
};

bool is_key_name(std::string_view name) {
  return !name.empty() && name.front() != '_' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool stands_for_another(std::string_view text) {
  return text.empty() || text == "auto" || text.find_first_of("$?{<%@") != std::string_view::npos;
}

class CatalogueObserver {
 public:
  CatalogueObserver(const CatalogueTerms& terms, std::vector<Observation>& observations)
      : terms_(terms), document_(terms.keys.document()), observations_(observations) {}

  void observe() {
    for (const CatalogueUse& use : terms_.dialect.mapping->catalogue) observe_use(use);
    for (const CalledTable& call : called_tables(document_, terms_.catalog)) observe_call(call);
  }

 private:
  void observe_use(const CatalogueUse& use) {
    std::optional<TakenKeys> taken;
    for (const auto& [under, node] : sections_of(terms_, use)) {
      if (!taken) {
        taken.emplace(terms_.catalog);
        for (const std::string& table : use.tables) taken->add(table);
      }
      if (taken->empty()) return;
      const KnownKeys& known = *terms_.dialect.mapping->known_keys;
      const auto own = known.find(under);
      const auto* also = own == known.end() ? nullptr : &own->second;
      const std::string& label = under.empty() ? taken->package().id : under;
      judge({node, &*taken, use.raises, label, also, use.checks_values});
    }
  }

  void observe_call(const CalledTable& call) {
    TakenKeys taken(terms_.catalog);
    taken.add(*call.package, *call.table);
    const std::string signature =
        fmt::format("{}, {}, {}", call.package->id, call.table->file, call.table->name);
    judge({call.arguments, &taken, call.is_loose ? "" : signature, call.target});
  }

  void judge(const JudgedMapping& mapping) {
    const std::vector<JudgedKey> keys = keys_of(mapping);
    note_installer(keys);
    for (const JudgedKey& key : keys) {
      if (key.by.empty()) {
        judge_unknown(mapping, key, keys);
      } else if (!judge_releases(key, keys)) {
        judge_value(mapping, key);
        judge_nested(mapping, key);
      }
    }
    judge_mixture(keys);
  }

  std::vector<JudgedKey> keys_of(const JudgedMapping& mapping) const {
    std::vector<JudgedKey> keys;
    for (NodeId child = document_.node(mapping.node).first_child; child != kNoNode;
         child = document_.node(child).next_sibling) {
      const NodeId key = document_.node(child).key;
      if (key == kNoNode || document_.kind(key) != NodeKind::scalar) continue;
      std::string name(document_.scalar(key));
      const bool is_shell = document_.format() == Format::shell;
      if (is_shell) name = compared_spelling(name);
      const bool is_mapping = document_.kind(document_.resolve(child)) == NodeKind::mapping;
      const bool holds_variables = is_shell && is_mapping && name == kVariablesKey;  // no flags
      if (!is_key_name(name) || holds_variables) continue;
      std::vector<TakenBy> by = mapping.taken->find(name);
      keys.push_back({key, child, std::move(name), std::move(by)});
    }
    return keys;
  }

  void judge_unknown(const JudgedMapping& mapping, const JudgedKey& key,
                     const std::vector<JudgedKey>& keys) {
    if (mapping.taken->is_open()) return;
    for (const PackageKeys* package : mapping.taken->packages()) {
      if (allowed_of(*package).set == 0) return;  // of a release that nobody read
    }
    const std::string compared = compared_spelling(key.name);
    const auto* known = mapping.also_known;
    if (known != nullptr && std::binary_search(known->begin(), known->end(), compared)) return;
    const std::vector<std::string>& names = mapping.taken->names();
    if (document_.format() == Format::shell && may_be_flag(key, names)) return;
    const std::string meant = meant_by(compared, names, keys);
    if ((meant.empty() && mapping.raises.empty()) || is_named(key.name)) return;
    if (mapping.raises.empty()) {
      if (!is_observed("misspelt_keys", key)) add("misspelt_keys", key).detail = meant;
      return;
    }
    std::erase_if(observations_, [&](const Observation& item) {
      return item.list == "misspelt_keys" && item.span == document_.span(key.key);
    });
    // A key that resembles none may be of a release newer than those that were read; on a command
    // line, of a fork that is installed elsewhere.
    const bool is_certain = !meant.empty() || are_bounded(mapping.taken->packages());
    if (!is_certain && document_.format() == Format::shell) return;
    const std::string_view list = is_certain ? "refused_keys" : "unknown_keys";
    if (is_observed(list, key)) return;
    Observation& item = add(list, key);
    item.value = mapping.label;
    item.detail = mapping.raises;
    if (!meant.empty()) item.fact = fmt::format("write {}", meant);
    if (is_certain) return;
    const PackageKeys& package = mapping.taken->package();
    item.fact = fmt::format("{} {}", package.id, package.releases.back());
  }

  /// The key that a slip of the keyboard made `compared` of, as the package spells it.
  static std::string meant_by(std::string_view compared, const std::vector<std::string>& names,
                              const std::vector<JudgedKey>& keys) {
    std::vector<std::string> present;
    for (const JudgedKey& each : keys) present.push_back(compared_spelling(each.name));
    for (const std::string& name : names) {
      if (!slip_of({compared_spelling(name)}, compared, present).empty()) return name;
    }
    return {};
  }

  /// Any program may have flags of its own, so only those that are known are asked. argparse takes
  /// the beginning of a flag's name for it, `no_` turns a switch off, Hydra's `+` adds a key.
  bool may_be_flag(const JudgedKey& key, const std::vector<std::string>& names) const {
    constexpr std::size_t kShortestFlag = 3;
    constexpr std::string_view kNegation = "no_";
    if (!terms_.is_program) return true;
    std::string_view flag = key.name;
    if (flag.size() < kShortestFlag || document_.kind(key.value) == NodeKind::mapping) return true;
    const std::uint32_t begin = document_.node(key.key).begin;
    if (begin > 0 && document_.text()[begin - 1] == '+') return true;
    const std::string negated = std::string(kNegation) + key.name;  // of a switch `--no-x`, the `x`
    if (flag.starts_with(kNegation)) flag.remove_prefix(kNegation.size());
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      const std::string known = compared_spelling(name);
      return known.starts_with(key.name) || known == flag || known == negated;
    });
  }

  bool are_bounded(const std::vector<const PackageKeys*>& packages) {
    return std::all_of(packages.begin(), packages.end(),
                       [&](const PackageKeys* package) { return allowed_of(*package).is_bounded; });
  }

  /// True when no release, or not the newest, that the project allows takes the key.
  bool judge_releases(const JudgedKey& key, const std::vector<JudgedKey>& keys) {
    if (key.by.size() != 1) return false;
    const TakenBy& by = key.by.front();
    const std::string now = replacement(by, keys);
    return judge_span(key, by, by.releases, {key.name, fmt::format("`{}`", key.name), now});
  }

  /// A key, or one of its values, that some releases take.
  struct TakenWord {
    std::string word;
    std::string shown;
    std::string now;  // what took its place; "" = nothing that is known
  };
  bool judge_span(const JudgedKey& key, const TakenBy& by, ReleaseSet releases,
                  const TakenWord& taken) {
    if (releases == by.package->all()) return false;
    const ReleaseSet stated = releases;
    releases |= by.unknown;
    const AllowedReleases& allowed = allowed_of(*by.package);
    if (allowed.statement.empty() || allowed.set == 0) return false;
    if (stated == 0 || newest_is_in(*by.package, allowed.set, releases)) return false;
    if (is_named(taken.word)) return false;
    if (installer_ != nullptr && installer_ != by.package) return false;
    const bool is_certain = (allowed.set & releases) == 0;
    // Of a release between two that were read nobody knows on which side of a change it is, and a
    // pinned one allows no newer ones.
    if (!is_certain && (allowed.is_between || std::has_single_bit(allowed.set))) return false;
    Observation& item = add(is_certain ? "outdated_keys" : "vanishing_keys", key);
    item.name = taken.shown;
    item.value = fmt::format("{} {}", by.package->id, span_text(*by.package, stated));
    item.detail = fmt::format("{} {}", allowed.statement,
                              is_certain ? "requires others" : "allows newer ones");
    if (!taken.now.empty()) item.detail += fmt::format("; write `{}`", taken.now);
    return true;
  }

  /// A package that alone takes several of the keys, and that the project does not name among what
  /// it needs, is installed elsewhere: with the releases of the others that it asks for itself.
  void note_installer(const std::vector<JudgedKey>& keys) {
    constexpr int kFewestKeys = 3;
    installer_ = nullptr;
    if (terms_.run == nullptr) return;
    std::map<const PackageKeys*, int> alone;
    for (const JudgedKey& key : keys) {
      if (key.by.size() == 1 && key.name.size() > 2) ++alone[key.by.front().package];
    }
    for (const auto& [package, count] : alone) {
      if (count < kFewestKeys || alone.size() < 2 || is_required(*terms_.run, package->id))
        continue;
      if (installer_ == nullptr || count > alone[installer_]) installer_ = package;
    }
  }

  std::string replacement(const TakenBy& by, const std::vector<JudgedKey>& keys) const {
    for (const TakenKey* entry : by.entries) {
      const bool stands = std::any_of(
          keys.begin(), keys.end(), [&](const JudgedKey& each) { return each.name == entry->now; });
      if (!entry->now.empty() && !stands) return entry->now;
    }
    return {};
  }

  /// Two keys that no release takes together.
  void judge_mixture(const std::vector<JudgedKey>& keys) {
    for (const JudgedKey& older : keys) {
      if (older.by.size() != 1) continue;
      const TakenBy& by = older.by.front();
      if (by.releases == by.package->all()) continue;
      for (const JudgedKey& newer : keys) {
        if (newer.by.size() != 1 || newer.by.front().package != by.package) continue;
        const ReleaseSet releases = newer.by.front().releases;
        const bool meet = ((by.releases | by.unknown) & (releases | newer.by.front().unknown)) != 0;
        if (meet || by.releases > releases || may_overlap(*by.package, by.releases, releases) ||
            allowed_of(*by.package).set == 0 || is_observed("outdated_keys", older) ||
            is_observed("outdated_keys", newer) || is_named(older.name) || is_named(newer.name)) {
          continue;
        }
        Observation& item = add("mixed_releases", older);
        item.value = fmt::format("{} {}", by.package->id, span_text(*by.package, by.releases));
        item.other = document_.span(newer.key);
        item.detail = fmt::format("`{}` {}", newer.name, span_text(*by.package, releases));
        break;
      }
    }
  }

  void judge_value(const JudgedMapping& mapping, const JudgedKey& key) {
    const NativeValue native = read_native(document_, key.value);
    if (!native.reference.empty() || native.state != NativeValue::State::text) return;
    if (stands_for_another(native.text)) return;
    if (takes_choices(key.by)) {
      judge_choice(mapping, key, native.text);
    } else if (!mapping.raises.empty() && mapping.checks_values && key.by.size() == 1) {
      judge_number(mapping, key, native.text);
    }
  }

  /// The project asks for a release that nobody read.
  bool may_be_another(const JudgedKey& key) {
    return std::any_of(key.by.begin(), key.by.end(),
                       [&](const TakenBy& by) { return allowed_of(*by.package).set == 0; });
  }

  void judge_choice(const JudgedMapping& mapping, const JudgedKey& key, const std::string& text) {
    if (lenient_boolean(text) && !lenient_number(text)) return;  // `no` is a word or a switch
    const TakenBy& by = key.by.front();
    const TakenChoices choices = choices_of(key.by, text);
    const bool is_checked = choices.are_checked || !mapping.raises.empty();
    if (choices.releases != 0) {
      if (key.by.size() == 1 && is_checked) {
        judge_span(key, by, choices.releases, {text, fmt::format("`{}: {}`", key.name, text), {}});
      }
      return;
    }
    if (!is_checked || is_observed("refused_values", key) || may_be_another(key)) return;
    if (is_named(text)) return;
    Observation& item = add("refused_values", key);
    item.value = text;
    item.span = document_.span(key.value);
    item.detail = fmt::format("{} takes {}", by.package->id, words_taken(choices, text));
  }

  void judge_number(const JudgedMapping& mapping, const JudgedKey& key, const std::string& text) {
    const std::string expected = expected_number(key.by.front(), text);
    if (expected.empty() || is_observed("refused_values", key) || may_be_another(key)) return;
    Observation& item = add("refused_values", key);
    item.value = text;
    item.span = document_.span(key.value);
    item.detail = fmt::format("expected {} ({})", expected, mapping.raises);
  }

  void judge_nested(const JudgedMapping& mapping, const JudgedKey& key) {
    const NodeId value = document_.resolve(key.value);
    if (key.by.size() != 1 || document_.kind(value) != NodeKind::mapping) return;
    const TakenBy& by = key.by.front();
    const std::string& name = by.entries.front()->table;
    const bool is_one = std::all_of(by.entries.begin(), by.entries.end(),
                                    [&](const TakenKey* entry) { return entry->table == name; });
    const KeyTable* table = name.empty() || !is_one ? nullptr : by.package->table(name);
    if (table == nullptr || names_call(document_, value, terms_.catalog)) return;
    TakenKeys taken(terms_.catalog);
    taken.add(*by.package, *table);
    judge({value, &taken, mapping.raises, key.name, nullptr, mapping.checks_values});
  }

  Observation& add(std::string_view list, const JudgedKey& key) {
    Observation& item = observations_.emplace_back();
    item.list = list;
    item.span = document_.span(key.key);
    item.pointer = document_.pointer(key.value);
    item.name = key.name;
    return item;
  }

  bool is_observed(std::string_view list, const JudgedKey& key) const {
    const std::string pointer = document_.pointer(key.value);
    return std::any_of(observations_.begin(), observations_.end(), [&](const Observation& item) {
      return item.list == list && item.pointer == pointer;
    });
  }

  /// The project's own code names it.
  bool is_named(std::string_view word) const {
    return terms_.run != nullptr && terms_.run->project() != nullptr &&
           terms_.run->project()->names(terms_.run->root(), word);
  }

  const AllowedReleases& allowed_of(const PackageKeys& package) {
    const auto known = allowed_.find(&package);
    if (known != allowed_.end()) return known->second;
    AllowedReleases allowed{package.all(), false, {}};
    if (terms_.run != nullptr) allowed = allowed_releases(*terms_.run, package);
    return allowed_.emplace(&package, std::move(allowed)).first->second;
  }

  const CatalogueTerms& terms_;
  const Document& document_;
  std::vector<Observation>& observations_;
  const PackageKeys* installer_ = nullptr;  // note_installer()
  std::map<const PackageKeys*, AllowedReleases> allowed_;
};

}  // namespace

void observe_catalogue(const CatalogueTerms& terms, std::vector<Observation>& observations) {
  CatalogueObserver(terms, observations).observe();
}

}  // namespace gpulint
