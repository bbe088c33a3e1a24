// Myers' O(ND) comparison of lines (E. Myers 1986, "An O(ND) Difference Algorithm and Its
// Variations"), greedy and with the trace kept. Equal lines at both ends are left out first; fixes
// change a handful of lines, so N x D stays small. Beyond kMostSteps the rest is one replaced
// block, which is longer but just as correct.

#include "finding/fix_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gpulint {
namespace {

constexpr std::int64_t kContext = 3;        // lines, as diff -u shows
constexpr std::int64_t kMostSteps = 1'000;  // changed lines looked for one by one

using Lines = std::vector<std::string_view>;

/// Lines with their line ends.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

/// Which lines of either side are not in the other.
struct Changed {
  std::vector<bool> before, after;
};

/// The middle of both texts, without the lines they begin and end with alike.
struct Middle {
  const Lines& before;
  const Lines& after;
  std::int64_t first = 0;
  std::int64_t old_size = 0;
  std::int64_t new_size = 0;

  bool same(std::int64_t x, std::int64_t y) const {
    return before[static_cast<std::size_t>(first + x)] ==
           after[static_cast<std::size_t>(first + y)];
  }
};

Middle middle_of(const Lines& before, const Lines& after) {
  std::size_t head = 0;
  while (head < before.size() && head < after.size() && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < before.size() - head && tail < after.size() - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  return {before, after, static_cast<std::int64_t>(head),
          static_cast<std::int64_t>(before.size() - head - tail),
          static_cast<std::int64_t>(after.size() - head - tail)};
}

/// Furthest x reached on each diagonal after each number of steps.
class Trace {
 public:
  explicit Trace(const Middle& middle) : middle_(middle) {
    const std::int64_t most = std::min(kMostSteps, middle.old_size + middle.new_size);
    offset_ = most + 1;
    std::vector<std::int64_t> furthest(static_cast<std::size_t>(2 * offset_ + 1), 0);
    for (std::int64_t steps = 0; steps <= most; ++steps) {
      history_.push_back(furthest);
      if (advance(furthest, steps)) {
        found_ = true;
        return;
      }
    }
  }
  bool found() const { return found_; }

  /// Walks back from the ends and marks the lines that were stepped over.
  void mark(Changed& changed) const {
    std::int64_t x = middle_.old_size;
    std::int64_t y = middle_.new_size;
    for (auto steps = static_cast<std::int64_t>(history_.size()) - 1; steps > 0; --steps) {
      const auto& furthest = history_[static_cast<std::size_t>(steps)];
      const std::int64_t diagonal = x - y;
      const bool down = goes_down(furthest, diagonal, steps);
      const std::int64_t previous = down ? diagonal + 1 : diagonal - 1;
      x = at(furthest, previous);
      y = x - previous;
      auto& side = down ? changed.after : changed.before;
      side[static_cast<std::size_t>(middle_.first + (down ? y : x))] = true;
    }
  }

 private:
  std::int64_t at(const std::vector<std::int64_t>& furthest, std::int64_t diagonal) const {
    return furthest[static_cast<std::size_t>(diagonal + offset_)];
  }
  bool goes_down(const std::vector<std::int64_t>& furthest, std::int64_t diagonal,
                 std::int64_t steps) const {
    return diagonal == -steps ||
           (diagonal != steps && at(furthest, diagonal - 1) < at(furthest, diagonal + 1));
  }
  bool advance(std::vector<std::int64_t>& furthest, std::int64_t steps) const {
    for (std::int64_t diagonal = -steps; diagonal <= steps; diagonal += 2) {
      std::int64_t x = goes_down(furthest, diagonal, steps) ? at(furthest, diagonal + 1)
                                                            : at(furthest, diagonal - 1) + 1;
      if (steps == 0) x = 0;
      std::int64_t y = x - diagonal;
      while (x < middle_.old_size && y < middle_.new_size && y >= 0 && middle_.same(x, y)) {
        ++x;
        ++y;
      }
      furthest[static_cast<std::size_t>(diagonal + offset_)] = x;
      if (x >= middle_.old_size && y >= middle_.new_size) return true;
    }
    return false;
  }

  const Middle& middle_;
  std::int64_t offset_ = 0;
  std::vector<std::vector<std::int64_t>> history_;
  bool found_ = false;
};

Changed compare(const Lines& before, const Lines& after) {
  Changed changed{std::vector<bool>(before.size()), std::vector<bool>(after.size())};
  const Middle middle = middle_of(before, after);
  const Trace trace(middle);
  if (trace.found()) {
    trace.mark(changed);
    return changed;
  }
  for (std::int64_t i = 0; i < middle.old_size; ++i) {
    changed.before[static_cast<std::size_t>(middle.first + i)] = true;
  }
  for (std::int64_t i = 0; i < middle.new_size; ++i) {
    changed.after[static_cast<std::size_t>(middle.first + i)] = true;
  }
  return changed;
}

/// One line of the output: ' ', '-' or '+'.
struct Row {
  char mark = ' ';
  std::string_view line;
};

std::vector<Row> rows_of(const Lines& before, const Lines& after) {
  const Changed changed = compare(before, after);
  std::vector<Row> rows;
  std::size_t x = 0;
  std::size_t y = 0;
  while (x < before.size() || y < after.size()) {
    if (x < before.size() && changed.before[x]) {
      rows.push_back({'-', before[x++]});
    } else if (y < after.size() && changed.after[y]) {
      rows.push_back({'+', after[y++]});
    } else {
      rows.push_back({' ', before[x++]});
      ++y;
    }
  }
  return rows;
}

void write_row(std::string& text, const Row& row) {
  text += row.mark;
  text += row.line;
  if (!row.line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
}

/// Where a hunk's side begins: an empty side is named by the line before it.
std::string side(std::int64_t first, std::int64_t count) {
  if (count == 1) return fmt::format("{}", first);
  return fmt::format("{},{}", count == 0 ? first - 1 : first, count);
}

/// A name with a control character would break the line it stands on.
std::string quoted_path(std::string_view path) {
  const bool plain =
      std::none_of(path.begin(), path.end(), [](char c) { return c >= 0 && c < ' '; });
  if (plain) return std::string(path);
  std::string text = "\"";
  for (const char c : path) {
    text += c >= 0 && c < ' ' ? fmt::format("\\{:03o}", static_cast<int>(c)) : std::string(1, c);
  }
  return text + "\"";
}

}  // namespace

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const Lines old_lines = lines_of(before);
  const Lines new_lines = lines_of(after);
  const std::vector<Row> rows = rows_of(old_lines, new_lines);
  std::string text = fmt::format("--- {0}\n+++ {0}\n", quoted_path(path));
  const auto size = static_cast<std::int64_t>(rows.size());
  std::int64_t old_line = 1;  // of row `at`
  std::int64_t new_line = 1;
  std::int64_t at = 0;
  const auto row = [&](std::int64_t i) -> const Row& { return rows[static_cast<std::size_t>(i)]; };
  while (at < size) {
    std::int64_t next = at;
    while (next < size && row(next).mark == ' ') ++next;
    if (next == size) break;
    const std::int64_t begin = std::max(at, next - kContext);
    old_line += begin - at;  // only common lines lie between
    new_line += begin - at;
    std::int64_t end = next;
    for (std::int64_t i = next; i < size && i - end <= 2 * kContext; ++i) {
      if (row(i).mark != ' ') end = i + 1;
    }
    end = std::min(size, end + kContext);
    std::int64_t removed = 0;
    std::int64_t added = 0;
    std::string body;
    for (std::int64_t i = begin; i < end; ++i) {
      write_row(body, row(i));
      removed += row(i).mark != '+' ? 1 : 0;
      added += row(i).mark != '-' ? 1 : 0;
    }
    text += fmt::format("@@ -{} +{} @@\n", side(old_line, removed), side(new_line, added)) + body;
    old_line += removed;
    new_line += added;
    at = end;
  }
  return text;
}

}  // namespace gpulint
