// Words to fields, in the shell's order: braces, then parameters, commands and arithmetic, whose
// unquoted results are split at blanks, then quotes are taken away. File names are not looked up.

#include "base/text.h"
#include "shell/interpreter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostFields = 4096;
constexpr int kMostExpansionDepth = 40;

constexpr bool is_split(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
std::optional<std::int64_t> plain_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

/// The fields of one word while they grow.
struct ShellInterpreter::Fields {
  std::vector<ShellText> done;
  ShellText open;
  bool has_open = false;  // something was written: "" is a field too
  bool splits = true;

  void end_field() {
    if (has_open && done.size() < kMostFields) done.push_back(std::move(open));
    open = {};
    has_open = false;
  }
  /// A result that no quotes protect.
  void add_split(const ShellText& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (splits && is_split(text.bytes[i])) {
        end_field();
      } else {
        open.add(text.bytes[i], text.origins[i]);
        has_open = true;
      }
    }
  }
  void add_quoted(const ShellText& text) {
    open.add(text);
    has_open = true;
  }
};

std::vector<ShellText> ShellInterpreter::expand(const ShellText& text, TextRange word) {
  if (std::find(text.bytes.begin() + word.begin, text.bytes.begin() + word.end, '{') !=
      text.bytes.begin() + word.end) {
    std::vector<ShellText> braces = expand_braces(text, word);
    if (!braces.empty()) return braces;
  }
  Fields fields;
  expand_into(fields, text, word, false);
  fields.end_field();
  return std::move(fields.done);
}

ShellText ShellInterpreter::expand_whole(const ShellText& text, TextRange word) {
  Fields fields;
  fields.splits = false;
  expand_into(fields, text, word, false);
  fields.end_field();
  ShellText whole;
  for (const ShellText& field : fields.done) {
    if (&field != &fields.done.front()) whole.add(' ', kNowhere);
    whole.add(field);
  }
  return whole;
}

void ShellInterpreter::expand_into(Fields& fields, const ShellText& text, TextRange range,
                                   bool quoted) {
  if (depth_ >= 200 + kMostExpansionDepth) return;
  ++depth_;
  const std::string& bytes = text.bytes;
  std::uint32_t at = range.begin;
  while (at < range.end) {
    const char c = bytes[at];
    if (c == '\\' && at + 1 < range.end) {
      const char next = bytes[at + 1];
      if (next == '\n') {
        at += 2;
        continue;
      }
      if (next == '\r' && at + 2 < range.end && bytes[at + 2] == '\n') {
        at += 3;
        continue;
      }
      constexpr std::string_view kEscapable = "\"\\$`";
      if (quoted && kEscapable.find(next) == std::string_view::npos)
        fields.open.add(c, text.origins[at]);
      fields.open.add(next, text.origins[at + 1]);
      fields.has_open = true;
      at += 2;
    } else if (c == '\'' && !quoted) {
      const std::uint32_t end = skip_single_quoted(bytes, at, range.end);
      const bool closed = end > at + 1 && bytes[end - 1] == '\'';
      fields.add_quoted(text.part({at + 1, closed ? end - 1 : end}));
      at = end;
    } else if (c == '"' && !quoted) {
      const std::uint32_t end = std::min(range.end, skip_double_quoted(bytes, at, range.end));
      const bool closed = end > at + 1 && bytes[end - 1] == '"';
      const TextRange inside{at + 1, closed ? end - 1 : end};
      fields.has_open = fields.has_open || inside.size() == 0;  // "$@" of nothing is not a field
      expand_into(fields, text, inside, true);
      at = end;
    } else if (c == '`') {
      const std::uint32_t end = skip_backquoted(bytes, at, range.end);
      const ShellText result =
          substitute(text, {at + 1, std::max(at + 1, end - 1)}, text.origins[at]);
      quoted ? fields.add_quoted(result) : fields.add_split(result);
      at = end;
    } else if (c == '$') {
      at = expand_dollar(fields, text, at, range.end, quoted);
    } else {
      fields.open.add(c, text.origins[at]);
      fields.has_open = true;
      ++at;
    }
  }
  --depth_;
}

