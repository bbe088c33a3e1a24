#include "code/call_text.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace gpulint {
namespace {

/// One line, blanks as one, cut where nobody reads on.
std::string shortened(std::string_view text) {
  constexpr std::size_t kMostBytes = 120;
  std::string line;
  for (const char c : trim(text)) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\';
    if (!is_blank) line += c;
    if (is_blank && !line.ends_with(' ')) line += ' ';
  }
  if (line.size() <= kMostBytes) return line;
  std::size_t end = kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;  // whole UTF-8
  return line.substr(0, end) + "...";
}

/// ".step" is a method of something unknown.
std::string_view name_of_call(const python::Call& call) {
  return call.name.starts_with('.') ? call.name.substr(1) : call.name;
}

}  // namespace

const python::Argument* argument_of(const python::Interpreter& in, const python::Call& call,
                                    std::string_view name, int position) {
  int seen = 0;
  for (const python::Argument& each : call.arguments) {
    if (each.name == python::kNone) {
      if (seen++ == position) return &each;
    } else if (in.text(each.name) == name) {
      return &each;
    }
  }
  return nullptr;
}

std::string_view argument_text(const python::Call& call, const python::Argument* argument) {
  if (argument == nullptr || argument->node == python::kNoSyntax) return {};
  const python::SyntaxNode& node = call.module->tree.node(argument->node);
  return call.module->tree.source().substr(node.begin, node.end - node.begin);
}

std::string call_text(const python::Call& call) {
  return fmt::format("{}(...)", name_of_call(call));
}

std::string call_text(const python::Call& call, std::string_view name,
                      const python::Argument& argument) {
  const std::string_view source = argument_text(call, &argument);
  return fmt::format("{}({}={})", name_of_call(call), name,
                     source.empty() ? "..." : shortened(source));
}

python::Value in_steps(std::string_view fact, const python::Value& value) {
  python::Value made = value;
  const bool is_stepped =
      value.kind == python::Kind::scaled && value.integer == python::kSteppingRanks;
  if (is_stepped && fact == "warmup_steps") made.kind = python::Kind::real;
  return made;
}

SourceSpan call_span(const python::Call& call) {
  const python::SyntaxNode& node = call.module->tree.node(call.node);
  return {call.module->file, node.begin, node.end};
}

std::string source_line(const python::Module& module, std::uint32_t begin) {
  const std::string_view text = module.text;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  return shortened(text.substr(begin, end - begin));
}

std::string source_text(const python::Module& module, std::uint32_t begin, std::uint32_t end) {
  return shortened(std::string_view(module.text).substr(begin, end - begin));
}

std::optional<std::string> native_text(const python::Interpreter& in,
                                       const python::Value& value) {
  switch (value.kind) {
    case python::Kind::boolean:
      return value.integer != 0 ? "true" : "false";
    case python::Kind::integer:
      return std::to_string(value.integer);
    case python::Kind::real:
      return fmt::format("{}", value.real);
    case python::Kind::text:
    case python::Kind::external:
      return std::string(in.text_of(value));
    case python::Kind::none:
      return "none";
    default:
      return std::nullopt;
  }
}

std::optional<std::string> by_table(const ConsumedArgument& argument, const std::string& value) {
  for (const ValueMapping& each : argument.values) {
    if (equals_ignoring_case(each.native, value)) return each.canonical;
  }
  for (const ValueMapping& each : argument.values) {
    if (each.native == "*") return each.canonical;
  }
  return value;
}

}  // namespace gpulint
