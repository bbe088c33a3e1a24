#include "base/text.h"
#include "shell/interpreter.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace gpulint {
namespace {

std::optional<std::size_t> small_number(std::string_view text) {
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A value without what a pattern matches at its beginning or end.
ShellText without(const ShellText& value, std::string_view pattern, bool at_end, bool longest) {
  const auto size = static_cast<std::uint32_t>(value.size());
  const std::string_view bytes = value.bytes;
  constexpr std::uint32_t kLongestTried = 4096;  // names and paths; each length is tried
  if (size > kLongestTried) return ShellText::unknown(kNowhere);
  for (std::uint32_t i = 0; i <= size; ++i) {
    const std::uint32_t taken = longest ? size - i : i;
    const std::string_view part = at_end ? bytes.substr(size - taken) : bytes.substr(0, taken);
    if (!matches_shell_pattern(pattern, part)) continue;
    return value.part(at_end ? TextRange{0, size - taken} : TextRange{taken, size});
  }
  return value;
}

ShellText with_case(ShellText value, bool upper, bool all) {
  for (std::size_t i = 0; i < value.size() && (all || i == 0); ++i) {
    const auto byte = static_cast<unsigned char>(value.bytes[i]);
    value.bytes[i] = static_cast<char>(upper ? std::toupper(byte) : std::tolower(byte));
    value.origins[i] = kNowhere;
  }
  return value;
}

}  // namespace

/// `${name}`, `${name[i]}`, `${#name}`, `${!name}` and the operators behind a name.
std::vector<ShellText> ShellInterpreter::parameter(const ShellText& text, TextRange inside,
                                                   std::uint32_t origin, bool& is_list) {
  const std::string& bytes = text.bytes;
  std::uint32_t at = inside.begin;
  const bool counts = bytes[at] == '#' && inside.size() > 1;
  const bool points = bytes[at] == '!' && inside.size() > 1;
  if (counts || points) ++at;
  const std::uint32_t begin = at;
  if (at < inside.end && !is_name_part(bytes[at])) {
    ++at;  // @, *, #, ?
  } else {
    while (at < inside.end && is_name_part(bytes[at])) ++at;
  }
  std::string name = bytes.substr(begin, at - begin);
  std::vector<ShellText> values;
  if (at < inside.end && bytes[at] == '[') {
    const std::uint32_t index = ++at;
    while (at < inside.end && bytes[at] != ']') ++at;
    const std::string_view written = std::string_view(bytes).substr(index, at - index);
    if (written == "@" || written == "*") {
      is_list = written == "@";
      if (const ShellVariable* variable = find(name)) values = variable->items;
      if (points && find(name) != nullptr) {  // ${!A[@]}: its keys
        const ShellVariable& variable = *find(name);
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] =
              ShellText::computed(variable.keys.empty() ? std::to_string(i) : variable.keys[i]);
        }
        return values;
      }
      if (counts) return {ShellText::computed(std::to_string(values.size()))};
      return values;
    }
    values = {element_of(name, expand_whole(text, {index, at}), origin)};
    ++at;
  } else {
    values = value_of(name, origin, is_list);
    if (is_list && !counts && at < inside.end && bytes[at] == ':') {  // "${@:2}"
      const auto first = arithmetic(text, {at + 1, inside.end});
      const auto size = static_cast<std::int64_t>(values.size());
      if (!first || *first < 1) return values;
      values.erase(values.begin(), values.begin() + std::min(size, *first - 1));
      return values;
    }
  }
  if (counts) {
    if (is_list) return {ShellText::computed(std::to_string(values.size()))};
    if (values.empty() || !values.front().known()) return {ShellText::unknown(origin)};
    return {ShellText::computed(std::to_string(values.front().size()))};
  }
  if (points) {
    if (values.empty() || !values.front().known()) return {ShellText::unknown(origin)};
    bool list = false;
    values = value_of(values.front().bytes, origin, list);
  }
  if (at >= inside.end || is_list) return values;
  if (values.empty()) values.emplace_back();
  return {apply_operator(values.front(), text, {at, inside.end}, name, origin)};
}

std::vector<ShellText> ShellInterpreter::value_of(std::string_view name, std::uint32_t origin,
                                                  bool& is_list) {
  if (name == "@" || name == "*") {
    is_list = true;
    reads_arguments_ = reads_arguments_ || !has_arguments_;
    return has_arguments_ ? arguments_ : std::vector<ShellText>();
  }
  if (name == "#") {
    if (!has_arguments_) return {ShellText::argument_count(origin)};
    return {ShellText::computed(std::to_string(arguments_.size()))};
  }
  if (name == "0" || name == "BASH_SOURCE") return {ShellText::computed(path_)};
  if (name == "PWD") return {state_.folder};
  if (const auto number = small_number(name)) {
    if (!has_arguments_ || *number == 0 || *number > arguments_.size())
      return {ShellText::unset(origin)};
    return {arguments_[*number - 1]};
  }
  const ShellVariable* variable = find(name);
  if (variable == nullptr) {
    const bool is_special = name == "?" || name == "$" || name == "!" || name == "-" ||
                            name == "RANDOM" || name == "HOSTNAME" || name == "SECONDS";
    return {is_special ? ShellText::unknown(origin) : ShellText::unset(origin)};
  }
  if (variable->items.empty()) return {ShellText{}};
  return {variable->items.front()};
}

