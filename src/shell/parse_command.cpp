// Words of commands, their redirections and here-documents.

#include "base/text.h"
#include "shell/parser.h"

#include <algorithm>

namespace gpulint {

/// Assignments, words and redirections up to an operator or the end of the line.
StepId ShellParser::command() {
  const StepId id = add(StepKind::command);
  while (at_ < end_) {
    skip_blanks();
    if (peek() == '#') {
      skip_comment();
      break;
    }
    if (redirection(id)) continue;
    const std::optional<TextRange> word = next_word();
    if (!word) break;
    const bool assigns = step(id).words.empty() && is_assignment(*word);
    (assigns ? step(id).assignments : step(id).words).push_back(*word);
  }
  return id;
}

bool ShellParser::is_assignment(TextRange word) const {
  std::uint32_t at = word.begin;
  if (at >= word.end || !is_name_start(text_[at])) return false;
  while (at < word.end && is_name_part(text_[at])) ++at;
  if (at < word.end && text_[at] == '[') {
    while (at < word.end && text_[at] != ']') ++at;
    ++at;
  }
  if (at < word.end && text_[at] == '+') ++at;
  return at < word.end && text_[at] == '=';
}

void ShellParser::redirections(StepId id) {
  skip_blanks();
  while (redirection(id)) skip_blanks();
}

/// `> file`, `2>&1`, `<<EOF`, `<<< text`, `&> file`; the files are nobody's business here.
bool ShellParser::redirection(StepId id) {
  std::uint32_t at = at_;
  while (at < end_ && text_[at] >= '0' && text_[at] <= '9') ++at;
  const bool both = at == at_ && at + 1 < end_ && text_[at] == '&' && text_[at + 1] == '>';
  if (both) ++at;
  if (at >= end_ || (text_[at] != '<' && text_[at] != '>')) return false;
  at_ = at;
  if (looking_at("<<") && !looking_at("<<<")) {
    announce_here_document(id);
    return true;
  }
  const std::uint32_t sign = at_;
  while (peek() == '<' || peek() == '>' || peek() == '&' || peek() == '|') ++at_;
  const bool is_input = at_ == sign + 1 && text_[sign] == '<' && at == sign;
  const bool is_here_string = at_ == sign + 3 && text_.substr(sign, 3) == "<<<" && at == sign;
  if (peek() == '(') {  // process substitution
    at_ = skip_parentheses(text_, at_, end_);
    return true;
  }
  skip_blanks();
  const std::optional<TextRange> word = next_word();
  if (is_input && word) step(id).input = *word;
  if (is_here_string && word) step(id).here_string = *word;
  return true;
}

void ShellParser::announce_here_document(StepId id) {
  at_ += 2;
  Mark mark;
  if (peek() == '-') {
    mark.strips_tabs = true;
    ++at_;
  }
  skip_blanks();
  const std::optional<TextRange> word = next_word();
  if (!word) return;
  for (std::uint32_t at = word->begin; at < word->end; ++at) {
    const char c = text_[at];
    if (c == '\'' || c == '"' || c == '\\') {
      mark.quoted = true;
    } else {
      mark.word += c;
    }
  }
  if (!mark.word.empty()) pending_.emplace_back(id, std::move(mark));
}

void ShellParser::read_here_document(StepId owner, const Mark& mark) {
  const std::uint32_t begin = at_;
  std::uint32_t stop = end_;
  while (at_ < end_) {
    const std::uint32_t line = at_;
    const auto found = std::min<std::size_t>(text_.find('\n', at_), end_);
    std::string_view content = text_.substr(line, found - line);
    if (content.ends_with('\r')) content.remove_suffix(1);
    while (mark.strips_tabs && content.starts_with('\t')) content.remove_prefix(1);
    at_ = static_cast<std::uint32_t>(std::min<std::size_t>(found + 1, end_));
    if (content == mark.word) {
      stop = line;
      break;
    }
  }
  step(owner).here_documents.push_back({{begin, std::max(begin, stop)}, !mark.quoted});
}

/// One character, quoted part or expansion of a word.
void ShellParser::skip_part() {
  const char c = peek();
  if (c == '\\') {
    at_ = std::min(end_, at_ + 2);
  } else if (c == '\'') {
    at_ = skip_single_quoted(text_, at_, end_);
  } else if (c == '"') {
    at_ = skip_double_quoted(text_, at_, end_);
  } else if (c == '`') {
    at_ = skip_backquoted(text_, at_, end_);
  } else if (c == '$') {
    at_ = skip_dollar(text_, at_, end_);
  } else {
    ++at_;
  }
}

/// The next word of a command; nullopt in front of an operator or the end of the line.
std::optional<TextRange> ShellParser::next_word() {
  skip_blanks();
  const std::uint32_t begin = at_;
  while (at_ < end_) {
    const char c = text_[at_];
    if (const std::uint32_t size = continuation()) {
      // A word may go on behind the break of a line, at its very start.
      if (at_ == begin || at_ + size >= end_ || ends_word(text_[at_ + size])) break;
      at_ += size;
      continue;
    }
    if (c == '(' && at_ > begin && (text_[at_ - 1] == '=' || is_glob_group(begin))) {
      at_ = skip_parentheses(text_, at_, end_);
      continue;
    }
    if (ends_word(c)) break;
    skip_part();
  }
  if (at_ == begin) return std::nullopt;
  return TextRange{begin, at_};
}

/// Size of a backslash and the line break it takes away; 0: none stands here.
std::uint32_t ShellParser::continuation() const {
  if (looking_at("\\\n")) return 2;
  return looking_at("\\\r\n") ? 3 : 0;
}

/// `@(a|b)` inside a word.
bool ShellParser::is_glob_group(std::uint32_t begin) const {
  const char before = text_[at_ - 1];
  return at_ - 1 >= begin && (before == '@' || before == '?' || before == '+' || before == '!');
}

/// Only words, over lines and comments; operators are stepped over.
std::vector<TextRange> ShellParser::words() {
  std::vector<TextRange> found;
  while (at_ < end_) {
    skip_lines();
    if (at_ >= end_) break;
    if (const std::optional<TextRange> word = next_word()) {
      found.push_back(*word);
    } else {
      ++at_;
    }
  }
  return found;
}

}  // namespace gpulint
