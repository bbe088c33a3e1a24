#pragma once

// A model goes by many spellings: an id of a hub with its organisation, a folder that ends in it,
// a component of a framework (torchtune.models.llama3_1.llama3_1_8b), with the words that say how
// its weights were tuned or stored. Their shapes are one. Two rules keep strangers apart: every
// number must be the same, and words are left out only from names that state a size ("8b").

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::model {

/// A name as it is compared: lower case, words and numbers separated by '-'. Dots stay.
std::string comparable_name(std::string_view name);

/// `comparable_name` with every dot a '-': "llama3_1" and "Llama-3.1" share it.
std::string name_key(std::string_view comparable);

/// Two comparable names of one key mean one model unless each has a dot the other lacks:
/// "qwen-1-8b" may mean "qwen-1.8b", "llama-3-1.8b" never "llama-3.1-8b".
bool same_name(std::string_view asked, std::string_view listed);

/// Comparable names to look a model up under, the most literal first.
std::vector<std::string> spellings_of(std::string_view name);

/// How surely a name that is listed nowhere is that of a fine-tune or mirror of a listed model:
/// every word of the listed name is in it, with the same sizes, and what is left over speaks of no
/// other network ("OpenHermes-2.5-Mistral-7B" and "mistral-7b"). Of two listed names, the one of
/// more words is nearer, then of two releases of one family the one whose words come earlier; those
/// of two families are both meant ("zephyr-7b-gemma").
struct NameMatch {
  std::size_t words = 0;
  std::size_t places = 0;  // of these words in the name, added up
  std::string family;      // those that are no numbers
  bool is_nearer_than(const NameMatch& other) const {
    if (words != other.words) return words > other.words;
    return family == other.family && places < other.places;
  }
};
/// A name's words with how its weights were treated left out, and the first of them that is a size.
struct SizedWords {
  std::vector<std::string> words;
  std::string size;
};
/// nullopt where the name states no size.
std::optional<SizedWords> words_with_size(std::string_view name);
/// `listed`: a comparable name. nullopt: they are of two models, or nobody can tell.
std::optional<NameMatch> match_words(const SizedWords& name, std::string_view listed);
/// "NAME-base/model", "NAME-7b/checkpoint-500": the folder above has the name.
bool is_called_by_content(std::string_view folder);
/// "base", "large", "7b".
bool is_word_of_size(std::string_view word);
/// A word behind which another network is, whatever the rest of the name says.
bool names_other_network(std::string_view word);
/// A comparable name that begins with all words of a listed one, one of them a size, and goes on:
/// words that are left over, of which none speaks of another shape. nullopt: they are of two
/// models.
std::optional<std::vector<std::string>> words_behind_base(std::string_view comparable,
                                                          std::string_view listed);
/// One of these words is a language, or may stand for one.
bool name_a_language(const std::vector<std::string>& words);
/// A name of a checkpoint as is_size_of() takes it.
std::string name_without_size(std::string_view asked);
/// A listed name is the other with a size behind it: "t5" and "t5-3b" or "t5-large".
bool is_size_of(std::string_view spelt, std::string_view listed);
/// A name's last component says that its weights are stored in fewer than 16 bits ("…-AWQ").
bool names_quantized_weights(std::string_view name);
/// What a name says of the number of parameters.
struct NamedSize {
  std::int64_t parameters = 0;
  bool is_whole = true;         // false: those that act on a token ("A3B", "E4B") are all it states
  std::int64_t of_a_token = 0;  // those that act on a token, of a network with experts ("30b-a3b")
  bool operator==(const NamedSize&) const = default;
};
/// nullopt when a name states no size ("7b"), or several.
std::optional<NamedSize> size_in_name(std::string_view name);

}  // namespace gpulint::model
