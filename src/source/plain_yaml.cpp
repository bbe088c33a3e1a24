#include "source/plain_yaml.h"

#include "source/plain_cursor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

/// A key has to end within 1,024 bytes of its start; we stay clear of that.
constexpr std::uint32_t kLongestKey = 1000;
/// Brackets inside each other; deeper ones are left to yaml-cpp and its limits.
constexpr int kDeepestBrackets = 32;

/// Every function returns false where it meets what is left to yaml-cpp.
class PlainReader {
 public:
  PlainReader(std::string_view text, TreeBuilder& builder) : in_(text), builder_(builder) {}

  bool read() {
    while (skip_to_content()) {
      if (!line()) return false;
    }
    if (has_marker_ && !has_content_) return false;
    while (builder_.inside_collection()) {
      if (!close_block()) return false;
    }
    return true;
  }

 private:
  /// To the next character that is neither blank nor part of a comment; false at the end.
  bool skip_to_content() {
    for (;;) {
      in_.at = in_.behind_blanks(in_.at);
      if (in_.at >= in_.size) return false;
      if (in_.here() == '\n') {
        in_.line_start = ++in_.at;
      } else if (in_.here() == '#') {
        comment();
      } else {
        return true;
      }
    }
  }

  void comment() {
    const std::size_t found = in_.text.find('\n', in_.at);
    const std::uint32_t end =
        found == std::string_view::npos ? in_.size : static_cast<std::uint32_t>(found);
    builder_.comment({in_.at, end});
    in_.at = end;
  }

  /// Over blanks and a comment to the line's end; false when something else stands there.
  bool rest_of_line_is_empty() {
    const std::uint32_t from = std::exchange(in_.at, in_.behind_blanks(in_.at));
    if (in_.here() == '#' && in_.at > from) comment();
    return in_.here() == '\n';
  }

  /// One line of block content, at its first character.
  bool line() {
    if (in_.is_marker()) return document_start();
    const std::uint32_t column = in_.column();
    const bool dash = in_.is_dash();
    while (builder_.inside_collection() && !takes(column, dash)) {
      if (!close_block()) return false;
    }
    if (has_content_ && !builder_.inside_collection()) return false;
    has_content_ = true;
    return block_content();
  }

  bool document_start() {
    if (has_marker_ || has_content_ || in_.here() != '-') return false;
    has_marker_ = true;
    in_.at += 3;
    return in_.ends_word(in_.at) && rest_of_line_is_empty();
  }

  /// True unless content in this column ends the innermost collection.
  bool takes(std::uint32_t column, bool dash) {
    const TreeBuilder::Frame& top = builder_.top();
    if (top.column != column) return top.column < column;
    return top.mapping || dash;  // `- a` in the column of the key above it, then the next key
  }

  bool close_block() {
    if (pending_ && !add_absent()) return false;
    builder_.close(end_);
    return true;
  }

  /// The value that a colon or a dash asks for and that is not written.
  bool add_absent() {
    const std::uint32_t end = has_properties() ? behind_properties_ : behind_indicator_;
    return add({{end, end}});
  }

  /// List entries, a key, or a value on a line of its own.
  bool block_content() {
    for (;;) {
      const std::uint32_t column = in_.column();
      const bool dash = in_.is_dash();
      // On one line, what stands before a key or a dash belongs to the first entry.
      const bool beside_properties = has_properties() && properties_line_ == in_.line_start;
      if (beside_properties && dash) return false;
      if (!beside_properties && in_.is_property()) {
        if (!takes_value(column) || !take_properties()) return false;
        if (rest_of_line_is_empty()) return true;
        continue;
      }
      if (!open_for(column, dash)) return false;
      if (!dash) return key_or_scalar(column, beside_properties);
      if (behind_indicator()) return true;
      if (!take_properties()) return false;
      if (has_properties() && rest_of_line_is_empty()) return true;
    }
  }

  /// Steps over the colon or dash; true when its value does not begin on the same line.
  bool behind_indicator() {
    behind_indicator_ = ++in_.at;
    pending_ = true;
    return rest_of_line_is_empty();
  }

