#pragma once

// What the reports for other programs share: places as those programs count them, identities that
// survive edits elsewhere in the file, and escaping.

#include "base/severity.h"
#include "report/format.h"
#include "report/json_text.h"
#include "report/place.h"

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Path relative to the repository where it lies inside, else absolute; '/' only, no "./", and
/// unescaped.
std::string published_path(std::string_view path, const Surroundings& surroundings);
/// False for a published path outside the repository.
bool is_inside(std::string_view published);

/// The place of a span, cut to its first line: reviewers see only what lies within a change, and a
/// whole mapping never does.
Place first_line_place(const LintResult& result, SourceSpan span);

/// Tells findings apart across runs: rule, path, pointer and the text of the line without blanks,
/// never its number. Equal findings are counted, so that each identity is given once.
class Identities {
 public:
  struct Identity {
    std::string hash;  // 16 hexadecimal digits
    int occurrence = 1;
  };
  Identity of(const LintResult& result, const Finding& finding, std::string_view published_path);

 private:
  std::map<std::string, int> seen_;
};

/// Findings from error to note, in report order within a severity.
std::vector<const Finding*> by_severity(const LintResult& result);

/// What a format calls a note, a warning and an error.
using SeverityWords = std::array<std::string_view, 3>;
std::string_view word_of(Severity severity, const SeverityWords& words);

/// The message with its phase, safe to display.
std::string message_of(const Finding& finding);

/// At most `limit` code points of a UTF-8 text.
std::string shortened(std::string_view text, std::size_t limit);

/// Safe to display, and escaped for element content and double-quoted attributes of XML 1.0.
std::string xml_text(std::string_view text);

/// JSON in ASCII only, so that not even a raw control or bidirectional character of an edit reaches
/// a terminal.
std::string ascii_json(const Json& value, int indent);

}  // namespace gpulint
