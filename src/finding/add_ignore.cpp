#include "finding/add_ignore.h"

#include "base/text.h"
#include "finding/apply.h"
#include "finding/own_rules.h"
#include "finding/suppression.h"
#include "finding/text_lines.h"
#include "source/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gpulint {
namespace {

using Rules = std::set<std::string>;

std::string list_of(const Rules& rules) {
  return join(std::vector<std::string>(rules.begin(), rules.end()), ", ");
}

class Writer {
 public:
  Writer(const Document& document, std::string_view reason)
      : document_(document), text_(document.text()), reason_(reason) {
    suppressions_ = read_suppressions(document);
  }

  void add(const Finding& finding) {
    if (judges_suppressions(finding.rule)) {
      result_.left.push_back(&finding);
    } else if (document_.format() == Format::json) {
      add_to_object(finding);
    } else {
      const bool whole_file = finding.span.begin == 0 && finding.span.end == 0;
      if (whole_file) {
        file_rules_.insert(finding.rule);
      } else {
        by_line_[line_of(finding.span.begin)].insert(finding.rule);
      }
      result_.written.push_back(&finding);
    }
  }

  IgnoredText finish() && {
    if (!file_rules_.empty()) write_for_file();
    for (const auto& [line, rules] : by_line_) write_on_line(line, rules);
    for (const auto& [object, rules] : by_object_) write_in_object(object, rules);
    auto text = apply_edits(text_, document_.file(), edits_);
    if (text && means_the_same(*text)) {
      result_.text = std::move(*text);
    } else {
      result_.text = text_;
      result_.left.insert(result_.left.end(), result_.written.begin(), result_.written.end());
      result_.written.clear();
    }
    return std::move(result_);
  }

 private:
  void insert(std::uint32_t at, std::string words) {
    edits_.push_back({.span = {document_.file(), at, at}, .text = std::move(words), .pointer = {}});
  }

  std::string comment(std::string_view verb, const Rules& rules) const {
    return fmt::format("# gpulint: {}[{}] -- {}", verb, list_of(rules), reason_);
  }

  /// Line end as the file has it.
  std::string break_text() const {
    return text_.find("\r\n") == std::string_view::npos ? "\n" : "\r\n";
  }

  /// A backslash at the end of a line in a script: no comment fits behind it, nor between the
  /// lines.
  bool is_continued_line(std::uint32_t line) const {
    const Format format = document_.format();
    const bool has_continuations =
        format == Format::shell || format == Format::env || format == Format::python;
    return has_continuations && is_continued(text_, line);
  }

  /// The line that a suppression of what stands at `at` is written behind or above.
  std::uint32_t line_of(std::uint32_t at) const {
    const std::uint32_t line = begin_of_line(text_, at);
    return is_continued_line(line) ? begin_of_continued(text_, line) : line;
  }

  /// Above everything but a byte order mark and the line that names an interpreter.
  void write_for_file() {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    std::uint32_t at = text_.starts_with(kByteOrderMark) ? 3 : 0;
    if (text_.substr(at).starts_with("#!")) {
      at = end_of_line(text_, at);
      while (at < text_.size() && is_line_break(text_[at])) ++at;
    }
    insert(at, comment("file-ignore", file_rules_) + break_text());
  }

  /// A suppression behind an entry of this line that counts and can take more rules.
  const Suppression* present(std::uint32_t line) const {
    for (const Suppression& each : suppressions_) {
      const bool here = begin_of_line(text_, each.span.begin) == line && each.covers.begin == line;
      if (here && each.mistake.empty() && !each.whole_file && !each.until) return &each;
    }
    return nullptr;
  }

  /// A scalar goes on behind the end of the line, where a comment would become part of it.
  bool ends_inside_scalar(std::uint32_t end) const {
    for (NodeId id = 0; id < document_.size(); ++id) {
      const Node& node = document_.node(id);
      const bool block = node.quoting == Quoting::literal || node.quoting == Quoting::folded;
      const bool header = block && end_of_line(text_, node.begin) == end;
      if (node.kind == NodeKind::scalar && !header && node.begin < end && end < node.end) {
        return true;
      }
    }
    return false;
  }

