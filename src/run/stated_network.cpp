#include "run/stated_network.h"

#include "base/text.h"
#include "base/units.h"
#include "model/program.h"
#include "plan/key_index.h"
#include "plan/native_value.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

// Networks lie near the top of a config; whoever nests thousands of sections describes none.
constexpr int kMostLevels = 7;
constexpr std::size_t kMostSections = 512;

/// Keys that say which of the sections beside them is built.
constexpr std::array<std::string_view, 9> kChoosing = {
    "name", "type", "model", "model_name", "model_type", "network", "net", "arch", "architecture"};

std::string_view without_dashes(std::string_view flag) {
  while (flag.starts_with('-')) flag.remove_prefix(1);
  return flag;
}
char plain(char c) {
  return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// A key as keys are compared: without a flag's dashes, `-` as `_`, ignoring case.
bool is_key(std::string_view written, std::string_view wanted) {
  written = without_dashes(written);
  const auto same = [](char a, char b) { return plain(a) == plain(b); };
  return std::equal(written.begin(), written.end(), wanted.begin(), wanted.end(), same);
}

/// One bit of 64, the same for keys that compare equal: forms ask every section of a config for
/// keys that next to none of them has.
std::uint64_t bit_of(std::string_view key) {
  std::uint64_t hash = 0;
  for (const char c : without_dashes(key)) {
    hash = hash * 31 + static_cast<unsigned char>(plain(c));
  }
  return std::uint64_t{1} << (hash * 0x9e3779b97f4a7c15U >> 58U);
}

struct ConfigSection {
  NodeId node = kNoNode;
  bool beside = false;     // below a key that names a network beside the trained one
  std::uint64_t keys = 0;  // bits of its members'
};

template <class T>
std::optional<T> number_in(std::string_view text) {
  T number{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

/// Value of a key, or the item of a list at a place ("0").
NodeId member(const Document& document, NodeId mapping, std::string_view name) {
  if (mapping == kNoNode) return kNoNode;
  if (document.kind(mapping) == NodeKind::sequence) {
    const std::vector<NodeId> items = document.items(mapping);
    const auto place = number_in<std::size_t>(name);
    return place && *place < items.size() ? document.resolve(items[*place]) : kNoNode;
  }
  if (document.kind(mapping) != NodeKind::mapping) return kNoNode;
  NodeId found = document.find(mapping, name);
  if (found != kNoNode) return document.resolve(found);
  for (NodeId child = document.node(mapping).first_child; child != kNoNode;
       child = document.node(child).next_sibling) {
    const NodeId key = document.node(child).key;
    if (key != kNoNode && is_key(document.scalar(key), name)) found = child;
  }
  return found == kNoNode ? kNoNode : document.resolve(found);
}

/// Value below a section at a dotted path.
NodeId below(const Document& document, NodeId section, std::string_view dotted) {
  NodeId at = section;
  for (const std::string_view part : split(dotted, '.')) at = member(document, at, part);
  return at;
}

/// A pattern with `*` at either end, or both.
bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.size() < 2 || !pattern.starts_with('*') || !pattern.ends_with('*'))
    return component_matches(pattern, text);
  return text.find(pattern.substr(1, pattern.size() - 2)) != std::string_view::npos;
}

/// "[[8], [16]]": a list as evidence writes it; "" where an item is neither a list nor a value.
std::string list_text(const Document& document, NodeId list) {
  std::string text = "[";
  for (const NodeId item : document.items(list)) {
    const NodeId node = document.resolve(item);
    const bool nested = node != kNoNode && document.kind(node) == NodeKind::sequence;
    const NativeValue value = read_native(document, item);
    if (!nested && value.state != NativeValue::State::text) return {};
    const std::string one = nested ? list_text(document, node) : value.text;
    if (one.empty()) return {};
    text += (text.size() > 1 ? ", " : "") + one;
  }
  return text + "]";
}

/// "key" is there and not null; "key=pattern" has such a value; "a|b" is one of them.
bool shows(const Document& document, const ConfigSection& section, std::string_view evidence) {
  if (const std::size_t bar = evidence.find('|'); bar != std::string_view::npos) {
    return shows(document, section, evidence.substr(0, bar)) ||
           shows(document, section, evidence.substr(bar + 1));
  }
  const std::size_t equals = evidence.find('=');
  const std::string_view path = evidence.substr(0, equals);
  if ((section.keys & bit_of(path.substr(0, path.find('.')))) == 0) return false;
  const NodeId node = below(document, section.node, path);
  if (node == kNoNode) return false;
  const NativeValue value = read_native(document, node);
  if (equals == std::string_view::npos) return value.state != NativeValue::State::absent;
  std::string text = value.text;
  if (value.state == NativeValue::State::structure && document.kind(node) == NodeKind::sequence)
    text = list_text(document, node);
  else if (value.state != NativeValue::State::text)
    return false;
  return matches(to_lower(evidence.substr(equals + 1)), to_lower(text));
}

bool shows(const Document& document, const ConfigSection& section, const FormEvidence& evidence) {
  const auto shown = [&](const std::string& key) { return shows(document, section, key); };
  return std::all_of(evidence.all.begin(), evidence.all.end(), shown) &&
         (evidence.any.empty() || std::any_of(evidence.any.begin(), evidence.any.end(), shown)) &&
         std::none_of(evidence.none.begin(), evidence.none.end(), shown);
}

/// `text` through the form's words: unknown where it says so or lists others only.
expr::Value translated(const std::vector<ValueMapping>& values, std::string_view text) {
  if (values.empty()) return dimension_in(text);
  for (const ValueMapping& each : values) {
    if (each.native != "*" && !equals_ignoring_case(each.native, text)) continue;
    return each.canonical ? dimension_in(*each.canonical) : expr::Value();
  }
  return {};
}

/// A whole number at a key.
std::optional<std::int64_t> whole_at(const Document& document, NodeId section,
                                     std::string_view key) {
  const NodeId node = below(document, section, key);
  if (node == kNoNode) return std::nullopt;
  const NativeValue native = read_native(document, node);
  if (native.state != NativeValue::State::text) return std::nullopt;
  return number_in<std::int64_t>(native.text);
}

/// `value`, or each of its items, times and over the numbers at the keys that the form names;
/// unknown where one of them is.
expr::Value scaled(const Document& document, NodeId section, const FormDimension& dimension,
                   expr::Value value) {
  const auto times = dimension.times.empty() ? 1 : whole_at(document, section, dimension.times);
  const auto over = dimension.over.empty() ? 1 : whole_at(document, section, dimension.over);
  if (!times || !over || *over <= 0) return {};
  const auto one = [&](const expr::Value& item) -> expr::Value {
    if (const auto* whole = std::get_if<std::int64_t>(&item.data))
      return saturating_multiply(*whole, *times) / *over;
    if (const auto* decimal = std::get_if<double>(&item.data))
      return saturating_round(*decimal * static_cast<double>(*times)) / *over;
    return {};
  };
  const auto* list = std::get_if<expr::List>(&value.data);
  if (list == nullptr) return one(value);
  expr::List items;
  for (const expr::Value& item : *list) {
    items.push_back(one(item));
    if (!items.back().known()) return {};
  }
  return items;
}

/// Texts at the keys that are there.
std::vector<std::string> texts_at(const Document& document, NodeId section,
                                  const std::vector<std::string>& keys) {
  std::vector<std::string> texts;
  for (const std::string& key : keys) {
    const NodeId node = below(document, section, key);
    if (node == kNoNode) continue;
    NativeValue name = read_native(document, node);
    if (name.state == NativeValue::State::text) texts.push_back(std::move(name.text));
  }
  return texts;
}

/// A list; one of sections (`mask: [{...}, {...}]`) is read for its length: each counts as 1.
expr::Value list_at(const Document& document, NodeId node) {
  expr::List items;
  for (const NodeId item : document.items(node)) {
    const bool section = document.kind(document.resolve(item)) == NodeKind::mapping;
    items.push_back(section ? expr::Value(std::int64_t{1}) : model::plain_value(document, item));
  }
  return items;
}

/// What the keys of a dimension say; unknown where none does.
expr::Value stated(const Document& document, NodeId section, const FormDimension& dimension) {
  for (const std::string& key : dimension.keys) {
    const NodeId node = below(document, section, key);
    if (node == kNoNode) continue;
    const NativeValue native = read_native(document, node);
    expr::Value value;
    if (native.state == NativeValue::State::text) {
      value = translated(dimension.values, native.text);
    } else if (native.state == NativeValue::State::structure && dimension.values.empty() &&
               document.kind(native.node) == NodeKind::sequence) {
      value = list_at(document, native.node);
    }
    if (value.known() && !(dimension.times.empty() && dimension.over.empty()))
      value = scaled(document, section, dimension, std::move(value));
    if (value.known()) return value;
  }
  return {};
}

StatedNetwork read(const Document& document, const ConfigSection& shown, const NetworkForm& form) {
  const NodeId section = shown.node;
  const FormContents& contents = *form.contents;
  StatedNetwork network{.form = &form, .pointer = document.pointer(section)};
  for (const FormDimension& dimension : contents.dimensions) {
    if (network.dimensions.contains(dimension.dimension)) continue;  // a way before this one
    expr::Value value = stated(document, section, dimension);
    if (!value.known() && dimension.unstated) value = dimension_in(*dimension.unstated);
    if (value.known()) network.dimensions.insert_or_assign(dimension.dimension, std::move(value));
  }
  network.models = texts_at(document, section, form.model);
  network.tokenizers = texts_at(document, section, contents.tokenizers);
  for (const OpenDimension& open : contents.open) {
    if (!network.dimensions.contains(open.dimension)) network.open.push_back(&open);
  }
  for (const FormPart& part : contents.beside) {
    if (!shows(document, shown, part.key)) continue;
    if (std::find(network.missing.begin(), network.missing.end(), part.part) ==
        network.missing.end()) {
      network.missing.push_back(part.part);
    }
  }
  return network;
}

/// Is one of the key's words ("ema_teacher") in the list?
bool has_word(std::string_view key, std::span<const std::string> words) {
  const std::string lower = to_lower(key);
  const std::vector<std::string_view> parts = split(lower, '_');
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return std::find(words.begin(), words.end(), part) != words.end();
  });
}

