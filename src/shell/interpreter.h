#pragma once

// Walks a script's steps with the values of its variables, as far as they can be known. Internal to
// this room; script.h is what others use.

#include "shell/script.h"
#include "shell/syntax.h"

#include <array>
#include <cctype>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpulint {

/// What a condition says. `presumed`: as long as nobody sets what the script does not set.
struct ShellVerdict {
  enum class Says : std::uint8_t { no, yes, unknown } says = Says::unknown;
  bool presumed = false;

  static ShellVerdict of(bool yes) { return {yes ? Says::yes : Says::no, false}; }
  bool is_yes() const { return says == Says::yes; }
  bool is_no() const { return says == Says::no; }
  bool is_unknown() const { return says == Says::unknown; }
  ShellVerdict negated() const;
};

struct ShellVariable {
  std::vector<ShellText> items;
  std::vector<std::string> keys;  // of an associative array, as many as items; else empty
  bool is_array = false;
  bool is_exported = false;
};

class ShellInterpreter {
 public:
  /// `decisions`: which option to take at each condition that cannot be decided; 0 behind its end.
  /// `most_steps`: to walk.
  ShellInterpreter(const ShellRequest& request, std::vector<std::uint8_t> decisions,
                   std::size_t most_steps);

  void run();
  std::vector<ShellCommand>& commands() { return commands_; }
  /// How many options there were at each condition that could not be decided.
  const std::vector<std::uint8_t>& options() const { return options_; }
  bool ran_out() const { return ran_out_; }
  std::size_t steps() const { return steps_; }
  bool truncated() const { return truncated_; }

 private:
  /// A text with its steps; scripts put together in variables are texts of their own.
  struct Source {
    ShellText text;
    Syntax syntax;
    bool is_file = false;  // its commands stand in a file, not in a variable
  };
  struct Function {
    const Source* source = nullptr;
    StepId body = kNoStep;
  };
  /// How a walk over steps ended.
  enum class Flow : std::uint8_t { on, next_turn, leave_loop, leave_function, leave_script };
  struct Outcome {
    ShellVerdict verdict = {};
    Flow flow = Flow::on;
  };
  /// What a subshell forgets when it ends.
  struct State {
    std::unordered_map<std::string, ShellVariable> variables;
    ShellText folder;
  };

  // interpreter.cpp
  const Source& add_source(ShellText text, bool is_file);
  Outcome walk(const Source& source, StepId id);
  Outcome walk_sequence(const Source& source, const Step& step);
  Outcome walk_branches(const Source& source, const Step& step);
  Outcome walk_selection(const Source& source, const Step& step);
  Outcome walk_loop(const Source& source, const Step& step);
  Outcome walk_counted(const Source& source, const Step& step);
  Outcome walk_repetition(const Source& source, const Step& step);
  Outcome walk_subshell(const Source& source, StepId body);
  Outcome walk_turn(const Source& source, std::uint32_t turn, StepId body);
  bool leaves(const Source& source, StepId body) const;
  void add_switches(const Source& source, StepId body, std::vector<StepId>& switches) const;
  void give_switch(const Source& source, StepId body);
  std::size_t choose(std::size_t options);
  bool spend();

  // line_input.cpp
  std::optional<std::vector<ShellText>> lines_of(const ShellText& path, bool without_comments);
  std::optional<std::vector<ShellText>> lines_written_by(const Source& source, const Step& step);
  const Step* reading_command(const Source& source, StepId condition) const;
  /// How a `read` cuts a line by its own `IFS`; nullopt: nobody knows.
  struct Cutting {
    std::string separators = " \t";
    bool keeps_blanks = false;
  };
  std::optional<Cutting> cutting_of(const Source& source, const Step& reads);
  void set_fields(const std::vector<std::string>& names, ShellText line, const Cutting& cutting);
  /// A turn for each line that the loop reads; nullopt: it reads none that anybody knows. `piped`:
  /// those written by what stands in front of it.
  std::optional<Outcome> walk_lines(const Source& source, const Step& step,
                                    std::optional<std::vector<ShellText>> piped);

  // commands.cpp
  Outcome run_command(const Source& source, const Step& step);
  std::vector<ShellText> words_of(const Source& source, const Step& step);
  bool prints_script(const Source& source, StepId printed, StepId reader) const;
  Outcome print_script(const Source& source, const Step& printed);
  Outcome run_words(const Source& source, const Step& step, std::vector<ShellText> words,
                    ShellVariables assignments);
  std::optional<Outcome> run_builtin(const Source& source, const Step& step,
                                     std::vector<ShellText>& words);
  Outcome call(const Function& function, std::vector<ShellText> words,
               const ShellVariables& assignments);
  bool run_inner_script(const std::vector<ShellText>& words, const ShellVariables& assignments);
  bool run_started_script(const std::vector<ShellText>& words, const ShellVariables& assignments);
  bool run_here_documents(const Source& source, const Step& step,
                          const std::vector<ShellText>& words, const ShellVariables& assignments);
  void read_variable(const Source& source, const Step& step, const std::vector<ShellText>& words);
  void declare(const Source& source, const Step& step, std::string_view builtin);
  void change_folder(const std::vector<ShellText>& words);
  Outcome evaluate(const std::vector<ShellText>& words);
  Outcome source_file(const std::vector<ShellText>& words);
  void take_options();
  void emit(TextRange place, std::vector<ShellText> words, ShellVariables assignments);
  ShellText here_text(const Source& source, const HereDocument& document);

