// What `re` finds in texts that are known. The standard library's expressions do the work; patterns
// that Python reads in another way, and texts that would take long, stay unknown.

#include "python/interpreter.h"

#include <algorithm>
#include <regex>
#include <utility>

namespace gpulint::python {
namespace {

constexpr std::string_view kCompile = "re.compile";
// A search tries all ways to share the text among what repeats.
constexpr std::size_t kLongestText = 128;
constexpr int kMostRepeats = 3;

/// Written so that ECMAScript reads the same in it, escapes and groups that both know, and soon
/// searched.
bool is_read_alike(std::string_view pattern) {
  constexpr std::string_view kEscapes = "dDwWsSbBnrt";
  int repeats = 0;
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    const char next = pattern[i + 1];
    const bool is_letter = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    const bool is_digit = next >= '0' && next <= '9';
    if (pattern[i] == '\\' && (is_digit || (is_letter && kEscapes.find(next) == kEscapes.npos)))
      return false;
    if (pattern[i] == '\\') {
      ++i;
      continue;
    }
    const bool is_special_group = pattern[i] == '(' && next == '?';
    if (is_special_group && (i + 2 == pattern.size() || pattern[i + 2] != ':')) return false;
    const bool is_repeat = next == '*' || next == '+' || next == '{';
    if (is_repeat && pattern[i] == ')') return false;  // of what may repeat itself
    repeats += is_repeat ? 1 : 0;
    if (pattern[i] == '[' && (next == '[' || next == ']')) return false;  // "[[:alpha:]]", "[]a]"
  }
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  return repeats <= kMostRepeats && std::all_of(pattern.begin(), pattern.end(), is_ascii);
}

std::optional<std::regex> expression(std::string_view pattern) {
  if (pattern.size() > kLongestText || !is_read_alike(pattern)) return std::nullopt;
  try {
    return std::regex(pattern.begin(), pattern.end());
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

}  // namespace

/// `re.findall(pattern, text)`, also of what `re.compile(pattern)` made; nullopt: it is no such
/// function, or nobody knows what it finds.
std::optional<Value> Interpreter::regular_expression(std::string_view name,
                                                     const Arguments& arguments) {
  if (!name.starts_with("re.") || arguments.open) return std::nullopt;
  Value pattern = argument_value(arguments, 0, "pattern");
  if (name == kCompile) {
    if (pattern.kind != Kind::text || arguments.list.size() != 1) return std::nullopt;
    const Value made = make_object(Kind::instance);
    objects_[made.ref].made_by = intern(kCompile);
    objects_[made.ref].open = true;
    append(made.ref, pattern);
    return made;
  }
  const bool replaces = name == "re.sub";
  const std::size_t wanted = replaces ? 3 : 2;
  const Value given = argument_value(arguments, wanted - 1, "string");
  const Value by = argument_value(arguments, 1, "repl");
  const bool is_compiled = pattern.kind == Kind::instance &&
                           objects_[pattern.ref].made_by == intern(kCompile) &&
                           !objects_[pattern.ref].items.empty();
  if (is_compiled) pattern = objects_[pattern.ref].items.front();
  const bool is_known = pattern.kind == Kind::text && given.kind == Kind::text &&
                        arguments.list.size() == wanted && text(given.ref).size() <= kLongestText;
  const bool matches = name == "re.match" || name == "re.fullmatch" || name == "re.search";
  if (!is_known || (!replaces && !matches && name != "re.findall")) return std::nullopt;
  const std::optional<std::regex> made = expression(text(pattern.ref));
  if (!made) return std::nullopt;
  const std::string in(text(given.ref));
  const auto same = [&](std::string_view found) {
    return made_from(make_text(found, given.from, given.origin), given, given);
  };
  try {
    if (replaces) {
      const bool is_plain =
          by.kind == Kind::text && text(by.ref).find_first_of("\\$") == std::string_view::npos;
      if (!is_plain) return std::nullopt;
      return same(std::regex_replace(in, *made, std::string(text(by.ref))));
    }
    if (matches) {  // what a match holds is not kept
      const auto how = name == "re.match" ? std::regex_constants::match_continuous
                                          : std::regex_constants::match_default;
      const bool found =
          name == "re.fullmatch" ? std::regex_match(in, *made) : std::regex_search(in, *made, how);
      return found ? std::nullopt : std::optional(Value{.kind = Kind::none});
    }
    const Value all = make_object(Kind::list);
    for (std::sregex_iterator at(in.begin(), in.end(), *made), end; at != end; ++at) {
      if (at->size() > 2) return std::nullopt;  // a tuple of its groups
      append(all.ref, same(at->str(at->size() - 1)));
    }
    return all;
  } catch (const std::regex_error&) {
    return std::nullopt;  // it would take too long
  }
}

}  // namespace gpulint::python
