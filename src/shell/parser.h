#pragma once

// Recursive descent over the text of a shell script. Internal to this room; `parse_shell` of
// syntax.h is what others use.

#include "shell/syntax.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

class ShellParser {
 public:
  ShellParser(const ShellText& text, TextRange range)
      : text_(text.bytes), at_(range.begin), end_(range.end) {}

  Syntax parse();
  /// Only words, over lines and comments; operators are stepped over.
  std::vector<TextRange> words();

 private:
  /// What ends a here-document.
  struct Mark {
    std::string word;
    bool quoted = false;
    bool strips_tabs = false;
  };

  static constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static constexpr bool ends_word(char c) {
    return is_blank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '<' || c == '>' ||
           c == '(' || c == ')';
  }

  StepId add(StepKind kind);
  Step& step(StepId id) { return syntax_.steps[id]; }
  bool full();

  // text and lines (parser.cpp)
  char peek(std::uint32_t ahead = 0) const {
    return at_ + ahead < end_ ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view what) const;
  void skip_blanks();
  void skip_comment();
  void take_newline();
  void skip_lines();
  std::string_view bare_word() const;
  bool takes(std::string_view keyword);
  static bool closes(std::string_view word);
  void skip_stray_word();

  // sequences (parser.cpp)
  StepId sequence();
  void fill_sequence(StepId id);
  std::size_t connector_ahead() const;
  Connector connector();
  StepId one_step();
  StepId one_step_deeper();

  // steps that hold others (parse_compound.cpp)
  StepId bracketed(StepKind kind);
  StepId subshell();
  StepId group();
  StepId branches();
  StepId loop();
  void body_of_loop(StepId id);
  StepId repetition();
  StepId selection();
  std::vector<TextRange> patterns_of_arm();
  bool is_function_head() const;
  StepId function(bool keyword);

  // words, redirections, here-documents (parse_command.cpp)
  StepId command();
  bool is_assignment(TextRange word) const;
  void redirections(StepId id);
  bool redirection(StepId id);
  void announce_here_document(StepId id);
  void read_here_document(StepId owner, const Mark& mark);
  void skip_part();
  std::optional<TextRange> next_word();
  std::uint32_t continuation() const;
  bool is_glob_group(std::uint32_t begin) const;

  std::string_view text_;
  std::uint32_t at_ = 0;
  std::uint32_t end_ = 0;
  int depth_ = 0;
  Syntax syntax_;
  std::vector<std::pair<StepId, Mark>> pending_;  // here-documents that the next lines hold
};

}  // namespace gpulint
