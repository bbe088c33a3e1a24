// docopt: options that a program's help text declares.

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint::python {
namespace {

/// What the text declares: "--rate" with a value, "--fast", "<file>", "FILE", a word that chooses.
struct UsageOption {
  std::string key;  // of the mapping that the program gets
  std::vector<std::string> names = {};  // by which a command may give it
  bool takes_value = false;
  bool is_switch = false;
  std::string otherwise = {};  // "[default: 0.1]"; "" = none
};

bool is_blank_line(std::string_view line) { return trim(line).empty(); }

/// "FILE", "N_STEPS".
bool is_all_upper(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; }) &&
         std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

/// The words of a usage, or of the head of an option, without what groups them.
std::vector<std::string> usage_words(std::string_view text, std::string_view between) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (between.find(c) != between.npos) {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// "[default: 0.1]" of what an option says of itself.
std::string usage_default(std::string_view text) {
  constexpr std::string_view kDefault = "[default:";
  const std::string lower = to_lower(text);
  const std::size_t at = lower.find(kDefault);
  const std::size_t end = at == lower.npos ? lower.npos : lower.find(']', at);
  if (end == lower.npos) return {};
  return std::string(trim(text.substr(at + kDefault.size(), end - at - kDefault.size())));
}

/// "<batch-size>", "--batch-size" and "BATCH_SIZE" as others name them.
std::string usage_name(std::string_view key) {
  std::string name = is_all_upper(key) ? to_lower(key) : std::string(key);
  std::erase_if(name, [](char c) { return c == '<' || c == '>'; });
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// "-b N, --batch=N  Samples [default: 8]".
UsageOption usage_option(std::string_view head, std::string_view about) {
  UsageOption made;
  for (const std::string& word : usage_words(head, " ,=")) {
    if (!word.starts_with('-')) {
      made.takes_value = true;
      continue;
    }
    made.names.push_back(usage_name(word));
    if (made.key.empty() || word.starts_with("--")) made.key = word;
  }
  made.is_switch = !made.takes_value;
  made.otherwise = usage_default(about);
  return made;
}

class UsageText {
 public:
  explicit UsageText(std::string_view text) : lines_(split(text, '\n')) {
    read_options();
    read_usage();
  }
  std::vector<UsageOption> take() && { return std::move(declared_); }

 private:
  void add(UsageOption made) {
    const bool is_known =
        std::any_of(declared_.begin(), declared_.end(),
                    [&](const UsageOption& each) { return each.key == made.key; });
    if (!is_known && !made.key.empty()) declared_.push_back(std::move(made));
  }

  void read_options() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view line = trim(lines_[i]);
      if (!line.starts_with('-') || line.starts_with("---")) continue;
      std::string about(line);
      for (std::size_t k = i + 1; k < lines_.size(); ++k) {
        const std::string_view more = trim(lines_[k]);
        if (more.empty() || more.starts_with('-')) break;
        about += " " + std::string(more);
      }
      add(usage_option(line.substr(0, line.find("  ")), about));
    }
  }

  void read_usage() {
    constexpr std::string_view kUsage = "usage:";
    std::string program;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::size_t at = to_lower(lines_[i]).find(kUsage);
      if (at == std::string::npos) continue;
      std::string_view line = lines_[i].substr(at + kUsage.size());
      for (std::size_t k = i; k < lines_.size() && (k == i || !is_blank_line(lines_[k])); ++k) {
        if (k > i) line = lines_[k];
        std::vector<std::string> words = usage_words(line, " \t[]()|");
        if (words.empty()) continue;
        if (program.empty()) program = words.front();
        if (words.front() == program) words.erase(words.begin());
        for (const std::string& word : words) read_word(word);
      }
      return;
    }
  }

  /// Several of a word that may be repeated are a list, of which nothing is known either.
  void read_word(std::string_view word) {
    while (word.ends_with('.')) word.remove_suffix(1);
    if (word.empty() || word == "options" || word == "-" || word == "--") return;
    if (!word.starts_with('-'))
      return add({.key = std::string(word), .names = {usage_name(word)}});
    UsageOption made = usage_option(word, {});
    if (made.key.starts_with("--") || made.key.size() == 2) add(std::move(made));
  }

  std::vector<std::string_view> lines_;
  std::vector<UsageOption> declared_;
};

}  // namespace

/// `docopt(__doc__)`: whatever else the text declares, the mapping may hold.
Value Interpreter::usage_options(const Arguments& arguments) {
  const Value made = make_object(Kind::dict);
  objects_[made.ref].open = true;
  const Value usage = argument_value(arguments, 0, "doc");
  if (usage.kind != Kind::text) return made;
  const std::string said(text(usage.ref));
  for (const UsageOption& each : UsageText(said).take()) {
    std::optional<Value> given;
    for (const std::string& name : each.names) {
      if (!given) given = host_.argument(*this, name);
    }
    Value value;
    if (each.is_switch || each.takes_value) {
      value = each.is_switch ? make_bool(false) : make_text(each.otherwise);
      if (each.takes_value && each.otherwise.empty())
        value = {.kind = Kind::none, .origin = Origin::code};
      if (given && each.is_switch) given = make_bool(true);
      if (!given && !host_.knows_option(usage_name(each.key), unset_as(value))) value = {};
    }
    set(made.ref, intern(each.key), given.value_or(value), value.from);
  }
  return made;
}

}  // namespace gpulint::python
