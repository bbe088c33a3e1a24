#include "engine/fix_member.h"

#include "plan/fact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace gpulint {
namespace {

std::string_view parent_of(std::string_view pattern) {
  const std::size_t dot = pattern.rfind('.');
  if (dot != std::string_view::npos) return pattern.substr(0, dot);
  return pattern.starts_with('/') ? "/" : "";
}

std::string_view last_of(std::string_view pattern) {
  const std::size_t dot = pattern.find_last_of("./");
  return dot == std::string_view::npos ? pattern : pattern.substr(dot + 1);
}

/// A stated fact's member beside which the dialect puts the wanted key.
struct Neighbour {
  NodeId member = kNoNode;
  std::string key;
  int priority = 0;
  bool same_group = false;
  std::ptrdiff_t distance = 0;  // rows of the fact table between the two
};

std::vector<Neighbour> neighbours(const Subject& subject, const FactRow& wanted) {
  const Document& document = *subject.document;
  std::vector<Neighbour> found;
  for (const FactRow& row : fact_table()) {
    const Provenance* from = provenance_of(subject.run.facts(), row);
    if (from == nullptr || from->origin != Origin::stated) continue;
    const NodeId member = member_at(document, from->key_span);
    if (member == kNoNode) continue;
    const std::vector<std::string> path = path_of(document, member);
    for (const KeyMapping& stated : subject.dialect->mapping->keys.all()) {
      if (stated.fact != row.name || !leads_to(stated.path, path)) continue;
      for (const KeyMapping& key : subject.dialect->mapping->keys.all()) {
        if (key.fact != wanted.name || last_of(key.path).find('*') != std::string_view::npos ||
            parent_of(key.path) != parent_of(stated.path)) {
          continue;
        }
        found.push_back({member, std::string(last_of(key.path)), key.priority,
                         row.group == wanted.group, std::abs(&row - &wanted)});
      }
    }
  }
  return found;
}

/// The neighbours that are as good as the best one: the dialect's first key, then the fact's own
/// group.
void keep_best(std::vector<Neighbour>& found) {
  const auto rank = [](const Neighbour& one) { return std::pair(one.priority, !one.same_group); };
  const auto best =
      std::min_element(found.begin(), found.end(),
                       [&](const Neighbour& a, const Neighbour& b) { return rank(a) < rank(b); });
  if (best == found.end()) return;
  const auto limit = rank(*best);
  std::erase_if(found, [&](const Neighbour& one) { return rank(one) != limit; });
}

/// One file's text by offset, whether it stands alone or was joined into a larger document.
struct FileText {
  const Document& document;
  FileId file;

