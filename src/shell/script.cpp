#include "shell/script.h"

#include "shell/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostReadings = 16;
constexpr std::size_t kMostWalkedSteps = 8'000;  // walked in all readings together
constexpr std::size_t kMostScriptBytes = std::size_t{1} << 20;

/// Each option of a condition that cannot be decided, alone, beside the first options of all
/// others: as many readings as branches, where all combinations would be a power of them.
std::vector<std::vector<std::uint8_t>> further_decisions(const std::vector<std::uint8_t>& options,
                                                         bool& left_out) {
  std::vector<std::vector<std::uint8_t>> decisions;
  for (std::size_t point = 0; point < options.size(); ++point) {
    for (std::uint8_t option = 1; option < options[point]; ++option) {
      if (decisions.size() + 1 >= kMostReadings) {
        left_out = true;
        return decisions;
      }
      std::vector<std::uint8_t>& each = decisions.emplace_back(point + 1, std::uint8_t{0});
      each[point] = option;
    }
  }
  return decisions;
}

/// Lines that begin with a comment, in front of the first command: behind it schedulers look for
/// none. Calls `visit` with the range of each.
template <class Visit>
void for_each_leading_comment(std::string_view text, Visit visit) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::size_t begin = at;
    while (begin < end && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
    std::size_t stop = end;
    if (stop > begin && text[stop - 1] == '\r') --stop;
    if (begin < stop && text[begin] != '#') return;
    if (begin < stop) visit(begin, stop);
    at = end + 1;
  }
}

std::vector<ShellText> plain_words(std::string_view text, std::size_t begin, std::size_t end) {
  std::vector<ShellText> words;
  const ShellText line =
      ShellText::of(text.substr(begin, end - begin), static_cast<std::uint32_t>(begin));
  for (const TextRange range : shell_words(line, {0, static_cast<std::uint32_t>(line.size())})) {
    ShellText word;
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const char c = line.bytes[i];
      if (c != '"' && c != '\'') word.add(c, line.origins[i]);
    }
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace

ShellScript read_shell(const ShellRequest& request) {
  ShellScript script;
  ShellRequest bounded = request;
  if (request.text.size() > kMostScriptBytes) {
    bounded.text = request.text.substr(0, kMostScriptBytes);
    script.limits.emplace_back("more than 1 MiB; the rest of the script was left out");
  }
  if (request.script && request.script->size() > kMostScriptBytes)
    bounded.script = request.script->part({0, static_cast<std::uint32_t>(kMostScriptBytes)});
  ShellInterpreter first(bounded, {}, kMostWalkedSteps);
  first.run();
  bool left_out = false;
  bool ran_out = first.ran_out();
  const auto further = further_decisions(first.options(), left_out);
  script.readings.push_back({std::move(first.commands())});
  std::size_t steps = first.steps();
  for (const std::vector<std::uint8_t>& decisions : further) {
    if (steps >= kMostWalkedSteps) {
      left_out = true;
      break;
    }
    ShellInterpreter other(bounded, decisions, kMostWalkedSteps - steps);
    other.run();
    steps += other.steps();
    ran_out = ran_out || other.ran_out();
    script.readings.push_back({std::move(other.commands())});
  }
  if (first.truncated())
    script.limits.emplace_back(
        "more commands, or commands nested deeper, than gpulint reads; the rest was left out");
  script.unread = script.limits;
  if (ran_out)
    script.limits.emplace_back(
        "more commands, loop turns or steps than gpulint walks through; the rest was left out");
  if (left_out)
    script.limits.emplace_back(
        "more conditions that cannot be decided than gpulint tries; some branches were left out");
  return script;
}

std::vector<ShellDirective> shell_directives(std::string_view text) {
  std::vector<ShellDirective> directives;
  constexpr std::size_t kMostDirectives = 256;
  for_each_leading_comment(text, [&](std::size_t begin, std::size_t end) {
    std::size_t name = begin + 1;
    while (name < end && ((text[name] >= 'A' && text[name] <= 'Z') || text[name] == '$')) ++name;
    const bool marks = name > begin + 1 && name < end && text[name] == ' ';
    if (!marks || directives.size() >= kMostDirectives) return;
    const std::size_t dash = text.find_first_not_of(' ', name);
    if (dash >= end || text[dash] != '-') return;
    std::size_t stop = end;
    if (const std::size_t note = text.find(" #", dash); note < end) stop = note;
    directives.push_back({std::string(text.substr(begin, name - begin)),
                          plain_words(text, dash, stop),
                          {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}});
  });
  return directives;
}

std::vector<Comment> shell_comments(std::string_view text) {
  std::vector<Comment> comments;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    bool quoted = false;
    for (std::size_t i = at; i < end; ++i) {
      if (text[i] == '"' || text[i] == '\'') quoted = !quoted;
      const bool starts =
          text[i] == '#' && !quoted && (i == at || text[i - 1] == ' ' || text[i - 1] == '\t');
      if (!starts) continue;
      const std::size_t stop = end > i && text[end - 1] == '\r' ? end - 1 : end;
      comments.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(stop)});
      break;
    }
    at = end + 1;
  }
  return comments;
}

}  // namespace gpulint