  void write_on_line(std::uint32_t line, const Rules& rules) {
    const std::uint32_t end = end_of_line(text_, line);
    if (const Suppression* old = present(line)) {
      insert(old->list.end, ", " + list_of(rules));
      return;
    }
    if (ends_inside_scalar(end) || is_continued_line(line)) {
      std::uint32_t indent = line;
      while (indent < end && (text_[indent] == ' ' || text_[indent] == '\t')) ++indent;
      insert(line, std::string(text_.substr(line, indent - line)) + comment("ignore", rules) +
                       break_text());
      return;
    }
    std::uint32_t at = end;
    while (at > line && (text_[at - 1] == ' ' || text_[at - 1] == '\t')) --at;
    insert(at, "  " + comment("ignore", rules));
  }

  /// The innermost object around a finding.
  void add_to_object(const Finding& finding) {
    NodeId object = kNoNode;
    for (NodeId id = 0; id < document_.size(); ++id) {
      const Node& node = document_.node(id);
      const bool around = node.kind == NodeKind::mapping && node.begin <= finding.span.begin &&
                          finding.span.begin < node.end;
      if (around) object = id;  // nodes come outside in
    }
    if (object == kNoNode) {
      result_.left.push_back(&finding);
      return;
    }
    by_object_[object].insert(finding.rule);
    result_.written.push_back(&finding);
  }

  void write_in_object(NodeId object, const Rules& rules) {
    std::string reason = reason_;  // the key's text is read without escapes
    std::replace(reason.begin(), reason.end(), '"', '\'');
    std::replace(reason.begin(), reason.end(), '\\', '/');
    const std::string words = fmt::format("\"ignore[{}] -- {}\"", list_of(rules), reason);
    const NodeId old = document_.find(object, kSuppressionKey);
    const Node& node = document_.node(old);
    if (old != kNoNode && node.kind == NodeKind::sequence) {
      NodeId last = node.first_child;
      while (last != kNoNode && document_.node(last).next_sibling != kNoNode) {
        last = document_.node(last).next_sibling;
      }
      insert(last == kNoNode ? node.begin + 1 : document_.node(last).end,
             (last == kNoNode ? "" : ", ") + words);
    } else if (old != kNoNode) {
      insert(node.begin, "[");
      insert(node.end, fmt::format(", {}]", words));
    } else {
      write_key(object, words);
    }
  }

  /// As the first member, spaced like the one that was first.
  void write_key(NodeId object, const std::string& words) {
    const Node& node = document_.node(object);
    const std::string member = fmt::format("\"{}\": {}", kSuppressionKey, words);
    if (node.first_child == kNoNode) return insert(node.begin + 1, member);
    const std::uint32_t first = document_.node(document_.node(node.first_child).key).begin;
    const std::string_view space = text_.substr(node.begin + 1, first - node.begin - 1);
    insert(first, fmt::format("{},{}", member, space.empty() ? " " : space));
  }

  /// Every value of the document by its pointer, suppressions left out.
  static std::map<std::string, std::string> values(const Document& document) {
    std::map<std::string, std::string> found;
    for (NodeId id = 0; id < document.size(); ++id) {
      const Node& node = document.node(id);
      if (node.kind == NodeKind::mapping || node.kind == NodeKind::sequence) continue;
      std::string pointer = document.pointer(id);
      if (pointer.find("/~1~1gpulint") != std::string::npos) continue;
      found[std::move(pointer)] += std::string(document.scalar(id)) + '\n';
    }
    return found;
  }

  bool means_the_same(const std::string& text) const {
    const auto read = read_document(std::string(document_.path()), text, document_.file());
    return read && values(*read) == values(document_);
  }

  const Document& document_;
  std::string_view text_;
  std::string reason_;
  std::vector<Suppression> suppressions_;
  Rules file_rules_;
  std::map<std::uint32_t, Rules> by_line_;
  std::map<NodeId, Rules> by_object_;
  std::vector<Edit> edits_;
  IgnoredText result_;
};

}  // namespace

IgnoredText add_ignores(const Document& document, std::span<const Finding* const> findings,
                        std::string_view reason) {
  Writer writer(document, reason);
  for (const Finding* finding : findings) writer.add(*finding);
  return std::move(writer).finish();
}

}  // namespace gpulint
