#include "report/excerpt.h"

#include "base/text.h"
#include "report/style.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

/// Bytes looked at on either side of the place: a minified JSON file is one line of megabytes.
constexpr std::size_t kWindow = 600;
constexpr std::string_view kCut = "...";

/// One code point as it is shown.
struct Cell {
  std::string text;
  int width = 1;
  bool marked = false;
};

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

std::vector<Cell> cells_of(std::string_view text, std::size_t mark_begin, std::size_t mark_end) {
  std::vector<Cell> cells;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = at + 1;
    while (next < text.size() && continues(text[next])) ++next;
    Cell cell{.text = escape_for_display(text.substr(at, next - at))};
    cell.width = display_width(cell.text);
    cell.marked = at >= mark_begin && at < mark_end;
    cells.push_back(std::move(cell));
    at = next;
  }
  return cells;
}

/// First and last + 1 cell to show: all when they fit, else a part that keeps what stands before
/// the mark readable.
std::pair<std::size_t, std::size_t> visible(const std::vector<Cell>& cells, int width) {
  int total = 0;
  for (const Cell& cell : cells) total += cell.width;
  if (total <= width) return {0, cells.size()};
  const auto mark =
      std::find_if(cells.begin(), cells.end(), [](const Cell& c) { return c.marked; });
  auto first = static_cast<std::size_t>(mark - cells.begin());
  int before = 0;
  while (first > 0 && before + cells[first - 1].width <= width / 2) {
    before += cells[--first].width;
  }
  std::size_t last = first;
  int shown = 0;
  while (last < cells.size() && shown + cells[last].width <= width) shown += cells[last++].width;
  return {first, last};
}

}  // namespace

Excerpt excerpt_of(const SourceText& source, SourceSpan span, int width) {
  Excerpt excerpt;
  excerpt.line = source.lines.at(source.text, span.begin).line;
  const std::string_view line = source.lines.line(source.text, excerpt.line);
  const auto line_start = static_cast<std::size_t>(line.data() - source.text.data());
  std::size_t begin = std::min<std::size_t>(span.begin - line_start, line.size());
  std::size_t end = std::clamp<std::size_t>(span.end - line_start, begin, line.size());

  std::size_t from = begin > kWindow ? begin - kWindow : 0;
  while (from > 0 && continues(line[from])) --from;
  if (from == 0 && line_start == 0 && line.starts_with("\xef\xbb\xbf")) from = 3;
  begin = std::max(begin, from);
  end = std::max(end, from);
  std::size_t to = std::min(line.size(), begin + kWindow);
  while (to < line.size() && continues(line[to])) ++to;

  const std::vector<Cell> cells = cells_of(line.substr(from, to - from), begin - from, end - from);
  const int room = width - 2 * static_cast<int>(kCut.size());
  const auto [first, last] = visible(cells, std::max(room, 10));
  if (first > 0 || from > 3) {
    excerpt.text += kCut;
    excerpt.underline.append(kCut.size(), ' ');
  }
  for (std::size_t i = first; i < last; ++i) {
    excerpt.text += cells[i].text;
    excerpt.underline.append(static_cast<std::size_t>(cells[i].width), cells[i].marked ? '^' : ' ');
  }
  if (last < cells.size() || to < line.size()) excerpt.text += kCut;
  // A place between characters (an empty value, the end of a line) gets one caret.
  if (excerpt.underline.find('^') == std::string::npos) {
    const std::size_t at = static_cast<std::size_t>(
        display_width(escape_for_display(line.substr(from, begin - from))));
    excerpt.underline = std::string(first == 0 ? at : excerpt.underline.size(), ' ') + '^';
  }
  excerpt.underline.erase(excerpt.underline.find_last_of('^') + 1);
  return excerpt;
}

}  // namespace gpulint
