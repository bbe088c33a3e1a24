#include "launch/makefile.h"

#include "base/text.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

constexpr int kDeepest = 8;  // references inside references
constexpr std::size_t kMostValueBytes = std::size_t{64} << 10;

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_name_part);
}

class MakefileReader {
 public:
  explicit MakefileReader(std::string_view text) : text_(text), made_{std::string(text)} {}

  CarriedCommands read() && {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = end_of_line(at);
      if (text_[at] == '\t') {
        keep_recipe(at, end);
      } else {
        note_assignment(at, end);
        blank(at, end);
      }
      at = end + 1;
    }
    for (const auto& [name, value] : values_)
      (value.is_exported ? made_.variables : made_.unexported)
          .emplace_back(name, expanded(value, 0));
    return std::move(made_);
  }

 private:
  struct Value {
    std::vector<std::pair<std::size_t, std::size_t>> parts = {};  // `=`, then each `+=`
    bool is_exported = false;
    bool is_open = false;  // a conditional sets it
  };

  /// Of a line and of those that `\` joins to it.
  std::size_t end_of_line(std::size_t at) const {
    std::size_t end = std::min(text_.find('\n', at), text_.size());
    while (end < text_.size() && end > at && text_[end - 1] == '\\')
      end = std::min(text_.find('\n', end + 1), text_.size());
    return end;
  }

  void blank(std::size_t at, std::size_t end) {
    for (; at < end; ++at) {
      if (made_.text[at] != '\n') made_.text[at] = ' ';
    }
  }

  /// `@` and `-` before a command speak to make; `$(NAME)` is `${NAME}` to a shell.
  void keep_recipe(std::size_t at, std::size_t end) {
    constexpr std::string_view kOnlyMakeKnows = "@<^*?+|%$";
    for (std::size_t dollar = text_.find('$', at); dollar < end;
         dollar = text_.find('$', dollar + 1)) {
      if (dollar + 1 < end && kOnlyMakeKnows.find(text_[dollar + 1]) != std::string_view::npos)
        return blank(at, end);
    }
    constexpr std::string_view kToMake = "\t @-+";
    for (std::size_t i = at; i < end && kToMake.find(text_[i]) != std::string_view::npos; ++i)
      made_.text[i] = ' ';
    for (std::size_t open = text_.find("$(", at); open < end; open = text_.find("$(", open + 2)) {
      const std::size_t close = text_.find(')', open);
      if (close >= end || !is_name(text_.substr(open + 2, close - open - 2))) continue;
      made_.text[open + 1] = '{';
      made_.text[close] = '}';
    }
  }

  /// `NAME = value`, `NAME := value`, `NAME ?= value`, `NAME += value`, `export NAME = value`.
  void note_assignment(std::size_t at, std::size_t end) {
    constexpr std::string_view kExport = "export ";
    while (at < end && text_[at] == ' ') ++at;
    const std::string_view line = text_.substr(at, end - at);
    if (line.starts_with("if")) ++conditionals_;  // ifeq, ifneq, ifdef, ifndef
    if (line.starts_with("endif")) --conditionals_;
    const bool is_exported = line.starts_with(kExport);
    if (is_exported) at += kExport.size();
    std::size_t stop = at;
    while (stop < end && is_name_part(text_[stop])) ++stop;
    const std::string name(text_.substr(at, stop - at));
    while (stop < end && text_[stop] == ' ') ++stop;
    const bool is_default = stop < end && text_[stop] == '?';
    const bool appends = stop < end && text_[stop] == '+';
    while (stop < end && (text_[stop] == ':' || text_[stop] == '?' || text_[stop] == '+')) ++stop;
    if (name.empty() || stop >= end || text_[stop] != '=') return;
    ++stop;
    while (stop < end && (text_[stop] == ' ' || text_[stop] == '\t')) ++stop;
    end = std::min(end, text_.find(" #", stop));
    while (end > stop && text_[end - 1] == ' ') --end;
    if (is_default && values_.contains(name)) return;
    Value& value = values_[name];
    if (!appends) value.parts.clear();
    value.parts.emplace_back(stop, end);
    value.is_exported = value.is_exported || is_exported;
    value.is_open = value.is_open || conditionals_ > 0;
  }

  ShellText expanded(const Value& value, int depth) const {
    ShellText made;
    for (const auto& [begin, end] : value.parts) {
      if (value.is_open) return ShellText::unknown(static_cast<std::uint32_t>(begin));
      if (!made.empty()) made.add(' ', static_cast<std::uint32_t>(begin));
      made.add(expanded(begin, end, depth));
    }
    return made;
  }

  /// A part of a value with what it refers to; functions of make are unknown.
  ShellText expanded(std::size_t at, std::size_t end, int depth) const {
    ShellText made;
    const auto origin = [](std::size_t offset) { return static_cast<std::uint32_t>(offset); };
    while (at < end && made.size() < kMostValueBytes) {
      if (text_[at] != '$' || at + 1 >= end) {
        const char c = text_[at] == '\n' || text_[at] == '\\' ? ' ' : text_[at];
        made.add(c, origin(at));
        ++at;
        continue;
      }
      const bool is_bracket = text_[at + 1] == '(' || text_[at + 1] == '{';
      const std::size_t close =
          is_bracket ? text_.find(text_[at + 1] == '(' ? ')' : '}', at) : at + 1;
      if (close >= end) break;
      const auto known = values_.find(text_.substr(at + 2, close - at - 2));
      if (!is_bracket || known == values_.end() || depth == kDeepest) {
        made.add(ShellText::unknown(origin(at)));
      } else {
        made.add(expanded(known->second, depth + 1));
      }
      at = close + 1;
    }
    return made;
  }

  std::string_view text_;
  CarriedCommands made_;
  std::map<std::string, Value, std::less<>> values_;
  int conditionals_ = 0;  // around the line
};

}  // namespace

CarriedCommands recipes_of(std::string_view text) { return MakefileReader(text).read(); }

}  // namespace gpulint
