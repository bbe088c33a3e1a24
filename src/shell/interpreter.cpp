#include "shell/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

constexpr int kMostWalkDepth = 200;
constexpr std::size_t kMostOptions = 8;   // of one condition

}  // namespace

ShellVerdict ShellVerdict::negated() const {
  if (says == Says::unknown) return *this;
  return {says == Says::yes ? Says::no : Says::yes, presumed};
}

ShellInterpreter::ShellInterpreter(const ShellRequest& request, std::vector<std::uint8_t> decisions,
                                   std::size_t most_steps)
    : request_(request), decisions_(std::move(decisions)), most_steps_(most_steps) {
  for (const auto& [name, value] : request.unexported)
    state_.variables[name] = {{value}, {}, false, false};
  for (const auto& [name, value] : request.variables) {
    state_.variables[name] = {{value}, {}, false, true};
  }
  state_.folder = ShellText::unknown(kNowhere);
  path_ = request.path;
}

void ShellInterpreter::run() {
  const Source& script =
      add_source(request_.script ? *request_.script : ShellText::of(request_.text), true);
  walk(script, script.syntax.root);
}

const ShellInterpreter::Source& ShellInterpreter::add_source(ShellText text, bool is_file) {
  Source& source = sources_.emplace_back();
  source.text = std::move(text);
  source.syntax = parse_shell(source.text);
  source.is_file = is_file;
  truncated_ = truncated_ || source.syntax.truncated;
  return source;
}

bool ShellInterpreter::spend() {
  if (++steps_ <= most_steps_) return true;
  ran_out_ = true;
  return false;
}

/// Which of several ways to take where nobody can tell; later readings take the others.
std::size_t ShellInterpreter::choose(std::size_t options) {
  const std::size_t point = options_.size();
  options_.push_back(static_cast<std::uint8_t>(std::min(options, kMostOptions)));
  const std::size_t taken = point < decisions_.size() ? decisions_[point] : 0;
  return taken < options ? taken : 0;
}

ShellInterpreter::Outcome ShellInterpreter::walk(const Source& source, StepId id) {
  if (id == kNoStep || !spend() || depth_ >= kMostWalkDepth) return {};
  const Step& step = source.syntax.steps[id];
  if (source.is_file && step.range.begin < source.text.size()) {
    const std::uint32_t begin = source.text.origins[step.range.begin];
    if (begin != kNowhere) place_ = {begin, begin + step.range.size()};
  }
  ++depth_;
  Outcome outcome;
  switch (step.kind) {
    case StepKind::command:
      outcome = run_command(source, step);
      break;
    case StepKind::sequence:
      outcome = walk_sequence(source, step);
      break;
    case StepKind::group:
      outcome = walk(source, step.children.front());
      break;
    case StepKind::subshell:
      outcome = walk_subshell(source, step.children.front());
      break;
    case StepKind::branches:
      outcome = walk_branches(source, step);
      break;
    case StepKind::selection:
      outcome = walk_selection(source, step);
      break;
    case StepKind::loop:
      outcome = walk_loop(source, step);
      break;
    case StepKind::counted:
      outcome = walk_counted(source, step);
      break;
    case StepKind::repetition:
      outcome = walk_repetition(source, step);
      break;
    case StepKind::function:
      if (!step.children.empty()) functions_[step.name] = {&source, step.children.front()};
      break;
    case StepKind::test:
      outcome.verdict = test_bracketed(source, step.condition);
      break;
    case StepKind::arithmetic: {
      const auto value = arithmetic(source.text, step.condition);
      if (value) outcome.verdict = ShellVerdict::of(*value != 0);
      change_numbers(source.text, step.condition);
      break;
    }
  }
  if (step.negated) outcome.verdict = outcome.verdict.negated();
  --depth_;
  return outcome;
}

