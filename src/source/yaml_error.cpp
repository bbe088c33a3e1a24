#include "source/yaml_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

struct Translation {
  std::string_view yaml_cpp;  // how its message starts
  std::string_view ours;
};

/// One flat table: yaml-cpp 0.7, include/yaml-cpp/exceptions.h, namespace ErrorMsg.
constexpr std::array kTranslations{
    Translation{"illegal tab when looking for indentation",
                "a tab indents this line; YAML indents with spaces only: replace the tab"},
    Translation{"end of map not found",
                "this line does not go on with the mapping around it; expected `key: value` at the "
                "mapping's indentation: check indentation and quotes here and on the line above"},
    Translation{"end of sequence not found",
                "this line does not go on with the list around it; expected `- item` at the list's "
                "indentation: check the indentation here and on the line above"},
    Translation{"end of map flow not found",
                "expected `,` or `}` inside `{…}`; close the bracket or add the comma"},
    Translation{"end of sequence flow not found",
                "expected `,` or `]` inside `[…]`; close the bracket or add the comma"},
    Translation{"illegal map value",
                "a `:` where no value can start; quote the text that contains `: `, or put the "
                "nested key on a line of its own"},
    Translation{"illegal map key",
                "a `?` where no key can start; quote the text that starts with `? `"},
    Translation{"illegal block entry",
                "a `- ` where no list item can start; put the list on lines of its own below its "
                "key"},
    Translation{"illegal flow end", "a closing bracket without its opening one; remove it"},
    Translation{
        "the referenced anchor is not defined",
        "an alias without its anchor; expected `&name` before `*name` in the same document: "
        "define it here, or leave out this fragment of a larger file"},
    Translation{"unknown token",
                "a character that can start no value; quote the value (`@`, `` ` `` and `%` are "
                "reserved)"},
    Translation{"illegal EOF in scalar",
                "the file ends inside a quoted text; add the closing quote"},
    Translation{"illegal document indicator in scalar",
                "`---` or `...` inside a quoted text; add the closing quote before it"},
    Translation{"illegal character in scalar",
                "a character that cannot stand in a plain value; quote the value"},
    Translation{"unknown escape character",
                "an escape that YAML does not know in double quotes; write `\\\\` for a backslash, "
                "or use single quotes"},
    Translation{"bad character found while scanning hex number",
                "an escape with too few hexadecimal digits; `\\x` takes 2, `\\u` 4, `\\U` 8: write "
                "`\\\\` for a backslash, or use single quotes"},
    Translation{"invalid unicode", "an escape that names no character; write the character itself"},
    Translation{"cannot set zero indentation for a block scalar",
                "a block text cannot have indentation 0; write 1 to 9, or no number"},
    Translation{
        "unexpected character in block scalar",
        "text behind `|` or `>`; start the block text on the next line, or quote the value"},
    Translation{"alias not found after *",
                "a `*` without a name behind it; quote the value if it starts with a star"},
    Translation{"anchor not found after &",
                "a `&` without a name behind it; quote the value if it starts with an ampersand"},
    Translation{"illegal character found while scanning alias",
                "a character that cannot stand in the name of an alias; quote the value if it "
                "starts with a star"},
    Translation{"illegal character found while scanning anchor",
                "a character that cannot stand in the name of an anchor; quote the value if it "
                "starts with an ampersand"},
    Translation{"illegal character found while scanning tag handle",
                "a character that cannot stand in a tag; quote the value if it starts with `!`"},
    Translation{"tag handle with no suffix",
                "a tag without a name; quote the value if it starts with `!`"},
    Translation{"end of verbatim tag not found", "a tag `!<…` without its `>`; close it"},
    Translation{"cannot assign multiple tags", "two tags on one value; keep one"},
    Translation{"cannot assign multiple anchors", "two anchors on one value; keep one"},
    Translation{"cannot assign multiple aliases", "two aliases on one value; keep one"},
    Translation{"aliases can't have any content",
                "a tag or anchor on an alias; put it on the value the alias stands for"},
    Translation{"YAML directives must have exactly one argument",
                "a `%YAML` line takes one version; write `%YAML 1.2`, or remove the line"},
    Translation{"bad YAML version", "a `%YAML` line with no version; write `%YAML 1.2`"},
    Translation{"YAML major version too large",
                "a YAML version later than 1.2; write `%YAML 1.2`, or remove the line"},
    Translation{"repeated YAML directive", "a second `%YAML` line; remove it"},
    Translation{"TAG directives must have exactly two arguments",
                "a `%TAG` line takes a handle and a prefix; write `%TAG !e! tag:example.org:`"},
    Translation{"repeated TAG directive", "a second `%TAG` line for one handle; remove it"},
    Translation{"bad file", "too many values inside each other; flatten the file, or leave it out"},
};

std::string translated(std::string_view found) {
  for (const Translation& entry : kTranslations) {
    if (found.starts_with(entry.yaml_cpp)) return std::string(entry.ours);
  }
  return fmt::format("this is not YAML: {}", found);
}

/// The line around `at`, for recognising templates.
std::string_view line_at(std::string_view text, std::uint32_t at) {
  const std::size_t begin = at == 0 ? 0 : text.find_last_of("\r\n", at - 1);
  const std::size_t first = at == 0 || begin == std::string_view::npos ? 0 : begin + 1;
  return text.substr(first, text.find_first_of("\r\n", first) - first);
}

bool is_about_brackets(std::string_view found) {
  return found.starts_with("end of map flow") || found.starts_with("end of sequence flow");
}

std::string name_of_alias(std::string_view text, std::uint32_t at) {
  const std::size_t end = text.find_first_of(" \t\r\n,[]{}", at);
  return std::string(text.substr(at, std::min<std::size_t>(end - at, 60)));
}

}  // namespace

Error yaml_error(const std::string& path, std::string_view text, FileId file, std::uint32_t at,
                 std::string_view found, const TreeBuilder& builder) {
  at = std::min(at, static_cast<std::uint32_t>(text.size()));
  std::string message = translated(found);
  const auto& open = builder.open_collections();
  if (is_about_brackets(found) && !open.empty()) {
    const auto bracket = std::find_if(open.rbegin(), open.rend(),
                                      [](const auto& frame) { return frame.closed_by_bracket; });
    const std::uint32_t opened = bracket == open.rend() ? at : builder.begin_of(bracket->node);
    // At the end of the text yaml-cpp names line 1; the bracket is the better place then.
    if (at <= opened) at = opened;
    const LineColumn place = LineIndex(text).at(text, opened);
    message += fmt::format(" (opened at {}:{})", place.line, place.column);
  }
  if (found.starts_with("the referenced anchor") && at < text.size())
    message = fmt::format("`{}`: {}", name_of_alias(text, at), message);
  if (const std::string_view line = line_at(text, at);
      line.find("{{") != std::string_view::npos || line.find("{%") != std::string_view::npos) {
    message += "; a template is YAML only after it is rendered";
  }
  Error error = error_at(path, text, file, {at, at + 1}, std::move(message));
  error.limit = found.starts_with("bad file");
  return error;
}

}  // namespace gpulint
