// A key that nobody reads looks like a setting and is none. Whether code reads a key cannot be
// known in general (`Net(**cfg)`, `for name in cfg`), so a key is suspected only in a mapping whose
// other keys the code names nearly all, that is never unpacked or handed to code outside the
// project, and in a config that a script of the project was seen to load. What counts as reading is
// wide (code/key_words.h).

#include "plan/dead_keys.h"

#include "base/text.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostDead = 6;     // of one file; more are read in a way nobody sees
constexpr std::size_t kFewestNamed = 4;  // keys of a mapping that the code names
constexpr std::size_t kNamedForOneDead = 4;
constexpr std::size_t kFewestReached = 2;  // keys of a mapping that a script comes to
constexpr int kDeepestSection = 8;

bool is_plain_name(std::string_view key) {
  return key.size() >= 3 && is_name_start(key.front()) && key.front() != '_' &&
         std::all_of(key.begin(), key.end(), [](char c) { return is_name_part(c) || c == '-'; });
}

void add_below(const Document& document, NodeId value, std::vector<NodeId>& all) {
  all.push_back(value);
  if (document.kind(value) != NodeKind::mapping) return;
  for (NodeId child = document.node(value).first_child; child != kNoNode;
       child = document.node(child).next_sibling) {
    if (document.node(child).key != kNoNode) add_below(document, child, all);
  }
}

/// What stands in a text as something that is referred to: `${section.key}`, `*key`, `%(key)s`.
/// Looked for once, because a long config has a thousand keys to ask for.
class ReferredNames {
 public:
  explicit ReferredNames(std::string_view text) {
    for (std::size_t at = text.find_first_of(kBefore); at != std::string_view::npos;
         at = text.find_first_of(kBefore, at + 1)) {
      begun_.push_back(text.substr(at + 1, kLongest));
    }
    for (std::size_t at = text.find('}'); at != std::string_view::npos;
         at = text.find('}', at + 1)) {
      const std::size_t begin = at - std::min(at, kLongest);
      ended_.emplace_back(text.substr(begin, at - begin));
      std::reverse(ended_.back().begin(), ended_.back().end());
    }
    std::sort(begun_.begin(), begun_.end());
    std::sort(ended_.begin(), ended_.end());
  }

  /// In this file or in one that includes it. A name longer than any real one is taken for one.
  bool may_have(std::string_view name) const {
    if (name.size() > kLongest) return true;
    const auto begins_one = [](const auto& sorted, std::string_view beginning) {
      const auto first = std::lower_bound(sorted.begin(), sorted.end(), beginning);
      return first != sorted.end() && first->starts_with(beginning);
    };
    return begins_one(begun_, name) || begins_one(ended_, std::string(name.rbegin(), name.rend()));
  }

 private:
  static constexpr std::string_view kBefore = "{.*%@";
  static constexpr std::size_t kLongest = 64;
  std::vector<std::string_view> begun_;  // what follows such a character
  std::vector<std::string> ended_;       // what stands before a brace that closes, backwards
};

/// Keys of a run's config that mean something to whoever wrote them.
class SettingReader {
 public:
  SettingReader(const Run& run, const Catalog& catalog, FileId file)
      : run_(run),
        document_(run.document()),
        file_(file),
        referred_(document_.text()),
        descriptive_(catalog.words("descriptive-keys")),
        of_classes_(catalog.words("class-keys")),
        config_names_(catalog.words("config-names")) {}

 protected:
  struct Key {
    NodeId node = kNoNode;  // the value
    std::string name;
    bool is_read = false;
  };

  /// Of a mapping; nullopt where a key of it is no plain text.
  std::optional<std::vector<Key>> keys_of(NodeId mapping) const {
    std::vector<Key> keys;
    for (NodeId child = document_.node(mapping).first_child; child != kNoNode;
         child = document_.node(child).next_sibling) {
      const NodeId key = document_.node(child).key;
      if (key == kNoNode || document_.kind(key) != NodeKind::scalar) return std::nullopt;
      keys.push_back({child, std::string(document_.scalar(key))});
    }
    return keys;
  }

