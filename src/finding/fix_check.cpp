#include "finding/fix_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

void append_token(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

/// A document as one text, without what lies at or below the intended pointers.
class Outline {
 public:
  Outline(const Document& document, std::span<const Edit> edits) : document_(document) {
    for (const Edit& edit : edits) {
      if (!edit.pointer.empty()) intended_.push_back(edit.pointer);
    }
    for (const NodeId root : document.roots()) add(root);
  }
  const std::string& text() const { return text_; }

 private:
  bool is_intended() const {
    return std::find(intended_.begin(), intended_.end(), pointer_) != intended_.end();
  }

  void add_word(std::string_view word) {
    // Lengths keep two neighbouring words from being read as one.
    text_ += fmt::format("{}:", word.size());
    text_ += word;
  }

  // Documents are no deeper than ReadLimits::max_depth.
  void add(NodeId id) {
    if (is_intended()) return;
    const Node& node = document_.node(id);
    text_ += fmt::format("\n{}.{}.", static_cast<int>(node.kind), static_cast<int>(node.quoting));
    add_word(pointer_);
    add_word(document_.tag(id));
    add_word(document_.anchor(id));
    if (node.kind == NodeKind::alias) {
      add_word(node.target == kNoNode ? "" : document_.anchor(node.target));
      return;
    }
    add_word(document_.scalar(id));
    std::size_t number = 0;
    for (NodeId child = node.first_child; child != kNoNode;
         child = document_.node(child).next_sibling) {
      const std::size_t size = pointer_.size();
      const NodeId key = document_.node(child).key;
      append_token(pointer_, key == kNoNode ? std::to_string(number)
                                            : document_.scalar(document_.resolve(key)));
      add(child);
      pointer_.resize(size);
      ++number;
    }
  }

  const Document& document_;
  std::vector<std::string> intended_;
  std::string pointer_;
  std::string text_;
};

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Places of the edits in the text before or after they were applied.
std::vector<Range> edited_ranges(std::span<const Edit> edits, bool applied) {
  std::vector<Edit> ordered(edits.begin(), edits.end());
  std::sort(ordered.begin(), ordered.end(),
            [](const Edit& a, const Edit& b) { return a.span < b.span; });
  ordered.erase(std::unique(ordered.begin(), ordered.end()), ordered.end());
  std::vector<Range> ranges;
  std::int64_t moved = 0;
  for (const Edit& edit : ordered) {
    const std::int64_t old_size = edit.span.end - edit.span.begin;
    const auto new_size = static_cast<std::int64_t>(edit.text.size());
    const std::int64_t begin = edit.span.begin + (applied ? moved : 0);
    ranges.push_back({begin, begin + (applied ? new_size : old_size)});
    moved += new_size - old_size;
  }
  return ranges;
}

/// Texts of the comments that no edit reaches into.
std::vector<std::string_view> untouched_comments(const Document& document,
                                                 const std::vector<Range>& edited) {
  std::vector<std::string_view> texts;
  for (const Comment& comment : document.comments()) {
    const bool touched = std::any_of(edited.begin(), edited.end(), [&](const Range& range) {
      return range.begin < comment.end && comment.begin < range.end;
    });
    if (!touched)
      texts.push_back(document.text().substr(comment.begin, comment.end - comment.begin));
  }
  return texts;
}

/// The pointer on the first line in which two outlines differ.
std::string first_difference(std::string_view a, std::string_view b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const std::string_view longer = a.size() > b.size() ? a : b;
  const std::size_t line = longer.rfind('\n', std::min(at, longer.size() - 1));
  const std::size_t colon = longer.find(':', line);
  if (colon == std::string_view::npos) return {};
  const std::string_view rest = longer.substr(colon + 1);
  const std::size_t end = rest.find_first_of("\n0123456789:");
  return std::string(rest.substr(0, end));
}

}  // namespace

std::string unintended_change(const Document& before, const Document& after,
                              std::span<const Edit> edits) {
  const Outline old_outline(before, edits);
  const Outline new_outline(after, edits);
  if (old_outline.text() != new_outline.text()) {
    return fmt::format("something else changed as well, near \"{}\"",
                       first_difference(old_outline.text(), new_outline.text()));
  }
  if (untouched_comments(before, edited_ranges(edits, false)) !=
      untouched_comments(after, edited_ranges(edits, true))) {
    return "a comment would be lost";
  }
  return {};
}

}  // namespace gpulint
