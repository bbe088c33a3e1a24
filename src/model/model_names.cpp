#include "model/model_names.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace gpulint::model {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
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

std::vector<std::string> words_of(std::string_view comparable) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= comparable.size();) {
    const std::size_t end = std::min(comparable.find('-', at), comparable.size());
    std::string word(comparable.substr(at, end - at));
    // Number formats were split before their digits.
    const bool format = !words.empty() && (words.back() == "nf" || words.back() == "int" ||
                                           words.back() == "fp" || words.back() == "bf");
    if (format) {
      words.back() += "-" + word;
    } else {
      words.push_back(std::move(word));
    }
    at = end + 1;
  }
  return words;
}

/// "7b", "1.5b", "350m": a number of parameters.
bool is_size(std::string_view word) {
  if (word.size() < 2 || (word.back() != 'b' && word.back() != 'm')) return false;
  word.remove_suffix(1);
  return is_digit(word.front()) &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
}

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

std::string_view without_trailing_slashes(std::string_view name) {
  while (!name.empty() && (name.back() == '/' || name.back() == '\\')) name.remove_suffix(1);
  return name;
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

bool is_number(std::string_view word) {
  return !word.empty() && is_digit(word.front()) &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
}

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

/// What follows the last separator of a path; the model inside a hub's cache folder.
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

namespace {

/// Data sets whose number of samples is part of their name ("lvd1689m", "laion2b").
constexpr std::array<std::string_view, 7> kDataSets = {"lvd",   "laion",    "cc",  "yfcc",
                                                       "webli", "datacomp", "coyo"};

/// The word at `at` is written on to the one before it: "e4b".
bool is_written_on(const std::string& written, const std::vector<std::string>& words,
                   std::size_t at) {
  return at > 0 && written.find(words[at - 1] + words[at]) != std::string::npos;
}

bool is_number_of_samples(const std::string& written, const std::vector<std::string>& words,
                          std::size_t at) {
  return is_written_on(written, words, at) &&
         std::find(kDataSets.begin(), kDataSets.end(), words[at - 1]) != kDataSets.end();
}

/// "a3b", "e4b": the parameters that act on one token, or as many as the network costs.
bool is_share(const std::string& written, const std::vector<std::string>& words, std::size_t at) {
  return is_written_on(written, words, at) && (words[at - 1] == "a" || words[at - 1] == "e");
}

/// "dec512d8b": a width and how many blocks of it.
bool is_number_of_blocks(const std::string& written, const std::vector<std::string>& words,
                         std::size_t at) {
  const std::size_t end = written.rfind(words[at]);
  return at > 0 && end != written.npos && end > 1 && written[end - 1] == 'd' &&
         is_digit(written[end - 2]);
}

/// The parameters that the size at `at` stands for.
double count_at(const std::string& written, const std::vector<std::string>& words, std::size_t at) {
  // "1_8b" may be 1.8 billion; in "gpt3_5b" the first number is the version.
  std::string number = words[at];
  const bool is_version =
      at > 1 && !is_number(words[at - 2]) && is_written_on(written, words, at - 1);
  if (at > 0 && is_number(words[at - 1]) && !is_version) {
    const bool point = written.find(words[at - 1] + "_" + number) != std::string::npos;
    if (point && number.find('.') == std::string::npos) number = words[at - 1] + "." + number;
  }
  const double unit = number.back() == 'b' ? 1e9 : 1e6;
  return std::strtod(number.c_str(), nullptr) * unit;
}

/// "0p5b" is half a billion: "p" stands for the point.
std::string with_points(std::string_view name) {
  std::string made(name);
  for (std::size_t at = 1; at + 1 < made.size(); ++at) {
    if (made[at] != 'p' || !is_digit(made[at - 1])) continue;
    std::size_t end = at + 1;
    while (end < made.size() && is_digit(made[end])) ++end;
    const char unit = end < made.size() ? static_cast<char>(made[end] | 0x20) : ' ';
    if (end > at + 1 && (unit == 'b' || unit == 'm')) made[at] = '.';
  }
  return made;
}

/// "xlstm_512d_12b": who writes the width into a name writes blocks and layers, not billions.
bool names_width(std::string_view written) {
  for (const std::string_view part : split(written, '_')) {
    std::size_t digits = 0;
    while (digits < part.size() && is_digit(part[digits])) ++digits;
    const std::string_view unit = part.substr(digits);
    if (digits > 0 && (unit == "d" || unit == "dim" || unit == "hidden")) return true;
  }
  return false;
}

/// "qwen_15b", as names of runs and variables are written, which have no points: 1.5 or 15.
bool may_lack_point(std::string_view name, std::string_view size) {
  return name.find_first_of("-./") == name.npos && size.size() == 3 && is_digit(size[0]) &&
         is_digit(size[1]) && size[1] != '0' && size[2] == 'b';
}

}  // namespace

std::optional<NamedSize> size_in_name(std::string_view name) {
  const std::string component = with_points(last_component(without_trailing_slashes(name)));
  const std::string written = to_lower(component);
  std::string parts = written;
  std::replace(parts.begin(), parts.end(), '-', '_');
  if (names_width(parts)) return std::nullopt;
  const std::vector<std::string> words = words_of(comparable_name(component));
  std::optional<double> whole;
  std::optional<double> share;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (!is_size(words[at]) || is_number_of_samples(written, words, at)) continue;
    if (is_number_of_blocks(written, words, at)) return std::nullopt;
    if (may_lack_point(name, words[at])) return std::nullopt;
    std::optional<double>& size = is_share(written, words, at) ? share : whole;
    if (size) return std::nullopt;
    size = count_at(written, words, at);
  }
  const std::optional<double> size = whole ? whole : share;
  constexpr double kLeast = 1e6;
  constexpr double kMost = 1e13;
  if (!size || *size < kLeast || *size > kMost) return std::nullopt;
  const auto of_a_token = whole && share ? static_cast<std::int64_t>(*share) : 0;
  return NamedSize{static_cast<std::int64_t>(*size), whole.has_value(), of_a_token};
}

}  // namespace gpulint::model
