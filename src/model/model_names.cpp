#include "model/model_names.h"

#include "base/text.h"
#include "model/name_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace gpulint::model {

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Words that tell how weights were tuned, stored or released, never what shape they have.
constexpr std::array<std::string_view, 28> kTreatments = {
    "hf",    "base",  "chat",  "instruct", "it",    "pt",        "inst",
    "sft",   "dpo",   "think", "thinking", "turbo", "reasoning", "deduped",
    "awq",   "gptq",  "gguf",  "bnb",      "4bit",  "8bit",      "nf-4",
    "int-4", "int-8", "fp-8",  "fp-16",    "bf-16", "unsloth",   "dequantized"};

/// Words of fine-tuning components and mirrors before a model's name.
constexpr std::array<std::string_view, 5> kLeading = {"meta", "lora", "qlora", "dora", "unsloth"};

/// Those of kTreatments that say how a mirror's weights are stored, at the end of any name.
constexpr std::array<std::string_view, 11> kStored = {
    "awq", "gptq", "gguf", "bnb", "4bit", "8bit", "nf-4", "int-4", "int-8", "fp-8", "unsloth"};

/// A mirror's own name; it stores weights in whatever format.
constexpr std::string_view kUnsloth = "unsloth";

/// "2507": the year and month of a release.
bool is_date(std::string_view word) {
  return word.size() == 4 && std::all_of(word.begin(), word.end(), is_digit);
}

bool is_stored(std::string_view word) {
  return std::find(kStored.begin(), kStored.end(), word) != kStored.end();
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "-") + word;
  return text;
}

/// Without the words of treatment; only without those of storage when the name states no size.
std::string untreated(std::string_view comparable) {
  std::vector<std::string> words = words_of(comparable);
  while (words.size() > 1 &&
         std::find(kLeading.begin(), kLeading.end(), words[0]) != kLeading.end())
    words.erase(words.begin());
  if (std::none_of(words.begin(), words.end(), is_size)) {
    while (words.size() > 1 && is_stored(words.back())) words.pop_back();
    return joined(words);
  }
  if (is_date(words.back())) words.pop_back();
  std::vector<std::string> kept;
  for (std::string& word : words) {
    const bool treatment =
        std::find(kTreatments.begin(), kTreatments.end(), word) != kTreatments.end();
    if (!treatment || kept.empty()) kept.push_back(std::move(word));
  }
  return joined(kept);
}
/// Words behind which another network is, whatever the rest of the name says.
constexpr std::array<std::string_view, 33> kOtherNetworks = {
    "vl",       "vision",    "visual",     "omni",   "audio",    "speech", "voice",
    "tts",      "video",     "image",      "ocr",    "moe",      "mamba",  "hybrid",
    "embed",    "embedding", "embeddings", "rerank", "reranker", "eagle",  "medusa",
    "draft",    "vla",       "llava",      "next",   "linear",   "pruned", "sparse",
    "minitron", "mini",      "tiny",       "nano",   "hyena"};
// Short words that tell how weights were treated; other short ones may be a variant ("h", "vl").
constexpr std::array<std::string_view, 12> kShortTreatments = {"v",  "ft", "it", "rl", "lr", "ep",
                                                               "en", "zh", "sf", "rm", "bf", "l"};

/// "mistral-7b-v0.1": the release is no part of what the network is called.
void drop_release(std::vector<std::string>& words) {
  if (words.size() > 2 && words[words.size() - 2] == "v" && is_number(words.back())) {
    words.resize(words.size() - 2);
  }
}

/// May the left-over word at `at` mean another network than the words that were taken?
bool tells_apart(const std::vector<std::string>& words, const std::vector<bool>& taken,
                 std::size_t at) {
  const std::string& word = words[at];
  if (is_size(word)) return true;
  // A number behind the family is its version ("falcon-3").
  const bool behind_taken = at > 0 && taken[at - 1] && !is_size(words[at - 1]);
  if (is_number(word)) return behind_taken;
  const auto is_in = [&](const auto& list) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  if (is_in(kOtherNetworks)) return true;
  constexpr std::size_t kShort = 2;
  return word.size() <= kShort && !is_in(kShortTreatments);
}

/// "llama2_7b.nemo": what a checkpoint is stored as is no part of its name.
std::string_view without_extension(std::string_view name) {
  constexpr std::array<std::string_view, 7> kCheckpoints = {
      ".nemo", ".ckpt", ".safetensors", ".gguf", ".pth", ".pt", ".bin"};
  for (const std::string_view extension : kCheckpoints) {
    if (name.size() > extension.size() && name.ends_with(extension))
      return name.substr(0, name.size() - extension.size());
  }
  return name;
}

void add_once(std::vector<std::string>& names, std::string name) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  names.push_back(std::move(name));
}

/// "package.module.model" ends in the model; "model.pretraining_tag" begins with it.
void add_dotted_parts(std::vector<std::string>& names, std::string_view component) {
  const std::size_t last = component.rfind('.');
  const std::size_t first = component.find('.');
  if (last == std::string_view::npos || last + 1 >= component.size()) return;
  if (is_letter(component[last + 1])) add_once(names, comparable_name(component.substr(last + 1)));
  if (is_letter(component[first + 1])) add_once(names, comparable_name(component.substr(0, first)));
}