/// The texts of a section where one of them chooses between sections beside it: `model_name: vqvae`
/// of `vqvae:` and `transformer:`, which are built in turn. None: nothing chooses.
std::vector<std::string_view> choosing_texts(const Document& document, NodeId section) {
  std::vector<std::string_view> texts;
  bool chooses = false;
  for (const Member& each : document.members(section)) {
    const NodeId value = document.resolve(each.value);
    if (value == kNoNode || document.kind(value) != NodeKind::scalar) continue;
    texts.push_back(document.scalar(value));
    const std::string_view key = document.scalar(each.key);
    const bool may_choose = std::any_of(kChoosing.begin(), kChoosing.end(),
                                        [&](std::string_view word) { return is_key(key, word); });
    if (!may_choose || texts.back().empty()) continue;
    const NodeId other = member(document, section, texts.back());
    chooses = chooses || (other != kNoNode && document.kind(other) == NodeKind::mapping);
  }
  return chooses ? texts : std::vector<std::string_view>();
}

/// Mappings below the root, level by level, the root first.
std::vector<ConfigSection> sections_of(const Document& document, const NetworkWords& words) {
  std::vector<ConfigSection> sections;
  const NodeId root = document.resolve(document.root());
  if (root == kNoNode || document.kind(root) != NodeKind::mapping) return sections;
  std::vector<ConfigSection> level{{root}};
  for (int depth = 0; depth < kMostLevels && !level.empty(); ++depth) {
    std::vector<ConfigSection> next;
    for (const ConfigSection& each : level) {
      if (sections.size() == kMostSections) return sections;
      sections.push_back(each);
      const std::vector<std::string_view> texts = choosing_texts(document, each.node);
      for (const Member& member : document.members(each.node)) {
        const std::string_view key = document.scalar(member.key);
        sections.back().keys |= bit_of(key);
        const NodeId value = document.resolve(member.value);
        if (value == kNoNode || document.kind(value) != NodeKind::mapping) continue;
        if (has_word(key, words.ignored)) continue;
        if (!texts.empty() && std::none_of(texts.begin(), texts.end(), [&](std::string_view text) {
              return is_key(text, key);
            }))
          continue;
        next.push_back({value, each.beside || has_word(key, words.beside)});
      }
    }
    level = std::move(next);
  }
  return sections;
}

