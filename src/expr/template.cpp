#include "base/text.h"
#include "expr/expression.h"
#include "expr/format.h"
#include "expr/operation.h"

#include <utility>

namespace gpulint::expr {
namespace {

constexpr std::size_t kMaximumParts = 256;

/// What stands between braces: expression, then perhaps ":" and a format.
struct Placeholder {
  std::size_t colon = 0;  // or the closing brace
  std::size_t close = 0;
  bool closed = false;
};

/// `at` is behind the opening brace; quoted text may hold braces and colons.
Placeholder find_end(std::string_view text, std::size_t at) {
  Placeholder found;
  char quote = 0;
  bool colon = false;
  for (std::size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if ((c == '\'' || c == '"') && !colon) {
      quote = c;
    } else if (c == ':' && !colon) {
      found.colon = i;
      colon = true;
    } else if (c == '}') {
      found.close = i;
      found.closed = true;
      if (!colon) found.colon = i;
      return found;
    }
  }
  return found;
}

Error error_at(std::string message, std::size_t begin, std::size_t end) {
  Error error{std::move(message)};
  error.where = {kNoFile, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  return error;
}

Error shifted(Error error, std::uint32_t offset) {
  error.where.begin += offset;
  error.where.end += offset;
  return error;
}

}  // namespace

Result<Template> Template::parse(std::string_view text) {
  if (text.size() > kMaximumLength) {
    return fail(error_at("this text is longer than 16 KiB", 0, 0));
  }
  Template made;
  made.text_ = text;
  std::string literal;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      literal += c;
      continue;
    }
    if (at + 1 < text.size() && text[at + 1] == c) {
      literal += c;
      ++at;
      continue;
    }
    if (c == '}')
      return fail(error_at("\"}\" closes nothing; a literal brace is \"}}\"", at, at + 1));
    const Placeholder place = find_end(text, at + 1);
    if (!place.closed) {
      return fail(error_at("\"{\" is not closed; a literal brace is \"{{\"", at, at + 1));
    }
    const std::uint32_t begin = static_cast<std::uint32_t>(at + 1);
    Result<Expression> expression = Expression::parse(text.substr(begin, place.colon - begin));
    if (!expression) return fail(shifted(std::move(expression).error(), begin));
    Part part;
    part.literal = std::exchange(literal, {});
    part.expression = *std::move(expression);
    if (place.colon != place.close) {
      part.format = trim(text.substr(place.colon + 1, place.close - place.colon - 1));
    }
    part.begin = begin;
    made.parts_.push_back(std::move(part));
    if (made.parts_.size() > kMaximumParts) {
      return fail(error_at("this text has more than 256 placeholders", at, at + 1));
    }
    at = place.close;
  }
  if (!literal.empty()) {
    made.parts_.emplace_back();
    made.parts_.back().literal = std::move(literal);
  }
  return made;
}

Result<void> Template::bind(const SymbolTable& symbols) {
  for (Part& part : parts_) {
    if (part.expression.empty()) continue;
    Result<Type> type = part.expression.bind(symbols);
    if (!type) return fail(shifted(std::move(type).error(), part.begin));
    part.unit = type->unit;
    std::string problem = format_problem(*type, part.format);
    if (problem.empty()) continue;
    const std::size_t colon = part.begin + part.expression.text().size();
    return fail(error_at(std::move(problem), colon, colon + 1 + part.format.size()));
  }
  return {};
}

std::string Template::render(const Environment& environment, std::vector<Printed>* numbers) const {
  std::string text;
  text.reserve(text_.size() + 32);
  for (const Part& part : parts_) {
    text += part.literal;
    if (part.expression.empty()) continue;
    Value value = part.expression.evaluate(environment);
    std::string printed = format(value, part.unit, part.format);
    text += printed;
    if (numbers == nullptr) continue;
    const std::string_view name = trim(part.expression.text());
    numbers->push_back({std::string{name}, std::move(value), std::move(printed)});
  }
  return text;
}

}  // namespace gpulint::expr