  /// What `walk`, which is given a mapping, its key and its depth, finds in the whole file.
  template <typename Walk>
  std::vector<Observation> from_top(const Walk& walk) {
    const NodeId root = document_.resolve(document_.root());
    if (root != kNoNode && document_.kind(root) == NodeKind::mapping)
      walk(root, std::string_view(), 0);
    if (found_.size() > kMostDead) found_.clear();
    return std::move(found_);
  }

  /// Goes on in the mappings of keys that are read.
  template <typename Walk>
  void go_below(const std::vector<Key>& keys, int depth, const Walk& walk) const {
    for (const Key& each : keys) {
      const NodeId value = document_.resolve(each.node);
      const bool is_section = value != kNoNode && document_.kind(value) == NodeKind::mapping &&
                              !is_descriptive(each.name);
      if (each.is_read && is_section) walk(value, std::string_view(each.name), depth + 1);
    }
  }

  bool names_a_class(const std::vector<Key>& keys) const {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const Key& each) { return contains(of_classes_, each.name); });
  }

  /// Its keys, or with no section all of the file's, are handed over by name: `**cfg`.
  bool is_unpacked(const KeyWords& words, std::string_view section) const {
    if (!section.empty()) return words.unpacked.contains(to_lower(section));
    return std::any_of(config_names_.begin(), config_names_.end(),
                       [&](const std::string& name) { return words.unpacked.contains(name); });
  }

  /// A setting that is left empty or off changes nothing where somebody reads it either, nor does
  /// one that a command has to fill in (`???`).
  bool means_something(const Key& key) const {
    if (!may_mean_something(key)) return false;
    const NodeId value = document_.resolve(key.node);
    return value != kNoNode && document_.kind(value) == NodeKind::scalar && is_on(value);
  }

  /// Whoever reads the key reads it by its name: no alias leads to what it holds.
  bool says_something(const Key& key) const {
    return is_plain_name(key.name) && document_.anchor(key.node).empty() &&
           document_.resolve(key.node) == key.node && !is_referred_to(key.name);
  }

  bool is_descriptive(std::string_view name) const {
    const std::string word = to_lower(name);
    return std::any_of(descriptive_.begin(), descriptive_.end(), [&](const std::string& each) {
      return each == word || (each.starts_with('_') && word.ends_with(each)) ||
             (each.ends_with('_') && word.starts_with(each));
    });
  }

  bool may_mean_something(const Key& key) const {
    if (!is_plain_name(key.name) || is_descriptive(key.name)) return false;
    if (document_.span(key.node).file != file_) return false;
    return document_.anchor(key.node).empty() && !is_referred_to(key.name);
  }

  bool is_on(NodeId scalar) const {
    const std::string text = to_lower(trim(document_.scalar(scalar)));
    return !text.empty() && text != "???" && text != "null" && text != "~" && text != "none" &&
           text != "false" && text != "no" && text != "off" && text != "0";
  }

  bool is_referred_to(const std::string& name) const { return referred_.may_have(name); }

  bool is_handed_on(NodeId mapping) const {
    const SourceSpan span = document_.span(mapping);
    const auto& handed_on = run_.code().handed_on;
    return std::find(handed_on.begin(), handed_on.end(), span) != handed_on.end();
  }

  Observation& add(std::string_view list, const Key& key) {
    const NodeId name = document_.node(key.node).key;
    Observation& item = found_.emplace_back();
    item.list = list;
    item.span = document_.span(name);
    item.pointer = document_.pointer(key.node);
    item.name = key.name;
    const NodeId value = document_.resolve(key.node);
    if (document_.kind(value) == NodeKind::scalar) item.value = document_.scalar(value);
    return item;
  }

  const Run& run_;
  const Document& document_;
  FileId file_;  // whose keys are judged
  ReferredNames referred_;
  const std::vector<std::string>& descriptive_;   // keys that nobody has to read
  const std::vector<std::string>& of_classes_;    // keys whose mapping is given whole to a class
  const std::vector<std::string>& config_names_;  // what programs call a config
  std::vector<Observation> found_;
};

/// Keys that no code around the scripts has a word of.
class DeadKeyReader : SettingReader {
 public:
  DeadKeyReader(const Run& run, const KeyWords& words, const Catalog& catalog)
      : SettingReader(run, catalog, run.document().file()), words_(words) {}