  char at(std::uint32_t offset) const {
    const std::string_view one = document.text_at({file, offset, offset + 1});
    return one.empty() ? '\0' : one.front();
  }
  std::string_view between(std::uint32_t begin, std::uint32_t end) const {
    return document.text_at({file, begin, end});
  }
  static bool ends_line(char c) { return c == '\n' || c == '\r' || c == '\0'; }
  std::uint32_t line_begin(std::uint32_t offset) const {
    while (offset > 0 && !ends_line(at(offset - 1))) --offset;
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    const auto size = static_cast<std::uint32_t>(kByteOrderMark.size());
    return offset == 0 && between(0, size) == kByteOrderMark ? size : offset;
  }
  std::uint32_t line_end(std::uint32_t offset) const {
    while (!ends_line(at(offset))) ++offset;
    return offset;
  }
  std::string_view line_break(std::uint32_t offset) const {
    if (at(offset) == '\r') return at(offset + 1) == '\n' ? "\r\n" : "\r";
    return at(offset) == '\n' ? "\n" : "";
  }
  /// How lines end around here; the last line of a file may have no end of its own.
  std::string_view line_break_near(std::uint32_t line) const {
    if (const std::string_view own = line_break(line_end(line)); !own.empty()) return own;
    std::uint32_t before = line;
    while (before > 0 && ends_line(at(before - 1))) --before;
    const std::string_view previous = before < line ? line_break(before) : "";
    return previous.empty() ? "\n" : previous;
  }
};

/// A member that stands on one line.
struct MemberLine {
  FileText text;
  SourceSpan key, value;
  std::string_view before;  // on the line, before the key
  std::string_view after;   // on the line, behind the value
  bool flow = false;
};

bool only(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

Result<MemberLine> line_of(const Document& document, NodeId member) {
  const Node& node = document.node(member);
  if (node.key == kNoNode || node.parent == kNoNode) return fail("the neighbour is not a key");
  for (NodeId id = node.parent; id != kNoNode; id = document.node(id).parent) {
    if (!document.anchor(id).empty()) {
      return fail(fmt::format("the section is shared through the anchor &{}", document.anchor(id)));
    }
  }
  const SourceSpan value = document.span(member);
  const SourceSpan key = document.span(node.key);
  MemberLine line{{document, value.file}, key, value, {}, {}, false};
  const std::string_view whole = line.text.between(key.begin, value.end);
  if (whole.empty() || whole.find_first_of("\n\r") != std::string_view::npos) {
    return fail("the neighbouring key takes several lines");
  }
  if (!document.anchor(member).empty()) return fail("the neighbouring value has an anchor");
  const Quoting quoting = node.quoting;
  if (quoting == Quoting::literal || quoting == Quoting::folded) {
    return fail("the neighbouring value is a block of lines");
  }
  line.before = line.text.between(line.text.line_begin(key.begin), key.begin);
  line.after = line.text.between(value.end, line.text.line_end(value.end));
  line.flow = document.format() == Format::json || document.node(node.parent).flow != 0;
  return line;
}

std::string in_quotes_of(std::string_view key, std::string_view sibling) {
  const char quote = sibling.empty() ? '\0' : sibling.front();
  return quote == '"' || quote == '\'' ? fmt::format("{0}{1}{0}", quote, key) : std::string(key);
}

Result<Edit> insert_in_block(const MemberLine& line, const std::string& member) {
  if (!only(line.before, " -")) return fail("the neighbouring key does not begin its line");
  const std::size_t rest = line.after.find_first_not_of(" \t");
  if (rest != std::string_view::npos && line.after[rest] != '#') {
    return fail("the neighbouring key shares its line");
  }
  std::string indentation(line.before);
  std::replace(indentation.begin(), indentation.end(), '-', ' ');
  const std::uint32_t end = line.text.line_end(line.value.end);
  const std::string_view line_break =
      line.text.line_break_near(line.text.line_begin(line.key.begin));
  return Edit{{line.value.file, end, end}, fmt::format("{}{}{}", line_break, indentation, member)};
}

Result<Edit> insert_in_flow(const MemberLine& line, const std::string& member) {
  const SourceSpan place{line.value.file, line.value.end, line.value.end};
  if (!only(line.before, " \t") || line.before.empty()) return Edit{place, ", " + member};
  if (!only(line.after, " \t,")) {
    // A brace that closes here, or a neighbour on the same line: the list is written in one line.
    if (line.after.find_first_of("#/") != std::string_view::npos) {
      return fail("a comment follows the neighbouring key");
    }
    return Edit{place, ", " + member};
  }
  const std::string_view line_break =
      line.text.line_break_near(line.text.line_begin(line.key.begin));
  return Edit{place, fmt::format(",{}{}{}", line_break, line.before, member)};
}

std::string escaped_pointer(std::string_view key) {
  std::string text;
  for (const char c : key) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

Result<NewMember> new_member(const Subject& subject, std::string_view fact) {
  const FactRow* row = find_fact(fact);
  // A dialect that looks for keys anywhere is in-house code's: nobody says what that code reads.
  if (row == nullptr || !subject.dialect->leaf_sections.empty()) {
    return fail(fmt::format("no key states {}, and which one the code reads is not known", fact));
  }
  const Document& document = *subject.document;
  std::vector<Neighbour> found = neighbours(subject, *row);
  if (found.empty()) {
    return fail(fmt::format("no key states {}, and none stands beside its place", fact));
  }
  keep_best(found);
  const NodeId parent = document.node(found.front().member).parent;
  const bool one_place = std::all_of(found.begin(), found.end(), [&](const Neighbour& one) {
    return one.key == found.front().key && document.node(one.member).parent == parent;
  });
  if (!one_place) {
    return fail(fmt::format("no key states {}, and there are several places for one", fact));
  }
  const auto nearest = std::min_element(
      found.begin(), found.end(),
      [](const Neighbour& a, const Neighbour& b) { return a.distance < b.distance; });
  NewMember member{nearest->member, nearest->key, path_of(document, nearest->member)};
  const std::string_view neighbour = document.scalar(document.node(nearest->member).key);
  if (neighbour.find('-') != std::string_view::npos) {
    std::replace(member.key.begin(), member.key.end(), '_', '-');
  }
  for (NodeId other = document.node(parent).first_child; other != kNoNode;
       other = document.node(other).next_sibling) {
    const NodeId key = document.node(other).key;
    if (key != kNoNode && same_key(document.scalar(key), member.key)) {
      return fail(fmt::format("{} is there without a value of its own", member.key));
    }
  }
  member.path.back() = member.key;
  return member;
}

Result<Edit> insert_member(const Document& document, const NewMember& member,
                           const std::string& value) {
  if (document.format() == Format::env) return fail("gpulint adds no keys to env files");
  if (document.format() == Format::shell) return fail("gpulint adds no flags to scripts");
  if (document.format() == Format::toml) return fail("gpulint adds no keys to TOML files");
  auto line = line_of(document, member.sibling);
  if (!line) return fail(std::move(line).error());
  const std::string_view between = line->text.between(line->key.end, line->value.begin);
  const bool tight = line->flow && between == ":";
  const std::string_view key = line->text.between(line->key.begin, line->key.end);
  const std::string text =
      fmt::format("{}{}{}", in_quotes_of(member.key, key), tight ? ":" : ": ", value);
  auto edit = line->flow ? insert_in_flow(*line, text) : insert_in_block(*line, text);
  if (!edit) return edit;
  const std::string sibling = document.pointer(member.sibling);
  edit->pointer =
      fmt::format("{}/{}", sibling.substr(0, sibling.rfind('/')), escaped_pointer(member.key));
  return edit;
}

Result<Edit> remove_member(const Document& document, NodeId member) {
  if (document.format() == Format::toml) return fail("gpulint removes no keys from TOML files");
  auto line = line_of(document, member);
  if (!line) return fail("the key takes more than a line of its own");
  if (document.node(document.node(member).parent).child_count < 2) {
    return fail("the section would be empty without the key");
  }
  const FileText& text = line->text;
  if (!only(line->before, " \t") || !only(line->after, line->flow ? " \t," : " \t")) {
    return fail("the key shares its line");
  }
  Edit edit{{line->value.file, text.line_begin(line->key.begin), text.line_end(line->value.end)},
            {},
            document.pointer(member)};
  const auto line_break = static_cast<std::uint32_t>(text.line_break(edit.span.end).size());
  const bool needs_comma = line->flow && line->after.find(',') == std::string_view::npos;
  if (line_break == 0 || needs_comma) return fail("the key ends its section");
  edit.span.end += line_break;
  return edit;
}

}  // namespace gpulint
