#include "lsp/syntax.h"

#include "base/text.h"

#include <algorithm>

namespace gpulint::lsp {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

std::string_view unquoted(std::string_view text) {
  text = trim(text);
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// One line of block YAML as far as it matters here.
struct BlockLine {
  std::size_t indent = 0;  // of its key, dashes of list items counted
  std::string_view key;    // "" = it has none
  std::string_view rest;   // behind the colon, or all of it
  std::uint32_t rest_begin = 0;
  bool begins_item = false;
};

BlockLine read_line(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  BlockLine line;
  std::size_t at = begin;
  while (at < end && (text[at] == ' ' || text[at] == '\t' ||
                      (text[at] == '-' && (at + 1 == end || text[at + 1] == ' ')))) {
    line.begins_item = line.begins_item || text[at] == '-';
    ++at;
  }
  line.indent = at - begin;
  std::size_t colon = at;
  while (colon < end && text[colon] != '#' &&
         !(text[colon] == ':' && (colon + 1 == end || text[colon + 1] == ' '))) {
    ++colon;
  }
  const bool has_key = colon < end && text[colon] == ':';
  if (has_key) line.key = unquoted(text.substr(at, colon - at));
  std::size_t rest = has_key ? colon + 1 : at;
  while (rest < end && text[rest] == ' ') ++rest;
  line.rest_begin = static_cast<std::uint32_t>(rest);
  line.rest = text.substr(rest, end - rest);
  return line;
}

bool is_blank_or_comment(std::string_view line) {
  const std::string_view shown = trim(line);
  return shown.empty() || shown.front() == '#';
}

class BlockReader {
 public:
  BlockReader(std::string_view text, std::uint32_t offset)
      : text_(text), lines_(text), offset_(offset) {}

  std::optional<TypedPlace> read() {
    const std::uint32_t number = lines_.at(text_, offset_).line;
    const std::string_view whole = lines_.line(text_, number);
    const auto begin = begin_of(number);
    const std::string_view before = text_.substr(begin, offset_ - begin);
    if (before.find(" #") != kNowhere || trim(before).starts_with('#')) return std::nullopt;
    const BlockLine line = read_line(text_, begin, offset_);
    TypedPlace place;
    place.begin = line.rest_begin;
    place.key = line.key;
    std::string_view typed = line.rest;
    if (typed.starts_with('"') || typed.starts_with('\'')) {
      place.quoted = true;
      typed.remove_prefix(1);
      ++place.begin;
    }
    place.typed = typed;
    const std::string_view behind = whole.substr(before.size());
    place.has_colon = place.key.empty() && behind.find(':') != kNowhere;
    std::size_t indent = line.indent;
    const bool lies_deeper = trim(before).empty();
    if (lies_deeper) indent = before.size();
    read_up(place, number, indent, line.begins_item);
    if (place.key.empty() && !line.begins_item) read_down(place, number, indent);
    std::reverse(place.parents.begin(), place.parents.end());
    return place;
  }

 private:
  std::uint32_t begin_of(std::uint32_t number) const {
    return static_cast<std::uint32_t>(lines_.line(text_, number).data() - text_.data());
  }
  BlockLine block_line(std::uint32_t number) const {
    const std::uint32_t begin = begin_of(number);
    return read_line(text_, begin,
                     begin + static_cast<std::uint32_t>(lines_.line(text_, number).size()));
  }

  void read_up(TypedPlace& place, std::uint32_t number, std::size_t indent, bool item_begun) {
    bool siblings = !item_begun;
    while (--number > 0) {
      if (is_blank_or_comment(lines_.line(text_, number))) continue;
      if (lines_.line(text_, number).starts_with("---")) return;
      const BlockLine line = block_line(number);
      if (line.key.empty() || line.indent > indent) continue;
      if (line.indent < indent) {
        // A list may begin below its key's own column.
        place.parents.emplace_back(line.key);
        indent = line.indent;
        siblings = false;
        if (line.begins_item) siblings = false;
        if (indent == 0) return;
      } else if (siblings) {
        place.siblings.emplace_back(line.key);
        if (line.begins_item) siblings = false;
      }
    }
  }

  void read_down(TypedPlace& place, std::uint32_t number, std::size_t indent) {
    while (++number <= lines_.line_count()) {
      if (is_blank_or_comment(lines_.line(text_, number))) continue;
      const BlockLine line = block_line(number);
      if (line.indent < indent || line.begins_item) return;
      if (line.indent == indent && !line.key.empty()) place.siblings.emplace_back(line.key);
    }
  }

  std::string_view text_;
  LineIndex lines_;
  std::uint32_t offset_;
};

/// JSON and flow style: brackets before the cursor, read from the beginning.
class FlowReader {
 public:
  FlowReader(std::string_view text, std::uint32_t offset) : text_(text), end_(offset) {}

  std::optional<TypedPlace> read() {
    while (at_ < end_) step();
    if (levels_.empty() || !levels_.back().is_mapping) return std::nullopt;
    TypedPlace place;
    for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
      if (levels_[i].is_mapping) place.parents.push_back(levels_[i].key);
    }
    Level& here = levels_.back();
    place.siblings = here.keys;
    if (here.after_colon) place.key = here.key;
    place.begin = token_begin_;
    place.typed = text_.substr(token_begin_, end_ - token_begin_);
    place.quoted = true;
    const bool in_quotes = quoted_;
    if (!in_quotes && !trim(place.typed).empty()) place.quoted = false;
    if (in_quotes) return place;
    place.quoted = false;
    place.begin = static_cast<std::uint32_t>(end_ - trim(place.typed).size());
    place.typed = trim(place.typed);
    return place;
  }

 private:
  struct Level {
    bool is_mapping = false;
    bool after_colon = false;
    std::string key = {};
    std::vector<std::string> keys = {};
  };

  void step() {
    const char c = text_[at_++];
    if (quoted_) {
      if (c == '\\') ++at_;
      if (c == '"') quoted_ = false;
    } else if (c == '"') {
      quoted_ = true;
      token_begin_ = static_cast<std::uint32_t>(at_);
    } else if (c == '{' || c == '[') {
      levels_.push_back({.is_mapping = c == '{'});
      token_begin_ = static_cast<std::uint32_t>(at_);
    } else if (c == '}' || c == ']') {
      if (!levels_.empty()) levels_.pop_back();
      token_begin_ = static_cast<std::uint32_t>(at_);
    } else if (c == ':' && !levels_.empty()) {
      take_key();
    } else if (c == ',' && !levels_.empty()) {
      levels_.back().after_colon = false;
      token_begin_ = static_cast<std::uint32_t>(at_);
    }
  }

  void take_key() {
    Level& level = levels_.back();
    if (level.is_mapping && !level.after_colon) {
      std::string_view key = trim(text_.substr(token_begin_, at_ - 1 - token_begin_));
      if (key.ends_with('"')) key.remove_suffix(1);
      level.key = key;
      level.keys.emplace_back(key);
      level.after_colon = true;
    }
    token_begin_ = static_cast<std::uint32_t>(at_);
  }

  std::string_view text_;
  std::size_t end_;
  std::size_t at_ = 0;
  bool quoted_ = false;
  std::uint32_t token_begin_ = 0;
  std::vector<Level> levels_;
};

}  // namespace