  DeadKeys read() {
    DeadKeys found;
    found.observations = from_top([this](auto... place) { walk(place...); });
    // Those that are off count for nothing, where those that are on are few enough to be sure of.
    if (found.observations.empty() && dead_.size() > kMostDead) dead_.clear();
    for (const NodeId top : dead_) add_below(document_, top, found.values);
    std::sort(found.values.begin(), found.values.end());
    return found;
  }

 private:
  void walk(NodeId mapping, std::string_view section, int depth) {
    if (depth > kDeepestSection || is_handed_on(mapping)) return;
    std::optional<std::vector<Key>> keys = keys_of(mapping);
    if (!keys) return;
    for (Key& each : *keys) {
      each.is_read = words_.may_read(each.name) || is_handed_on(each.node) ||
                     is_referred_to(each.name);  // by a key that is read
    }
    if (!names_a_class(*keys) && !is_unpacked(words_, section)) judge(*keys);
    go_below(*keys, depth, [this](auto... place) { walk(place...); });
  }

  void judge(const std::vector<Key>& keys) {
    const auto named = static_cast<std::size_t>(
        std::count_if(keys.begin(), keys.end(), [](const Key& each) { return each.is_read; }));
    const std::size_t dead = keys.size() - named;
    if (dead == 0 || named < kFewestNamed || named < dead * kNamedForOneDead) return;
    for (const Key& each : keys) {
      if (!each.is_read && says_something(each)) dead_.push_back(document_.resolve(each.node));
      if (!each.is_read && means_something(each)) {
        add("dead_keys", each).detail = slip(each.name, keys);
      }
    }
  }

  /// What follows, and the word of the code that was meant: none that stands `beside` it already.
  std::string slip(const std::string& name, const std::vector<Key>& beside) const {
    constexpr std::size_t kShortest = 6;
    std::string best;
    if (name.size() < kShortest) return "has no effect";
    for (const std::string& word : words_.read) {
      if (word.size() + 2 < name.size() || word.size() > name.size() + 2) continue;
      const std::size_t distance = edit_distance(word, to_lower(name), 2);
      const auto digit = [](char c) { return c >= '0' && c <= '9'; };
      if (std::any_of(name.begin(), name.end(), digit) ||
          std::any_of(word.begin(), word.end(), digit)) {
        continue;  // another number is another thing
      }
      const auto is_word = [&](const Key& key) { return equals_ignoring_case(key.name, word); };
      if (std::any_of(beside.begin(), beside.end(), is_word)) continue;
      if (distance <= (name.size() >= 9 ? 2U : 1U) && (best.empty() || word < best)) best = word;
    }
    return best.empty() ? "has no effect" : "has no effect; did you mean `" + best + "`?";
  }

  const KeyWords& words_;
  std::vector<NodeId> dead_;  // of any file of the run, and also those that are off
};

/// Keys that the scripts, followed with the values at hand, never come to.
class UnreachedKeyReader : SettingReader {
 public:
  /// `without`: the run without the option that `file` is; nullptr: it is the config itself.
  UnreachedKeyReader(const Run& run, const Catalog& catalog, FileId file, const Document* without)
      : SettingReader(run, catalog, file), reads_(run.code().reads), without_(without) {}

  std::vector<Observation> read() {
    return from_top([this](auto... place) { walk(place...); });
  }

 private:
  void walk(NodeId mapping, std::string_view section, int depth) {
    if (depth > kDeepestSection || is_handed_on(mapping)) return;
    std::optional<std::vector<Key>> keys = keys_of(mapping);
    if (!keys || names_a_class(*keys) || is_unpacked(reads_.words, section)) return;
    for (Key& each : *keys) each.is_read = is_looked_at(document_.resolve(each.node));
    judge(*keys, depth == 0);
    go_below(*keys, depth, [this](auto... place) { walk(place...); });
  }

