// YAML text to Document, through yaml-cpp's event interface: the only file that includes yaml-cpp.
//
// Events give a start offset and a decoded value. Ends, quoting, comments, absent values and the
// true start of a node behind its anchor and tag are read from the text (yaml_scan.h) with one
// cursor that only moves forward, so the work stays linear. Known to yaml-cpp 0.7 and put right
// here: offsets do not count a byte order mark; a missing value is reported at the next token,
// lines away, or at its key; a lone carriage return is not a line end; an open bracket at the end
// of the text is reported at line 1.

#include "source/plain_yaml.h"
#include "source/read.h"
#include "source/tree_builder.h"
#include "source/yaml_error.h"
#include "source/yaml_scan.h"
#include "source/yaml_spelling.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <optional>
#include <streambuf>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

/// Reads straight from the text; std::istringstream would copy it.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* begin =
        const_cast<char*>(text.data());  // NOLINT: the get area of a streambuf is not const
    setg(begin, begin, begin + text.size());
  }
};

/// Thrown out of an event and caught in read_yaml.
struct Refused {
  std::uint32_t at = 0;
  std::string message;
  bool limit = false;
};

class EventsToTree : public YAML::EventHandler {
 public:
  /// `keys`: what keys are called whose place in `text` holds something else.
  EventsToTree(std::string_view text, TreeBuilder& builder, const AliasKeys& keys)
      : text_(text),
        bom_(byte_order_mark_size(text)),
        cursor_(bom_),
        builder_(builder),
        keys_(keys) {}

  /// yaml-cpp 0.7 takes whatever a document leaves over for the next one, and never gets past a
  /// comma there; other loaders ask for a marker between documents, and so do we.
  void OnDocumentStart(const YAML::Mark& mark) override {
    const std::uint32_t start = offset(mark);
    const bool first = !std::exchange(inside_stream_, true);
    const bool stuck = start < text_.size() && text_[start] == ',';
    if (stuck || (!first && !marker_between(cursor_, start, "---") &&
                  !marker_between(cursor_, start, "..."))) {
      throw Refused{start,
                    "text behind the end of the document's one value; expected nothing, or `---` "
                    "before another document: check indentation and quotes here and on the line "
                    "above"};
    }
    anchored_.clear();
    document_ = start;
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark&, const std::string& name) override { anchor_name_ = name; }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::uint32_t start = offset(mark);
    const Properties properties = skip_properties(text_, start, anchor != 0, false);
    const bool stated = start >= cursor_ && null_word_at(text_, properties.content) &&
                        stands_inside(mark, properties.content);
    Range span{properties.content, end_of_null_word(text_, properties.content)};
    if (!stated && anchor == 0 && !builder_.inside_collection()) {
      // yaml-cpp makes a document of a lone `...`, which only ends one.
      const std::optional<std::uint32_t> marker = marker_between(cursor_, document_, "---");
      if (!marker) return;
      span = {*marker, *marker};
    } else if (!stated) {
      span = absent(start, properties.end, anchor != 0);
    }
    const NodeId id = add(NodeKind::scalar, span, anchor);
    builder_.set_value(id, text_.substr(span.begin, span.end - span.begin), span.begin);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::uint32_t start = offset(mark);
    const Range span{start, end_of_name(text_, start)};
    const NodeId id = add(NodeKind::alias, span, 0);
    const NodeId target = anchor < anchored_.size() ? anchored_[anchor] : kNoNode;
    if (is_open(target)) {
      builder_.note(ProblemKind::cyclic_alias, span, id,
                    std::string(text_.substr(span.begin, span.end - span.begin)));
    } else {
      builder_.node(id).target = target;
    }
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::uint32_t start = offset(mark);
    const Properties properties = skip_properties(text_, start, anchor != 0, tag != "?");
    const Quoting quoting = quoting_at(mark, properties.content);
    Range span{properties.content, properties.content};
    if (value.empty() && quoting == Quoting::plain) {
      span = {properties.end, properties.end};  // a tag and nothing behind it
    } else {
      span.end = end_of_scalar(quoting, span.begin, value);
    }
    const NodeId id = add(NodeKind::scalar, span, anchor);
    builder_.node(id).quoting = quoting;
    if (const auto key = keys_.find(span.begin); key != keys_.end()) {
      builder_.set_value(id, key->second, span.begin);
    } else if (is_quoted(quoting)) {
      set_quoted_value(id, value, span);
    } else {
      builder_.set_value(id, value, span.begin);
    }
    if (is_written(tag, start, properties.content)) set_tag(id, tag);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(NodeKind::sequence, mark, tag, anchor, style);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(NodeKind::mapping, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(']'); }
  void OnMapEnd() override { close('}'); }

  /// Comments behind the last node.
  void finish() { move_to(static_cast<std::uint32_t>(text_.size())); }

 private:
  std::uint32_t offset(const YAML::Mark& mark) const {
    const std::uint32_t at = static_cast<std::uint32_t>(std::max(mark.pos, 0)) + bom_;
    return std::min(at, static_cast<std::uint32_t>(text_.size()));
  }

