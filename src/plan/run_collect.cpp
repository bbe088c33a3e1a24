#include "plan/run_collect.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

// A recipe is a handful of files and a large Hydra project a few dozen.
constexpr std::size_t kMostFiles = 128;
constexpr std::size_t kMostDepth = 16;

std::string_view name_of(const Document& document, NodeId node) {
  const std::string_view included = included_name(document, node);
  if (!included.empty()) return included;
  return trim(document.scalar(document.resolve(node)));
}

/// The names a reference's value holds: one, or a list of them.
std::vector<NodeId> names_in(const Document& document, NodeId value) {
  if (document.kind(value) == NodeKind::sequence) return document.items(value);
  return {value};
}

bool is_chain_of(const Document& document, NodeId value, ReferenceKind kind) {
  if (kind == ReferenceKind::defaults) return document.kind(value) == NodeKind::sequence;
  const std::vector<NodeId> names = names_in(document, value);
  return std::any_of(names.begin(), names.end(), [&](NodeId name) {
    return document.kind(name) == NodeKind::scalar && names_a_config(name_of(document, name));
  });
}

/// `above`: the keys that lead to the mapping.
void add_included(const Document& document, NodeId mapping, const std::vector<std::string>& above,
                  std::vector<IncludedFile>& found) {
  if (mapping == kNoNode || document.kind(mapping) != NodeKind::mapping) return;
  if (above.size() > kMostDepth) return;
  for (NodeId child = document.node(mapping).first_child; child != kNoNode;
       child = document.node(child).next_sibling) {
    const NodeId key = document.node(child).key;
    if (key == kNoNode) continue;
    std::vector<std::string> under = above;
    under.emplace_back(document.scalar(document.resolve(key)));
    const std::string_view name = included_name(document, child);
    if (name.empty()) {
      add_included(document, child, under, found);
    } else {
      found.push_back({key, child, name, std::move(under)});
    }
  }
}

}  // namespace

std::string_view included_name(const Document& document, NodeId node) {
  const std::string_view tag = document.tag(node);
  if (tag.starts_with(kIncludeTag)) return tag.substr(kIncludeTag.size());
  if (tag != kIncludesTag || document.kind(node) != NodeKind::scalar) return {};
  return trim(document.scalar(node));
}

BaseKeys::BaseKeys(std::span<const Dialect> dialects) {
  for (const Dialect& dialect : dialects) {
    for (const Reference& reference : dialect.references) {
      const bool is_base =
          reference.kind == ReferenceKind::base || reference.kind == ReferenceKind::defaults;
      if (is_base) keys_.emplace_back(reference.key, reference.kind);
    }
  }
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
}

std::vector<BaseKeys::Named> BaseKeys::in(const Document& document) const {
  std::vector<Named> found;
  if (document.root() == kNoNode) return found;
  const NodeId top = document.resolve(document.root());
  if (top == kNoNode || document.kind(top) != NodeKind::mapping) return found;
  for (NodeId child = document.node(top).first_child; child != kNoNode;
       child = document.node(child).next_sibling) {
    const NodeId key = document.node(child).key;
    if (key == kNoNode) continue;
    const std::string_view text = document.scalar(key);
    for (const auto& [name, kind] : keys_) {
      if (name != text) continue;
      const NodeId value = document.resolve(child);
      if (value == kNoNode) continue;
      // `defaults: base.yaml` is a file and no list of groups.
      const bool is_file =
          kind == ReferenceKind::defaults && document.kind(value) == NodeKind::scalar;
      const ReferenceKind read_as = is_file ? ReferenceKind::base : kind;
      if (is_chain_of(document, value, read_as)) found.push_back({key, value, read_as});
    }
  }
  return found;
}

std::vector<IncludedFile> included_files(const Document& document) {
  std::vector<IncludedFile> found;
  if (document.text().find(kIncludesTag) != std::string_view::npos)
    add_included(document, top_of(document), {}, found);
  return found;
}

void RunCollector::leave_unread(const Document& document, NodeId name, std::string_view key,
                                std::string why) {
  complete = false;
  Observation& item = observations.emplace_back();
  item.list = "unread_references";
  item.span = document.span(name);
  item.pointer = document.pointer(name);
  item.name = std::string(key);
  constexpr std::size_t kShown = 120;  // what fits on a line beside the message
  item.value = std::string(name_of(document, name).substr(0, kShown));
  item.detail = std::move(why);
}

const RunFile* RunCollector::follow(const Document& document, NodeId name, std::string_view key,
                                    const NamedPath& found) {
  if (found.path.empty()) {
    leave_unread(document, name, key, found.why);
    return nullptr;
  }
  if (std::find(open_paths.begin(), open_paths.end(), found.path) != open_paths.end()) {
    leave_unread(
        document, name, key,
        fmt::format("it includes itself: {} -> {}", fmt::join(open_paths, " -> "), found.path));
    return nullptr;
  }
  if (open_paths.size() >= kMostDepth || reads.size() >= kMostFiles) {
    leave_unread(document, name, key,
                 fmt::format("more than {} files, or files included more than {} deep", kMostFiles,
                             kMostDepth));
    return nullptr;
  }
  const RunFile* file = files.open(found.path);
  if (!file->document) {
    leave_unread(document, name, key, file->why);
    return nullptr;
  }
  if (std::find(reads.begin(), reads.end(), file) == reads.end()) reads.push_back(file);
  return file;
}

void RunCollector::add_includes(const Document& document, const std::vector<std::string>& under) {
  for (const IncludedFile& included : included_files(document)) {
    const NamedPath found = find_beside(files, root, document.path(), included.name);
    const std::string_view key = document.scalar(included.key);
    const RunFile* file = follow(document, included.value, key, found);
    if (file == nullptr) continue;
    std::vector<std::string> below = under;
    below.insert(below.end(), included.under.begin(), included.under.end());
    add_file(*file->document, below);
  }
}

void RunCollector::add_file(const Document& document, const std::vector<std::string>& under) {
  open_paths.push_back(std::string(document.path()));
  add_includes(document, under);
  bool composed = false;
  for (const BaseKeys::Named& reference : base_keys.in(document)) {
    const std::string_view key = document.scalar(reference.key);
    if (reference.kind == ReferenceKind::defaults) {
      if (!under.empty() || composed) continue;
      add_hydra_run(*this, document, reference.value);
      composed = true;
      continue;
    }
    for (const NodeId name : names_in(document, reference.value)) {
      const std::string_view text = name_of(document, name);
      if (text.empty() || text == "~" || text == "null") continue;
      const NamedPath found = find_around(files, root, document.path(), name_of(document, name));
      if (const RunFile* base = follow(document, name, key, found))
        add_file(*base->document, under);
    }
  }
  open_paths.pop_back();
  const NodeId top = top_of(document);
  if (!composed && top != kNoNode) layers.push_back({&document, top, under});
}

}  // namespace gpulint
