#include "launch/command_line.h"

#include "base/text.h"
#include "launch/flag_values.h"
#include "source/data_files.h"

#include <algorithm>
#include <optional>

namespace gpulint {
namespace {

constexpr std::size_t kMostWords = 20'000;

bool is_listed(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& each) { return same_flag(each, name); });
}
bool is_listed(const std::vector<std::string_view>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return same_flag(each, name); });
}

/// A word that stands for any number of words, or none.
bool is_open(const ShellText& word) { return word.size() == 1 && !word.known(); }

/// One that stands for words that are there.
bool is_unknown(const ShellText& word) { return is_open(word) && !word.is_unset(); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_flag(const ShellText& word) {
  const std::string& text = word.bytes;
  if (text.size() < 2 || text[0] != '-' || text == "--") return false;
  const char next = text[1];
  const bool number = is_digit(next) || (next == '.' && text.size() > 2 && is_digit(text[2]));
  return !number && next != ' ';
}

/// `a.b=c`, `+a.b=c`, `a/b@c=d`.
bool is_override(const ShellText& word) {
  const std::string& text = word.bytes;
  std::size_t at = text.find_first_not_of('+');
  if (at == std::string::npos) return false;
  const bool letter = (text[at] >= 'a' && text[at] <= 'z') ||
                      (text[at] >= 'A' && text[at] <= 'Z') || text[at] == '_';
  if (!letter) return false;
  constexpr std::string_view kMore = "./@-:";
  while (at < text.size() && (is_name_part(text[at]) || kMore.find(text[at]) != kMore.npos)) ++at;
  return at < text.size() && text[at] == '=' && text.substr(at, 2) != "==";
}

/// `OUTPUT_DIR`: a key of yacs, which only its place tells from other words.
bool is_capital_name(const ShellText& word) {
  const std::string& text = word.bytes;
  return text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.';
         });
}

/// `SOLVER.BASE_LR`: a key of yacs, its value is the next word.
bool is_yacs_key(const ShellText& word) {
  return is_capital_name(word) && word.bytes.find('.') != std::string::npos;
}

/// Frameworks whose configs are modules are handed their files: `train.py configs/a.py`.
bool is_python_file(std::string_view text) {
  return extension(text) == "py" && text.find('/') != std::string_view::npos;
}

class ProgramFlagReader {
 public:
  ProgramFlagReader(std::span<const ShellText> words, const Launcher* program,
                    const CommonFlags& common)
      : words_(words.first(std::min(words.size(), kMostWords))),
        program_(program),
        common_(common) {}

  ProgramFlags read() {
    while (at_ < words_.size()) {
      const ShellText& word = words_[at_];
      if (is_open(word) || word.bytes == "--") {
        behind_dashes_ = behind_dashes_ || word.bytes == "--";
        result_.may_be_more = result_.may_be_more || is_open(word);
        result_.has_unknown = result_.has_unknown || is_unknown(word);
        if (word.is_unset()) result_.configs.push_back({word, "", false});  // `train.py "$1"`
        ++at_;
      } else if (is_flag(word)) {
        if (at_ == 0) result_.subcommand = "--";
        flag();
      } else if (is_override(word)) {
        add_override(word);
        ++at_;
      } else if (word.bytes.size() > 1 && word.bytes[0] == '~') {
        result_.removed.push_back(word.bytes.substr(1, word.bytes.find('=') - 1));
        ++at_;
      } else if (at_ + 1 < words_.size() &&
                 (is_yacs_key(word) || (names_keys_ && is_capital_name(word)))) {
        names_keys_ = true;
        result_.overrides.add(word.bytes, with_value(word, words_[at_ + 1]));
        at_ += 2;
      } else {
        if (ends_like_config(word.bytes) || is_python_file(word.bytes))
          result_.configs.push_back({word, "", false});
        if (at_ == 0 && word.known()) result_.subcommand = word.bytes;
        ++at_;
      }
    }
    // Of a name without an ending, the folder says which file it is.
    std::vector<NamedConfig>& named = result_.configs;
    const auto is_bare = [](const NamedConfig& each) { return is_config_name(each.flag); };
    if (std::any_of(named.begin(), named.end(), is_bare))
      named.insert(named.end(), folders_.begin(), folders_.end());
    return std::move(result_);
  }

 private:
  bool names_config(std::string_view name) const {
    return is_listed(common_.configs, name) ||
           (program_ != nullptr && is_listed(program_->configs, name));
  }
  bool takes_overrides(std::string_view name) const {
    return is_listed(common_.overrides, name) ||
           (program_ != nullptr && is_listed(program_->overrides, name));
  }
  bool is_switch(std::string_view name) const {
    return program_ != nullptr && is_listed(program_->switches, name);
  }

  void flag() {
    const ShellText& word = words_[at_++];
    const std::size_t equals = word.bytes.find('=');
    const ShellText written = part(word, 0, equals);
    if (!written.known()) {
      result_.may_be_more = true;
      return;
    }
    const std::string_view name = trimmed_dashes(written.bytes);
    if (name.empty()) return;
    Words values;
    if (equals != std::string::npos) {
      values = {part(word, equals + 1)};
    } else if (!is_switch(name)) {
      values = values_of(name);
    }
    keep(written, values);
    store(written, name, std::move(values));
  }

  /// As it stands, for those who know what the program takes.
  void keep(const ShellText& written, const Words& values) {
    result_.may_be_more = result_.may_be_more || std::any_of(values.begin(), values.end(), is_open);
    result_.has_unknown = result_.has_unknown || (values.size() > 1 && is_unknown(values.back()));
    if (behind_dashes_ || written.bytes.find(' ') != std::string::npos) return;
    FlagNode node = with_items(written, values);
    node.name = written.bytes;
    result_.given.append(std::move(node));
  }

  static std::string_view trimmed_dashes(std::string_view name) {
    while (name.starts_with('-')) name.remove_prefix(1);
    return name;
  }

  /// The words that belong to a flag: up to the next flag, and no further than where a config or
  /// an override clearly stands for itself.
  Words values_of(std::string_view name) {
    Words values;
    const bool changes_keys = takes_overrides(name);
    while (at_ < words_.size() && !is_flag(words_[at_]) && words_[at_].bytes != "--") {
      const ShellText& word = words_[at_];
      if (is_open(word) && (word.is_unset() ? !values.empty() : values.size() > 1)) break;
      if (is_override(word) && !changes_keys && !word.bytes.starts_with('{')) break;
      const bool alone = !values.empty() && ends_like_config(word.bytes) &&
                         !ends_like_config(values.front().bytes);
      if (alone) break;
      if (!values.empty() && !changes_keys && begins_overrides(values, word)) break;
      values.push_back(word);
      ++at_;
    }
    return values;
  }

  /// `--config-file a.yaml OUTPUT_DIR out`: what follows the one config is no second value of it.
  bool begins_overrides(const Words& values, const ShellText& word) {
    if (is_yacs_key(word)) return true;
    const bool is_key = at_ + 1 < words_.size() && is_capital_name(word) && values.size() == 1 &&
                        ends_like_config(values.front().bytes);
    names_keys_ = names_keys_ || is_key;
    return is_key;
  }

  void store(const ShellText& written, std::string_view name, Words values) {
    if (takes_overrides(name) && !values.empty() && take_overrides(values)) return;
    // `{a,b}` stands for several words: whoever shows such a command means each by itself.
    const bool is_one = std::all_of(values.begin(), values.end(), [&](const ShellText& each) {
      return !each.origins.empty() && each.origins.front() == values.front().origins.front();
    });
    const bool config = is_one && !values.empty() && names_config(name);
    const bool names_one =
        config && (ends_like_config(values.front().bytes) || is_python_file(values.front().bytes));
    if (names_one || (config && is_config_name(name))) {
      result_.configs.push_back({values.front(), std::string(name), true});
    } else if (config && (same_flag(name, "config_path") || same_flag(name, "config_dir"))) {
      folders_.push_back({values.front(), std::string(name), false});
    } else if (is_one && !values.empty() && ends_like_config(values.front().bytes)) {
      result_.configs.push_back({values.front(), std::string(name), false});
    }
    for (std::size_t i = 1; is_one && i < values.size(); ++i) {
      if (ends_like_config(values[i].bytes))
        result_.configs.push_back({values[i], std::string(name), names_config(name)});
    }
    if (!values.empty()) {
      result_.flags.add(name, with_items(written, std::move(values)));
      return;
    }
    result_.flags.add(name, switched(written, "true"));
    // What argparse's BooleanOptionalAction makes of a switch.
    const bool negates = name.size() > 3 && (name.starts_with("no-") || name.starts_with("no_"));
    if (negates && result_.flags.find(name.substr(3)) == nullptr)
      result_.flags.add(name.substr(3), switched(written, "false"));
  }

  /// Hydra's names have no ending.
  static bool is_config_name(std::string_view name) { return same_flag(name, "config_name"); }

  /// `--options a.b=c d=e`, `--opts SOLVER.LR 0.1`; false when the values are of another kind.
  bool take_overrides(const Words& values) {
    if (std::all_of(values.begin(), values.end(), is_override)) {
      for (const ShellText& value : values) add_override(value);
      return true;
    }
    if (values.size() % 2 != 0 || !is_yacs_key(values.front())) return false;
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
      if (values[i].known())
        result_.overrides.add(values[i].bytes, with_value(values[i], values[i + 1]));
    }
    return true;
  }

  void add_override(const ShellText& word) {
    const std::size_t begin = word.bytes.find_first_not_of('+');
    const std::size_t equals = word.bytes.find('=', begin);
    const ShellText key = part(word, begin, equals);
    if (!key.known()) return;
    ShellText value = part(word, equals + 1);
    if (value.size() >= 2 && (value.bytes.front() == '\'' || value.bytes.front() == '"') &&
        value.bytes.back() == value.bytes.front())
      value = part(value, 1, value.size() - 1);
    const std::string_view name = std::string_view(key.bytes).substr(0, key.bytes.find('@'));
    if (name.find('.') == std::string_view::npos && value.known()) {
      result_.chosen.emplace_back(name, value.bytes);
      // `data=big data.rows=4`: the group's option and a key of it stand beside each other.
      const FlagNode* section = result_.overrides.find(name);
      if (section != nullptr && !section->children.empty()) return;
    }
    result_.overrides.add(key.bytes, with_value(key, std::move(value)));
  }

  std::span<const ShellText> words_;
  const Launcher* program_ = nullptr;
  const CommonFlags& common_;
  std::size_t at_ = 0;
  bool behind_dashes_ = false;
  std::vector<NamedConfig> folders_;
  bool names_keys_ = false;  // keys of yacs, each before its value
  ProgramFlags result_;
};

/// `-n4`: a short flag with its number.
std::optional<std::pair<std::string_view, ShellText>> attached_number(const ShellText& word) {
  const std::string& text = word.bytes;
  if (text.size() < 3 || text[0] != '-' || text[1] == '-' || !is_digit(text[2]))
    return std::nullopt;
  if (!std::all_of(text.begin() + 2, text.end(), is_digit)) return std::nullopt;
  return std::pair(std::string_view(text).substr(1, 1), part(word, 2));
}

/// `-uB`: several short switches in one word.
bool are_switches(const Launcher& launcher, const ShellText& written) {
  const std::string& text = written.bytes;
  return text.size() > 2 && text[1] != '-' &&
         std::all_of(text.begin() + 1, text.end(), [&](const char& letter) {
           return is_listed(launcher.switches, std::string_view(&letter, 1));
         });
}

}  // namespace

ProgramFlags read_program_flags(std::span<const ShellText> words, const Launcher* program,
                                const CommonFlags& common) {
  return ProgramFlagReader(words, program, common).read();
}

FlagTree take_own_flags(const Launcher& launcher, Words& words, bool& module) {
  FlagTree tree;
  std::size_t at = 0;
  int positionals = launcher.positionals;
  for (; at < words.size(); ++at) {
    const ShellText& word = words[at];
    if (is_open(word)) continue;
    if (!is_flag(word) && positionals > 0) {
      --positionals;
      continue;
    }
    if (word.bytes == "--") {
      ++at;
      break;
    }
    if (!is_flag(word)) break;
    const std::size_t equals = word.bytes.find('=');
    const ShellText written = part(word, 0, equals);
    std::string_view name = written.bytes;
    while (name.starts_with('-')) name.remove_prefix(1);
    if (name.empty()) continue;
    if (is_listed(launcher.modules, name)) {
      module = true;
      continue;
    }
    if (equals != std::string::npos) {
      tree.add(name, with_items(written, {part(word, equals + 1)}));
    } else if (const auto number = attached_number(word)) {
      tree.add(number->first, with_items(written, {number->second}));
    } else if (is_listed(launcher.switches, name) || are_switches(launcher, written) ||
               at + 1 >= words.size()) {
      tree.add(name, switched(written, "true"));
    } else {
      tree.add(name, with_items(written, {words[at + 1]}));
      at += is_listed(launcher.pairs, name) ? 2 : 1;
    }
  }
  words.erase(words.begin(),
              words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())));
  return tree;
}

bool ends_like_config(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) {  // a list of them
    text.remove_suffix(1);
    while (text.ends_with('\'') || text.ends_with('"') || text.ends_with(' '))
      text.remove_suffix(1);
  }
  return is_data_file_name(text);
}

}  // namespace gpulint
