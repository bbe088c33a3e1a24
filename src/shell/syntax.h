#pragma once

// The commands of a shell script as a tree. Words stay ranges of the text: what they expand to
// depends on the variables at the time they are reached (interpreter.h). The parser takes anything:
// what is left open ends with the text, and a keyword that closes nothing is stepped over.

#include "shell/text.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

using StepId = std::uint32_t;
inline constexpr StepId kNoStep = 0xffffffffU;

enum class StepKind : std::uint8_t {
  command,     // `assignments`, `words`, `here_documents`
  sequence,    // `children` joined by `connectors`
  group,       // `{ …; }`: children[0]
  subshell,    // `( … )`: children[0]
  branches,    // if: condition, body, condition, body, …[, body of else]
  selection,   // case: words[0]; `patterns[i]` leads to children[i]
  loop,        // for: `name` over `words`, children[0]; without `in` the words are "$@"
  counted,     // for ((…)): `condition`, children[0]
  repetition,  // while, until: condition, body
  function,    // `name`, children[0]
  test,        // [[ … ]]: `condition`
  arithmetic,  // (( … )): `condition`
};

/// How a step is joined with the next of its sequence.
enum class Connector : std::uint8_t { next, and_then, or_else, pipe, background };

struct HereDocument {
  TextRange body;
  bool expands = true;  // false: its mark is quoted
};

struct Step {
  StepKind kind = StepKind::command;
  TextRange range;
  std::vector<TextRange> assignments;  // before the words: NAME=…, NAME+=…, NAME=(…)
  std::vector<TextRange> words;
  std::vector<HereDocument> here_documents;
  std::vector<StepId> children;
  std::vector<Connector> connectors;  // of a sequence: behind each child
  std::vector<std::vector<TextRange>> patterns;
  TextRange condition;
  TextRange input;  // the file behind `<`; empty: there is none
  TextRange here_string;  // the word behind `<<<`
  std::string name;
  bool has_words = false;  // loop: `in` was written
  bool negated = false;    // `!` stands before it
};

struct Syntax {
  std::vector<Step> steps;
  StepId root = kNoStep;
  bool truncated = false;  // more steps, or steps nested deeper, than are read
};

/// Reads `range` of a text.
Syntax parse_shell(const ShellText& text, TextRange range);
inline Syntax parse_shell(const ShellText& text) {
  return parse_shell(text, {0, static_cast<std::uint32_t>(text.size())});
}

/// The words of a list that may run over several lines: `(a b # comment` … `c)` without its
/// brackets.
std::vector<TextRange> shell_words(const ShellText& text, TextRange range);

/// Offsets behind quoted and nested parts; each begins at its opening character and ends at `end`
/// at the latest.
std::uint32_t skip_single_quoted(std::string_view text, std::uint32_t at, std::uint32_t end);
std::uint32_t skip_double_quoted(std::string_view text, std::uint32_t at, std::uint32_t end,
                                 int depth = 0);
std::uint32_t skip_backquoted(std::string_view text, std::uint32_t at, std::uint32_t end);
/// `$(…)`, `${…}`, `$((…))`, `$[…]`, at the dollar; a bare `$` or `$name` is one character long.
std::uint32_t skip_dollar(std::string_view text, std::uint32_t at, std::uint32_t end,
                          int depth = 0);
/// `(…)` at its opening parenthesis.
std::uint32_t skip_parentheses(std::string_view text, std::uint32_t at, std::uint32_t end,
                               int depth = 0);

}  // namespace gpulint
