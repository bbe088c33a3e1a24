// How many parameters a model has by its name.

#include "base/text.h"
#include "model/model_names.h"
#include "model/name_words.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace gpulint::model {
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

/// "net_15b", as names of runs and variables are written, which have no points: 1.5 or 15.
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