/// A form that reads a name counts where a model is called so.
bool names_a_model(const Document& document, NodeId section, const NetworkForm& form,
                   const NetworkWords& words) {
  if (form.model.empty() || !words.knows) return true;
  const std::vector<std::string> names = texts_at(document, section, form.model);
  return std::any_of(names.begin(), names.end(), words.knows);
}

const NetworkForm* form_of(const Document& document, const ConfigSection& section,
                           std::span<const NetworkForm* const> forms, const NetworkWords& words) {
  for (const NetworkForm* form : forms) {
    const auto shown = [&](const FormEvidence& each) { return shows(document, section, each); };
    if (std::any_of(form->recognise.begin(), form->recognise.end(), shown) &&
        names_a_model(document, section.node, *form, words)) {
      return form;
    }
  }
  return nullptr;
}

}  // namespace

expr::Value dimension_in(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (text.size() > 2 && text.starts_with('[') && text.ends_with(']')) {
    expr::List items;
    for (const std::string_view item : split(text.substr(1, text.size() - 2), ','))
      items.push_back(dimension_in(trim(item)));
    return items;
  }
  if (const auto whole = number_in<std::int64_t>(text)) return *whole;
  if (const auto decimal = number_in<double>(text)) return *decimal;
  return std::string(text);
}

std::optional<StatedNetwork> stated_network(const Document& document,
                                            std::span<const NetworkForm* const> forms,
                                            const NetworkWords& words) {
  if (forms.empty() || document.root() == kNoNode) return std::nullopt;
  std::optional<StatedNetwork> network;
  std::string other;
  for (const ConfigSection& section : sections_of(document, words)) {
    const NetworkForm* form = form_of(document, section, forms, words);
    if (form == nullptr) continue;
    const std::string pointer = document.pointer(section.node);
    if (!network && !section.beside) {
      network = read(document, section, *form);
    } else if (other.empty() && !(network && pointer.starts_with(network->pointer + "/"))) {
      // What lies inside of the first is a part of it; what lies beside is another network.
      other = pointer;
    }
  }
  if (network && !other.empty()) network->missing.push_back("another network (" + other + ")");
  return network;
}

}  // namespace gpulint