ShellText ShellInterpreter::element_of(const std::string& name, const ShellText& index,
                                       std::uint32_t origin) {
  if (name == "BASH_SOURCE") return ShellText::computed(path_);
  const ShellVariable* variable = find(name);
  if (variable == nullptr) return ShellText::unset(origin);
  if (!index.known()) return ShellText::unknown(origin);
  if (!variable->keys.empty()) {
    const auto key = std::find(variable->keys.begin(), variable->keys.end(), index.bytes);
    if (key == variable->keys.end()) return {};
    return variable->items[static_cast<std::size_t>(key - variable->keys.begin())];
  }
  const auto number = arithmetic(index, {0, static_cast<std::uint32_t>(index.size())});
  if (!number) return ShellText::unknown(origin);
  const auto size = static_cast<std::int64_t>(variable->items.size());
  const std::int64_t place = *number < 0 ? *number + size : *number;
  if (place < 0 || place >= size) return {};
  return variable->items[static_cast<std::size_t>(place)];
}

ShellText ShellInterpreter::apply_operator(const ShellText& value, const ShellText& text,
                                           TextRange rest, const std::string& name,
                                           std::uint32_t origin) {
  const std::string& bytes = text.bytes;
  std::uint32_t at = rest.begin;
  const bool colon = bytes[at] == ':';
  const char next = colon && at + 1 < rest.end ? bytes[at + 1] : bytes[at];
  if (std::string_view("-=+?").find(next) != std::string_view::npos) {
    at += colon ? 2 : 1;
    const bool missing = value.is_unset() || (colon && value.empty());
    if (next == '+') {
      if (missing) return {};
      if (!value.known() && value.size() == 1) return ShellText::unknown(origin);
      return expand_whole(text, {at, rest.end});
    }
    if (!missing || next == '?') return value;
    ShellText otherwise = expand_whole(text, {at, rest.end});
    if (next == '=') set(name, {{otherwise}, {}, false, false});
    return otherwise;
  }
  if (value.is_unset()) return value;
  if (colon) return slice(value, text, {at + 1, rest.end}, origin);
  if (bytes[at] == '/') return replace_pattern(value, text, {at + 1, rest.end});
  const char kind = bytes[at];
  const bool twice = at + 1 < rest.end && bytes[at + 1] == kind;
  if (kind == '^' || kind == ',') return with_case(value, kind == '^', twice);
  if (kind != '#' && kind != '%') return ShellText::unknown(origin);
  const ShellText pattern = expand_whole(text, {at + (twice ? 2 : 1), rest.end});
  if (!pattern.known()) return ShellText::unknown(origin);
  // A path whose beginning is unknown still has a known end.
  if (!value.known() && kind == '%') {
    const std::size_t last = value.bytes.find_last_of("\x01\x02");
    const auto end = static_cast<std::uint32_t>(value.size());
    ShellText kept = value.part({0, static_cast<std::uint32_t>(last) + 1});
    kept.add(without(value.part({static_cast<std::uint32_t>(last) + 1, end}), pattern.bytes, true,
                     twice));
    return kept;
  }
  if (!value.known() && !twice) return ShellText::unknown(origin);
  return without(value, pattern.bytes, kind == '%', twice);
}

/// `${name/pattern/text}`; only plain patterns are replaced.
ShellText ShellInterpreter::replace_pattern(const ShellText& value, const ShellText& text,
                                            TextRange rest) {
  const std::string& bytes = text.bytes;
  std::uint32_t at = rest.begin;
  const bool all = at < rest.end && bytes[at] == '/';
  if (all) ++at;
  std::uint32_t slash = at;
  while (slash < rest.end && bytes[slash] != '/') slash += bytes[slash] == '\\' ? 2 : 1;
  slash = std::min(slash, rest.end);
  const ShellText pattern = expand_whole(text, {at, slash});
  const ShellText by = expand_whole(text, {std::min(slash + 1, rest.end), rest.end});
  if (pattern.empty()) return value;
  const bool plain = pattern.bytes.find_first_of("*?[") == std::string::npos;
  if (!plain || !pattern.known() || !value.known()) return ShellText::unknown(kNowhere);
  ShellText result;
  std::size_t from = 0;
  while (true) {
    const std::size_t found = value.bytes.find(pattern.bytes, from);
    const std::size_t stop = std::min(found, value.size());
    result.add(value, {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(stop)});
    if (found == std::string::npos) break;
    result.add(by);
    from = found + pattern.size();
    if (!all) {
      result.add(value,
                 {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(value.size())});
      break;
    }
  }
  return result;
}

/// `${name:offset:length}`.
ShellText ShellInterpreter::slice(const ShellText& value, const ShellText& text, TextRange rest,
                                  std::uint32_t origin) {
  std::uint32_t colon = rest.begin;
  while (colon < rest.end && text.bytes[colon] != ':') ++colon;
  const auto size = static_cast<std::int64_t>(value.size());
  const auto first = arithmetic(text, {rest.begin, colon});
  if (!first || !value.known()) return ShellText::unknown(origin);
  std::int64_t begin = *first < 0 ? *first + size : *first;
  std::int64_t end = size;
  if (colon < rest.end) {
    const auto length = arithmetic(text, {colon + 1, rest.end});
    if (!length) return ShellText::unknown(origin);
    end = *length < 0 ? size + *length : std::min(size, begin + std::min(*length, size));
  }
  begin = std::clamp<std::int64_t>(begin, 0, size);
  end = std::clamp<std::int64_t>(end, begin, size);
  return value.part({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
}

}  // namespace gpulint
