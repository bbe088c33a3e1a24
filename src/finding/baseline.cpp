#include "finding/baseline.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace gpulint {
namespace {

constexpr std::string_view kSchema = "gpulint-baseline/1";
/// A value is there to be recognised by a reader and by us, not to be stored.
constexpr std::size_t kMaxValueBytes = 80;

Failure wrong(const Document& document, NodeId node, std::string message) {
  Error error{.message = std::move(message), .file = std::string(document.path())};
  error.where = document.span(node);
  error.place = document.line_column(document.node(node).begin);
  return fail(std::move(error));
}

/// The four texts of an entry by the names of the file format.
struct Field {
  std::string_view name;
  std::string BaselineEntry::*member;
};
constexpr std::array<Field, 4> kFields{{{"rule", &BaselineEntry::rule},
                                        {"path", &BaselineEntry::path},
                                        {"pointer", &BaselineEntry::pointer},
                                        {"value", &BaselineEntry::value}}};

Result<BaselineEntry> parse_entry(const Document& document, NodeId node) {
  if (document.kind(node) != NodeKind::mapping) {
    return wrong(document, node, "an entry is an object with rule, path, pointer and value");
  }
  BaselineEntry entry;
  for (const Field& field : kFields) {
    const NodeId value = document.find(node, field.name);
    if (value == kNoNode || document.kind(value) != NodeKind::scalar) {
      return wrong(document, node, fmt::format("the entry has no \"{}\"", field.name));
    }
    entry.*field.member = document.scalar(value);
  }
  if (document.node(node).child_count != kFields.size()) {
    return wrong(document, node, "an entry has rule, path, pointer and value, and nothing else");
  }
  return entry;
}

/// As a JSON string; the texts of entries hold no control characters.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t state = 0xcbf29ce484222325U;  // FNV-1a, the same on every machine
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return state;
}

bool is_number(std::string_view word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "/callbacks/3/lr" -> "/callbacks/*/lr".
std::string without_indices(std::string_view pointer) {
  std::string result;
  for (const std::string_view part : split(pointer, '/')) {
    if (!result.empty() || part.data() != pointer.data()) result += '/';
    result += is_number(part) ? std::string_view("*") : part;
  }
  return result;
}

/// What two entries must share in one round of matching.
enum class Round : std::uint8_t { same, shifted, renamed, renamed_and_shifted };

std::string key_in(Round round, const BaselineEntry& entry) {
  const bool with_path = round == Round::same || round == Round::shifted;
  const bool exact = round == Round::same || round == Round::renamed;
  return fmt::format("{}\n{}\n{}\n{}", entry.rule, with_path ? entry.path : "",
                     exact ? entry.pointer : without_indices(entry.pointer), entry.value);
}

}  // namespace

Result<Baseline> parse_baseline(const Document& document) {
  const NodeId root = document.root();
  if (root == kNoNode || document.kind(root) != NodeKind::mapping ||
      document.scalar(document.find(root, "schema")) != kSchema) {
    return wrong(
        document, root,
        fmt::format("this is not a baseline: \"schema\": \"{}\" is missing; write one with "
                    "--write-baseline",
                    kSchema));
  }
  const NodeId list = document.find(root, "entries");
  if (list == kNoNode || document.kind(list) != NodeKind::sequence) {
    return wrong(document, root, "the baseline has no list of \"entries\"");
  }
  Baseline baseline;
  for (const NodeId item : document.items(list)) {
    Result<BaselineEntry> entry = parse_entry(document, item);
    if (!entry) return fail(std::move(entry).error());
    baseline.push_back(std::move(*entry));
  }
  std::sort(baseline.begin(), baseline.end());
  return baseline;
}

std::string baseline_text(Baseline entries) {
  std::sort(entries.begin(), entries.end());
  std::string text = fmt::format("{{\n  \"schema\": {},\n  \"entries\": [", quoted(kSchema));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += i == 0 ? "\n    {" : ",\n    {";
    for (const Field& field : kFields) {
      text += fmt::format("{}\"{}\": {}", field.name == kFields[0].name ? "" : ", ", field.name,
                          quoted(entries[i].*field.member));
    }
    text += '}';
  }
  return text + (entries.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::string baseline_value(std::string_view text) {
  if (text.find_first_of("\r\n") != std::string_view::npos) return {};
  std::string_view bare = trim(text);
  const bool in_quotes = bare.size() >= 2 && bare.front() == bare.back() &&
                         (bare.front() == '"' || bare.front() == '\'');
  if (in_quotes) bare = bare.substr(1, bare.size() - 2);
  std::string value = escape_for_display(bare);
  if (value.size() <= kMaxValueBytes) return value;
  std::size_t cut = kMaxValueBytes / 2;
  while (cut > 0 && (static_cast<unsigned char>(value[cut]) & 0xc0U) == 0x80U) --cut;
  return fmt::format("{}...{:016x}", value.substr(0, cut), hash_of(value));
}

BaselineMatch match_baseline(std::span<const BaselineEntry> entries,
                             std::span<const BaselineEntry> findings,
                             const std::function<bool(const std::string& path)>& gone) {
  BaselineMatch match;
  match.entry_of.resize(findings.size());
  match.used.resize(entries.size());
  for (const Round round :
       {Round::same, Round::shifted, Round::renamed, Round::renamed_and_shifted}) {
    const bool follows_renames = round == Round::renamed || round == Round::renamed_and_shifted;
    std::map<std::string, std::vector<std::size_t>> free;  // entries by key, the first at the back
    for (std::size_t i = entries.size(); i-- > 0;) {
      if (match.used[i] || (follows_renames && !gone(entries[i].path))) continue;
      free[key_in(round, entries[i])].push_back(i);
    }
    for (std::size_t i = 0; i < findings.size() && !free.empty(); ++i) {
      if (match.entry_of[i]) continue;
      const auto found = free.find(key_in(round, findings[i]));
      if (found == free.end() || found->second.empty()) continue;
      match.entry_of[i] = found->second.back();
      match.used[found->second.back()] = true;
      found->second.pop_back();
    }
  }
  return match;
}

}  // namespace gpulint