std::optional<NodeAt> node_at(const Document& document, std::uint32_t offset) {
  NodeId best = kNoNode;
  std::uint32_t smallest = 0;
  for (NodeId id = 0; id < document.size(); ++id) {
    const Node& node = document.node(id);
    const bool holds = node.begin <= offset && offset <= node.end && node.begin < node.end;
    if (!holds || (node.kind != NodeKind::scalar && node.kind != NodeKind::alias)) continue;
    if (best != kNoNode && node.end - node.begin >= smallest) continue;
    best = id;
    smallest = node.end - node.begin;
  }
  if (best == kNoNode) return std::nullopt;
  NodeAt found{.node = best, .value = best, .pointer = document.pointer(best)};
  for (NodeId id = 0; id < document.size(); ++id) {
    if (document.node(id).key == best) found.value = id;
  }
  return found;
}

std::optional<TypedPlace> typed_place(std::string_view text, std::uint32_t offset, Format format) {
  offset = std::min(offset, static_cast<std::uint32_t>(text.size()));
  switch (format) {
    case Format::yaml:
      return BlockReader(text, offset).read();
    case Format::json:
      return FlowReader(text, offset).read();
    case Format::env:
    case Format::python:
    case Format::shell:
    case Format::toml:
      break;
  }
  return std::nullopt;
}

}  // namespace gpulint::lsp
