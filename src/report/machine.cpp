#include "report/machine.h"

#include "base/system_path.h"
#include "base/text.h"

#include <fmt/format.h>

#include <cstdint>

namespace gpulint {
namespace {

/// Characters of a line that count for its identity, as in CodeQL's line hash: a minified file is
/// one line of megabytes.
constexpr std::size_t kLineHashCharacters = 100;

/// FNV-1a, 64 bit: the same on every machine and small enough to write out. Fields end with a byte
/// that UTF-8 never holds.
class Hash {
 public:
  void add(std::string_view field) {
    for (const char c : field) mix(static_cast<unsigned char>(c));
    mix(0xff);
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  void mix(std::uint64_t byte) { state_ = (state_ ^ byte) * 0x100000001b3U; }
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

std::string line_without_blanks(const LintResult& result, SourceSpan span) {
  const SourceText* source = source_of(result, span);
  if (source == nullptr) return {};
  const std::uint32_t number = source->lines.at(source->text, span.begin).line;
  std::string kept;
  for (const char c : source->lines.line(source->text, number)) {
    if (c != ' ' && c != '\t') kept += c;
    if (kept.size() == kLineHashCharacters) break;
  }
  return kept;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// U+FFFE and U+FFFF are the only characters left that XML 1.0 forbids.
bool is_noncharacter(std::string_view text) {
  return text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
}

}  // namespace

std::string published_path(std::string_view path, const Surroundings& surroundings) {
  if (path.empty()) return {};
  const bool absolute = is_absolute(path);
  if (!absolute && surroundings.working_directory.empty()) return normalize_path(path);
  const std::string whole =
      normalize_path(absolute ? path : join_path(surroundings.working_directory, path));
  const std::string& root = surroundings.root;
  if (root.empty() || !whole.starts_with(root)) return whole;
  if (root.ends_with('/')) return whole.substr(root.size());
  return whole.substr(root.size()).starts_with('/') ? whole.substr(root.size() + 1) : whole;
}

bool is_inside(std::string_view published) {
  return !is_absolute(published) && published != ".." && !published.starts_with("../");
}

Place first_line_place(const LintResult& result, SourceSpan span) {
  Place place = place_of(result, span);
  if (place.end.line == place.begin.line) return place;
  const SourceText* source = source_of(result, span);
  if (source == nullptr) return place;
  const std::string_view line = source->lines.line(source->text, place.begin.line);
  const auto start = static_cast<std::size_t>(line.data() - source->text.data());
  place.end = source->lines.at(source->text, static_cast<std::uint32_t>(start + line.size()));
  return place;
}

Identities::Identity Identities::of(const LintResult& result, const Finding& finding,
                                    std::string_view published_path) {
  Hash hash;
  hash.add(finding.rule);
  hash.add(published_path);
  hash.add(finding.pointer);
  hash.add(line_without_blanks(result, finding.span));
  Identity identity{.hash = hash.text()};
  identity.occurrence = ++seen_[identity.hash];
  return identity;
}

std::vector<const Finding*> by_severity(const LintResult& result) {
  std::vector<const Finding*> ordered;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    for (const Finding& finding : result.findings) {
      if (finding.severity == severity) ordered.push_back(&finding);
    }
  }
  return ordered;
}

std::string_view word_of(Severity severity, const SeverityWords& words) {
  return words[static_cast<std::size_t>(severity)];
}

std::string message_of(const Finding& finding) {
  std::string message = escape_for_display(finding.message);
  if (finding.phase) message += fmt::format(" (phase {})", escape_for_display(*finding.phase));
  return message;
}

std::string shortened(std::string_view text, std::size_t limit) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_continuation(text[at]) && ++characters > limit) return std::string(text.substr(0, at));
  }
  return std::string(text);
}

std::string xml_text(std::string_view text) {
  const std::string shown = escape_for_display(text);
  std::string escaped;
  for (std::size_t at = 0; at < shown.size(); ++at) {
    switch (shown[at]) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      default:
        if (is_noncharacter(std::string_view(shown).substr(at))) {
          escaped += "\xef\xbf\xbd";
          at += 2;
        } else {
          escaped += shown[at];
        }
    }
  }
  return escaped;
}

std::string ascii_json(const Json& value, int indent) {
  return value.dump(indent, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpulint
