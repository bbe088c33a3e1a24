#include "finding/suppression.h"

#include "base/text.h"
#include "finding/text_lines.h"
#include "source/python_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

constexpr std::string_view kMark = "gpulint:";
constexpr std::array<std::string_view, 2> kVerbs{"ignore", "file-ignore"};
/// Far more than anybody writes; the rest of a file made of directives is not looked at.
constexpr std::size_t kMaxSuppressions = 1000;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::uint32_t offset(std::size_t at) { return static_cast<std::uint32_t>(at); }

/// Reads the words of one directive. Spans are relative to `text`.
class DirectiveReader {
 public:
  DirectiveReader(std::string_view text, Suppression& out) : text_(text), out_(out) {}

  void read() {
    at_ = kMark.size();
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '-')) ++at_;
    const std::string_view verb = text_.substr(begin, at_ - begin);
    if (std::find(kVerbs.begin(), kVerbs.end(), verb) == kVerbs.end()) {
      return mistake(
          fmt::format("\"{}\" is not a suppression{}; write ignore[rule] or file-ignore[rule]",
                      verb.empty() ? text_.substr(begin, 20) : verb, did_you_mean(verb, kVerbs)));
    }
    out_.whole_file = verb == kVerbs[1];
    skip_blanks();
    if (!read_list(verb)) return;
    read_rest();
  }

 private:
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  void mistake(std::string why) { out_.mistake = std::move(why); }

  bool read_list(std::string_view verb) {
    if (at_ >= text_.size() || text_[at_] != '[') {
      mistake(fmt::format("name the rules to ignore, as in {}[amp-disabled]", verb));
      return false;
    }
    const std::size_t close = text_.find(']', at_);
    if (close == std::string_view::npos) {
      mistake("the list of rules has no closing bracket");
      return false;
    }
    out_.list.begin = offset(at_ + 1);
    out_.list.end = offset(close);
    for (const std::string_view part : split(text_.substr(at_ + 1, close - at_ - 1), ',')) {
      const std::string_view id = trim(part);
      if (!id.empty() && !out_.names(id)) out_.rules.emplace_back(id);
    }
    at_ = close + 1;
    if (out_.rules.empty()) mistake(fmt::format("{}[] names no rule", verb));
    return !out_.rules.empty();
  }

  void read_rest() {
    constexpr std::string_view kUntil = "until=";
    skip_blanks();
    if (text_.substr(at_).starts_with(kUntil)) {
      at_ += kUntil.size();
      const std::size_t begin = at_;
      while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
      const std::string_view day = text_.substr(begin, at_ - begin);
      out_.until = date_from(day);
      if (!out_.until) {
        return mistake(fmt::format("until=\"{}\" is not a date; write until=2027-01-31", day));
      }
      skip_blanks();
    }
    const std::string_view rest = trim(text_.substr(at_));
    if (rest.starts_with("--")) {
      out_.reason = trim(rest.substr(2));
    } else if (!rest.empty()) {
      mistake(
          fmt::format("\"{}\" is not understood here; a reason follows --", rest.substr(0, 40)));
    }
  }

  std::string_view text_;
  Suppression& out_;
  std::size_t at_ = 0;
};

SourceSpan shifted(SourceSpan span, const Document& document, std::uint32_t by) {
  return {document.file(), span.begin + by, span.end + by};
}

/// A directive found at `at`, its own spans filled in.
Suppression directive_at(const Document& document, std::uint32_t at, std::string_view text) {
  Suppression suppression;
  DirectiveReader(text, suppression).read();
  suppression.span = {document.file(), at, at + offset(text.size())};
  suppression.list = shifted(suppression.list, document, at);
  return suppression;
}

/// Where the directive of a comment starts: at its beginning, or behind a further `#` in it.
std::optional<std::uint32_t> find_mark(std::string_view text, const Comment& comment) {
  for (std::uint32_t at = comment.begin; at < comment.end; ++at) {
    const bool opens = text[at] == '#' || (at == comment.begin && text[at] == '/');
    if (!opens) continue;
    std::uint32_t word = at + (text[at] == '/' ? 2U : 1U);
    while (word < comment.end && is_blank(text[word])) ++word;
    if (text.substr(word, comment.end - word).starts_with(kMark)) return word;
  }
  return std::nullopt;
}