  /// Opens the list that a dash in `column` belongs to, or makes room for the next entry.
  bool open_for(std::uint32_t column, bool dash) {
    if (!builder_.inside_collection()) return !dash || open_block(NodeKind::sequence, column);
    const TreeBuilder::Frame& top = builder_.top();
    const bool same = top.column == column;
    if (same && dash != top.mapping) return !pending_ || add_absent();
    if (!pending_ || (same && !dash)) return false;
    return !dash || open_block(NodeKind::sequence, column);
  }

  bool open_block(NodeKind kind, std::uint32_t column) {
    TreeBuilder::Frame frame;
    frame.column = column;
    end_ = in_.line_start + column;
    return open(kind, end_, frame);
  }

  bool open(NodeKind kind, std::uint32_t begin, const TreeBuilder::Frame& frame) {
    pending_ = false;
    const NodeId id = builder_.open(kind, begin, frame);
    set_anchor(id);
    set_tag(id);
    return !builder_.over_limit();
  }

  bool key_or_scalar(std::uint32_t column, bool beside_properties) {
    // A bracket or an alias may also be a key.
    if (in_.is_bracket() || in_.here() == '*') return !is_key_place(column) && value();
    const std::uint32_t begin = in_.at;
    const std::optional<PlainScalar> scalar = in_.scalar(kStopsInBlock);
    if (!scalar) return false;
    if (!in_.is_colon()) {
      return builder_.inside_collection() && !is_key_place(column) && rest_of_line_is_empty() &&
             add(*scalar);
    }
    if (in_.at - begin > kLongestKey || beside_properties) return false;
    if (!is_key_place(column) && !open_block(NodeKind::mapping, column)) return false;
    if (!add(*scalar)) return false;
    if (behind_indicator()) return true;
    if (!take_properties()) return false;
    if (has_properties() && rest_of_line_is_empty()) return true;
    return !in_.is_dash() && value();
  }

  bool is_key_place(std::uint32_t column) const {
    return builder_.inside_collection() && builder_.top().mapping &&
           builder_.top().column == column;
  }

  /// True when a value that is still to come may start in this column.
  bool takes_value(std::uint32_t column) const {
    return pending_ && !has_properties() && builder_.top().column < column;
  }

  bool has_properties() const { return !anchor_.empty() || !tag_.empty(); }

  /// `&anchor` and `!tag` before a value, each at most once.
  bool take_properties() {
    const std::uint32_t from = in_.at;
    while (in_.is_property()) {
      const bool is_anchor = in_.here() == '&';
      std::string_view& property = is_anchor ? anchor_ : tag_;
      if (!property.empty()) return false;
      property = is_anchor ? in_.name() : in_.tag();
      if (property.empty() || !in_.ends_word(in_.at)) return false;
      properties_line_ = in_.line_start;
      behind_properties_ = in_.at;
      in_.at = in_.behind_blanks(in_.at);
    }
    if (in_.at > from) in_.at = behind_properties_;  // a comment has to see the blank before it
    return true;
  }

  void set_anchor(NodeId id) {
    if (anchor_.empty()) return;
    builder_.set_anchor(id, anchor_);
    anchored_.emplace_back(std::exchange(anchor_, {}), id);
  }

  void set_tag(NodeId id) {
    if (tag_.empty()) return;
    const bool is_core = tag_.starts_with("!!");
    builder_.set_tag(
        id, is_core ? "tag:yaml.org,2002:" + std::string(tag_.substr(2)) : std::string(tag_));
    tag_ = {};
  }

  /// What stands behind a colon or a dash on the same line, or alone on a line of its own.
  bool value() {
    if (in_.is_bracket()) return bracketed(0) && rest_of_line_is_empty();
    if (in_.here() == '*') return alias() && rest_of_line_is_empty();
    if (in_.here() == '|') {
      const std::optional<PlainScalar> literal = in_.literal(builder_.top().column);
      return literal && add(*literal);
    }
    const std::optional<PlainScalar> scalar = in_.scalar(kStopsInBlock);
    return scalar && rest_of_line_is_empty() && add(*scalar);
  }