/// What follows `&&` and `||` runs by what stood before; where that is unknown, `&&` is taken to go
/// on and `||` to be the answer to a failure.
ShellInterpreter::Outcome ShellInterpreter::walk_sequence(const Source& source, const Step& step) {
  Outcome last;
  Connector before = Connector::next;
  for (std::size_t i = 0; i < step.children.size(); ++i) {
    const Step& child = source.syntax.steps[step.children[i]];
    const Connector after = i < step.connectors.size() ? step.connectors[i] : Connector::next;
    const bool answers_failure = before == Connector::or_else && !last.verdict.is_no();
    const bool is_refused = before == Connector::and_then && last.verdict.is_no();
    const bool leaves_doubtfully = before != Connector::next && leaves(source, step.children[i]) &&
                                   (last.verdict.presumed || last.verdict.is_unknown()) &&
                                   (before == Connector::and_then || before == Connector::or_else);
    before = after;
    if (answers_failure || is_refused) continue;
    if (leaves_doubtfully) {
      last.verdict = {};
      continue;
    }
    const bool is_script = after == Connector::pipe && i + 1 < step.children.size() &&
                           prints_script(source, step.children[i], step.children[i + 1]);
    if (is_script) {
      last = print_script(source, child);
      before = ++i < step.connectors.size() ? step.connectors[i] : Connector::next;
    } else if (after == Connector::pipe && (piped_ = lines_written_by(source, child))) {
      last = {};
    } else if (after == Connector::pipe && child.kind != StepKind::command) {
      last = walk_subshell(source, step.children[i]);
    } else {
      last = walk(source, step.children[i]);
    }
    if (last.flow != Flow::on) return last;
    if (after == Connector::pipe) last.verdict = {};
  }
  return last;
}

/// True when a body ends the script or the function it stands in: a check that failed.
bool ShellInterpreter::leaves(const Source& source, StepId body) const {
  const Step& step = source.syntax.steps[body];
  if (step.kind == StepKind::group || step.kind == StepKind::sequence) {
    return std::any_of(step.children.begin(), step.children.end(),
                       [&](StepId child) { return leaves(source, child); });
  }
  if (step.kind != StepKind::command || step.words.empty()) return false;
  const TextRange word = step.words.front();
  const std::string_view name = std::string_view(source.text.bytes).substr(word.begin, word.size());
  return name == "exit" || name == "usage" || name == "die" || name == "show_help";
}

ShellInterpreter::Outcome ShellInterpreter::walk_branches(const Source& source, const Step& step) {
  std::vector<StepId> open;  // bodies that may be the one
  const std::vector<StepId>& parts = step.children;
  std::vector<StepId> asked_for;  // that run if somebody sets what the script does not set
  bool decided = false;
  std::size_t i = 0;
  for (; i + 1 < parts.size() && !decided; i += 2) {
    const Outcome condition = walk(source, parts[i]);
    if (condition.flow != Flow::on) return condition;
    if (condition.verdict.is_no() && condition.verdict.presumed) asked_for.push_back(parts[i + 1]);
    if (condition.verdict.is_no()) continue;
    const bool doubtful = condition.verdict.is_unknown() || condition.verdict.presumed;
    if (doubtful && leaves(source, parts[i + 1])) continue;
    open.push_back(parts[i + 1]);
    decided = condition.verdict.is_yes();
  }
  const bool has_else = parts.size() % 2 == 1;
  // One of several ways is chosen by a word that the script is given: without it nothing runs.
  const bool is_choice = !has_else && asked_for.size() > 1 && 2 * asked_for.size() == parts.size();
  if (is_choice) open = std::move(asked_for);
  if (!decided) {
    const StepId otherwise = has_else ? parts.back() : kNoStep;
    // Without what the script asks for it leaves: whoever starts it gives that.
    if (has_else && open.empty() && leaves(source, otherwise)) open = std::move(asked_for);
    if (!has_else || open.empty() || !leaves(source, otherwise)) open.push_back(otherwise);
  }
  const std::size_t taken = open.size() > 1 ? choose(open.size()) : 0;
  Outcome outcome = walk(source, open[taken]);
  outcome.verdict = {};
  return outcome;
}

ShellInterpreter::Outcome ShellInterpreter::walk_selection(const Source& source, const Step& step) {
  if (step.words.empty()) return {};
  const ShellText subject = expand_whole(source.text, step.words.front());
  std::vector<StepId> open;
  bool decided = false;
  for (std::size_t i = 0; i < step.patterns.size() && !decided; ++i) {
    for (const TextRange pattern : step.patterns[i]) {
      const ShellText text = expand_whole(source.text, pattern);
      const bool known = subject.known() && text.known();
      const bool everything = text.bytes == "*";
      if (known && !matches_shell_pattern(text.bytes, subject.bytes)) continue;
      decided = known || everything;
      if (decided || !leaves(source, step.children[i])) {
        const bool refuses = everything && !known && leaves(source, step.children[i]);
        if (!refuses) open.push_back(step.children[i]);
      }
      break;
    }
  }
  if (!decided) open.push_back(kNoStep);
  if (open.empty()) return {};
  Outcome outcome = walk(source, open[open.size() > 1 ? choose(open.size()) : 0]);
  outcome.verdict = {};
  return outcome;
}

