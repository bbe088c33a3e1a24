#include "launch/launcher_calls.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

bool word_matches(std::string_view pattern, std::string_view word, bool first) {
  if (!first || pattern.find('/') != std::string_view::npos) {
    return matches_shell_pattern(pattern, word) ||
           (first && matches_shell_pattern("*/" + std::string(pattern), word));
  }
  return matches_shell_pattern(pattern, file_name(word));
}

/// Characters that a call asks for literally: of several that match, the more exact one counts.
std::size_t exactness(const LauncherCall& call) {
  std::size_t count = 0;
  for (const std::string& word : call.words) {
    count += static_cast<std::size_t>(
        std::count_if(word.begin(), word.end(), [](char c) { return c != '*' && c != '?'; }));
    if (word.find('*') == std::string::npos) count += 100;  // a whole word says more than a part
  }
  return count;
}

}  // namespace

Called LauncherCalls::of(const Words& words, bool inside_program) const {
  constexpr std::size_t kMostCallWords = 3;
  std::string key = inside_program ? "program" : "command";
  for (std::size_t i = 0; i < std::min(kMostCallWords, words.size()); ++i)
    key += '\n' + words[i].bytes;
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(std::move(key), find(words, inside_program)).first->second;
}

Called LauncherCalls::find(const Words& words, bool inside_program) const {
  Called best;
  std::size_t most = 0;
  for (const Launcher* launcher : launchers_) {
    for (const LauncherCall& call : launcher->calls) {
      if (call.words.size() > words.size()) continue;
      bool matches = true;
      for (std::size_t i = 0; i < call.words.size() && matches; ++i)
        matches = word_matches(call.words[i], words[i].bytes, i == 0);
      const std::size_t exact = matches ? exactness(call) + 1 : 0;
      if (exact <= most) continue;
      most = exact;
      best = {launcher, call.words.size()};
    }
  }
  // A word pattern says what a program is, not that any file of such a name is one.
  const bool is_guess = most < 100 && !inside_program;
  const bool is_script = !words.empty() && (words.front().bytes.ends_with(".sh") ||
                                            words.front().bytes.ends_with(".bash"));
  if (is_script || (is_guess && words.front().bytes.find('.') != std::string::npos &&
                    !words.front().bytes.ends_with(".py")))
    return {};
  return best;
}

bool LauncherCalls::starts_behind_dashes(Words& words) const {
  const auto dashes = std::find_if(words.begin(), words.end(),
                                   [](const ShellText& word) { return word.bytes == "--"; });
  if (dashes == words.end()) return false;
  // `-- source setup.sh \&\& python train.py`: a line of its own for another shell.
  auto begin = dashes + 1;
  for (auto at = begin; at != words.end(); ++at) {
    if (at->bytes == "&&" || at->bytes == ";") begin = at + 1;
  }
  Words behind(begin, words.end());
  if (behind.empty() || of(behind, false).launcher == nullptr) return false;
  words = std::move(behind);
  return true;
}

bool may_launch(std::string_view text, std::span<const Launcher* const> launchers) {
  constexpr std::size_t kShortest = 3;  // shorter names are in every text
  for (const Launcher* launcher : launchers) {
    if (launcher->starts == LauncherStarts::other) continue;
    for (const LauncherCall& call : launcher->calls) {
      std::string_view word = call.words.back();
      while (word.starts_with('*')) word.remove_prefix(1);
      word = word.substr(0, word.find('*'));
      if (word.size() >= kShortest && text.find(word) != std::string_view::npos) return true;
    }
  }
  return false;
}

}  // namespace gpulint
