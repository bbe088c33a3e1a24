#include "base/text.h"
#include "shell/interpreter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostCommands = 128;  // of one reading
constexpr std::size_t kMostFunctionDepth = 24;
constexpr std::string_view kBatchMark = "#SBATCH";

using Words = std::vector<ShellText>;

bool declares(std::string_view name) {
  return name == "export" || name == "declare" || name == "local" || name == "typeset" ||
         name == "readonly";
}

/// Commands that start nothing: what they say is not looked at.
bool is_silent(std::string_view name) {
  static constexpr std::array<std::string_view, 25> kSilent = {
      "chmod", "echo", "printf", "mkdir",  "rm",   "cp",  "mv",  "ls",  "cat",
      "sleep", "wait", "trap",   "ulimit", "grep", "sed", "awk", "tee", "tail",
      "touch", "ln",   "kill",   "wget",   "curl", "git", "pip"};
  return std::find(kSilent.begin(), kSilent.end(), name) != kSilent.end();
}

}  // namespace

std::vector<ShellText> ShellInterpreter::words_of(const Source& source, const Step& step) {
  Words words;
  for (const TextRange word : step.words) {
    for (ShellText& field : expand(source.text, word)) words.push_back(std::move(field));
  }
  return words;
}

ShellInterpreter::Outcome ShellInterpreter::run_command(const Source& source, const Step& step) {
  const std::string_view name = first_word(source.text.bytes, step);
  if (step.words.empty()) {
    for (const TextRange word : step.assignments) assign(source, word);
    return {ShellVerdict::of(true), Flow::on};
  }
  if (declares(name)) {
    declare(source, step, name);
    return {ShellVerdict::of(true), Flow::on};
  }
  ShellVariables assignments;
  for (const TextRange word : step.assignments) assignments.push_back(assignment_of(source, word));
  Words words = words_of(source, step);
  if (words.empty()) {
    for (const TextRange word : step.assignments) assign(source, word);
    return {};
  }
  return run_words(source, step, std::move(words), std::move(assignments));
}

ShellInterpreter::Outcome ShellInterpreter::run_words(const Source& source, const Step& step,
                                                      Words words, ShellVariables assignments) {
  if (std::optional<Outcome> outcome = run_builtin(source, step, words)) return *outcome;
  if (const auto function = functions_.find(words.front().bytes); function != functions_.end())
    return call(function->second, std::move(words), assignments);
  if (run_here_documents(source, step, words, assignments)) return {};
  if (is_silent(words.front().bytes)) return {};
  if (run_inner_script(words, assignments) || run_started_script(words, assignments)) return {};
  emit(place_, std::move(words), std::move(assignments));
  return {};
}

std::optional<ShellInterpreter::Outcome> ShellInterpreter::run_builtin(const Source& source,
                                                                       const Step& step,
                                                                       Words& words) {
  const std::string& name = words.front().bytes;
  if (name == "[" || name == "test") {
    Words inside(words.begin() + 1, words.end());
    if (name == "[" && !inside.empty() && inside.back().bytes == "]") inside.pop_back();
    return Outcome{test(inside), Flow::on};
  }
  if (name == "true" || name == ":") return Outcome{ShellVerdict::of(true), Flow::on};
  if (name == "false") return Outcome{ShellVerdict::of(false), Flow::on};
  if (name == "exit") return Outcome{{}, Flow::leave_script};
  if (name == "return") return Outcome{{}, Flow::leave_function};
  if (name == "break") return Outcome{{}, Flow::leave_loop};
  if (name == "continue") return Outcome{{}, Flow::next_turn};
  if (name == "eval") return evaluate(words);
  if (name == "source" || name == ".") return source_file(words);
  if (name == "exec" || name == "command" || name == "builtin") {
    words.erase(words.begin());
    if (words.empty() || words.front().bytes.starts_with('-')) return Outcome{};
    return std::nullopt;
  }
  if (name == "cd" || name == "pushd") {
    change_folder(words);
  } else if (name == "shift") {
    std::size_t count = 1;
    if (words.size() > 1) {
      const auto asked = arithmetic(words[1], {0, static_cast<std::uint32_t>(words[1].size())});
      count = asked && *asked >= 0 ? static_cast<std::size_t>(*asked) : 1;
    }
    count = std::min(count, arguments_.size());
    if (has_arguments_)
      arguments_.erase(arguments_.begin(), arguments_.begin() + static_cast<std::ptrdiff_t>(count));
  } else if (name == "unset") {
    for (std::size_t i = 1; i < words.size(); ++i) state_.variables.erase(words[i].bytes);
    environment_.reset();
  } else if (name == "read" || name == "mapfile" || name == "readarray") {
    read_variable(source, step, words);
  } else if (name == "let") {
    for (std::size_t i = 1; i < words.size(); ++i)
      change_numbers(words[i], {0, static_cast<std::uint32_t>(words[i].size())});
  } else if (name == "set") {
    if (words.size() > 1 && words[1].bytes == "--") {
      arguments_.assign(words.begin() + 2, words.end());
      has_arguments_ = true;
    }
  } else if (name != "getopts" && name != "shopt" && name != "alias" && name != "popd") {
    return std::nullopt;
  }
  return Outcome{};
}

