// The advice of a rule for pages that no run fills in.

#include "base/text.h"
#include "catalog/rule.h"

#include <vector>

namespace gpulint {
namespace {

constexpr std::string_view kEllipsis = "\u2026";

/// Where `word` stands in `text` outside of quotes and brackets, or npos.
std::size_t find_outside(std::string_view text, std::string_view word) {
  char quote = '\0';
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (quote == '\0' && depth == 0 && text.substr(at).starts_with(word)) return at;
  }
  return std::string_view::npos;
}

bool is_literal(std::string_view text) {
  return text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
         text.find(text.front(), 1) == text.size() - 1;
}

void add_alternatives(std::vector<std::string>& words, std::string_view expression) {
  const std::string_view text = trim(expression);
  const std::size_t condition = find_outside(text, " if ");
  const std::size_t otherwise = find_outside(text, " else ");
  if (condition != std::string_view::npos && otherwise != std::string_view::npos) {
    add_alternatives(words, text.substr(0, condition));
    add_alternatives(words, text.substr(otherwise + 6));
    return;
  }
  if (const std::size_t fallback = find_outside(text, "??"); fallback != std::string_view::npos) {
    add_alternatives(words, text.substr(0, fallback));
    add_alternatives(words, text.substr(fallback + 2));
    return;
  }
  if (is_literal(text)) words.emplace_back(text.substr(1, text.size() - 2));
}

/// What stands between two braces.
std::string hole_in_words(std::string_view expression) {
  std::vector<std::string> words;
  add_alternatives(words, expression);
  std::erase(words, "");
  return words.empty() ? std::string(kEllipsis) : join(words, ", or ");
}

}  // namespace

std::string advice_in_words(std::string_view template_text) {
  std::string text;
  while (!template_text.empty()) {
    const std::size_t open = std::min(template_text.find('{'), template_text.size());
    text += template_text.substr(0, open);
    template_text.remove_prefix(open);
    if (template_text.empty()) break;
    const std::string_view inside = template_text.substr(1);
    const std::size_t close = std::min(find_outside(inside, "}"), inside.size());
    const std::string words = hole_in_words(inside.substr(0, close));
    if (!(words == kEllipsis && text.ends_with(kEllipsis))) text += words;
    template_text.remove_prefix(std::min(close + 2, template_text.size()));
  }
  return text;
}

}  // namespace gpulint
