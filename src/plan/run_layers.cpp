#include "plan/run_layers.h"

#include "base/text.h"
#include "plan/key_index.h"
#include "source/node_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostNodes = 200'000;  // of a joined document, aliases written out
constexpr int kMostLayers = 200;
constexpr std::string_view kClass = "class_path";
constexpr std::string_view kArguments = "init_args";
constexpr std::size_t kMostText = std::size_t{64} << 20;  // bytes of all layers

/// A place of one layer. While `wrapped` keys are left it is a mapping of that one key.
struct Source {
  std::size_t layer = 0;
  NodeId node = kNoNode;
  std::size_t wrapped = 0;  // index of the next key of Layer::under
};

/// One key of a joined mapping with what every layer says about it, weakest first.
struct Entry {
  std::string_view name;
  NodeId key = kNoNode;       // kNoNode: a key of Layer::under
  std::size_t key_layer = 0;  // the strongest layer that writes it
  std::vector<Source> sources;
};

/// Keys in the order of their first statement, found again by name.
struct Entries {
  std::vector<Entry> list;
  std::unordered_map<std::string_view, std::size_t> places;

  void add(std::string_view name, NodeId key, Source source) {
    const auto [place, is_new] = places.emplace(name, list.size());
    if (is_new) list.push_back({name, key, source.layer, {}});
    Entry& entry = list[place->second];
    if (key != kNoNode || entry.key == kNoNode) {
      entry.key = key;
      entry.key_layer = source.layer;
    }
    entry.sources.push_back(source);
  }
};

class Joiner {
 public:
  Joiner(std::span<const Layer> layers, std::span<const std::string> removed) : layers_(layers) {
    for (const std::string& path : removed) removed_.push_back(path_below(kRootPath, path));
  }

  bool add_texts() {
    for (const Layer& layer : layers_) {
      const std::string_view text = layer.document->text();
      if (storage_.text.size() + text.size() > kMostText) return false;
      // A line between two texts: the end of one is not a place in the next.
      if (!storage_.text.empty()) storage_.text += '\n';
      text_base_.push_back(static_cast<std::uint32_t>(storage_.text.size()));
      pool_base_.push_back(static_cast<std::uint32_t>(storage_.pool.size()));
      storage_.parts.push_back({text_base_.back(), layer.document->file(),
                                static_cast<std::uint32_t>(layer.under.size())});
      storage_.text += text;
      storage_.pool += layer.document->view().pool;
    }
    return true;
  }

  void join() {
    std::vector<Source> roots;
    for (std::size_t i = 0; i < layers_.size(); ++i) roots.push_back({i, layers_[i].node, 0});
    storage_.roots.push_back(emit(roots, kNoNode, kRootPath, 0));
  }

  JoinedLayers finish(const Document& main) && {
    storage_.path = std::string(main.path());
    storage_.format = main.format();
    return {Document::own(std::move(storage_), {}, main.file()), truncated_, std::move(misplaced_)};
  }

 private:
  const Document& document(const Source& source) const { return *layers_[source.layer].document; }
  bool is_wrapper(const Source& source) const {
    return source.wrapped < layers_[source.layer].under.size();
  }
  bool is_mapping(const Source& source) const {
    return is_wrapper(source) || document(source).kind(source.node) == NodeKind::mapping;
  }

  /// Writes what the sources say together; `path` is the place in the joined document.
  NodeId emit(std::span<const Source> sources, NodeId parent, PathHash path, int level) {
    // A bare `!include:` tag is what the included file stands for.
    while (sources.size() > 1 && is_include(sources.back()))
      sources = sources.first(sources.size() - 1);
    std::size_t first = sources.size();
    while (first > 0 && is_mapping(sources[first - 1])) {
      --first;
      if (replaces(sources[first])) break;
    }
    const std::span<const Source> mappings = sources.subspan(first);
    if (first > 0 && !mappings.empty() && is_list(sources[first - 1]) &&
        std::all_of(mappings.begin(), mappings.end(),
                    [&](const Source& each) { return index_of(each).has_value(); })) {
      return emit_list(sources[first - 1], mappings, parent, path, level);
    }
    const bool plain = mappings.empty() || (mappings.size() == 1 && !is_wrapper(mappings[0]));
    if (plain && removed_.empty()) return copy(sources.back(), parent, level);
    if (mappings.empty()) return copy(sources.back(), parent, level);
    return emit_mapping(mappings, parent, path, level);
  }

