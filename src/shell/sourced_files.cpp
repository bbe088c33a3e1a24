// `source settings.env`: files that are read into the script that names them.

#include "shell/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint {

/// `--batch-size 8` in front of the other arguments sets the variable `batch_size`.
void ShellInterpreter::take_options() {
  constexpr std::string_view kOption = "--";
  while (arguments_.size() > 1 && arguments_.front().bytes.starts_with(kOption)) {
    std::string name = arguments_.front().bytes.substr(kOption.size());
    std::replace(name.begin(), name.end(), '-', '_');
    set(name, {{arguments_[1]}, {}, false, false});
    arguments_.erase(arguments_.begin(), arguments_.begin() + 2);
  }
}

ShellInterpreter::Outcome ShellInterpreter::source_file(const std::vector<ShellText>& words) {
  constexpr std::size_t kMostSourcedFiles = 16;
  if (words.size() < 2 || !request_.open) return {};
  std::optional<SourcedText> file = request_.open(words[1]);
  if (!file) return {};
  constexpr std::string_view kSetsByName = "eval $name=";  // Kaldi's utils/parse_options.sh
  if (file->text.find(kSetsByName) != std::string::npos) {
    if (has_arguments_) take_options();
    return {ShellVerdict::of(true), Flow::on};
  }
  if (sources_.size() >= kMostSourcedFiles) return {};
  const Source& source = add_source(ShellText::of(file->text, file->begin), true);
  const TextRange place = place_;
  Outcome outcome = walk(source, source.syntax.root);
  place_ = place;
  if (outcome.flow == Flow::leave_function) outcome.flow = Flow::on;
  return outcome;
}

}  // namespace gpulint