/// First offset behind `at` with content: neither blank, line end, comment, nor the line of a
/// `---`.
std::uint32_t next_content(const Document& document, std::uint32_t at) {
  const std::string_view text = document.text();
  const auto comments = document.comments();
  while (at < text.size()) {
    if (is_blank(text[at]) || is_line_break(text[at])) {
      ++at;
      continue;
    }
    const auto comment =
        std::lower_bound(comments.begin(), comments.end(), at,
                         [](const Comment& each, std::uint32_t to) { return each.begin < to; });
    if (comment != comments.end() && comment->begin == at) {
      at = comment->end;
    } else if (text.substr(at, 3) == "---" && begin_of_line(text, at) == at) {
      at += 3;
    } else {
      break;
    }
  }
  return at;
}

bool is_block_collection(const Node& node) {
  return node.flow == 0 && node.child_count > 0 &&
         (node.kind == NodeKind::mapping || node.kind == NodeKind::sequence);
}

/// The first node that starts behind `content`, entered as far as its own first entry where it is a
/// block collection: a comment above the first key of a mapping means that key.
NodeId first_entry(const Document& document, std::uint32_t content, bool dash) {
  NodeId id = 0;
  while (id < document.size() && document.node(id).begin < content) ++id;
  while (is_block_collection(document.node(id))) {
    const Node& collection = document.node(id);
    const bool is_item =
        collection.parent != kNoNode && document.kind(collection.parent) == NodeKind::sequence;
    if (is_item && dash) break;  // the dash in front stands for the whole item
    id = collection.first_child;
    if (collection.kind == NodeKind::sequence) break;
    if (document.node(id).key != kNoNode) id = document.node(id).key;
  }
  return id;
}

/// End of a node; of a key, the end of its value.
std::uint32_t end_of_entry(const Document& document, NodeId id) {
  const Node& node = document.node(id);
  for (NodeId value = document.node(node.parent).first_child; value != kNoNode;
       value = document.node(value).next_sibling) {
    if (document.node(value).key == id) return std::max(node.end, document.node(value).end);
  }
  return node.end;
}

/// The entry (member of a mapping, item of a sequence, statement, command) that starts first behind
/// a comment that ends at `end`, from its key or dash to the end of its value.
SourceSpan next_entry(const Document& document, std::uint32_t end,
                      std::optional<PythonEntries>& python) {
  const std::uint32_t content = next_content(document, end);
  const std::string_view text = document.text();
  if (document.format() == Format::python) {
    if (!python) python.emplace(text);
    return {document.file(), content, python->end_of(content)};
  }
  if (document.format() == Format::shell || document.format() == Format::env) {
    return {document.file(), content, end_of_continued(text, content)};
  }
  const bool dash = content + 1 < text.size() && text[content] == '-' &&
                    (is_blank(text[content + 1]) || is_line_break(text[content + 1]));
  const NodeId id = first_entry(document, content, dash);
  if (id >= document.size()) return {document.file(), end, end};
  return {document.file(), content, end_of_entry(document, id)};
}

/// A comment's own bytes with the blanks before it; the whole line where nothing else stands on it.
SourceSpan removal_of(const Document& document, const Comment& comment, std::uint32_t mark,
                      bool own_line) {
  const std::string_view text = document.text();
  std::uint32_t begin = comment.begin;
  if (mark > comment.begin) {  // other words before it stay
    std::uint32_t hash = mark;
    while (hash > comment.begin && text[hash] != '#' && text[hash] != '/') --hash;
    if (hash > comment.begin && text[hash] == '#') begin = hash;
  }
  if (begin == comment.begin && own_line) {
    return {document.file(), begin_of_line(text, begin), behind_line_end(text, comment.end)};
  }
  while (begin > 0 && is_blank(text[begin - 1])) --begin;
  return {document.file(), begin, comment.end};
}

void read_comment(const Document& document, const Comment& comment,
                  std::optional<PythonEntries>& python, std::vector<Suppression>& found) {
  const std::string_view text = document.text();
  const auto mark = find_mark(text, comment);
  if (!mark) return;
  std::string_view words = text.substr(*mark, comment.end - *mark);
  if (text.substr(comment.begin, 2) == "/*" && words.ends_with("*/")) words.remove_suffix(2);
  words = trim(words);
  Suppression suppression = directive_at(document, *mark, words);
  const std::uint32_t line = begin_of_line(text, comment.begin);
  const bool own_line = trim(text.substr(line, comment.begin - line)).empty();
  suppression.removed = removal_of(document, comment, *mark, own_line);
  suppression.covers = own_line ? next_entry(document, comment.end, python)
                                : SourceSpan{document.file(), line, *mark};
  found.push_back(std::move(suppression));
}