  /// Column of `at`, which stands at or behind `mark`.
  std::int64_t column_of(const YAML::Mark& mark, std::uint32_t at) const {
    const std::uint32_t start = offset(mark);
    const std::string_view between = text_.substr(start, at - start);
    const std::size_t line_end = between.find_last_of("\r\n");
    if (line_end == std::string_view::npos)
      return mark.column + static_cast<std::int64_t>(between.size());
    return static_cast<std::int64_t>(between.size() - line_end) - 1;
  }

  /// False when `at` is left of what the open collection may contain: it is then the next entry.
  bool stands_inside(const YAML::Mark& mark, std::uint32_t at) {
    if (!builder_.inside_collection() || builder_.top().flow) return true;
    const std::int64_t column = column_of(mark, at);
    return builder_.expects_key() ? column >= builder_.top().column
                                  : column > builder_.top().column;
  }

  static bool is_quoted(Quoting quoting) {
    return quoting == Quoting::single_quoted || quoting == Quoting::double_quoted;
  }

  Quoting quoting_at(const YAML::Mark& mark, std::uint32_t at) {
    const char first = at < text_.size() ? text_[at] : '\0';
    if (first != '"' && first != '\'' && first != '|' && first != '>') return Quoting::plain;
    if (!stands_inside(mark, at)) return Quoting::plain;
    if (first == '"') return Quoting::double_quoted;
    if (first == '\'') return Quoting::single_quoted;
    if (builder_.inside_collection() && builder_.top().flow) return Quoting::plain;
    return first == '|' ? Quoting::literal : Quoting::folded;
  }

  std::uint32_t end_of_scalar(Quoting quoting, std::uint32_t begin, std::string_view value) {
    switch (quoting) {
      case Quoting::plain:
        return end_of_plain(text_, begin, value);
      case Quoting::single_quoted:
      case Quoting::double_quoted:
        return end_of_closed(begin);
      case Quoting::literal:
      case Quoting::folded:
        break;
    }
    return end_of_block_scalar(text_, begin,
                               builder_.inside_collection() ? builder_.top().column : -1);
  }

  /// yaml-cpp 0.7 lets the end of the text close a quote.
  std::uint32_t end_of_closed(std::uint32_t begin) const {
    const std::optional<std::uint32_t> end = end_of_quoted(text_, begin);
    if (!end) throw Refused{begin, "the file ends inside this quoted text; add the closing quote"};
    return *end;
  }

  /// yaml-cpp 0.7 keeps at most one of the line breaks before a closing quote, as if the text were
  /// a block scalar. All but the first of them belong to the value.
  void set_quoted_value(NodeId id, const std::string& value, Range span) {
    const std::uint32_t breaks = breaks_before_closing_quote(text_, span.begin, span.end);
    if (breaks < 2) {
      builder_.set_value(id, value, span.begin + 1);
      return;
    }
    std::string whole = value.substr(0, value.find_last_not_of('\n') + 1);
    whole.append(breaks - 1, '\n');
    builder_.set_value(id, whole, span.begin + 1);
  }

  /// Place of a value that is not there: behind the colon or dash that asks for it, or behind its
  /// properties. `mark` may be the key's start or the next token.
  Range absent(std::uint32_t mark, std::uint32_t properties_end, bool has_properties) const {
    if (has_properties) return {properties_end, properties_end};
    std::uint32_t at = cursor_;
    const std::uint32_t next = skip_blanks_and_comments(text_, cursor_);
    const bool value_expected = !builder_.expects_key();
    if (mark >= cursor_ && value_expected && next < text_.size()) {
      const std::string_view indicators = ":-";
      if (indicators.find(text_[next]) != std::string_view::npos && next <= mark) at = next + 1;
    } else if (mark >= cursor_ && builder_.expects_key()) {
      at = std::min(next, mark);
    }
    return {at, at};
  }

  /// Offset behind a `---` or `...` that starts a line in [from, last], or nothing.
  std::optional<std::uint32_t> marker_between(std::uint32_t from, std::uint32_t last,
                                              std::string_view marker) const {
    const std::string_view before = text_.substr(0, last + marker.size());
    for (std::size_t at = before.find(marker, from); at != std::string_view::npos;
         at = before.find(marker, at + 1)) {
      if (at == bom_ || text_[at - 1] == '\n' || text_[at - 1] == '\r')
        return static_cast<std::uint32_t>(at + marker.size());
    }
    return std::nullopt;
  }

  /// Moves the cursor forward and keeps the comments on the way.
  void move_to(std::uint32_t at) {
    if (at <= cursor_) return;
    collect_comments(text_, cursor_, at, builder_);
    cursor_ = at;
  }

  bool is_open(NodeId id) const {
    const auto& open = builder_.open_collections();
    return std::any_of(open.begin(), open.end(),
                       [id](const TreeBuilder::Frame& frame) { return frame.node == id; });
  }

  /// A mapping in a list without braces (`[a: b]`) starts where its first key does; so when a node
  /// starts there too, the bracket is that node's.
  void leave_bracket_to_key(std::uint32_t begin) {
    if (!builder_.inside_collection()) return;
    TreeBuilder::Frame& parent = builder_.top();
    if (builder_.node(parent.node).begin != begin) return;
    parent.closed_by_bracket = false;
  }

