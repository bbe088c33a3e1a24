#include "base/text.h"
#include "shell/interpreter.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gpulint {
namespace {

/// A value longer than this is put together by a loop nobody meant.
constexpr std::size_t kMostValueBytes = std::size_t{256} << 10;

std::optional<std::size_t> index_in(const ShellText& text) {
  std::size_t index = 0;
  const char* end = text.bytes.data() + text.size();
  const auto [stop, error] = std::from_chars(text.bytes.data(), end, index);
  if (error != std::errc() || stop != end) return std::nullopt;
  return index;
}

}  // namespace

ShellVariable* ShellInterpreter::find(std::string_view name) {
  const auto found = state_.variables.find(std::string(name));
  return found == state_.variables.end() ? nullptr : &found->second;
}

void ShellInterpreter::set(const std::string& name, ShellVariable value) {
  if (name.empty()) return;
  for (ShellText& item : value.items) {
    if (item.size() > kMostValueBytes) item = ShellText::unknown(kNowhere);
  }
  ShellVariable& variable = state_.variables[name];
  value.is_exported = value.is_exported || variable.is_exported;
  if (value.is_exported) environment_.reset();
  variable = std::move(value);
}

/// Name and value of `NAME=value` in front of a command.
std::pair<std::string, ShellText> ShellInterpreter::assignment_of(const Source& source,
                                                                  TextRange word) {
  const std::string& bytes = source.text.bytes;
  std::uint32_t at = word.begin;
  while (at < word.end && is_name_part(bytes[at])) ++at;
  std::string name = bytes.substr(word.begin, at - word.begin);
  while (at < word.end && bytes[at] != '=') ++at;
  return {std::move(name), expand_whole(source.text, {std::min(at + 1, word.end), word.end})};
}

void ShellInterpreter::export_all(const ShellVariables& variables) {
  for (const auto& [name, value] : variables) state_.variables[name] = {{value}, {}, false, true};
  if (!variables.empty()) environment_.reset();
}

void ShellInterpreter::take_back(const ShellVariables& variables, const State& before) {
  for (const auto& [name, value] : variables) {
    const auto old = before.variables.find(name);
    if (old == before.variables.end()) {
      state_.variables.erase(name);
    } else {
      state_.variables[name] = old->second;
    }
  }
  if (!variables.empty()) environment_.reset();
}

ShellVariables ShellInterpreter::given_by_env(const std::vector<ShellText>& words,
                                              std::size_t end) {
  ShellVariables given;
  bool is_of_env = false;
  for (std::size_t i = 0; i < end; ++i) {
    const std::string& word = words[i].bytes;
    const std::size_t equals = word.find('=');
    const std::string_view name = std::string_view(word).substr(0, equals);
    const bool is_one = equals != std::string::npos && !name.empty() &&
                        std::all_of(name.begin(), name.end(), is_name_part);
    if (is_of_env && is_one) {
      given.emplace_back(name,
                         words[i].part({static_cast<std::uint32_t>(equals) + 1,
                                        static_cast<std::uint32_t>(word.size())}));
    } else if (is_of_env && word.starts_with('-')) {
      if (word == "-u" || word == "-C") ++i;
    } else {
      is_of_env = file_name(word) == "env";
    }
  }
  return given;
}

std::string ShellInterpreter::assign(const Source& source, TextRange word) {
  const std::string& bytes = source.text.bytes;
  std::uint32_t at = word.begin;
  while (at < word.end && is_name_part(bytes[at])) ++at;
  std::string name = bytes.substr(word.begin, at - word.begin);
  std::optional<ShellText> index;
  if (at < word.end && bytes[at] == '[') {
    const std::uint32_t begin = ++at;
    while (at < word.end && bytes[at] != ']') ++at;
    index = expand_whole(source.text, {begin, at});
    ++at;
  }
  const bool appends = at < word.end && bytes[at] == '+';
  if (appends) ++at;
  const std::uint32_t value = std::min(at + 1, word.end);
  if (index) {
    assign_item(name, *index, expand_whole(source.text, {value, word.end}), appends);
    return name;
  }
  if (value < word.end && bytes[value] == '(') {
    ShellVariable list = array_of(source, {value + 1, std::max(value + 1, word.end - 1)});
    if (const ShellVariable* old = appends ? find(name) : nullptr) {
      list.items.insert(list.items.begin(), old->items.begin(), old->items.end());
      if (!list.keys.empty())
        list.keys.insert(list.keys.begin(), old->keys.begin(), old->keys.end());
    }
    set(name, std::move(list));
    return name;
  }
  ShellText text = expand_whole(source.text, {value, word.end});
  if (appends) {
    if (const ShellVariable* old = find(name); old != nullptr && !old->items.empty()) {
      ShellText joined = old->items.front();
      joined.add(text);
      text = std::move(joined);
    }
  }
  set(name, {{std::move(text)}, {}, false, false});
  return name;
}

