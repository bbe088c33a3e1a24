// What `$(…)` prints where that takes no running: paths put together, a number echoed, a list
// counted out. Everything else is unknown.

#include "base/text.h"
#include "shell/interpreter.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gpulint {
namespace {

std::optional<std::int64_t> number_of(const ShellText& text) {
  std::int64_t number = 0;
  const char* end = text.bytes.data() + text.size();
  const auto [stop, error] = std::from_chars(text.bytes.data(), end, number);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return number;
}

ShellText folder_of_path(const ShellText& path) {
  const std::size_t slash = path.bytes.rfind('/');
  if (slash == std::string::npos) return ShellText::computed(".");
  return path.part({0, static_cast<std::uint32_t>(std::max<std::size_t>(slash, 1))});
}

ShellText name_in_path(const ShellText& path, const ShellText* suffix) {
  const std::size_t slash = path.bytes.rfind('/');
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  std::size_t end = path.size();
  if (suffix != nullptr && path.bytes.ends_with(suffix->bytes) && end - begin > suffix->size())
    end -= suffix->size();
  return path.part({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
}

/// `seq a b`, `seq a step b`.
std::optional<ShellText> sequence_of(const std::vector<ShellText>& words) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto number = number_of(words[i]);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.empty() || numbers.size() > 3) return std::nullopt;
  const std::int64_t first = numbers.size() == 1 ? 1 : numbers.front();
  const std::int64_t step = numbers.size() == 3 ? numbers[1] : 1;
  const std::int64_t last = numbers.back();
  constexpr std::int64_t kMostNumbers = 256;
  if (step <= 0 || last < first || (last - first) / step > kMostNumbers) return std::nullopt;
  std::string text;
  for (std::int64_t i = first; i <= last; i += step) {
    if (!text.empty()) text += ' ';
    text += std::to_string(i);
  }
  return ShellText::computed(text);
}

}  // namespace

ShellText ShellInterpreter::substitute(const ShellText& text, TextRange inside,
                                       std::uint32_t origin) {
  constexpr std::size_t kMostSources = 2'000;
  if (sources_.size() >= kMostSources || !spend()) return ShellText::unknown(origin);
  const Source& source = add_source(text.part(inside), false);
  if (source.syntax.steps[source.syntax.root].children.empty())
    return {};  // a comment in a command
  const Step& root = source.syntax.steps[source.syntax.root];
  // `cd x && pwd`: in a shell of its own.
  const ShellText folder = state_.folder;
  std::optional<ShellText> printed;
  for (std::size_t i = 0; i < root.children.size(); ++i) {
    const Connector after = i < root.connectors.size() ? root.connectors[i] : Connector::next;
    if (after == Connector::pipe) {
      printed.reset();
      break;
    }
    printed = printed_by(source, root.children[i], origin);
    if (!printed) break;
    if (after == Connector::or_else) break;  // the first is taken to succeed
  }
  state_.folder = folder;
  if (printed) return *printed;
  // `folder=$(python train.py … | tail -n 1)` starts a program for what it prints.
  constexpr std::string_view kProgram = ".py";
  if (source.text.bytes.find(kProgram) != std::string::npos) {
    const State kept = state_;
    walk(source, source.syntax.root);
    state_ = kept;
  }
  return ShellText::unknown(origin);
}

std::optional<ShellText> ShellInterpreter::printed_by(const Source& source, StepId id,
                                                      std::uint32_t origin) {
  const Step& step = source.syntax.steps[id];
  if (step.kind != StepKind::command || step.words.empty()) return std::nullopt;
  return printed_by_command(source, step, origin);
}

std::optional<ShellText> ShellInterpreter::printed_by_command(const Source& source,
                                                              const Step& step, std::uint32_t) {
  std::vector<ShellText> words;
  for (const TextRange word : step.words) {
    for (ShellText& field : expand(source.text, word)) words.push_back(std::move(field));
  }
  std::erase_if(words, [&](const ShellText& word) {
    return &word != words.data() &&
           (word.bytes == "--" || word.bytes == "-f" || word.bytes == "-P" || word.bytes == "-n");
  });
  if (words.empty()) return std::nullopt;
  const std::string& name = words.front().bytes;
  if (name == "pwd") return state_.folder;
  if (name == "cd" || name == "pushd") {
    change_folder(words);
    return ShellText{};
  }
  if (name == "seq") return sequence_of(words);
  if (name == "echo") {
    ShellText text;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (i > 1) text.add(' ', kNowhere);
      text.add(words[i]);
    }
    return text;
  }
  if (name == "cat" && !step.here_documents.empty())
    return here_text(source, step.here_documents.front());
  if (words.size() < 2) return std::nullopt;
  if (name == "dirname") return folder_of_path(words[1]);
  if (name == "basename") return name_in_path(words[1], words.size() > 2 ? &words[2] : nullptr);
  if (name == "realpath" || name == "readlink") return words.back();
  if (name == "which") return words[1];
  if (name == "expr") {
    ShellText formula;
    for (std::size_t i = 1; i < words.size(); ++i) formula.add(words[i]);
    if (const auto value = arithmetic(formula, {0, static_cast<std::uint32_t>(formula.size())}))
      return ShellText::computed(std::to_string(*value));
  }
  return std::nullopt;
}

}  // namespace gpulint
