#include "report/wrap.h"

#include "base/text.h"
#include "report/style.h"

#include <algorithm>
#include <vector>

namespace gpulint {
namespace {

/// Part of a line that a column further right leaves too little room for.
constexpr double kLastColumn = 0.6;
/// A line that starts further right continues a column of the line above it.
constexpr int kFirstColumn = 20;

/// A line cut at its blanks: each piece is a word with the blanks before it.
struct Piece {
  std::string_view blanks;
  std::string_view word;
  int width = 0;  // of the word
};

std::string without_colors(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b') {
      plain += text[at];
      continue;
    }
    at = std::min(text.find('m', at), text.size());
  }
  return plain;
}

std::vector<Piece> pieces_of(std::string_view line) {
  std::vector<Piece> pieces;
  while (!line.empty()) {
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', start), line.size());
    const std::string_view word = line.substr(start, end - start);
    pieces.push_back({line.substr(0, start), word, display_width(without_colors(word))});
    line.remove_prefix(end);
  }
  return pieces;
}

/// An excerpt is cut to the width already, and a second line under it would lie about its columns.
bool is_excerpt(const std::vector<Piece>& pieces) {
  const auto is_bar = [&](std::size_t at) {
    return at < pieces.size() && without_colors(pieces[at].word) == "|";
  };
  return is_bar(0) || is_bar(1);
}

/// Columns that continue `pieces`: behind the last gap of two blanks or more, else behind a mark.
int hanging_indent(const std::vector<Piece>& pieces, int width) {
  int column = 0;
  int indent = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    column += static_cast<int>(pieces[i].blanks.size());
    const bool is_column = i > 0 && pieces[i].blanks.size() > 1;
    const bool after_mark = i == 1 && without_colors(pieces[0].word) == "=";
    if (i == 0) indent = column < kFirstColumn ? column + 2 : column;
    if (after_mark || (is_column && column <= kLastColumn * width)) indent = column;
    column += pieces[i].width;
  }
  return std::min(indent, static_cast<int>(kLastColumn * width));
}

std::string wrap_line(std::string_view line, int width) {
  const std::vector<Piece> pieces = pieces_of(line);
  if (is_excerpt(pieces)) return std::string(line);
  const std::string margin(static_cast<std::size_t>(hanging_indent(pieces, width)), ' ');
  std::string text;
  int column = 0;
  for (const Piece& piece : pieces) {
    const int blanks = static_cast<int>(piece.blanks.size());
    const bool breaks = !text.empty() && column + blanks + piece.width > width &&
                        column > static_cast<int>(margin.size());
    if (breaks) {
      text.append("\n").append(margin);
      column = static_cast<int>(margin.size());
    } else {
      text += piece.blanks;
      column += blanks;
    }
    text += piece.word;
    column += piece.width;
  }
  return text;
}

}  // namespace

std::string wrap_lines(std::string_view text, int width) {
  std::string wrapped;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const bool is_short = line.size() <= static_cast<std::size_t>(width);
    wrapped += is_short || display_width(without_colors(line)) <= width ? std::string(line)
                                                                        : wrap_line(line, width);
    if (end < text.size()) wrapped += '\n';
    begin = end + 1;
  }
  return wrapped;
}

}  // namespace gpulint
