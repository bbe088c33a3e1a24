// Options of a script without a value: `--train) TRAIN=true ;;` in the loop that parses them.

#include "shell/interpreter.h"

#include <string_view>

namespace gpulint {

/// The ways of a selection in the loop's body that only set what needs no further word.
void ShellInterpreter::add_switches(const Source& source, StepId body,
                                    std::vector<StepId>& switches) const {
  const Step& step = source.syntax.steps[body];
  if (step.kind == StepKind::group || step.kind == StepKind::sequence) {
    for (const StepId child : step.children) add_switches(source, child, switches);
  }
  if (step.kind != StepKind::selection) return;
  for (const StepId way : step.children) {
    if (way == kNoStep || leaves(source, way)) continue;
    const Step& taken = source.syntax.steps[way];
    const std::string_view text =
        std::string_view(source.text.bytes).substr(taken.range.begin, taken.range.size());
    const bool sets = text.find('=') != std::string_view::npos;
    if (sets && text.find('$') == std::string_view::npos) switches.push_back(way);
  }
}

void ShellInterpreter::give_switch(const Source& source, StepId body) {
  std::vector<StepId> switches;
  add_switches(source, body, switches);
  if (switches.empty()) return;
  const std::size_t taken = choose(switches.size() + 1);
  if (taken > 0) walk(source, switches[taken - 1]);
}

}  // namespace gpulint
