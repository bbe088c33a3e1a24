#include "source/notebook.h"

#include "base/text.h"
#include "source/read.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

/// Writes the texts of JSON strings as lines of a module. An escape is two bytes and what it stands
/// for is one: a blank stands beside it where it changes no value.
class ModuleWriter {
 public:
  explicit ModuleWriter(std::string_view text) : text_(text), made_(text.size(), ' ') {}

  /// A line begins at the quote that opens its string; `begin` and `end` hold the quotes.
  void add(std::uint32_t begin, std::uint32_t end) {
    if (end < begin + 2 || text_[begin] != '"') return;
    start_line(begin);
    for (std::uint32_t at = begin + 1; at + 1 < end;) {
      if (text_[at] == '\\' && at + 2 < end) {
        at = add_escape(at, end - 1);
      } else {
        put(at, text_[at]);
        ++at;
      }
    }
  }
  std::string take() && { return std::move(made_); }

 private:
  void start_line(std::uint32_t at) {
    made_[at] = '\n';
    // A line that goes on does so behind its last byte.
    if (goes_on_ && at > 0) made_[at - 1] = '\\';
    goes_on_ = false;
    is_first_ = true;
    is_command_ = false;
  }

  void put(std::uint32_t at, char c) {
    if (is_first_ && (c == '%' || c == '!')) is_command_ = true;
    if (c != ' ') is_first_ = false;
    if (c == '#' && open_ == 0) is_comment_ = true;
    if (c == '\'') note_quote(1, '\'');
    if (!is_command_) made_[at] = c;
  }

  /// Of the escape at `at`; where to go on.
  std::uint32_t add_escape(std::uint32_t at, std::uint32_t end) {
    const char escaped = text_[at + 1];
    switch (escaped) {
      case 'n':
        if (at + 2 < end) end_line(at);  // else the next string begins one
        is_comment_ = false;
        is_first_ = true;
        is_command_ = false;
        return at + 2;
      case 'u':
        if (!is_command_) made_[at] = '?';
        return std::min(at + 6, end);
      case '"':
        return add_quotes(at, end);
      case '\\':
        // The last one of a line joins it to the next.
        if (at + 3 < end + 1 && text_.substr(at + 2, 2) == "\\n") {
          goes_on_ = true;
        } else if (!is_command_) {
          made_[at + 1] = '\\';
        }
        return at + 2;
      case '/':
        put(at + 1, '/');
        return at + 2;
      default:  // \t and other blanks
        return at + 2;
    }
  }

  /// The end of a line inside of a string.
  void end_line(std::uint32_t at) {
    if (goes_on_) made_[at] = '\\';
    goes_on_ = false;
    made_[at + 1] = '\n';
  }

  /// One quote or three; blanks stand outside of the text they open or close.
  std::uint32_t add_quotes(std::uint32_t at, std::uint32_t end) {
    const bool is_triple = text_.substr(at, 6) == "\\\"\\\"\\\"" && at + 6 <= end;
    const std::uint32_t count = is_triple && (open_ == 0 || open_ == 3) ? 3 : 1;
    const bool closes = open_ == count && quote_ == '"';
    if (!is_command_) {
      const std::uint32_t first = closes ? at : at + count;
      for (std::uint32_t i = 0; i < count; ++i) made_[first + i] = '"';
    }
    is_first_ = false;
    note_quote(count, '"');
    return at + 2 * count;
  }

  void note_quote(std::uint32_t count, char quote) {
    if (is_comment_ || is_command_) return;
    if (open_ == 0) {
      open_ = count;
      quote_ = quote;
    } else if (open_ == count && quote_ == quote) {
      open_ = 0;
    }
  }

  std::string_view text_;
  std::string made_;
  std::uint32_t open_ = 0;  // quotes that opened the text around
  char quote_ = '"';
  bool is_comment_ = false;
  bool is_first_ = true;     // nothing but blanks so far
  bool is_command_ = false;  // to the notebook
  bool goes_on_ = false;     // the line before ends with a backslash
};

/// Text of a cell's first line.
std::string_view first_line(const Document& document, NodeId source) {
  NodeId first = source;
  if (document.kind(source) == NodeKind::sequence) {
    const std::vector<NodeId> lines = document.items(source);
    first = lines.empty() ? kNoNode : lines.front();
  }
  return trim(document.scalar(first));
}

/// `%%bash` makes a cell something else; some only measure it.
bool is_python_cell(const Document& document, NodeId source) {
  constexpr std::array<std::string_view, 3> kStays = {"%%time", "%%timeit", "%%capture"};
  const std::string_view line = first_line(document, source);
  if (!line.starts_with("%%")) return true;
  for (const std::string_view each : kStays) {
    if (line.starts_with(each)) return true;
  }
  return false;
}

}  // namespace

bool is_notebook(std::string_view path) { return extension(path) == "ipynb"; }

std::string notebook_module(std::string_view text) {
  ModuleWriter writer(text);
  const auto document = read_json("", std::string(text), kNoFile);
  if (!document || document->root() == kNoNode) return std::move(writer).take();
  const NodeId cells = document->find(document->root(), "cells");
  if (cells == kNoNode || document->kind(cells) != NodeKind::sequence)
    return std::move(writer).take();
  for (const NodeId cell : document->items(cells)) {
    const NodeId kind = document->find(cell, "cell_type");
    const NodeId source = document->find(cell, "source");
    if (source == kNoNode || document->scalar(kind) != "code" || !is_python_cell(*document, source))
      continue;
    if (document->kind(source) == NodeKind::sequence) {
      for (const NodeId line : document->items(source))
        writer.add(document->node(line).begin, document->node(line).end);
    } else {
      writer.add(document->node(source).begin, document->node(source).end);
    }
  }
  return std::move(writer).take();
}

}  // namespace gpulint
