// `while read -r ARGS; do … done < runs.txt`: a loop over the lines of a file of the project.

#include "base/text.h"
#include "shell/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

using Words = std::vector<ShellText>;

bool is_comment_or_blank(std::string_view line) {
  const std::string_view said = trim(line);
  return said.empty() || said.front() == '#';
}

/// `grep -v '^#'`, `grep -vE '^\s*#|^\s*$'`: takes comments out, and blank lines with them.
bool drops_comments(const Words& words) {
  constexpr std::string_view kPatternSigns = "^\\s*#|$ []:space+";
  const auto is_inverse = [](const ShellText& word) {
    return word.bytes.starts_with('-') && word.bytes.find('v') != std::string::npos;
  };
  if (std::none_of(words.begin() + 1, words.end(), is_inverse)) return false;
  const ShellText& pattern = words[words.size() - 2];
  return !pattern.bytes.starts_with('-') &&
         pattern.bytes.find_first_not_of(kPatternSigns) == std::string::npos &&
         pattern.bytes.find_first_of("#$") != std::string::npos;
}

/// The next field of a line, in front of a separator; `rest` is what follows.
ShellText take_field(ShellText& rest, std::string_view separators) {
  const auto all = static_cast<std::uint32_t>(rest.size());
  const auto end = static_cast<std::uint32_t>(
      std::min<std::size_t>(rest.bytes.find_first_of(separators), all));
  ShellText field = rest.part({0, end});
  rest = rest.part({std::min(end + 1, all), all});
  return field;
}

ShellText trimmed(const ShellText& text) {
  const auto begin =
      static_cast<std::uint32_t>(std::min(text.bytes.find_first_not_of(" \t"), text.bytes.size()));
  const auto end = static_cast<std::uint32_t>(text.bytes.find_last_not_of(" \t") + 1);
  return text.part({begin, std::max(begin, end)});
}

}  // namespace

/// nullopt: nobody knows what the file holds.
std::optional<Words> ShellInterpreter::lines_of(const ShellText& path, bool without_comments) {
  if (!request_.lines || path.empty()) return std::nullopt;
  const std::optional<SourcedText> file = request_.lines(path);
  if (!file) return std::nullopt;
  Words lines;
  for (std::size_t at = 0; at < file->text.size();) {
    const std::size_t end = std::min(file->text.find('\n', at), file->text.size());
    std::string_view line = std::string_view(file->text).substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!without_comments || !is_comment_or_blank(line))
      lines.push_back(ShellText::of(line, file->begin + static_cast<std::uint32_t>(at)));
    at = end + 1;
  }
  return lines;
}

/// What `cat FILE` and `grep -v '^#' FILE` write into a pipe.
std::optional<Words> ShellInterpreter::lines_written_by(const Source& source, const Step& step) {
  const std::string_view name = first_word(source.text.bytes, step);
  if (step.kind != StepKind::command || (name != "cat" && name != "grep")) return std::nullopt;
  const Words words = words_of(source, step);
  if (name == "cat")
    return words.size() == 2 ? lines_of(words[1], false) : std::optional<Words>();
  if (words.size() < 4 || !drops_comments(words)) return std::nullopt;
  return lines_of(words.back(), true);
}

/// `read` alone or in front of `|| [ -n "$line" ]`: the command of a loop's condition.
const Step* ShellInterpreter::reading_command(const Source& source, StepId condition) const {
  const Step* step = &source.syntax.steps[condition];
  while (step->kind != StepKind::command) {
    const bool holds = step->kind == StepKind::sequence || step->kind == StepKind::group;
    if (!holds || step->children.empty()) return nullptr;
    step = &source.syntax.steps[step->children.front()];
  }
  return first_word(source.text.bytes, *step) == "read" ? step : nullptr;
}

std::optional<ShellInterpreter::Cutting> ShellInterpreter::cutting_of(const Source& source,
                                                                      const Step& reads) {
  Cutting cutting;
  for (const TextRange word : reads.assignments) {
    const auto [name, value] = assignment_of(source, word);
    if (name != "IFS" || !value.known()) return std::nullopt;
    cutting.separators = value.bytes;
    cutting.keeps_blanks = cutting.separators.find(' ') == std::string::npos;
  }
  return cutting;
}

void ShellInterpreter::set_fields(const std::vector<std::string>& names, ShellText line,
                                  const Cutting& cutting) {
  ShellText rest = cutting.keeps_blanks ? std::move(line) : trimmed(line);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_last = i + 1 == names.size() || cutting.separators.empty();
    set(names[i], {{is_last ? std::exchange(rest, {}) : take_field(rest, cutting.separators)},
                   {},
                   false,
                   false});
    if (!cutting.keeps_blanks) rest = trimmed(rest);
  }
}

std::optional<ShellInterpreter::Outcome> ShellInterpreter::walk_lines(const Source& source,
                                                                      const Step& step,
                                                                      std::optional<Words> piped) {
  const Step* reads = reading_command(source, step.children.front());
  if (reads == nullptr) return std::nullopt;
  std::optional<Words> lines = std::move(piped);
  if (step.input.size() > 0) lines = lines_of(expand_whole(source.text, step.input), false);
  if (!lines) return std::nullopt;
  std::vector<std::string> names;
  for (const ShellText& word : words_of(source, *reads)) {
    if (!word.bytes.starts_with('-') && word.bytes != "read") names.push_back(word.bytes);
    if (word.bytes.find_first_of("adnNtu") != std::string::npos && word.bytes.starts_with('-'))
      return std::nullopt;  // what it takes is more or less than a line
  }
  if (names.empty()) return std::nullopt;
  const std::optional<Cutting> cutting = cutting_of(source, *reads);
  if (!cutting) return std::nullopt;
  std::uint32_t turn = 0;
  for (ShellText& line : *lines) {
    set_fields(names, std::move(line), *cutting);
    if (turn == kMostTurns) {
      ran_out_ = true;
      break;
    }
    Outcome outcome = walk_turn(source, turn++, step.children.back());
    if (outcome.flow == Flow::leave_loop) break;
    if (outcome.flow != Flow::on) return outcome;
  }
  return Outcome{};
}

}  // namespace gpulint
