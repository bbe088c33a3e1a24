// Names of fine-tunes that begin with the name of what was tuned: "org/NAME-base-squad2".

#include "base/text.h"
#include "model/model_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace gpulint::model {
namespace {

/// Words behind a name that change what the network looks like, or leave a part of it out.
constexpr std::array<std::string_view, 24> kShapes = {
    "patch",  "window", "layer",    "layers",  "head",    "heads",   "dim",    "hidden",
    "long",   "deep",   "wide",     "distil",  "distill", "student", "shared", "encoder",
    "decoder", "char",  "byte",     "adapter", "prompt",  "conformer", "unet", "fpn"};

/// Words of a text in another language are other words.
constexpr std::array<std::string_view, 44> kLanguages = {
    "multilingual", "arabic",     "bengali",   "bulgarian", "catalan",  "chinese",    "croatian",
    "czech",        "danish",     "dutch",     "estonian",  "finnish",  "french",     "german",
    "greek",        "hebrew",     "hindi",     "hungarian", "icelandic", "indonesian", "italian",
    "japanese",     "kannada",    "kazakh",    "korean",    "latin",    "lithuanian", "malay",
    "mongolian",    "norwegian",  "persian",   "polish",    "portuguese", "romanian", "russian",
    "serbian",      "slovak",     "spanish",   "swedish",   "tamil",    "thai",       "turkish",
    "ukrainian",    "vietnamese"};

std::vector<std::string> parts_of_name(std::string_view comparable) {
  std::vector<std::string> words;
  for (const std::string_view word : split(comparable, '-')) words.emplace_back(word);
  return words;
}

template <class List>
bool is_in(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_only_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(),
                                      [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

}  // namespace

bool is_called_by_content(std::string_view folder) {
  constexpr std::array<std::string_view, 8> kContents = {
      "model", "weights", "checkpoint", "final", "best", "last", "merged", "pytorch"};
  const std::string word = to_lower(folder.substr(0, folder.find_first_of("-_")));
  const std::string_view rest = folder.substr(word.size());
  return std::find(kContents.begin(), kContents.end(), word) != kContents.end() &&
         std::all_of(rest.begin(), rest.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == '_'; });
}

std::optional<std::vector<std::string>> words_behind_base(std::string_view comparable,
                                                          std::string_view listed) {
  // Asked for each of thousands of listed names: what takes no memory comes first.
  if (comparable.size() <= listed.size() + 1 || comparable[listed.size()] != '-' ||
      !comparable.starts_with(listed)) {
    return std::nullopt;
  }
  const std::vector<std::string> wanted = parts_of_name(listed);
  if (wanted.size() < 2 || std::none_of(wanted.begin(), wanted.end(), is_word_of_size)) {
    return std::nullopt;
  }
  std::vector<std::string> rest = parts_of_name(comparable.substr(listed.size() + 1));
  // A number behind the name, or a release of it, is another model of the family.
  const bool has_release = rest.size() > 1 && rest[0] == "v" && is_only_number(rest[1]);
  const auto is_other = [](const std::string& word) {
    if (word.size() == 1) return word != "v" && !is_only_number(word);
    return is_word_of_size(word) || names_other_network(word) || is_in(kShapes, word);
  };
  if (is_only_number(rest[0]) || has_release) return std::nullopt;
  if (std::any_of(rest.begin(), rest.end(), is_other)) return std::nullopt;
  return rest;
}

bool name_a_language(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 8> kShort = {"en", "ft", "it", "qa",
                                                      "lr", "bs", "ep", "rl"};
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return is_in(kLanguages, word) ||
           (word.size() == 2 && !is_only_number(word) && !is_in(kShort, word));
  });
}

}  // namespace gpulint::model
