// Patterns of einops: dimensions that are split, moved and joined by their names.

#include "code/followed_lanes.h"
#include "code/followed_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace gpulint {

using namespace followed;
using python::Operated;
using python::TensorId;

namespace {

/// "... (h d) -> ... h d" of so many dimensions, with a name for each that the dots stand for.
std::string without_dots(const std::string& pattern, std::size_t dimensions) {
  constexpr std::string_view kDots = "...";
  const std::string_view left = std::string_view(pattern).substr(0, pattern.find("->"));
  if (left.find(kDots) == left.npos) return pattern;
  std::size_t named = 0;
  bool inside = false;
  bool in_word = false;
  for (const char c : left) {
    const bool is_of_word = c != ' ' && c != '(' && c != ')' && c != '.';
    if (!inside && is_of_word && !in_word) ++named;
    if (c == '(') ++named, inside = true;
    if (c == ')') inside = false;
    in_word = is_of_word;
  }
  if (named > dimensions) return pattern;
  std::string names;
  for (std::size_t i = named; i < dimensions; ++i) names += fmt::format(" dots_{} ", i);
  std::string made = pattern;
  for (std::size_t at = made.find(kDots); at != made.npos; at = made.find(kDots, at + names.size()))
    made.replace(at, kDots.size(), names);
  return made;
}

using Groups = std::vector<std::vector<std::string>>;

/// "b (h d) 1" as groups of words; nullopt: with dots in it.
std::optional<Groups> groups_of(std::string_view side) {
  Groups groups;
  bool inside = false;
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) return;
    if (!inside) groups.emplace_back();
    groups.back().push_back(std::exchange(word, {}));
  };
  for (const char c : side) {
    if (c == '(') {
      end_word();
      inside = true;
      groups.emplace_back();
    } else if (c == ')') {
      end_word();
      inside = false;
    } else if (c == ' ') {
      end_word();
    } else if (c == '.') {
      return std::nullopt;
    } else {
      word += c;
    }
  }
  end_word();
  return groups;
}

constexpr std::string_view kArrow = "->";

}  // namespace

/// Rows and dimensions of what a pattern makes of an input that nobody knows yet.
FollowedStep::Rearranged FollowedStep::rearranged_input(const Statement& statement) const {
  std::string pattern;
  std::map<std::string, Lanes> known;
  for (const Argument& each : statement.arguments) {
    if (each.name == "pattern") pattern = each.word;
    if (each.numbers.size() == 1) known[each.name] = each.numbers.front();
  }
  Rearranged made;
  const std::size_t arrow = pattern.find(kArrow);
  if (arrow == pattern.npos) return made;
  const auto left = groups_of(std::string_view(pattern).substr(0, arrow));
  const auto right = groups_of(std::string_view(pattern).substr(arrow + kArrow.size()));
  if (!left || !right || left->empty() || right->empty()) return made;
  made.before = left->size();
  made.after = right->size();
  const std::optional<Lanes> own = rows_of(statement.from);
  if (!own) return made;
  // The rows, of which one word may be unknown: what the others leave.
  Lanes rest = *own;
  std::string open;
  for (const std::string& word : left->front()) {
    if (!known.contains(word) && !open.empty()) return made;
    if (!known.contains(word)) open = word;
    for (std::size_t lane = 0; known.contains(word) && lane < kLanes; ++lane)
      rest[lane] /= known[word][lane];
  }
  if (!open.empty()) known[open] = rest;
  Lanes rows = all(1);
  for (const std::string& word : right->front()) {
    if (!known.contains(word)) return made;
    for (std::size_t lane = 0; lane < kLanes; ++lane) rows[lane] *= known[word][lane];
  }
  made.rows = rows;
  return made;
}

/// "b c (h p) w -> b (h w) (p c)": a reshape, a permutation and a reshape.
std::optional<Operated> FollowedStep::rearranged(const Statement& statement, SourceSpan place) {
  std::string pattern;
  std::map<std::string, Lanes> known;
  for (const Argument& each : statement.arguments) {
    if (each.name == "pattern") pattern = each.word;
    if (each.numbers.size() == 1) known[each.name] = each.numbers.front();
  }
  pattern = without_dots(pattern, tensors_[statement.from].sizes.size());
  const std::size_t arrow = pattern.find(kArrow);
  if (arrow == pattern.npos) return std::nullopt;
  const auto left = groups_of(std::string_view(pattern).substr(0, arrow));
  const auto right = groups_of(std::string_view(pattern).substr(arrow + kArrow.size()));
  const std::vector<Lanes> own = tensors_[statement.from].sizes;
  const auto fail = [&]() -> std::optional<Operated> {
    if (needs_gradient(statement.from) && !statement.detached) lost("rearrange", place);
    return std::nullopt;
  };
  if (!left || !right || left->size() != own.size()) return fail();
  std::vector<std::string> letters;
  std::vector<Lanes> split;
  for (std::size_t i = 0; i < left->size(); ++i) {
    Lanes rest = own[i];
    std::string open;
    for (const std::string& letter : (*left)[i]) {
      if (letter == "1") known[letter] = all(1);
      if (!known.contains(letter)) {
        if (!open.empty()) return fail();
        open = letter;
        continue;
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) rest[lane] /= known[letter][lane];
    }
    if (!open.empty()) known[open] = rest;
    for (const std::string& letter : (*left)[i]) {
      letters.push_back(letter);
      split.push_back(known[letter]);
    }
  }
  std::vector<Lanes> order;
  std::vector<Lanes> joined;
  for (const std::vector<std::string>& group : *right) {
    Lanes size = all(1);
    for (const std::string& letter : group) {
      if (letter == "1") continue;
      const auto at = std::find(letters.begin(), letters.end(), letter);
      if (at == letters.end()) return fail();
      order.push_back(all(static_cast<double>(at - letters.begin())));
      for (std::size_t lane = 0; lane < kLanes; ++lane) size[lane] *= known[letter][lane];
    }
    joined.push_back(size);
  }
  // Letters of size 1 may go.
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const bool is_used =
        std::find(order.begin(), order.end(), all(static_cast<double>(i))) != order.end();
    if (is_used) continue;
    if (split[i] != all(1)) return fail();
    order.push_back(all(static_cast<double>(i)));
  }
  TensorId at = statement.from;
  std::optional<Operated> made;
  const auto step = [&](std::string_view name, std::string_view argument,
                        std::vector<Lanes> numbers) {
    Statement next = statement;
    next.name = name;
    next.from = at;
    next.arguments = {
        {.name = std::string(argument), .numbers = std::move(numbers), .is_list = true}};
    made = run(std::move(next), place);
    if (made) at = made->tensor;
    return made.has_value();
  };
  if (!step("reshape", "sizes", split) || !step("permute", "order", order) ||
      !step("reshape", "sizes", joined))
    return std::nullopt;
  return made;
}

}  // namespace gpulint