/// An expansion at its dollar; the offset behind it.
std::uint32_t ShellInterpreter::expand_dollar(Fields& fields, const ShellText& text,
                                              std::uint32_t at, std::uint32_t end, bool quoted) {
  const std::string& bytes = text.bytes;
  const std::uint32_t origin = text.origins[at];
  const std::uint32_t next = at + 1;
  const char kind = next < end ? bytes[next] : '\0';
  const auto add = [&](const ShellText& result) {
    quoted ? fields.add_quoted(result) : fields.add_split(result);
  };
  if (kind == '(' || kind == '[') {
    const std::uint32_t stop = std::min(end, skip_dollar(bytes, at, end));
    const bool is_arithmetic = kind == '[' || (next + 1 < end && bytes[next + 1] == '(');
    const std::uint32_t margin = kind == '(' && is_arithmetic ? 2 : 1;
    const TextRange inside{next + margin, std::max(next + margin, stop - margin)};
    if (!is_arithmetic) {
      add(substitute(text, inside, origin));
    } else if (const auto value = arithmetic(text, inside)) {
      add(ShellText::computed(std::to_string(*value)));
    } else {
      add(ShellText::unknown(origin));
    }
    return stop;
  }
  if (kind == '\'' && !quoted) {  // $'…'
    const std::uint32_t stop = skip_single_quoted(bytes, next, end);
    fields.add_quoted(text.part({next + 1, std::max(next + 1, stop - 1)}));
    return stop;
  }
  TextRange inside{next, next};
  std::uint32_t stop = next;
  if (kind == '{') {
    stop = std::min(end, skip_dollar(bytes, at, end));
    inside = {next + 1, std::max(next + 1, stop - 1)};
  } else if (std::string_view("@*#?$!-").find(kind) != std::string_view::npos && kind != '\0') {
    stop = next + 1;
    inside.end = stop;
  } else {
    const bool digit = kind >= '0' && kind <= '9';
    while (stop < end && is_name_part(bytes[stop]) && (!digit || stop == next)) ++stop;
    inside.end = stop;
  }
  if (inside.size() == 0) {  // a dollar that means itself
    fields.open.add('$', origin);
    fields.has_open = true;
    return std::max(stop, next);
  }
  bool is_list = false;
  const std::vector<ShellText> values = parameter(text, inside, origin, is_list);
  if (!is_list || !quoted) {
    bool first = true;
    for (const ShellText& value : values) {
      if (!first) quoted ? fields.add_quoted(ShellText::computed(" ")) : fields.end_field();
      add(value);
      first = false;
    }
    return stop;
  }
  // "${A[@]}": each item a field, the first and the last joined with what stands around them.
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && fields.splits) fields.end_field();
    if (i > 0 && !fields.splits) fields.open.add(' ', kNowhere);
    fields.add_quoted(values[i]);
  }
  return stop;
}

/// `{a,b}` and `{1..3}` outside of quotes and expansions; empty when there is none.
std::vector<ShellText> ShellInterpreter::expand_braces(const ShellText& text, TextRange word) {
  const std::string& bytes = text.bytes;
  std::uint32_t open = word.begin;
  while (open < word.end && bytes[open] != '{') {
    const char c = bytes[open];
    if (c == '\'') {
      open = skip_single_quoted(bytes, open, word.end);
    } else if (c == '"') {
      open = skip_double_quoted(bytes, open, word.end);
    } else if (c == '$') {
      open = skip_dollar(bytes, open, word.end);
    } else {
      open += c == '\\' ? 2 : 1;
    }
  }
  if (open >= word.end) return {};
  std::uint32_t close = open + 1;
  std::vector<TextRange> parts = {{close, close}};
  for (; close < word.end && bytes[close] != '}'; ++close) {
    const char c = bytes[close];
    if (c == '{' || c == '"' || c == '\'' || c == '$') return {};  // nested: left as it stands
    if (c == ',') {
      parts.push_back({close + 1, close + 1});
    } else {
      parts.back().end = close + 1;
    }
  }
  if (close >= word.end) return {};
  std::vector<ShellText> middles;
  const std::string_view inside = std::string_view(bytes).substr(open + 1, close - open - 1);
  if (const std::size_t dots = inside.find(".."); parts.size() == 1) {
    if (dots == std::string_view::npos) return {};
    const auto first = plain_integer(inside.substr(0, dots));
    const auto last = plain_integer(inside.substr(dots + 2));
    constexpr std::int64_t kMostNumbers = 256;
    if (!first || !last || *last < *first || *last - *first > kMostNumbers) return {};
    for (std::int64_t i = *first; i <= *last; ++i)
      middles.push_back(ShellText::computed(std::to_string(i)));
  } else {
    for (const TextRange part : parts) middles.push_back(text.part(part));
  }
  std::vector<ShellText> fields;
  for (const ShellText& middle : middles) {
    Fields each;
    expand_into(each, text, {word.begin, open}, false);
    each.add_quoted(middle);
    expand_into(each, text, {close + 1, word.end}, false);
    each.end_field();
    for (ShellText& field : each.done) fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace gpulint
