#include "code/environment_words.h"

#include "base/text.h"
#include "code/code_base.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace gpulint {
namespace {

bool is_part(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// `# export NAME=1`; `#SBATCH --export=NAME=1` is none.
bool is_comment(std::string_view line) {
  const std::string_view said = trim(line);
  return said.starts_with('#') && (said.size() == 1 || !is_name_start(said[1]));
}

/// `getenv("NAME"`, `environ["NAME"]` without `=` behind it: `before` ends with the quote.
bool is_read(std::string_view before, std::string_view behind) {
  constexpr std::array<std::string_view, 3> kReads = {"getenv(", "environ.get(", "environ["};
  before.remove_suffix(1);
  while (before.ends_with(' ') || before.ends_with('\n')) before.remove_suffix(1);
  const auto ends = [&](std::string_view each) { return before.ends_with(each); };
  if (std::none_of(kReads.begin(), kReads.end(), ends)) return false;
  if (!before.ends_with('[')) return true;
  const std::size_t closed = behind.find(']');
  const std::string_view rest = trim(closed == behind.npos ? behind : behind.substr(closed + 1));
  return !rest.starts_with('=') || rest.starts_with("==");
}

template <typename Each>
void for_words(std::string_view text, Each each) {
  constexpr std::size_t kShortest = 2;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = is_part(text[at]) && (at == 0 || !is_name_part(text[at - 1]));
    std::size_t end = at;
    while (end < text.size() && is_name_part(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (begins && word.size() >= kShortest && std::all_of(word.begin(), word.end(), is_part))
      each(word, at, end);
    at = std::max(end, at + 1);
  }
}

}  // namespace

void note_set_variables(std::string_view text, bool is_python,
                        std::unordered_set<std::string>& into) {
  if (is_python) {
    for_words(text, [&](std::string_view word, std::size_t begin, std::size_t end) {
      const bool is_text = begin > 0 && (text[begin - 1] == '"' || text[begin - 1] == '\'');
      const std::string_view behind = text.substr(end, text.find('\n', end) - end);
      if (is_text && !is_read(text.substr(0, begin), behind)) into.emplace(word);
    });
    return;
  }
  for (const std::string_view line : split(text, '\n')) {
    if (is_comment(line)) continue;
    for_words(line, [&](std::string_view word, std::size_t, std::size_t) { into.emplace(word); });
  }
}

bool CodeBase::may_set(const std::string& root, std::string_view variable) {
  Names& found = place_of(set_variables_, root);
  std::call_once(found.once, [&] {
    const std::vector<std::string>& loads = consumers().scripts().loads_variables;
    std::size_t bytes = 0;
    const auto note = [&](const std::string& path, bool is_python) {
      const auto text = reader_.read(path, kMostModuleBytes);
      if (!text || bytes > kMostScriptBytes) return;
      bytes += text->size();
      // A file of variables that the project does not have may set any.
      const bool loads_more =
          is_python && std::any_of(loads.begin(), loads.end(), [&](const std::string& each) {
            return text->find(each) != text->npos;
          });
      found.is_whole = found.is_whole && !loads_more;
      note_set_variables(*text, is_python, found.words);
    };
    for (const std::string& path : python_files_(root)) note(path, true);
    for (const std::string& path : other_files_(root)) note(path, false);
    found.is_whole = found.is_whole && bytes <= kMostScriptBytes;
  });
  return !found.is_whole || found.words.contains(std::string(variable));
}

}  // namespace gpulint
