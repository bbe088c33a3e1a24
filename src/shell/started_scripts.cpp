// Scripts that a command starts: `bash -c "..."`, `sbatch job.slurm`, `eval`, `echo ... | sh`.

#include "base/text.h"
#include "shell/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint {

std::string_view first_word(const std::string& bytes, const Step& step) {
  if (step.words.empty()) return {};
  const TextRange word = step.words.front();
  return std::string_view(bytes).substr(word.begin, word.size());
}

bool is_shell(std::string_view word) {
  const std::string_view name = file_name(word);
  return name == "bash" || name == "sh" || name == "zsh";
}

bool is_shell_script_name(std::string_view path) {
  for (const std::string_view ending : {".sh", ".bash", ".sbatch", ".slurm", ".pbs", ".job"}) {
    if (path.size() > ending.size() && path.ends_with(ending)) return true;
  }
  return false;
}

namespace {

using Words = std::vector<ShellText>;

/// Programs that hand a text to a shell, elsewhere or later.
bool hands_on_text(std::string_view word) {
  const std::string_view name = file_name(word);
  return name == "ssh" || name == "tmux" || name == "screen" || name == "su";
}

/// The script that the words start. Behind a program of another kind its name is an argument,
/// unless that program is handed a command: `job.py --gpus 8 -- bash run.sh a`.
Words::const_iterator started_script(const Words& words) {
  auto found = std::find_if(words.begin(), words.end(), [](const ShellText& word) {
    return is_shell_script_name(word.bytes) || word.bytes == "--" || word.bytes.ends_with(".py");
  });
  if (found == words.end() || is_shell_script_name(found->bytes)) return found;
  found =
      std::find_if(found, words.end(), [](const ShellText& word) { return word.bytes == "--"; });
  if (found != words.end()) ++found;
  if (found != words.end() && is_shell(found->bytes)) ++found;
  return found != words.end() && is_shell_script_name(found->bytes) ? found : words.end();
}

ShellText joined(const Words& words, std::size_t first) {
  ShellText text;
  for (std::size_t i = first; i < words.size(); ++i) {
    if (i > first) text.add(' ', kNowhere);
    text.add(words[i]);
  }
  return text;
}

}  // namespace

/// `bash -c "…"` and `sbatch --wrap "…"`: what is started stands in the word.
bool ShellInterpreter::run_inner_script(const Words& words, const ShellVariables& assignments) {
  constexpr std::string_view kWrap = "--wrap=";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i].bytes;
    const bool dash_c = i > 0 && word.size() >= 2 && word[0] == '-' && word[1] != '-' &&
                        word.ends_with('c') && is_shell(words[i - 1].bytes);
    const bool takes_next = (dash_c || word == "--wrap") && i + 1 < words.size();
    const bool is_handed_on =
        i > 0 && word.find(' ') != std::string::npos && hands_on_text(words.front().bytes);
    if (is_handed_on) {
      const Source& source = add_source(words[i], false);
      walk_subshell(source, source.syntax.root);
      return true;
    }
    if (!takes_next && !word.starts_with(kWrap)) continue;
    const auto size = static_cast<std::uint32_t>(word.size());
    ShellText inner =
        takes_next ? words[i + 1] : words[i].part({static_cast<std::uint32_t>(kWrap.size()), size});
    const Source& source = add_source(std::move(inner), false);
    const std::size_t prefix_size = prefix_.size();
    const std::size_t assignment_count = prefix_assignments_.size();
    prefix_.insert(prefix_.end(), words.begin(),
                   words.begin() + static_cast<std::ptrdiff_t>(dash_c ? i - 1 : i));
    prefix_assignments_.insert(prefix_assignments_.end(), assignments.begin(), assignments.end());
    Words kept = std::exchange(arguments_, {});
    walk_subshell(source, source.syntax.root);
    arguments_ = std::move(kept);
    prefix_.resize(prefix_size);
    prefix_assignments_.resize(assignment_count);
    return true;
  }
  return false;
}

/// `bash run.sh a b`, `srun run.sh`, `sbatch job.slurm`: the script is read with its arguments, in
/// an environment of its own.
bool ShellInterpreter::run_started_script(const Words& words, const ShellVariables& assignments) {
  constexpr std::size_t kMostStarted = 4;
  if (!request_.open || started_.size() >= kMostStarted) return false;
  const auto found = started_script(words);
  if (found == words.end()) return false;
  std::optional<SourcedText> file = request_.open(*found);
  if (!file || std::find(started_.begin(), started_.end(), file->path) != started_.end())
    return false;
  const auto place = static_cast<std::size_t>(found - words.begin());
  const std::size_t prefix_end = place > 0 && is_shell(words[place - 1].bytes) ? place - 1 : place;
  const Source& source = add_source(ShellText::of(file->text, file->begin), false);
  State kept = state_;
  std::erase_if(state_.variables, [](const auto& each) { return !each.second.is_exported; });
  export_all(assignments);
  export_all(given_by_env(words, prefix_end));
  auto directives = std::make_shared<std::vector<ShellDirective>>();
  if (directives_) *directives = *directives_;
  for (ShellDirective& each : shell_directives(file->text)) {
    for (ShellText& word : each.words) {
      for (std::uint32_t& origin : word.origins) origin += file->begin;
    }
    directives->push_back(std::move(each));
  }
  if (request_.variables_of) {
    for (auto& [name, value] : request_.variables_of(*directives))
      state_.variables[name] = {{value}, {}, false, true};
  }
  environment_.reset();
  auto outer_directives = std::exchange(directives_, std::move(directives));
  Words outer_arguments = std::exchange(arguments_, Words(found + 1, words.end()));
  const bool had_arguments = std::exchange(has_arguments_, true);
  std::string outer_path =
      std::exchange(path_, std::string(1, kUnknownByte) + "/" + std::string(file_name(file->path)));
  const std::size_t outer_prefix = prefix_.size();
  prefix_.insert(prefix_.end(), words.begin(),
                 words.begin() + static_cast<std::ptrdiff_t>(prefix_end));
  started_.push_back(file->path);
  walk(source, source.syntax.root);
  started_.pop_back();
  prefix_.resize(outer_prefix);
  path_ = std::move(outer_path);
  has_arguments_ = had_arguments;
  arguments_ = std::move(outer_arguments);
  directives_ = std::move(outer_directives);
  state_ = std::move(kept);
  environment_.reset();
  return true;
}

/// `eval "$COMMAND"`: the words are a script of their own.
ShellInterpreter::Outcome ShellInterpreter::evaluate(const Words& words) {
  constexpr std::size_t kMostSources = 200;
  if (sources_.size() >= kMostSources) {
    ran_out_ = true;
    return {};
  }
  const Source& source = add_source(joined(words, 1), false);
  return walk(source, source.syntax.root);
}

/// `echo $COMMAND | sh`.
bool ShellInterpreter::prints_script(const Source& source, StepId printed, StepId reader) const {
  const std::string& bytes = source.text.bytes;
  const Step& first = source.syntax.steps[printed];
  const Step& second = source.syntax.steps[reader];
  return first.kind == StepKind::command && second.kind == StepKind::command &&
         first_word(bytes, first) == "echo" && second.words.size() == 1 &&
         is_shell(first_word(bytes, second));
}

ShellInterpreter::Outcome ShellInterpreter::print_script(const Source& source,
                                                         const Step& printed) {
  const Words words = words_of(source, printed);
  State kept = state_;
  evaluate(words);
  state_ = std::move(kept);
  environment_.reset();
  return {};
}

}  // namespace gpulint