  void set_tag(NodeId id, const std::string& tag) {
    builder_.set_tag(id, tag.find('%') == std::string::npos ? tag : without_percent_escapes(tag));
  }

  void remember(NodeId id, YAML::anchor_t anchor) {
    if (anchor == 0) return;
    if (anchored_.size() <= anchor) anchored_.resize(anchor + 1, kNoNode);
    anchored_[anchor] = id;
    builder_.set_anchor(id, anchor_name_);
  }

  /// yaml-cpp gives "!" to everything quoted; only where it is written it is a tag.
  bool is_written(const std::string& tag, std::uint32_t start, std::uint32_t content) const {
    if (tag != "!") return tag != "?";
    return text_.substr(start, content - start).find('!') != std::string_view::npos;
  }

  void stop_at_limit(std::uint32_t at) const {
    if (builder_.over_limit()) throw Refused{at, builder_.limit_message(), true};
  }

  NodeId add(NodeKind kind, Range span, YAML::anchor_t anchor) {
    move_to(span.begin);
    cursor_ = std::max(cursor_, span.end);
    const NodeId id = builder_.add(kind, span);
    stop_at_limit(span.begin);
    remember(id, anchor);
    return id;
  }

  void open(NodeKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    const std::uint32_t begin =
        skip_properties(text_, offset(mark), anchor != 0, tag != "?").content;
    leave_bracket_to_key(begin);
    move_to(begin);
    TreeBuilder::Frame frame;
    frame.flow =
        style == YAML::EmitterStyle::Flow || (builder_.inside_collection() && builder_.top().flow);
    frame.closed_by_bracket =
        frame.flow && begin < text_.size() && (text_[begin] == '[' || text_[begin] == '{');
    if (!frame.flow) frame.column = column_of(mark, begin);
    const NodeId id = builder_.open(kind, begin, frame);
    stop_at_limit(begin);
    remember(id, anchor);
    if (tag != "?") set_tag(id, tag);
    if (frame.closed_by_bracket) cursor_ = std::max(cursor_, begin + 1);
  }

  void close(char bracket) {
    if (builder_.top().closed_by_bracket) {
      std::uint32_t at = cursor_;
      while (at < text_.size() && text_[at] != bracket) {
        const std::uint32_t next = skip_blanks_and_comments(text_, at);
        at = next == at ? at + 1 : next;
      }
      move_to(std::min(at + 1, static_cast<std::uint32_t>(text_.size())));
    }
    builder_.close(cursor_);
  }

  std::string_view text_;
  std::uint32_t bom_ = 0;
  std::uint32_t cursor_ = 0;  // everything before it belongs to a node or was searched for comments
  TreeBuilder& builder_;
  const AliasKeys& keys_;
  std::uint32_t document_ = 0;  // where the current document starts
  bool inside_stream_ = false;
  std::vector<NodeId> anchored_;  // by yaml-cpp's number of the anchor
  std::string anchor_name_;
};

void parse(std::string_view text, EventsToTree& events) {
  TextBuffer buffer(text);
  std::istream stream(&buffer);
  YAML::Parser parser(stream);
  while (parser.HandleNextDocument(events)) {
  }
  events.finish();
}

}  // namespace

Result<Document> read_yaml(std::string path, std::string text, FileId file,
                           const ReadLimits& limits) {
  if (Result<void> usable = check_text(path, text, file, limits); !usable)
    return fail(std::move(usable).error());
  TreeBuilder builder(text, limits);
  if (read_plain_yaml(text, builder))
    return builder.finish(std::move(path), std::move(text), Format::yaml, file);
  return read_whole_yaml(std::move(path), std::move(text), file, limits);
}

namespace {

/// `written`: the text, or one as long that yaml-cpp reads.
Result<Document> read_written(std::string path, std::string text, const std::string& written,
                              const AliasKeys& keys, FileId file, const ReadLimits& limits) {
  TreeBuilder builder(text, limits);
  EventsToTree events(written, builder, keys);
  try {
    if (const auto lines = with_line_feeds(written)) {
      parse(*lines, events);
    } else {
      parse(written, events);
    }
  } catch (const Refused& refused) {
    Error error = error_at(path, text, file, {refused.at, refused.at + 1}, refused.message);
    error.limit = refused.limit;
    return fail(std::move(error));
  } catch (const YAML::Exception& exception) {
    const std::uint32_t bom = byte_order_mark_size(text);
    const std::uint32_t at = static_cast<std::uint32_t>(std::max(exception.mark.pos, 0)) + bom;
    return fail(yaml_error(path, text, file, at, exception.msg, builder));
  }
  return builder.finish(std::move(path), std::move(text), Format::yaml, file);
}

}  // namespace

Result<Document> read_whole_yaml(std::string path, std::string text, FileId file,
                                 const ReadLimits& limits) {
  AliasKeys keys;
  const std::optional<std::string> other = without_alias_keys(text, keys);
  const std::string written = other.value_or(text);
  return read_written(std::move(path), std::move(text), written, keys, file, limits);
}

}  // namespace gpulint
