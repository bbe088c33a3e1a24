#include "code/script_text.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint {
namespace {

/// What the name says a script is for, other than training.
bool is_for_something_else(std::string_view name, const ScriptMarks& marks) {
  return !has_any(name, marks.training_names) && has_any(name, marks.other_names);
}

/// `args = get_args()`: what a program is to do is taken in.
bool takes_settings(std::string_view statement, const ScriptMarks& marks) {
  const std::size_t equals = statement.find('=');
  if (equals == statement.npos || !statement.ends_with(')')) return false;
  const std::string_view made = trim(statement.substr(equals + 1));
  const std::string_view callee = made.substr(0, made.find('('));
  const std::size_t dot = callee.rfind('.');
  const std::string_view name = dot == callee.npos ? callee : callee.substr(dot + 1);
  return !name.empty() && std::all_of(name.begin(), name.end(), is_name_part) &&
         name.front() >= 'a' && name.front() <= 'z' &&
         (has_any(name, marks.setting_names) || has_any(name, marks.config_places));
}

/// Without a word of being started: a loop at the top of the file, a call of something that is
/// named for training (`main()`, `trainer.train()`), or one that takes settings in.
bool acts_at_top(std::string_view text, const ScriptMarks& marks) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || !is_name_part(line.front())) continue;
    if (line.starts_with("for ") || line.starts_with("while ")) return true;
    if (takes_settings(trim(line.substr(0, line.find('#'))), marks)) return true;
    const std::string_view callee = line.substr(0, line.find('('));
    const bool is_call = callee.size() < line.size() &&
                         std::all_of(callee.begin(), callee.end(),
                                     [](char c) { return is_name_part(c) || c == '.'; });
    if (is_call && has_any(callee, marks.training_names)) return true;
  }
  return false;
}

}  // namespace

Script script_of(std::string path, std::string text, const ScriptMarks& marks) {
  Script made;
  made.is_entry = has_any(text, marks.entries);
  const bool starts =
      made.is_entry || has_any(text, marks.starts) ||
      (has_any(to_lower(file_name(path)), marks.training_names) && acts_at_top(text, marks));
  const bool is_other = is_for_something_else(to_lower(file_name(path)), marks);
  made.trains = starts && has_any(text, marks.trains) && !is_other;
  made.takes_config =
      (made.trains || (starts && is_other)) && (made.is_entry || has_any(text, marks.takes_config));
  made.path = std::move(path);
  made.text = std::move(text);
  return made;
}

bool looks_for(std::string_view text, std::string_view name, const ScriptMarks& marks) {
  return std::any_of(marks.default_configs.begin(), marks.default_configs.end(),
                     [&](std::string_view each) {
                       const std::size_t blank = each.find(' ');
                       return each.substr(blank + 1) == name &&
                              text.find(each.substr(0, blank)) != text.npos;
                     });
}

std::vector<std::string> options_in(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t at = text.find("--"); at != text.npos; at = text.find("--", at + 2)) {
    const char quote = at > 0 ? text[at - 1] : ' ';
    if (quote != '"' && quote != '\'') continue;
    const std::size_t end = text.find_first_of("\"'\n ", at);
    if (end == text.npos) break;
    if (text[end] == quote && end > at + 2) found.emplace_back(text.substr(at, end - at));
  }
  return found;
}

std::string_view rate_scaling_in(std::string_view text) {
  constexpr std::array<std::string_view, 3> kFactors = {"batch_size", "world_size", "num_gpus"};
  for (std::size_t at = text.find("lr"); at != text.npos; at = text.find("lr", at + 2)) {
    const std::size_t before = text.rfind('\n', at);
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(begin, end - begin));
    at = end;
    const std::size_t equals = line.find('=');
    const std::size_t rate = line.find("lr");
    if (line.starts_with('#') || equals == line.npos || rate > equals) continue;
    const std::string_view value = line.substr(equals);
    const bool scales = value.find("lr") != value.npos && value.find(" * ") != value.npos &&
                        std::any_of(kFactors.begin(), kFactors.end(), [&](std::string_view factor) {
                          return value.find(factor) != value.npos;
                        });
    if (scales) return line;
  }
  return {};
}

}  // namespace gpulint
