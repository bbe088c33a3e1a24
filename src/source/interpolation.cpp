// OmegaConf's `${…}` inside one document. Everything that a person at the keyboard, the environment
// or code supplies is unknown; so is everything this cannot follow, never an error.

#include "source/interpolation.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

// Bounds on hostile input. `${a}${a}` below `${b}${b}` doubles with each level, so the number of
// references and the length of the text are bounded beside the depth.
constexpr int kMaxDepth = 32;
constexpr int kMaxReferences = 1000;
constexpr std::size_t kMaxText = 65536;  // bytes

/// Offset behind the `}` that closes the `${` at `open`, or npos.
std::size_t end_of_reference(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

/// Offset of the next `${` that no backslash escapes, or npos.
std::size_t find_reference(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find("${", from); at != std::string_view::npos;
       at = text.find("${", at + 2)) {
    if (at == 0 || text[at - 1] != '\\') return at;
  }
  return std::string_view::npos;
}

/// Splits "X,default" at the first comma outside brackets; the default keeps its own commas.
std::pair<std::string_view, std::optional<std::string_view>> split_default(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == '}' || text[i] == ']') --depth;
    if (text[i] == ',' && depth == 0) return {trim(text.substr(0, i)), trim(text.substr(i + 1))};
  }
  return {trim(text), std::nullopt};
}