ShellInterpreter::Outcome ShellInterpreter::call(const Function& function, Words words,
                                                 const ShellVariables& assignments) {
  if (turns_.size() > kMostFunctionDepth) return {};
  const State before = assignments.empty() ? State{} : state_;
  export_all(assignments);
  Words kept = std::exchange(arguments_, Words(words.begin() + 1, words.end()));
  // Handed the script's own, it parses what somebody gives the script (`main "$@"`).
  const bool hands_on =
      request_.tries_switches && !has_arguments_ && reads_arguments_ && words.size() == 1;
  const bool had = std::exchange(has_arguments_, !hands_on);
  turns_.push_back(place_.begin);  // each call starts what it starts anew
  Outcome outcome = walk(*function.source, function.body);
  turns_.pop_back();
  arguments_ = std::move(kept);
  has_arguments_ = had;
  take_back(assignments, before);
  if (outcome.flow == Flow::leave_function) outcome.flow = Flow::on;
  return outcome;
}

ShellText ShellInterpreter::here_text(const Source& source, const HereDocument& document) {
  if (!document.expands) return source.text.part(document.body);
  // As between double quotes, but for the quotes, which mean themselves: they are put behind a
  // backslash.
  ShellText quoted;
  for (std::uint32_t at = document.body.begin; at < document.body.end; ++at) {
    if (source.text.bytes[at] == '"') quoted.add('\\', kNowhere);
    quoted.add(source.text.bytes[at], source.text.origins[at]);
  }
  ShellText wrapped = ShellText::computed("\"");
  wrapped.add(quoted);
  wrapped.add('"', kNowhere);
  return expand_whole(wrapped, {0, static_cast<std::uint32_t>(wrapped.size())});
}

/// A job script that is handed over as text, or written to a file to be handed over.
bool ShellInterpreter::run_here_documents(const Source& source, const Step& step,
                                          const Words& words, const ShellVariables&) {
  bool ran = false;
  for (const HereDocument& document : step.here_documents) {
    const std::string_view raw =
        std::string_view(source.text.bytes).substr(document.body.begin, document.body.size());
    const std::string_view name = file_name(words.front().bytes);
    const bool is_script = raw.find(kBatchMark) != std::string_view::npos || name == "sbatch" ||
                           name == "ssh" || is_shell(name);
    if (!is_script) continue;
    const Source& inner = add_source(here_text(source, document), false);
    auto directives = std::make_shared<std::vector<ShellDirective>>();
    if (directives_) *directives = *directives_;
    for (ShellDirective& each : shell_directives(inner.text.bytes)) {
      for (ShellText& word : each.words) {
        for (std::uint32_t& origin : word.origins) origin = inner.text.origins[origin];
      }
      directives->push_back(std::move(each));
    }
    const State kept = state_;
    if (request_.variables_of) {
      for (auto& [variable, value] : request_.variables_of(*directives))
        state_.variables[variable] = {{value}, {}, false, true};
      environment_.reset();
    }
    auto outer_directives = std::exchange(directives_, std::move(directives));
    walk_subshell(inner, inner.syntax.root);
    directives_ = std::move(outer_directives);
    state_ = kept;
    environment_.reset();
    ran = true;
  }
  return ran;
}

/// `read -r -d '' NAME <<EOF`, `read -r A B <<< "$LINE"`; what is read from elsewhere is unknown.
void ShellInterpreter::read_variable(const Source& source, const Step& step, const Words& words) {
  std::vector<std::string> names;
  bool is_line = words.front().bytes == "read";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i].bytes;
    if (word.starts_with('-')) {
      constexpr std::string_view kWithValue = "dnpNtu";
      if (kWithValue.find(word.back()) != std::string_view::npos) ++i;
      is_line = is_line && word == "-r";
    } else {
      names.push_back(word);
    }
  }
  if (is_line && step.here_string.size() > 0) {
    ShellText line = expand_whole(source.text, step.here_string);
    const std::optional<Cutting> cutting = cutting_of(source, step);
    if (cutting && line.known() && line.bytes.find('\n') == std::string::npos)
      return set_fields(names, std::move(line), *cutting);
  }
  for (const std::string& name : names) {
    const bool whole = names.size() == 1 && !step.here_documents.empty();
    set(name,
        {{whole ? here_text(source, step.here_documents.front()) : ShellText::unknown(kNowhere)},
         {},
         false,
         false});
  }
}

void ShellInterpreter::change_folder(const Words& words) {
  if (words.size() < 2) return;
  const ShellText& to = words.back();
  if (to.bytes.starts_with('/') || (!to.empty() && !to.known() && !to.bytes.starts_with('.'))) {
    state_.folder = to;
    return;
  }
  if (to.bytes == "-") {
    state_.folder = ShellText::unknown(kNowhere);
    return;
  }
  state_.folder.add('/', kNowhere);
  state_.folder.add(to);
}

void ShellInterpreter::emit(TextRange place, Words words, ShellVariables assignments) {
  if (commands_.size() >= kMostCommands) {
    ran_out_ = true;
    return;
  }
  ShellCommand& command = commands_.emplace_back();
  command.words = prefix_;
  command.words.insert(command.words.end(), std::make_move_iterator(words.begin()),
                       std::make_move_iterator(words.end()));
  command.assignments = prefix_assignments_;
  command.assignments.insert(command.assignments.end(), assignments.begin(), assignments.end());
  command.environment = environment();
  command.place = place;
  command.folder = state_.folder;
  command.turns = turns_;
  command.may_have_arguments = reads_arguments_;
  command.directives = directives_;
}

}  // namespace gpulint
