// Steps that hold others: branches, loops, selections, groups and functions.

#include "base/text.h"
#include "shell/parser.h"

#include <algorithm>

namespace gpulint {

/// `[[ … ]]` and `(( … ))`: what stands between is read when it is asked.
StepId ShellParser::bracketed(StepKind kind) {
  const StepId id = add(kind);
  const std::uint32_t begin = at_ + 2;
  if (kind == StepKind::arithmetic) {
    at_ = skip_parentheses(text_, at_, end_);
    step(id).condition = {begin, std::max(begin, at_ >= 2 ? at_ - 2 : at_)};
  } else {
    at_ = begin;
    while (at_ < end_ && !looking_at("]]") && peek() != '\n') skip_part();
    step(id).condition = {begin, at_};
    if (looking_at("]]")) at_ += 2;
  }
  redirections(id);
  return id;
}

StepId ShellParser::subshell() {
  const StepId id = add(StepKind::subshell);
  ++at_;
  const StepId body = sequence();
  if (peek() == ')') ++at_;
  step(id).children.push_back(body);
  redirections(id);
  return id;
}

StepId ShellParser::group() {
  const StepId id = add(StepKind::group);
  ++at_;
  const StepId body = sequence();
  takes("}");
  step(id).children.push_back(body);
  redirections(id);
  return id;
}

StepId ShellParser::branches() {
  const StepId id = add(StepKind::branches);
  takes("if");
  while (true) {
    const StepId condition = sequence();
    takes("then");
    const StepId body = sequence();
    step(id).children.push_back(condition);
    step(id).children.push_back(body);
    if (!takes("elif")) break;
    if (full()) return id;
  }
  if (takes("else")) {
    const StepId body = sequence();
    step(id).children.push_back(body);
  }
  takes("fi");
  redirections(id);
  return id;
}

StepId ShellParser::loop() {
  const StepId id = add(StepKind::loop);
  at_ += static_cast<std::uint32_t>(bare_word().size());
  skip_blanks();
  if (looking_at("((")) {
    step(id).kind = StepKind::counted;
    const std::uint32_t begin = at_ + 2;
    at_ = skip_parentheses(text_, at_, end_);
    step(id).condition = {begin, std::max(begin, at_ >= 2 ? at_ - 2 : at_)};
  } else {
    const std::string_view name = bare_word();
    step(id).name = name;
    at_ += static_cast<std::uint32_t>(name.size());
    skip_lines();
    if (takes("in")) {
      step(id).has_words = true;
      while (std::optional<TextRange> word = next_word()) step(id).words.push_back(*word);
    }
  }
  body_of_loop(id);
  return id;
}

void ShellParser::body_of_loop(StepId id) {
  skip_lines();
  while (peek() == ';') ++at_;
  skip_lines();
  if (!takes("do")) return;
  const StepId body = sequence();
  takes("done");
  step(id).children.push_back(body);
  redirections(id);
}

StepId ShellParser::repetition() {
  const StepId id = add(StepKind::repetition);
  at_ += static_cast<std::uint32_t>(bare_word().size());
  const StepId condition = sequence();
  step(id).children.push_back(condition);
  body_of_loop(id);
  return id;
}

StepId ShellParser::selection() {
  const StepId id = add(StepKind::selection);
  takes("case");
  if (std::optional<TextRange> word = next_word()) step(id).words.push_back(*word);
  skip_lines();
  takes("in");
  while (at_ < end_ && !full()) {
    skip_lines();
    if (takes("esac")) break;
    if (peek() == '(') ++at_;
    const std::uint32_t before = at_;
    std::vector<TextRange> patterns = patterns_of_arm();
    const StepId body = sequence();
    step(id).patterns.push_back(std::move(patterns));
    step(id).children.push_back(body);
    for (const std::string_view end : {";;&", ";;", ";&"}) {
      if (!looking_at(end)) continue;
      at_ += static_cast<std::uint32_t>(end.size());
      break;
    }
    if (at_ == before && at_ < end_) ++at_;
  }
  redirections(id);
  return id;
}

std::vector<TextRange> ShellParser::patterns_of_arm() {
  std::vector<TextRange> patterns;
  while (at_ < end_ && peek() != ')' && peek() != '\n') {
    if (std::optional<TextRange> word = next_word()) {
      patterns.push_back(*word);
    } else if (peek() == '|') {
      ++at_;
    } else {
      break;
    }
  }
  if (peek() == ')') ++at_;
  return patterns;
}

bool ShellParser::is_function_head() const {
  std::uint32_t at = at_;
  while (at < end_ && (is_name_part(text_[at]) || text_[at] == '-' || text_[at] == '.')) ++at;
  if (at == at_) return false;
  while (at < end_ && is_blank(text_[at])) ++at;
  if (at >= end_ || text_[at] != '(') return false;
  for (++at; at < end_ && is_blank(text_[at]);) ++at;
  return at < end_ && text_[at] == ')';
}

StepId ShellParser::function(bool keyword) {
  const StepId id = add(StepKind::function);
  if (keyword) {
    takes("function");
    skip_blanks();
  }
  const std::string_view name = bare_word();
  step(id).name = name;
  at_ += static_cast<std::uint32_t>(name.size());
  skip_blanks();
  if (peek() == '(') at_ = skip_parentheses(text_, at_, end_);
  skip_lines();
  const StepId body = one_step_deeper();
  if (body != kNoStep) step(id).children.push_back(body);
  return id;
}

}  // namespace gpulint