  /// `_delete_`: a mapping that is laid over nothing.
  bool replaces(const Source& source) const {
    if (is_wrapper(source)) return false;
    const Document& from = document(source);
    const NodeId word = from.find(source.node, "_delete_");
    return word != kNoNode && equals_ignoring_case(from.scalar(word), "true");
  }

  bool is_list(const Source& source) const {
    return !is_wrapper(source) && document(source).kind(source.node) == NodeKind::sequence;
  }

  bool is_include(const Source& source) const {
    if (is_wrapper(source) || document(source).kind(source.node) != NodeKind::scalar) return false;
    const std::string_view tag = document(source).tag(source.node);
    const bool is_bare = document(source).scalar(source.node).empty();
    return tag == kIncludesTag || (is_bare && tag.starts_with(kIncludeTag));
  }

  /// The list item a layer is put below, where its next key is a number.
  std::optional<std::size_t> index_of(const Source& source) const {
    if (!is_wrapper(source)) return std::nullopt;
    const std::string& name = layers_[source.layer].under[source.wrapped];
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool whole = error == std::errc() && end == name.data() + name.size();
    return whole ? std::optional(index) : std::nullopt;
  }

  /// A list with changes to some of its items.
  NodeId emit_list(const Source& list, std::span<const Source> changes, NodeId parent,
                   PathHash path, int level) {
    const NodeId id = add_copy(list, parent);
    if (full(level)) return id;
    const std::vector<NodeId> items = document(list).items(list.node);
    NodeId last = kNoNode;
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::vector<Source> sources = {{list.layer, items[i], list.wrapped}};
      for (const Source& change : changes) {
        if (index_of(change) == i)
          sources.push_back({change.layer, change.node, change.wrapped + 1});
      }
      const NodeId value = emit(sources, id, path_below(path, fmt::format("{}", i)), level + 1);
      append_child(storage_, id, last, value);
    }
    for (const Source& change : changes) {
      if (*index_of(change) >= items.size())
        misplaced_.push_back(gpulint::join(layers_[change.layer].under, "."));
    }
    return id;
  }

  NodeId emit_mapping(std::span<const Source> sources, NodeId parent, PathHash path, int level) {
    const Source& strongest = sources.back();
    const NodeId id = is_wrapper(strongest) ? add_virtual(NodeKind::mapping, strongest, parent)
                                            : add_copy(strongest, parent);
    if (full(level)) return id;
    NodeId last = kNoNode;
    for (Entry& entry : entries(sources)) {
      const PathHash own = path_below(path, entry.name);
      if (std::find(removed_.begin(), removed_.end(), own) != removed_.end()) continue;
      const NodeId key = add_key(entry, id);
      const NodeId value = emit(entry.sources, id, own, level + 1);
      append_child(storage_, id, last, value, key);
    }
    return id;
  }

  /// Over a class with its arguments, plain keys are further arguments (jsonargparse).
  bool is_of_arguments(const Entries& below, const Source& source) const {
    if (!below.places.contains(kClass) || !below.places.contains(kArguments)) return false;
    const auto is_own = [](std::string_view key) {
      return key == kClass || key == kArguments || key == "dict_kwargs";
    };
    if (is_wrapper(source)) return !is_own(layers_[source.layer].under[source.wrapped]);
    const Document& from = document(source);
    for (const Member& member : from.members(source.node)) {
      if (is_own(from.scalar(from.resolve(member.key)))) return false;
    }
    return true;
  }

  std::vector<Entry> entries(std::span<const Source> sources) const {
    Entries entries;
    for (const Source& source : sources) {
      if (is_of_arguments(entries, source)) {
        entries.add(kArguments, kNoNode, source);
        continue;
      }
      if (is_wrapper(source)) {
        const std::string& name = layers_[source.layer].under[source.wrapped];
        entries.add(name, kNoNode, {source.layer, source.node, source.wrapped + 1});
        continue;
      }
      for (const Member& member : document(source).members(source.node)) {
        const std::string_view name = document(source).scalar(document(source).resolve(member.key));
        if (member.value == kNoNode) continue;
        const std::size_t done = layers_[source.layer].under.size();
        entries.add(name, member.key, {source.layer, member.value, done});
      }
    }
    return std::move(entries.list);
  }

  /// A whole subtree of one layer.
  NodeId copy(const Source& source, NodeId parent, int level) {
    const NodeId id = add_copy(source, parent);
    const Document& from = document(source);
    const NodeKind kind = from.kind(source.node);
    if (kind == NodeKind::scalar || full(level)) return id;
    NodeId last = kNoNode;
    if (kind == NodeKind::sequence) {
      for (const NodeId item : from.items(source.node)) {
        append_child(storage_, id, last, copy({source.layer, item, source.wrapped}, id, level + 1));
      }
      return id;
    }
    for (const Member& member : from.members(source.node)) {
      if (member.value == kNoNode) continue;
      const NodeId key = add_copy({source.layer, from.resolve(member.key), 0}, id);
      append_child(storage_, id, last,
                   copy({source.layer, member.value, source.wrapped}, id, level + 1), key);
    }
    return id;
  }

  bool full(int level) {
    if (storage_.nodes.size() < kMostNodes && level < kMostLayers) return false;
    truncated_ = true;
    return true;
  }

  NodeId add_key(const Entry& entry, NodeId parent) {
    const Source from{entry.key_layer, entry.key, 0};
    if (entry.key != kNoNode)
      return add_copy({from.layer, document(from).resolve(entry.key), 0}, parent);
    const NodeId id = add_virtual(NodeKind::scalar, from, parent);
    set_pooled_value(storage_, id, entry.name);
    return id;
  }

  /// A node that no text writes: it stands at the start of its layer's file.
  NodeId add_virtual(NodeKind kind, const Source& source, NodeId parent) {
    const std::uint32_t begin = text_base_[source.layer];
    return add_node(storage_, kind, parent, begin, begin);
  }

  /// A node of a layer without what is below it.
  NodeId add_copy(const Source& source, NodeId parent) {
    Node node = document(source).node(source.node);
    const std::uint32_t text = text_base_[source.layer];
    const std::uint32_t pool = pool_base_[source.layer];
    node.parent = parent;
    node.first_child = node.next_sibling = node.key = node.target = kNoNode;
    node.child_count = 0;
    node.begin += text;
    node.end += text;
    node.value_begin += node.has_value_in_pool != 0 ? pool : text;
    node.tag_begin += pool;
    node.anchor_begin = node.anchor_size = 0;
    storage_.nodes.push_back(node);
    return static_cast<NodeId>(storage_.nodes.size() - 1);
  }

  std::span<const Layer> layers_;
  std::vector<PathHash> removed_;
  Document::Storage storage_;
  std::vector<std::uint32_t> text_base_;  // where each layer's text starts in the joined one
  std::vector<std::uint32_t> pool_base_;
  std::vector<std::string> misplaced_;
  bool truncated_ = false;
};

}  // namespace

NodeId top_of(const Document& document) {
  return document.root() == kNoNode ? kNoNode : document.resolve(document.root());
}

std::vector<std::string> dotted_parts(std::string_view dotted) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(dotted, '.')) {
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

JoinedLayers join_layers(std::span<const Layer> layers, const Document& main,
                         std::span<const std::string> removed) {
  Joiner joiner(layers, removed);
  if (!joiner.add_texts()) {
    const Layer alone{&main, main.resolve(main.root()), {}};
    JoinedLayers result = join_layers(std::span(&alone, 1), main, removed);
    result.truncated = true;
    return result;
  }
  joiner.join();
  return std::move(joiner).finish(main);
}

}  // namespace gpulint