std::string_view without_quotes(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                      (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// "a.b[0].c" -> a, b, 0, c.
std::vector<std::string_view> components(std::string_view path) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= path.size(); ++i) {
    const char c = i < path.size() ? path[i] : '.';
    if (c != '.' && c != '[' && c != ']') continue;
    if (i > begin) parts.push_back(path.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

class Follower {
 public:
  explicit Follower(const Document& document) : document_(document) {}

  Resolved scalar(NodeId id) {
    const std::string_view text = document_.scalar(id);
    if (find_reference(text, 0) == std::string_view::npos) {
      if (is_placeholder(text))
        return unknown(fmt::format("`{}` stands for a value given elsewhere", shortened(text)));
      return {};
    }
    if (document_.tag(id).starts_with("!")) return unknown("the text belongs to a tag");
    if (std::find(open_.begin(), open_.end(), id) != open_.end())
      return unknown(fmt::format("`{}` refers to itself", shortened(text)));
    if (open_.size() >= kMaxDepth)
      return unknown(fmt::format("more than {} references in a row", kMaxDepth));
    open_.push_back(id);
    Resolved result = text_at(text, id);
    open_.pop_back();
    return result;
  }

 private:
  static Resolved unknown(std::string why) {
    return {Resolved::State::unknown, kNoNode, {}, std::move(why)};
  }
  static std::string shortened(std::string_view text) {
    constexpr std::size_t kShown = 60;  // bytes
    if (text.size() <= kShown) return std::string(text);
    std::size_t end = kShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + "…";
  }

  /// `text` as found at node `at`, which relative references start from.
  Resolved text_at(std::string_view text, NodeId at) {
    const std::size_t first = find_reference(text, 0);
    if (first == std::string_view::npos) return literal(text);
    const std::size_t end = end_of_reference(text, first);
    if (first == 0 && end == text.size()) return reference(text.substr(2, end - 3), at);
    std::string result;
    std::size_t done = 0;
    for (std::size_t open = first; open != std::string_view::npos;
         open = find_reference(text, done)) {
      const std::size_t close = end_of_reference(text, open);
      if (close == std::string_view::npos)
        return unknown(fmt::format("`{}` is never closed", shortened(text.substr(open))));
      const Resolved inner = reference(text.substr(open + 2, close - open - 3), at);
      if (inner.state == Resolved::State::unknown) return inner;
      result += text.substr(done, open - done);
      if (!append(inner, result)) return unknown("a reference inside text names no single value");
      done = close;
    }
    result += text.substr(done);
    return {Resolved::State::value, kNoNode, std::move(result), {}};
  }

  static Resolved literal(std::string_view text) {
    return {Resolved::State::value, kNoNode, std::string(text), {}};
  }

  bool append(const Resolved& inner, std::string& result) const {
    if (inner.node == kNoNode) {
      result += inner.text;
    } else if (document_.kind(inner.node) == NodeKind::scalar) {
      result += document_.scalar(inner.node);
    } else {
      return false;
    }
    return result.size() <= kMaxText;
  }

  /// The inside of one `${…}`.
  Resolved reference(std::string_view inside, NodeId at) {
    if (++references_ > kMaxReferences)
      return unknown(fmt::format("more than {} references", kMaxReferences));
    inside = trim(inside);
    const std::size_t colon = inside.find(':');
    const std::size_t nested = inside.find("${");
    if (colon != std::string_view::npos && (nested == std::string_view::npos || colon < nested))
      return resolver(inside.substr(0, colon), inside.substr(colon + 1), at);
    if (nested == std::string_view::npos) return path(inside, at);
    const Resolved spelled = text_at(inside, at);
    std::string name;
    if (spelled.state == Resolved::State::unknown) return spelled;
    if (!append(spelled, name)) return unknown("a reference inside a reference names no text");
    return path(name, at);
  }

  Resolved resolver(std::string_view name, std::string_view arguments, NodeId at) {
    if (name == "oc.env" || name == "env") {
      const auto [variable, fallback] = split_default(arguments);
      if (fallback) return text_at(without_quotes(*fallback), at);
      return unknown(fmt::format("environment variable {}", shortened(variable)));
    }
    if (name == "oc.select") {
      const auto [key, fallback] = split_default(arguments);
      if (key.find("${") != std::string_view::npos) return unknown("oc.select of a computed key");
      const NodeId found = walk(without_quotes(key), at);
      if (found != kNoNode) return node(found);
      if (fallback) return text_at(without_quotes(*fallback), at);
      return unknown(fmt::format("oc.select: no `{}` in this file", shortened(key)));
    }
    return unknown(fmt::format("resolver {}", shortened(name)));
  }

  Resolved path(std::string_view path, NodeId at) {
    const NodeId found = walk(path, at);
    if (found == kNoNode) return unknown(fmt::format("no `{}` in this file", shortened(path)));
    return node(found);
  }

  /// What a node stands for: itself, or whatever its own reference leads to.
  Resolved node(NodeId id) {
    if (document_.kind(id) != NodeKind::scalar) return {Resolved::State::value, id, {}, {}};
    Resolved further = scalar(id);
    if (further.state != Resolved::State::literal) return further;
    return {Resolved::State::value, id, {}, {}};
  }

  NodeId walk(std::string_view path, NodeId at) {
    if (path.starts_with('.')) {
      NodeId start = document_.node(at).parent;
      for (path.remove_prefix(1); path.starts_with('.') && start != kNoNode; path.remove_prefix(1))
        start = document_.node(start).parent;
      return start == kNoNode ? kNoNode : descend(start, components(path));
    }
    NodeId root = at;
    while (document_.node(root).parent != kNoNode) root = document_.node(root).parent;
    std::vector<std::string_view> parts = components(path);
    const NodeId found = descend(root, parts);
    // A file that Hydra mounts as package `model` refers to its own keys as `${model.…}`.
    const bool other_package =
        found == kNoNode && !parts.empty() && document_.find(root, parts.front()) == kNoNode;
    if (!other_package) return found;
    const NodeId in_section = descend(section_of(at, root), parts);
    if (in_section != kNoNode || parts.size() < 2) return in_section;
    parts.erase(parts.begin());
    return descend(root, parts);
  }

  /// The top-level section around a node: a config that a job file carries under `parameters` means
  /// its own root by an absolute path.
  NodeId section_of(NodeId at, NodeId root) const {
    NodeId section = at;
    while (section != kNoNode && document_.node(section).parent != root) {
      section = document_.node(section).parent;
    }
    return section;
  }

  NodeId descend(NodeId from, const std::vector<std::string_view>& parts) {
    NodeId current = document_.resolve(from);
    for (const std::string_view part : parts) {
      current = container(current);
      if (current == kNoNode) return kNoNode;
      current = document_.kind(current) == NodeKind::sequence ? item(current, part)
                                                              : document_.find(current, part);
    }
    return parts.empty() ? kNoNode : current;
  }

  /// The mapping or sequence a path goes through, which may itself be written as a reference.
  NodeId container(NodeId id) {
    if (id == kNoNode || document_.kind(id) != NodeKind::scalar) return id;
    const Resolved further = scalar(id);
    return further.state == Resolved::State::value && further.node != kNoNode &&
                   document_.kind(further.node) != NodeKind::scalar
               ? further.node
               : kNoNode;
  }

  NodeId item(NodeId sequence, std::string_view part) const {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    if (error != std::errc{} || end != part.data() + part.size()) return kNoNode;
    const std::vector<NodeId> items = document_.items(sequence);
    return index < items.size() ? items[index] : kNoNode;
  }

  const Document& document_;
  std::vector<NodeId> open_;  // scalars being followed
  int references_ = 0;
};

/// `@optimizer`, `%patch_size`, `$@lr * 2`: what MONAI's bundles put in from elsewhere.
bool is_bundle_reference(std::string_view text) {
  if (text.starts_with('$')) return text.size() > 2 && text[1] == '@';
  if (text.size() < 2 || (text.front() != '@' && text.front() != '%')) return false;
  const char next = text[1];
  return next == '_' || (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z');
}

bool is_variable(std::string_view text) {
  const std::size_t dollar = text.find('$');
  if (dollar == std::string_view::npos || dollar + 1 >= text.size()) return false;
  const char next = text[dollar + 1];
  return next == '(' || next == '_' || (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z');
}

}  // namespace

Resolved resolve_reference(const Document& document, NodeId scalar) {
  const NodeId id = document.resolve(scalar);
  if (id == kNoNode || document.kind(id) != NodeKind::scalar) return {};
  return Follower(document).scalar(id);
}

bool is_placeholder(std::string_view text) {
  text = trim(text);
  if (is_bundle_reference(text)) return true;
  if (text == "???") return true;
  if (text.size() > 2 && text.front() == '<' && text.back() == '>') return true;
  if (text.starts_with("{{") && text.ends_with("}}")) return true;
  return text.find("${") != std::string_view::npos || is_variable(text);
}

}  // namespace gpulint
