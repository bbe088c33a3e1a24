// Recursive descent over the text. Everything a shell would refuse is read as far as it makes
// sense: an unknown construct costs its own line, never the rest of the script.

#include "shell/parser.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

constexpr std::size_t kMostSteps = 20'000;
constexpr int kMostDepth = 60;

}  // namespace

Syntax ShellParser::parse() {
  const StepId root = add(StepKind::sequence);
  while (at_ < end_) {
    const std::uint32_t before = at_;
    fill_sequence(root);
    skip_stray_word();
    if (at_ == before && at_ < end_) ++at_;  // a bracket that closes nothing
  }
  syntax_.root = root;
  return std::move(syntax_);
}

StepId ShellParser::add(StepKind kind) {
  if (syntax_.steps.size() >= kMostSteps) syntax_.truncated = true;
  Step& step = syntax_.steps.emplace_back();
  step.kind = kind;
  step.range = {at_, at_};
  return static_cast<StepId>(syntax_.steps.size() - 1);
}

bool ShellParser::full() {
  if (syntax_.steps.size() < kMostSteps && depth_ < kMostDepth) return false;
  syntax_.truncated = true;
  at_ = end_;
  return true;
}

bool ShellParser::looking_at(std::string_view what) const {
  return text_.substr(at_, std::min<std::size_t>(what.size(), end_ - at_)) == what;
}

void ShellParser::skip_blanks() {
  while (at_ < end_) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (looking_at("\\\n")) {
      at_ += 2;
    } else if (looking_at("\\\r\n")) {
      at_ += 3;
    } else {
      return;
    }
  }
}

void ShellParser::skip_comment() {
  if (peek() != '#') return;
  while (at_ < end_ && text_[at_] != '\n') ++at_;
}

/// The end of a line: the texts of here-documents that it announced follow.
void ShellParser::take_newline() {
  ++at_;
  for (const auto& [owner, mark] : std::exchange(pending_, {})) read_here_document(owner, mark);
}

void ShellParser::skip_lines() {
  while (at_ < end_) {
    skip_blanks();
    skip_comment();
    if (peek() != '\n') return;
    take_newline();
  }
}

/// The reserved or plain word that starts here; "" in front of an operator or a quote.
std::string_view ShellParser::bare_word() const {
  std::uint32_t at = at_;
  while (at < end_ && !ends_word(text_[at]) && text_[at] != '"' && text_[at] != '\'' &&
         text_[at] != '$' && text_[at] != '`')
    ++at;
  return text_.substr(at_, at - at_);
}

bool ShellParser::takes(std::string_view keyword) {
  if (bare_word() != keyword) return false;
  at_ += static_cast<std::uint32_t>(keyword.size());
  return true;
}

bool ShellParser::closes(std::string_view word) {
  static constexpr std::array<std::string_view, 8> kClosing = {"done", "fi",   "esac", "then",
                                                               "else", "elif", "do",   "}"};
  return std::find(kClosing.begin(), kClosing.end(), word) != kClosing.end();
}

void ShellParser::skip_stray_word() {
  skip_lines();
  const std::string_view word = bare_word();
  if (closes(word)) at_ += static_cast<std::uint32_t>(word.size());
}

StepId ShellParser::sequence() {
  const StepId id = add(StepKind::sequence);
  fill_sequence(id);
  return id;
}

/// Steps up to a word that closes something, a closing bracket or the end.
void ShellParser::fill_sequence(StepId id) {
  ++depth_;
  while (at_ < end_ && !full()) {
    skip_lines();
    while (peek() == ';' && peek(1) != ';') ++at_;
    skip_lines();
    if (at_ >= end_ || peek() == ')' || looking_at(";;")) break;
    // A word that closes something else closes this too: its own was left out.
    if (closes(bare_word())) break;
    const std::uint32_t before = at_;
    const StepId child = one_step();
    if (at_ == before && connector_ahead() == 0) break;
    if (child == kNoStep) break;
    step(child).range.end = at_;
    step(id).children.push_back(child);
    step(id).connectors.push_back(connector());
  }
  --depth_;
  step(id).range.end = at_;
}

/// Size of the operator that stands here; 0: none does.
std::size_t ShellParser::connector_ahead() const {
  return peek() == '&' || peek() == '|' || (peek() == ';' && peek(1) != ';') ? 1 : 0;
}

Connector ShellParser::connector() {
  skip_blanks();
  static constexpr std::array<std::pair<std::string_view, Connector>, 6> kConnectors = {
      {{"&&", Connector::and_then},
       {"||", Connector::or_else},
       {"|&", Connector::pipe},
       {"|", Connector::pipe},
       {"&", Connector::background},
       {";", Connector::next}}};
  if (looking_at(";;")) return Connector::next;
  for (const auto& [text, meaning] : kConnectors) {
    if (!looking_at(text)) continue;
    at_ += static_cast<std::uint32_t>(text.size());
    return meaning;
  }
  return Connector::next;
}

StepId ShellParser::one_step() {
  if (looking_at("((")) return bracketed(StepKind::arithmetic);
  if (peek() == '(') return subshell();
  const std::string_view word = bare_word();
  if (word == "{") return group();
  if (word == "[[") return bracketed(StepKind::test);
  if (word == "if") return branches();
  if (word == "for" || word == "select") return loop();
  if (word == "while" || word == "until") return repetition();
  if (word == "case") return selection();
  if (word == "function") return function(true);
  if (word == "!" || word == "time") {
    const bool negates = word == "!";
    at_ += static_cast<std::uint32_t>(word.size());
    skip_blanks();
    const StepId id = one_step_deeper();
    if (id != kNoStep && negates) step(id).negated = !step(id).negated;
    return id;
  }
  if (is_function_head()) return function(false);
  return command();
}

StepId ShellParser::one_step_deeper() {
  if (full()) return kNoStep;
  ++depth_;
  const StepId id = one_step();
  --depth_;
  return id;
}

Syntax parse_shell(const ShellText& text, TextRange range) {
  return ShellParser(text, range).parse();
}

std::vector<TextRange> shell_words(const ShellText& text, TextRange range) {
  return ShellParser(text, range).words();
}

}  // namespace gpulint