  void judge(const std::vector<Key>& keys, bool is_top) {
    const auto read = static_cast<std::size_t>(
        std::count_if(keys.begin(), keys.end(), [](const Key& each) { return each.is_read; }));
    if (read < kFewestReached) return;
    for (const Key& each : keys) {
      if (each.is_read || reads_.words.may_read(each.name)) continue;
      const bool is_section = is_section_switched_on(each) || (is_top && is_added(each));
      if (!is_section && !means_something(each)) continue;
      Observation& item = add("unreached_keys", each);
      item.fact = "this config";
      item.detail = reads_.script;
      if (is_section) item.value = "what stands below it";
    }
  }

  /// `mixup: {enabled: true, ...}`.
  bool is_section_switched_on(const Key& key) const {
    const NodeId value = document_.resolve(key.node);
    if (value == kNoNode || document_.kind(value) != NodeKind::mapping || !may_mean_something(key))
      return false;
    for (const Member& member : document_.members(value)) {
      const std::string_view name = document_.scalar(document_.resolve(member.key));
      const NodeId state = document_.resolve(member.value);
      const bool is_switch = name == "enabled" || name == "enable";
      if (is_switch && document_.kind(state) == NodeKind::scalar) return is_on(state);
    }
    return false;
  }

  /// A section that an option adds to its run, which has none of its name to override.
  bool is_added(const Key& key) const {
    const NodeId value = document_.resolve(key.node);
    return without_ != nullptr && value != kNoNode && document_.kind(value) == NodeKind::mapping &&
           may_mean_something(key) && without_->find(without_->root(), key.name) == kNoNode &&
           !document_.members(value).empty();
  }

  bool is_looked_at(NodeId value) const {
    return value == kNoNode || std::binary_search(reads_.looked_at.begin(), reads_.looked_at.end(),
                                                  document_.span(value));
  }

  const KeyReads& reads_;
  const Document* without_;
};

/// nullptr where no script was seen to load the config, or not all code around it is known.
const KeyWords* words_around(const Run& run) {
  const CodeReading& code = run.code();
  const bool is_read = !code.scripts.empty() && !code.truncated && !code.is_of_sibling;
  if (run.project() == nullptr || !is_read) return nullptr;
  const Format format = run.document().format();
  if (format != Format::yaml && format != Format::json && format != Format::toml) return nullptr;
  return run.project()->key_words(run.root(), code.scope);
}

std::vector<Observation> unreached_keys(const Run& run, const Catalog& catalog, FileId file,
                                        const Document* without) {
  if (!run.code().reads.complete) return {};
  const Format format = run.document().format();
  if (format != Format::yaml && format != Format::json && format != Format::toml) return {};
  return UnreachedKeyReader(run, catalog, file, without).read();
}

/// Options of a command that its program parses and does not read.
std::vector<NodeId> unread_flags(const Run& run) {
  std::vector<NodeId> values;
  const Document& document = run.document();
  const NodeId root = document.resolve(document.root());
  const bool is_command = document.format() == Format::shell && root != kNoNode;
  if (!is_command || run.project() == nullptr || run.code().scripts.size() != 1) return values;
  const std::string& program = run.code().scripts.front();
  for (const Member& member : document.members(root)) {
    std::string name(document.scalar(document.resolve(member.key)));
    std::replace(name.begin(), name.end(), '-', '_');
    for (const ProgramOption& option : run.project()->options_of(run.root(), program).seen) {
      if (option.dest == name && run.project()->is_unread(run.root(), program, option))
        values.push_back(document.resolve(member.value));
    }
  }
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

DeadKeys read_dead_keys(const Run& run, const Catalog& catalog) {
  const KeyWords* words = words_around(run);
  if (words != nullptr) return DeadKeyReader(run, *words, catalog).read();
  return {.observations = {}, .values = unread_flags(run)};
}

void observe_unreached_keys(const Run& run, const Catalog& catalog,
                            std::vector<Observation>& observations) {
  for (Observation& each : unreached_keys(run, catalog, run.document().file(), nullptr)) {
    const bool is_dead =
        std::any_of(observations.begin(), observations.end(), [&](const Observation& other) {
          return other.list == "dead_keys" && other.pointer == each.pointer;
        });
    if (!is_dead) observations.push_back(std::move(each));
  }
}

std::vector<Observation> unreached_keys_of_option(const Run& run, const Catalog& catalog,
                                                  FileId option, const Document& without) {
  return unreached_keys(run, catalog, option, &without);
}

}  // namespace gpulint