  // variables.cpp
  ShellVariable* find(std::string_view name);
  void set(const std::string& name, ShellVariable value);
  /// Sets what `NAME=…`, `NAME+=…`, `NAME[…]=…` says; the name.
  std::string assign(const Source& source, TextRange word);
  std::pair<std::string, ShellText> assignment_of(const Source& source, TextRange word);
  void export_all(const ShellVariables& variables);
  /// After what they were set for; the rest of what it changed stays.
  void take_back(const ShellVariables& variables, const State& before);
  /// `env NAME=value … bash run.sh`, of the words before the script.
  static ShellVariables given_by_env(const std::vector<ShellText>& words, std::size_t end);
  void assign_item(const std::string& name, const ShellText& index, ShellText value, bool appends);
  ShellVariable array_of(const Source& source, TextRange list);
  std::shared_ptr<const ShellVariables> environment();

  // expand.cpp
  /// The fields that a word becomes; most words are one.
  std::vector<ShellText> expand(const ShellText& text, TextRange word);
  /// Without splitting: values of assignments, subjects of case, parts of [[ ]].
  ShellText expand_whole(const ShellText& text, TextRange word);
  struct Fields;
  void expand_into(Fields& fields, const ShellText& text, TextRange range, bool quoted);
  std::uint32_t expand_dollar(Fields& fields, const ShellText& text, std::uint32_t at,
                              std::uint32_t end, bool quoted);
  std::vector<ShellText> expand_braces(const ShellText& text, TextRange word);

  // parameters.cpp
  /// `${…}` without its braces; `origin`: of the dollar. Several fields for "${A[@]}".
  std::vector<ShellText> parameter(const ShellText& text, TextRange inside, std::uint32_t origin,
                                   bool& is_list);
  std::vector<ShellText> value_of(std::string_view name, std::uint32_t origin, bool& is_list);
  ShellText element_of(const std::string& name, const ShellText& index, std::uint32_t origin);
  ShellText apply_operator(const ShellText& value, const ShellText& text, TextRange rest,
                           const std::string& name, std::uint32_t origin);
  ShellText replace_pattern(const ShellText& value, const ShellText& text, TextRange rest);
  ShellText slice(const ShellText& value, const ShellText& text, TextRange rest,
                  std::uint32_t origin);

  // substitution.cpp
  /// What `$(…)` prints, where that is plain.
  ShellText substitute(const ShellText& text, TextRange inside, std::uint32_t origin);
  std::optional<ShellText> printed_by(const Source& source, StepId id, std::uint32_t origin);
  std::optional<ShellText> printed_by_command(const Source& source, const Step& step,
                                              std::uint32_t origin);

  // conditions.cpp
  ShellVerdict test(const std::vector<ShellText>& words);
  ShellVerdict test_bracketed(const Source& source, TextRange condition);
  std::optional<std::int64_t> arithmetic(const ShellText& text, TextRange range);
  void change_numbers(const ShellText& text, TextRange range);

  static constexpr std::uint32_t kMostTurns = 32;  // of one loop

  const ShellRequest& request_;
  std::vector<std::uint8_t> decisions_;
  std::vector<std::uint8_t> options_;
  std::deque<Source> sources_;  // stable addresses
  State state_;
  std::map<std::string, Function, std::less<>> functions_;
  std::vector<ShellText> arguments_;
  bool has_arguments_ = false;     // inside a function or behind `set --`
  bool reads_arguments_ = false;   // those of the script itself were asked for
  std::vector<ShellText> prefix_;  // words before an inner script: `srun bash -c "…"`
  ShellVariables prefix_assignments_;
  std::vector<std::uint32_t> turns_;
  std::vector<ShellCommand> commands_;
  std::shared_ptr<const ShellVariables> environment_;
  std::size_t steps_ = 0;
  std::size_t most_steps_ = 0;
  int depth_ = 0;
  TextRange place_;                   // of the step of the script itself that is walked
  std::string path_;                  // what `$0` is
  std::optional<std::vector<ShellText>> piped_;  // lines that the step behind a pipe is given
  std::vector<std::string> started_;  // paths of the scripts being walked, outermost first
  std::shared_ptr<const std::vector<ShellDirective>> directives_;
  bool ran_out_ = false;
  bool truncated_ = false;
};

/// Empty where a command has no words. `bytes`: of its script.
std::string_view first_word(const std::string& bytes, const Step& step);
/// The name of a shell, with or without its folder.
bool is_shell(std::string_view word);

/// A number of the shell's arithmetic: `names` gives the values of variables.
std::optional<std::int64_t> shell_arithmetic(
    std::string_view text,
    const std::function<std::optional<std::int64_t>(std::string_view)>& value_of);

}  // namespace gpulint
