#include "finding/text_lines.h"

namespace gpulint {

std::uint32_t begin_of_line(std::string_view text, std::uint32_t at) {
  while (at > 0 && !is_line_break(text[at - 1])) --at;
  return at;
}

std::uint32_t end_of_line(std::string_view text, std::uint32_t at) {
  while (at < text.size() && !is_line_break(text[at])) ++at;
  return at;
}

std::uint32_t behind_line_end(std::string_view text, std::uint32_t at) {
  at = end_of_line(text, at);
  if (text.substr(at, 2) == "\r\n") return at + 2;
  return at < text.size() ? at + 1 : at;
}

bool is_continued(std::string_view text, std::uint32_t at) {
  const std::uint32_t end = end_of_line(text, at);
  std::uint32_t begin = end;
  while (begin > 0 && text[begin - 1] == '\\') --begin;
  return (end - begin) % 2 != 0 && end < text.size();  // two of them are one that is meant
}

std::uint32_t begin_of_continued(std::string_view text, std::uint32_t at) {
  std::uint32_t line = begin_of_line(text, at);
  while (line > 0) {
    const bool is_pair = line > 1 && text[line - 1] == '\n' && text[line - 2] == '\r';
    const std::uint32_t before = line - (is_pair ? 2 : 1);
    if (!is_continued(text, before)) break;
    line = begin_of_line(text, before);
  }
  return line;
}

std::uint32_t end_of_continued(std::string_view text, std::uint32_t at) {
  while (is_continued(text, at)) at = behind_line_end(text, at);
  return end_of_line(text, at);
}

}  // namespace gpulint