/// A member or item with the comma that goes with it.
SourceSpan removal_of(const Document& document, NodeId value) {
  const Node& node = document.node(value);
  const auto start = [&](NodeId id) {
    const NodeId key = document.node(id).key;
    return document.node(key == kNoNode ? id : key).begin;
  };
  if (node.next_sibling != kNoNode) {
    return {document.file(), start(value), start(node.next_sibling)};
  }
  std::uint32_t begin = start(value);
  for (NodeId each = document.node(node.parent).first_child; each != value && each != kNoNode;
       each = document.node(each).next_sibling) {
    begin = document.node(each).end;
  }
  return {document.file(), begin, node.end};
}

void read_string(const Document& document, NodeId value, NodeId object,
                 std::vector<Suppression>& found) {
  const Node& node = document.node(value);
  Suppression suppression;
  const std::string_view words = trim(document.scalar(value));
  if (node.kind != NodeKind::scalar || node.has_value_in_pool != 0) {
    suppression.mistake = "write a plain string without escapes, \"ignore[rule] -- reason\"";
    suppression.span = document.span(value);
  } else {
    // The text behind the mark is what a comment would say.
    const std::string line = fmt::format("{} {}", kMark, words);
    const auto shift = static_cast<std::uint32_t>(kMark.size() + 1);
    DirectiveReader(line, suppression).read();
    const auto begin = offset(static_cast<std::size_t>(words.data() - document.text().data()));
    suppression.list = {document.file(), begin + suppression.list.begin - shift,
                        begin + suppression.list.end - shift};
    suppression.span = {document.file(), begin, begin + offset(words.size())};
  }
  suppression.pointer = document.pointer(value);
  suppression.removed = removal_of(document, value);
  suppression.covers = document.span(object);
  found.push_back(std::move(suppression));
}

void read_keys(const Document& document, std::vector<Suppression>& found) {
  for (NodeId id = 0; id < document.size() && found.size() < kMaxSuppressions; ++id) {
    const Node& node = document.node(id);
    if (node.key == kNoNode || document.scalar(node.key) != kSuppressionKey) continue;
    if (node.kind != NodeKind::sequence) {
      read_string(document, id, node.parent, found);
      continue;
    }
    for (NodeId item = node.first_child; item != kNoNode; item = document.node(item).next_sibling) {
      read_string(document, item, node.parent, found);
    }
  }
}

}  // namespace

std::optional<Date> date_from(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd";
  if (text.size() != kShape.size()) return std::nullopt;
  std::array<unsigned, 3> parts{};
  std::size_t part = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kShape[i] == '-') {
      if (text[i] != '-') return std::nullopt;
      ++part;
    } else if (text[i] >= '0' && text[i] <= '9') {
      parts[part] = 10 * parts[part] + static_cast<unsigned>(text[i] - '0');
    } else {
      return std::nullopt;
    }
  }
  const Date date{std::chrono::year{static_cast<int>(parts[0])}, std::chrono::month{parts[1]},
                  std::chrono::day{parts[2]}};
  if (!date.ok()) return std::nullopt;
  return date;
}

std::string to_string(Date date) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

bool Suppression::names(std::string_view rule) const {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

bool Suppression::reaches(SourceSpan place) const {
  if (!mistake.empty() || place.file != span.file) return false;
  return whole_file || (covers.begin <= place.begin && place.begin < covers.end) ||
         (place.begin == covers.end && place.end == covers.end && covers.begin < covers.end);
}

std::vector<Suppression> read_suppressions(const Document& document) {
  std::vector<Suppression> found;
  // Almost no file has one, and looking is all those pay for.
  if (document.text().find("gpulint") == std::string_view::npos) return found;
  std::optional<PythonEntries> python;  // read where a comment asks for it
  for (const Comment& comment : document.comments()) {
    if (found.size() >= kMaxSuppressions) break;
    read_comment(document, comment, python, found);
  }
  if (document.format() == Format::json) read_keys(document, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Suppression& a, const Suppression& b) { return a.span < b.span; });
  return found;
}

}  // namespace gpulint