void ShellInterpreter::assign_item(const std::string& name, const ShellText& index, ShellText value,
                                   bool appends) {
  ShellVariable variable;
  if (const ShellVariable* old = find(name)) variable = *old;
  variable.is_array = true;
  constexpr std::size_t kMostItems = 4096;
  const auto place = index_in(index);
  std::size_t at = variable.items.size();
  if (place && variable.keys.empty() && *place < kMostItems) {
    at = *place;
    if (at >= variable.items.size()) variable.items.resize(at + 1);
  } else if (index.known()) {
    const auto key = std::find(variable.keys.begin(), variable.keys.end(), index.bytes);
    at = static_cast<std::size_t>(key - variable.keys.begin());
    if (key == variable.keys.end()) {
      if (variable.keys.size() != variable.items.size() || at >= kMostItems) return;
      variable.keys.push_back(index.bytes);
      variable.items.emplace_back();
    }
  } else {
    return;
  }
  if (appends) {
    variable.items[at].add(value);
  } else {
    variable.items[at] = std::move(value);
  }
  set(name, std::move(variable));
}

ShellVariable ShellInterpreter::array_of(const Source& source, TextRange list) {
  ShellVariable variable;
  variable.is_array = true;
  for (const TextRange word : shell_words(source.text, list)) {
    const std::string& bytes = source.text.bytes;
    const std::size_t close = bytes.find("]=", word.begin);
    if (bytes[word.begin] == '[' && close < word.end) {  // ["key"]=value
      const auto end = static_cast<std::uint32_t>(close);
      variable.keys.push_back(expand_whole(source.text, {word.begin + 1, end}).bytes);
      variable.items.push_back(expand_whole(source.text, {end + 2, word.end}));
      continue;
    }
    for (ShellText& field : expand(source.text, word)) variable.items.push_back(std::move(field));
  }
  if (variable.keys.size() != variable.items.size()) variable.keys.clear();
  return variable;
}

std::shared_ptr<const ShellVariables> ShellInterpreter::environment() {
  if (environment_) return environment_;
  auto exported = std::make_shared<ShellVariables>();
  for (const auto& [name, variable] : state_.variables) {
    if (!variable.is_exported || variable.items.empty()) continue;
    exported->emplace_back(name, variable.items.front());
  }
  std::sort(exported->begin(), exported->end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  environment_ = std::move(exported);
  return environment_;
}

void ShellInterpreter::declare(const Source& source, const Step& step, std::string_view builtin) {
  bool exports = builtin == "export";
  for (std::size_t i = 1; i < step.words.size(); ++i) {
    const TextRange word = step.words[i];
    const std::string_view raw =
        std::string_view(source.text.bytes).substr(word.begin, word.size());
    if (raw.starts_with('-')) {
      exports = exports || raw.find('x') != std::string_view::npos;
      continue;
    }
    std::string name(raw);
    if (raw.find('=') != std::string_view::npos) {
      name = assign(source, word);
    } else if (raw.find('$') != std::string_view::npos) {
      // `export $SETTINGS`: assignments that a variable holds.
      for (const ShellText& field : expand(source.text, word)) {
        const Source& inner = add_source(field, false);
        walk(inner, inner.syntax.root);
      }
      continue;
    }
    ShellVariable* variable = find(name);
    if (exports && variable != nullptr) {
      variable->is_exported = true;
      environment_.reset();
    }
  }
}

}  // namespace gpulint