ShellInterpreter::Outcome ShellInterpreter::walk_turn(const Source& source, std::uint32_t turn,
                                                      StepId body) {
  turns_.push_back(turn);
  Outcome outcome = walk(source, body);
  turns_.pop_back();
  if (outcome.flow == Flow::next_turn) outcome.flow = Flow::on;
  return outcome;
}

ShellInterpreter::Outcome ShellInterpreter::walk_loop(const Source& source, const Step& step) {
  if (step.children.empty()) return {};
  std::vector<ShellText> items;
  if (step.has_words) {
    for (const TextRange word : step.words) {
      for (ShellText& field : expand(source.text, word)) items.push_back(std::move(field));
    }
  } else if (has_arguments_) {
    items = arguments_;
  } else {
    reads_arguments_ = true;
  }
  std::uint32_t turn = 0;
  for (ShellText& item : items) {
    if (turn == kMostTurns) {
      ran_out_ = true;
      break;
    }
    if (item.is_unset()) continue;
    set(step.name, {{std::move(item)}, {}, false, false});
    Outcome outcome = walk_turn(source, turn++, step.children.front());
    if (outcome.flow == Flow::leave_loop) break;
    if (outcome.flow != Flow::on) return outcome;
  }
  return {};
}

/// `for ((i=0; i<n; i++))`.
ShellInterpreter::Outcome ShellInterpreter::walk_counted(const Source& source, const Step& step) {
  if (step.children.empty()) return {};
  std::vector<TextRange> parts(1, {step.condition.begin, step.condition.begin});
  for (std::uint32_t at = step.condition.begin; at < step.condition.end; ++at) {
    if (source.text.bytes[at] == ';') {
      parts.push_back({at + 1, at + 1});
    } else {
      parts.back().end = at + 1;
    }
  }
  if (parts.size() != 3) return walk_turn(source, 0, step.children.front());
  change_numbers(source.text, parts[0]);
  for (std::uint32_t turn = 0; turn < kMostTurns; ++turn) {
    const auto goes_on = arithmetic(source.text, parts[1]);
    if (goes_on && *goes_on == 0) break;
    Outcome outcome = walk_turn(source, turn, step.children.front());
    if (outcome.flow == Flow::leave_loop || !goes_on) break;
    if (outcome.flow != Flow::on) return outcome;
    change_numbers(source.text, parts[2]);
  }
  return {};
}

/// A loop over the script's own arguments does not run: there are none.
ShellInterpreter::Outcome ShellInterpreter::walk_repetition(const Source& source,
                                                            const Step& step) {
  std::optional<std::vector<ShellText>> piped = std::exchange(piped_, std::nullopt);
  if (step.children.size() < 2) return {};
  if (std::optional<Outcome> read = walk_lines(source, step, std::move(piped))) return *read;
  const Step& condition = source.syntax.steps[step.children.front()];
  const std::string_view text =
      std::string_view(source.text.bytes).substr(condition.range.begin, condition.range.size());
  const bool reads_arguments =
      text.find("$#") != std::string_view::npos || text.find("$1") != std::string_view::npos ||
      text.find("${1") != std::string_view::npos || text.find("getopts") != std::string_view::npos;
  if (reads_arguments && !has_arguments_) {
    if (request_.tries_switches) give_switch(source, step.children.back());
    return {};
  }
  for (std::uint32_t turn = 0; turn < kMostTurns; ++turn) {
    const Outcome asked = walk(source, step.children.front());
    if (asked.flow != Flow::on) return asked;
    if (asked.verdict.is_no()) break;
    Outcome outcome = walk_turn(source, turn, step.children.back());
    if (outcome.flow == Flow::leave_loop || !asked.verdict.is_yes()) break;
    if (outcome.flow != Flow::on) return outcome;
    const bool endless = asked.verdict.is_yes() && condition.children.size() == 1 &&
                         (text.find("true") != std::string_view::npos || text.find(':') == 0);
    if (endless) break;
  }
  return {};
}

ShellInterpreter::Outcome ShellInterpreter::walk_subshell(const Source& source, StepId body) {
  State kept = state_;
  Outcome outcome = walk(source, body);
  state_ = std::move(kept);
  environment_.reset();
  if (outcome.flow == Flow::leave_script || outcome.flow == Flow::leave_function)
    outcome.flow = Flow::on;
  return outcome;
}

}  // namespace gpulint
