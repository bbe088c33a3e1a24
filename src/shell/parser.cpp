// Recursive descent over the text. Everything a shell would refuse is read as far as it makes
// sense: an unknown construct costs its own line, never the rest of the script.

#include "base/text.h"
#include "shell/syntax.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostSteps = 20'000;
constexpr int kMostDepth = 60;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
constexpr bool ends_word(char c) {
  return is_blank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '<' || c == '>' ||
         c == '(' || c == ')';
}

class Parser {
 public:
  Parser(const ShellText& text, TextRange range)
      : text_(text.bytes), at_(range.begin), end_(range.end) {}

  Syntax parse() {
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

  /// Only words, over lines and comments; operators are stepped over.
  std::vector<TextRange> words() {
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

 private:
  StepId add(StepKind kind) {
    if (syntax_.steps.size() >= kMostSteps) syntax_.truncated = true;
    Step& step = syntax_.steps.emplace_back();
    step.kind = kind;
    step.range = {at_, at_};
    return static_cast<StepId>(syntax_.steps.size() - 1);
  }
  Step& step(StepId id) { return syntax_.steps[id]; }
  bool full() {
    if (syntax_.steps.size() < kMostSteps && depth_ < kMostDepth) return false;
    syntax_.truncated = true;
    at_ = end_;
    return true;
  }

  char peek(std::uint32_t ahead = 0) const {
    return at_ + ahead < end_ ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view what) const {
    return text_.substr(at_, std::min<std::size_t>(what.size(), end_ - at_)) == what;
  }

  void skip_blanks() {
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

  void skip_comment() {
    if (peek() != '#') return;
    while (at_ < end_ && text_[at_] != '\n') ++at_;
  }

  /// The end of a line: the texts of here-documents that it announced follow.
  void take_newline() {
    ++at_;
    for (const auto& [owner, mark] : std::exchange(pending_, {})) read_here_document(owner, mark);
  }

  void skip_lines() {
    while (at_ < end_) {
      skip_blanks();
      skip_comment();
      if (peek() != '\n') return;
      take_newline();
    }
  }

  /// The reserved or plain word that starts here; "" in front of an operator or a quote.
  std::string_view bare_word() const {
    std::uint32_t at = at_;
    while (at < end_ && !ends_word(text_[at]) && text_[at] != '"' && text_[at] != '\'' &&
           text_[at] != '$' && text_[at] != '`')
      ++at;
    return text_.substr(at_, at - at_);
  }
  bool takes(std::string_view keyword) {
    if (bare_word() != keyword) return false;
    at_ += static_cast<std::uint32_t>(keyword.size());
    return true;
  }
  static bool closes(std::string_view word) {
    static constexpr std::array<std::string_view, 8> kClosing = {"done", "fi",   "esac", "then",
                                                                 "else", "elif", "do",   "}"};
    return std::find(kClosing.begin(), kClosing.end(), word) != kClosing.end();
  }
  void skip_stray_word() {
    skip_lines();
    const std::string_view word = bare_word();
    if (closes(word)) at_ += static_cast<std::uint32_t>(word.size());
  }

  StepId sequence() {
    const StepId id = add(StepKind::sequence);
    fill_sequence(id);
    return id;
  }

  /// Steps up to a word that closes something, a closing bracket or the end.
  void fill_sequence(StepId id) {
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
  std::size_t connector_ahead() const {
    return peek() == '&' || peek() == '|' || (peek() == ';' && peek(1) != ';') ? 1 : 0;
  }

  Connector connector() {
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

  StepId one_step() {
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

  StepId one_step_deeper() {
    if (full()) return kNoStep;
    ++depth_;
    const StepId id = one_step();
    --depth_;
    return id;
  }

  /// `[[ … ]]` and `(( … ))`: what stands between is read when it is asked.
  StepId bracketed(StepKind kind) {
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

  StepId subshell() {
    const StepId id = add(StepKind::subshell);
    ++at_;
    const StepId body = sequence();
    if (peek() == ')') ++at_;
    step(id).children.push_back(body);
    redirections(id);
    return id;
  }

  StepId group() {
    const StepId id = add(StepKind::group);
    ++at_;
    const StepId body = sequence();
    takes("}");
    step(id).children.push_back(body);
    redirections(id);
    return id;
  }

  StepId branches() {
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

  StepId loop() {
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

  void body_of_loop(StepId id) {
    skip_lines();
    while (peek() == ';') ++at_;
    skip_lines();
    if (!takes("do")) return;
    const StepId body = sequence();
    takes("done");
    step(id).children.push_back(body);
    redirections(id);
  }

  StepId repetition() {
    const StepId id = add(StepKind::repetition);
    at_ += static_cast<std::uint32_t>(bare_word().size());
    const StepId condition = sequence();
    step(id).children.push_back(condition);
    body_of_loop(id);
    return id;
  }

  StepId selection() {
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

  std::vector<TextRange> patterns_of_arm() {
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

  bool is_function_head() const {
    std::uint32_t at = at_;
    while (at < end_ && (is_name_part(text_[at]) || text_[at] == '-' || text_[at] == '.')) ++at;
    if (at == at_) return false;
    while (at < end_ && is_blank(text_[at])) ++at;
    if (at >= end_ || text_[at] != '(') return false;
    for (++at; at < end_ && is_blank(text_[at]);) ++at;
    return at < end_ && text_[at] == ')';
  }

  StepId function(bool keyword) {
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

  /// Assignments, words and redirections up to an operator or the end of the line.
  StepId command() {
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

  bool is_assignment(TextRange word) const {
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

  void redirections(StepId id) {
    skip_blanks();
    while (redirection(id)) skip_blanks();
  }

  /// `> file`, `2>&1`, `<<EOF`, `<<< text`, `&> file`; the files are nobody's business here.
  bool redirection(StepId id) {
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
    while (peek() == '<' || peek() == '>' || peek() == '&' || peek() == '|') ++at_;
    if (peek() == '(') {  // process substitution
      at_ = skip_parentheses(text_, at_, end_);
      return true;
    }
    skip_blanks();
    next_word();
    return true;
  }

  struct Mark {
    std::string word;
    bool quoted = false;
    bool strips_tabs = false;
  };

  void announce_here_document(StepId id) {
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

  void read_here_document(StepId owner, const Mark& mark) {
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
  void skip_part() {
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
  std::optional<TextRange> next_word() {
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
  std::uint32_t continuation() const {
    if (looking_at("\\\n")) return 2;
    return looking_at("\\\r\n") ? 3 : 0;
  }

  /// `@(a|b)` inside a word.
  bool is_glob_group(std::uint32_t begin) const {
    const char before = text_[at_ - 1];
    return at_ - 1 >= begin && (before == '@' || before == '?' || before == '+' || before == '!');
  }

  std::string_view text_;
  std::uint32_t at_ = 0;
  std::uint32_t end_ = 0;
  int depth_ = 0;
  Syntax syntax_;
  std::vector<std::pair<StepId, Mark>> pending_;
};

}  // namespace

Syntax parse_shell(const ShellText& text, TextRange range) { return Parser(text, range).parse(); }

std::vector<TextRange> shell_words(const ShellText& text, TextRange range) {
  return Parser(text, range).words();
}

}  // namespace gpulint
