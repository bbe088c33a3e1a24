#include "launch/launcher_calls.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

constexpr std::string_view kModule = "-m";
constexpr std::size_t kWholeWord = 100;  // says more than any part of one
constexpr std::size_t kBeginning = 30;   // and this than any part in the middle

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
    if (word.find('*') == std::string::npos) count += kWholeWord;
    // What a name begins with says what its program does, the rest to what: `train_encoder.py`.
    else if (!word.starts_with('*')) count += kBeginning;
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
  bool names_release = false;  // `python3.*`: the dot begins no ending
  Called by_own_name;  // of `-m tuning.eval.probe`, what its last part says
  std::size_t most_by_name = 0;
  for (const Launcher* launcher : launchers_) {
    for (const LauncherCall& call : launcher->calls) {
      if (call.words.size() > words.size()) continue;
      bool matches = true;
      bool matches_name = true;
      for (std::size_t i = 0; i < call.words.size() && (matches || matches_name); ++i) {
        const std::string_view word = words[i].bytes;
        const bool is_module = i > 0 && words[i - 1].bytes == kModule;
        const std::string_view name = is_module ? word.substr(word.rfind('.') + 1) : word;
        matches = matches && word_matches(call.words[i], word, i == 0);
        matches_name = matches_name && word_matches(call.words[i], name, i == 0);
      }
      const std::size_t exact = exactness(call) + 1;
      if (matches && exact > most) {
        most = exact;
        best = {launcher, call.words.size()};
        names_release = call.words.front().find('.') != std::string::npos;
      }
      if (matches_name && exact > most_by_name) {
        most_by_name = exact;
        by_own_name = {launcher, call.words.size()};
      }
    }
  }
  const bool is_module = !words.empty() && words.front().bytes == kModule;
  if (is_module && most < 2 * kWholeWord && by_own_name.launcher != nullptr) {
    best = by_own_name;
    most = most_by_name;
  }
  // A word pattern says what a program is, not that any file of such a name is one.
  const bool is_guess = most < kWholeWord && !names_release && !inside_program;
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