  bool add(const PlainScalar& scalar) {
    pending_ = false;
    const NodeId id = builder_.add(NodeKind::scalar, scalar.span);
    set_anchor(id);
    builder_.node(id).quoting = scalar.quoting;
    end_ = scalar.span.end;
    const std::uint32_t quote = scalar.quoting == Quoting::plain ? 0 : 1;
    const std::uint32_t begin = scalar.span.begin + quote;
    builder_.set_value(id,
                       scalar.decoded ? std::string_view(*scalar.decoded)
                                      : in_.text.substr(begin, end_ - quote - begin),
                       begin);
    set_tag(id);
    return !builder_.over_limit();
  }

  /// `*name` of an anchor above whose node is complete.
  bool alias() {
    const std::uint32_t begin = in_.at;
    const std::string_view name = in_.name();
    const auto found = std::find_if(anchored_.rbegin(), anchored_.rend(),
                                    [&](const auto& anchored) { return anchored.first == name; });
    if (has_properties() || found == anchored_.rend() || is_open(found->second)) return false;
    pending_ = false;
    const NodeId id = builder_.add(NodeKind::alias, {begin, in_.at});
    builder_.node(id).target = found->second;
    end_ = in_.at;
    return !builder_.over_limit();
  }

  bool is_open(NodeId id) const {
    const auto& open = builder_.open_collections();
    return std::any_of(open.begin(), open.end(),
                       [&](const TreeBuilder::Frame& frame) { return frame.node == id; });
  }

  /// `[…]` or `{…}`, on one line or several.
  bool bracketed(int depth) {
    if (depth >= kDeepestBrackets) return false;
    const bool mapping = in_.here() == '{';
    const char closing = mapping ? '}' : ']';
    TreeBuilder::Frame frame;
    frame.flow = true;
    frame.closed_by_bracket = true;
    if (!open(mapping ? NodeKind::mapping : NodeKind::sequence, in_.at++, frame)) return false;
    for (;;) {
      if (!skip_inside_brackets()) return false;
      if (in_.here() == closing) break;
      if (!(mapping ? pair(depth) : item(depth)) || !skip_inside_brackets()) return false;
      if (in_.here() == ',') {
        ++in_.at;
      } else if (in_.here() != closing) {
        return false;
      }
    }
    end_ = ++in_.at;
    builder_.close(end_);
    return true;
  }

  /// To the next character between brackets; false at the end, at a document's marker, and at a
  /// comment that touches what stands before it.
  bool skip_inside_brackets() { return in_.here() != '#' && skip_to_content() && !in_.is_marker(); }

  bool item(int depth) {
    if (in_.is_property() && !(take_properties() && skip_inside_brackets())) return false;
    if (in_.is_bracket()) return bracketed(depth + 1) && in_.here() != ':';
    if (in_.here() == '*') return alias() && in_.here() != ':';
    const std::optional<PlainScalar> scalar = in_.scalar(kStopsBetweenBrackets);
    return scalar && in_.here() != ':' && add(*scalar);
  }

  bool pair(int depth) {
    const std::uint32_t begin = in_.at;
    const std::optional<PlainScalar> key = in_.scalar(kStopsBetweenBrackets);
    if (!key || !in_.is_colon() || in_.at - begin > kLongestKey || !add(*key)) return false;
    ++in_.at;
    return skip_inside_brackets() && item(depth);
  }

  PlainCursor in_;
  TreeBuilder& builder_;
  std::uint32_t end_ = 0;               // behind the last node
  std::uint32_t behind_indicator_ = 0;  // behind the colon or dash whose value is still to come
  bool pending_ = false;                // such a value is still to come
  std::string_view anchor_, tag_;       // of the value that comes next
  std::uint32_t properties_line_ = 0;   // start of the line they stand on
  std::uint32_t behind_properties_ = 0;
  std::vector<std::pair<std::string_view, NodeId>> anchored_;
  bool has_marker_ = false;  // `---`
  bool has_content_ = false;
};

}  // namespace

bool read_plain_yaml(std::string_view text, TreeBuilder& builder) {
  // Other line ends, byte order marks and a last line of blanks have rules of their own.
  if (text.find('\r') != std::string_view::npos || byte_order_mark_size(text) != 0) return false;
  if (!text.empty() && (text.back() == ' ' || text.back() == '\t')) return false;
  return PlainReader(text, builder).read();
}

}  // namespace gpulint