/// Where a word of a listed name is among those asked for, and over how many of them: "2.5" may be
/// written "2_5".
std::pair<std::size_t, std::size_t> place_of_word(const std::vector<std::string>& asked,
                                                  const std::vector<bool>& taken,
                                                  const std::string& word) {
  for (std::size_t at = 0; at < asked.size(); ++at) {
    if (!taken[at] && asked[at] == word) return {at, 1};
    if (at + 1 == asked.size() || taken[at] || taken[at + 1]) continue;
    if (is_number(word) && asked[at] + "." + asked[at + 1] == word) return {at, 2};
  }
  return {0, 0};
}

}  // namespace

std::string comparable_name(std::string_view name) {
  std::string result;
  for (const char raw : to_lower(name)) {
    const bool separates = raw == '_' || raw == '/' || raw == ' ' || raw == '-';
    const char c = separates ? '-' : raw;
    if (c == '-' && (result.empty() || result.back() == '-')) continue;
    if (is_digit(c) && !result.empty() && is_letter(result.back())) result += '-';
    result += c;
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

std::string name_key(std::string_view comparable) {
  std::string key(comparable);
  std::replace(key.begin(), key.end(), '.', '-');
  return key;
}

bool same_name(std::string_view asked, std::string_view listed) {
  if (asked.size() != listed.size()) return false;
  bool more = false;
  bool fewer = false;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    more = more || (asked[i] == '.' && listed[i] == '-');
    fewer = fewer || (asked[i] == '-' && listed[i] == '.');
  }
  return !(more && fewer) && name_key(asked) == name_key(listed);
}

std::vector<std::string> spellings_of(std::string_view name) {
  name = without_trailing_slashes(name);
  const std::string_view component = last_component(name);
  std::vector<std::string> names;
  add_once(names, comparable_name(name));
  add_once(names, comparable_name(component));
  add_dotted_parts(names, component);
  for (std::size_t i = 0, literal = names.size(); i < literal; ++i) {
    add_once(names, untreated(names[i]));
  }
  return names;
}

std::optional<SizedWords> words_with_size(std::string_view name) {
  const std::string_view component = last_component(without_trailing_slashes(name));
  SizedWords sized{words_of(untreated(comparable_name(component))), {}};
  const auto size = std::find_if(sized.words.begin(), sized.words.end(), is_size);
  if (size == sized.words.end()) return std::nullopt;
  sized.size = *size;
  return sized;
}

std::optional<NameMatch> match_words(const SizedWords& name, std::string_view listed) {
  // Most listed names are of another size: no need to look at their words.
  if (listed.find(name.size) == std::string_view::npos) return std::nullopt;
  const std::vector<std::string>& asked = name.words;
  std::vector<std::string> wanted = words_of(listed);
  drop_release(wanted);
  const bool sized = std::any_of(wanted.begin(), wanted.end(), is_size);
  if (!sized || wanted.size() < 2) return std::nullopt;
  std::vector<bool> taken(asked.size());
  NameMatch match;
  for (const std::string& word : wanted) {
    const auto [at, count] = place_of_word(asked, taken, word);
    if (count == 0) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) taken[at + i] = true;
    ++match.words;
    if (!is_number(word) && !is_size(word)) match.family += word + "-";
    match.places += at;
  }
  for (std::size_t at = 0; at < asked.size(); ++at) {
    if (!taken[at] && tells_apart(asked, taken, at)) return std::nullopt;
  }
  return match;
}

std::string name_without_size(std::string_view asked) {
  return untreated(comparable_name(last_component(without_trailing_slashes(asked))));
}

bool is_word_of_size(std::string_view word) {
  constexpr std::array<std::string_view, 12> kSizes = {"nano", "tiny",   "mini",  "small",
                                                       "base", "medium", "large", "xlarge",
                                                       "xl",   "xxl",    "huge",  "giant"};
  return is_size(word) || std::find(kSizes.begin(), kSizes.end(), word) != kSizes.end();
}

bool names_other_network(std::string_view word) {
  return std::find(kOtherNetworks.begin(), kOtherNetworks.end(), word) != kOtherNetworks.end();
}

bool is_size_of(std::string_view spelt, std::string_view listed) {
  // Of a thousand listed names nearly all begin with another letter.
  const auto first = [](std::string_view name) { return to_lower(name.substr(0, 1)); };
  if (spelt.size() < 2 || first(listed) != first(spelt)) return false;
  const std::string known = comparable_name(listed);
  if (known.size() <= spelt.size() + 1 || known[spelt.size()] != '-') return false;
  if (!same_name(spelt, std::string_view(known).substr(0, spelt.size()))) return false;
  return is_word_of_size(std::string_view(known).substr(spelt.size() + 1));
}

bool names_quantized_weights(std::string_view name) {
  const std::vector<std::string> words =
      words_of(comparable_name(last_component(without_trailing_slashes(name))));
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return is_stored(word) && word != kUnsloth; });
}

std::string_view last_component(std::string_view name) {
  constexpr std::string_view kCached = "models--";
  if (const std::size_t cached = name.rfind(kCached); cached != std::string_view::npos) {
    std::string_view folder = name.substr(cached + kCached.size());
    folder = folder.substr(0, folder.find_first_of("/\\"));
    const std::size_t model = folder.rfind("--");
    return model == std::string_view::npos ? folder : folder.substr(model + 2);
  }
  std::size_t slash = name.find_last_of("/\\:");
  if (slash + 1 > 1 && is_called_by_content(name.substr(slash + 1))) {  // npos + 1 is 0
    name = without_trailing_slashes(name.substr(0, slash));
    slash = name.find_last_of("/\\:");
  }
  return without_extension(slash == std::string_view::npos ? name : name.substr(slash + 1));
}

}  // namespace gpulint::model
