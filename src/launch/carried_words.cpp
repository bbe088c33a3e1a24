#include "launch/carried_words.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace gpulint {

NodeId find_dotted(const Document& document, NodeId node, std::string_view path) {
  if (node == kNoNode || path.empty()) return node;
  if (document.kind(node) == NodeKind::sequence) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    std::size_t index = 0;
    const char* end = path.data() + dot;
    if (std::from_chars(path.data(), end, index).ptr != end) return kNoNode;
    const std::vector<NodeId> items = document.items(node);
    if (index >= items.size()) return kNoNode;
    return find_dotted(document, items[index], path.substr(std::min(dot + 1, path.size())));
  }
  for (const Member& member : document.members(node)) {
    const std::string_view key = document.scalar(member.key);
    if (key.empty() || member.value == kNoNode || !path.starts_with(key)) continue;
    if (path.size() == key.size()) return member.value;
    if (path[key.size()] != '.') continue;
    const NodeId found = find_dotted(document, member.value, path.substr(key.size() + 1));
    if (found != kNoNode) return found;
  }
  return kNoNode;
}

ShellText scalar_text(const Document& document, NodeId id) {
  const Node& node = document.node(id);
  const std::string_view value = document.scalar(id);
  if (node.has_value_in_pool == 0) return ShellText::of(value, node.value_begin);
  const std::string_view raw = document.text().substr(node.begin, node.end - node.begin);
  std::size_t at = 0;
  const bool is_block = node.quoting == Quoting::literal || node.quoting == Quoting::folded;
  if (is_block) at = std::min(raw.find('\n'), raw.size() - 1) + 1;
  constexpr std::string_view kBetween = " \t\r\n\\\"'";
  ShellText made;
  for (const char c : value) {
    std::size_t next = at;
    while (next < raw.size() && raw[next] != c && kBetween.find(raw[next]) != raw.npos) ++next;
    const bool found = next < raw.size() && raw[next] == c;
    made.add(c, node.begin + static_cast<std::uint32_t>(
                                 found ? next : std::min(at, raw.empty() ? 0 : raw.size() - 1)));
    const bool is_escape = !found && at + 1 < raw.size() && raw[at] == '\\';
    at = found ? next + 1 : is_escape ? at + 2 : at;
  }
  return made;
}

namespace {

void add_quoted_word(const ShellText& word, ShellText& command) {
  if (!command.empty()) command.add(' ', command.origins.back());
  command.add_quoted(word, word.empty() ? kNowhere : word.origins.front());
}

/// kNoNode: nobody knows which of several values it has.
NodeId only_value(const Document& document, NodeId option) {
  if (document.kind(option) == NodeKind::scalar) return option;
  if (document.kind(option) != NodeKind::mapping) return kNoNode;
  NodeId value = document.find(option, "value");
  if (value == kNoNode) value = document.find(option, "default");
  const NodeId several = document.find(option, "values");
  if (several != kNoNode && document.kind(several) == NodeKind::sequence &&
      document.items(several).size() == 1)
    value = document.items(several).front();
  return value != kNoNode && document.kind(value) == NodeKind::scalar ? value : kNoNode;
}

/// An option without a value is not given.
bool is_left_out(const Document& document, NodeId value) {
  if (value == kNoNode || document.kind(value) != NodeKind::scalar) return false;
  const std::string_view text = document.scalar(value);
  return document.node(value).quoting == Quoting::plain &&
         (text.empty() || text == "~" || text == "null");
}

/// `{lr: {value: 0.1}, net: {parameters: {width: {values: [64]}}}}` as `--lr=0.1` and
/// `--net.width=64`.
void add_options(const Document& document, NodeId options, const ShellText& before,
                 ShellText& command, int depth) {
  constexpr int kDeepest = 8;
  if (options == kNoNode || document.kind(options) != NodeKind::mapping || depth > kDeepest)
    return;
  for (const Member& member : document.members(options)) {
    if (document.kind(member.key) != NodeKind::scalar || member.value == kNoNode) continue;
    ShellText word = before;
    word.add(scalar_text(document, member.key));
    const bool is_mapping = document.kind(member.value) == NodeKind::mapping;
    const NodeId inside = is_mapping ? document.find(member.value, "parameters") : kNoNode;
    if (inside != kNoNode) {
      word.add('.', kNowhere);
      add_options(document, inside, word, command, depth + 1);
      continue;
    }
    const NodeId value = only_value(document, member.value);
    if (is_left_out(document, value)) continue;
    word.add('=', kNowhere);
    word.add(value == kNoNode ? ShellText::unknown(document.node(member.value).begin)
                              : scalar_text(document, value));
    add_quoted_word(word, command);
  }
}

}  // namespace

void add_carried_word(const Document& document, NodeId unit, const CarriedWord& word,
                      ShellText& command) {
  if (!word.word.empty()) add_quoted_word(ShellText::computed(word.word), command);
  const NodeId value = word.key.empty() ? kNoNode : find_dotted(document, unit, word.key);
  if (value != kNoNode && document.kind(value) == NodeKind::scalar)
    add_quoted_word(scalar_text(document, value), command);
  if (!word.options.empty())
    add_options(document, find_dotted(document, unit, word.options),
                ShellText::computed(word.before), command, 0);
}

}  // namespace gpulint
