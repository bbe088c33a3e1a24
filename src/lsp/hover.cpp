#include "lsp/hover.h"

#include "catalog/catalog.h"
#include "finding/own_rules.h"
#include "lsp/diagnostics.h"
#include "lsp/syntax.h"
#include "plan/fact_table.h"
#include "plan/taken_keys.h"
#include "report/budget_bar.h"
#include "report/machine.h"
#include "report/place.h"
#include "report/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gpulint::lsp {
namespace {

/// Text as the client shows it.
class Prose {
 public:
  explicit Prose(bool markdown) : markdown_(markdown) {}

  /// Values of configs can be no link, picture or markup. Character references would be shown as
  /// they are by editors in a terminal.
  std::string plain(std::string_view text) const {
    const std::string shown = escape_for_display(text);
    if (!markdown_) return shown;
    std::string escaped;
    for (const char c : shown) {
      if (std::string_view("\\[]<>*").find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
    return escaped;
  }
  std::string strong(std::string_view text) const {
    return markdown_ ? fmt::format("**{}**", plain(text)) : plain(text);
  }
  /// Lines that keep their shape.
  std::string verbatim(const std::vector<std::string>& lines) const {
    std::string text;
    for (const std::string& line : lines) {
      text += (markdown_ ? "    " : "") + escape_for_display(line) + "\n";
    }
    return text;
  }
  /// Paragraphs stay; lines within one are joined.
  std::string paragraphs(std::string_view text) const {
    std::string shown;
    for (const std::string_view line : split(trim(text), '\n')) {
      if (trim(line).empty()) {
        shown += "\n\n";
        continue;
      }
      if (!shown.empty() && !shown.ends_with('\n')) shown += ' ';
      shown += plain(trim(line));
    }
    return shown;
  }

 private:
  bool markdown_;
};

class HoverWriter {
 public:
  HoverWriter(Check& check, const std::string& path, bool markdown)
      : check_(check), path_(path), prose_(markdown) {}

  /// The part about facts.
  std::string facts(std::uint32_t offset) {
    const LintResult& result = close_look(check_);
    const FileId file = file_of(result, path_);
    if (file == kNoFile) return {};
    const auto document = check_.view.parsed().read(path_, result.sources[file].text, file,
                                                    check_.request.options.limits);
    if (!document) return {};
    const auto at = node_at(*document, offset);
    if (!at) return {};
    span_ = document->span(at->node);
    pointer_ = at->pointer;
    const std::string key = dotted_key(at->pointer);
    std::vector<std::string> parts;
    for (const FileReport& report : result.files) {
      for (const Why& why : why_of(report, result, key)) {
        const bool is_here = why.key == key && (!why.span.known() || why.span.file == file);
        if (!is_here) continue;
        std::string part = about(why, report, result);
        const bool is_new = std::find(parts.begin(), parts.end(), part) == parts.end();
        if (is_new) parts.push_back(std::move(part));
      }
    }
    if (std::string taken = packages(result, key); !taken.empty()) parts.push_back(taken);
    return join(parts, "\n\n");
  }

  /// Which packages take a key, and what it may be.
  std::string packages(const LintResult& result, std::string_view key) const {
    const std::size_t dot = key.rfind('.');
    const std::string_view mapping = dot == std::string_view::npos ? "" : key.substr(0, dot);
    const std::string_view name = key.substr(dot + 1);
    for (const FileReport& report : result.files) {
      const Dialect* dialect = check_.view.catalog().dialect(report.dialect);
      if (dialect == nullptr || report.path != path_) continue;
      for (const std::string& section : dialect->sections) {
        std::string_view below = mapping;
        if (!section.empty()) {
          if (!below.starts_with(section)) continue;
          below.remove_prefix(std::min(below.size(), section.size() + 1));
        }
        const TakenKeys taken = taken_in(check_.view.catalog(), *dialect, below);
        std::string text = taken_text(taken, name);
        if (text.empty()) continue;
        const std::vector<std::string> choices = taken_choices(taken, name);
        if (!choices.empty()) text += ": " + join(choices, ", ");
        return prose_.plain("taken by " + text);
      }
    }
    return {};
  }

  std::string finding(const Finding& finding) const {
    std::string text = fmt::format("{}: {}", prose_.strong(name_of(finding.severity)),
                                   prose_.plain(message_of(finding)));
    if (!finding.arithmetic.empty()) text += "\n\n" + prose_.verbatim(finding.arithmetic);
    if (finding.fix) text += "\n\nFix: " + prose_.plain(finding.fix->advice);
    text += "\n\n" + page_of(finding.rule);
    return text;
  }

  /// Of the key or value that facts() was asked about.
  std::optional<SourceSpan> span() const { return span_; }
  const std::optional<std::string>& pointer() const { return pointer_; }

 private:
  std::string about(const Why& why, const FileReport& report, const LintResult& result) const {
    if (why.fact.empty()) {
      return prose_.plain(why.key) + ": no fact is stated by this key, as far as gpulint knows";
    }
    const FactRow* row = find_fact(why.fact);
    std::string text = prose_.strong(why.fact);
    if (!why.stated.empty()) text += prose_.plain(" = " + why.stated);
    if (row != nullptr) text += "\n\n" + prose_.plain(row->meaning);
    if (why.stated.empty()) {
      text += "\n\n" + prose_.plain(why.agreed ? "another value counts" : "calls disagree on it");
      text += winner(why.fact, report, result);
    }
    if (!why.loaders.empty()) text += "\n\n" + prose_.plain("loaded by " + join(why.loaders, ", "));
    if (!why.taken_by.empty()) {
      text += "\n\n" + prose_.plain(fmt::format("taken at {}: {}", why.taken_at, why.taken_by));
    } else if (!why.origin.empty()) {
      text += "\n\n" + prose_.plain(why.origin + (why.detail.empty() ? "" : ": " + why.detail));
    }
    if (why.fact == "per_device_batch_size") text += budget(report);
    return text;
  }

  std::string winner(std::string_view fact, const FileReport& report,
                     const LintResult& result) const {
    const FactRow* row = find_fact(fact);
    for (const PlanReport& plan : report.plans) {
      const Provenance* from =
          row == nullptr || plan.plan == nullptr ? nullptr : provenance_of(plan.plan->facts, *row);
      if (from == nullptr) continue;
      const Place place = place_of(result, from->span);
      const std::string where =
          from->span.known() ? fmt::format(" ({}:{})", place.path, place.begin.line) : "";
      return prose_.plain(fmt::format(": {}{}", display(plan.plan->facts, *row), where));
    }
    return {};
  }

  std::string budget(const FileReport& report) const {
    std::string text;
    for (const PlanReport& plan : report.plans) {
      const std::string line = budget_line(plan);
      if (!line.empty()) text += "\n\n" + prose_.verbatim({line});
    }
    return text;
  }

  /// Why the rule exists and what it rests on.
  std::string page_of(const std::string& id) const {
    if (const OwnRule* own = own_rule(id)) {
      return prose_.strong(id) + "\n\n" + prose_.paragraphs(own->why);
    }
    const Catalog& catalog = check_.view.catalog();
    const Rule* rule = catalog.rule(id);
    if (rule == nullptr) return prose_.strong(id);
    const RuleManual manual = catalog.manual(*rule);
    std::string text =
        fmt::format("{}: {}\n\n{}", prose_.strong(id), prose_.plain(rule->texts().summary),
                    prose_.paragraphs(manual.why));
    for (const std::string& source : manual.sources) {
      text += "\n\nSource: " + prose_.plain(source);
    }
    return text;
  }

  Check& check_;
  const std::string& path_;
  Prose prose_;
  std::optional<SourceSpan> span_;
  std::optional<std::string> pointer_;
};

}  // namespace

FileId file_of(const LintResult& result, const std::string& path) {
  for (std::size_t i = 0; i < result.sources.size(); ++i) {
    if (result.sources[i].path == path && !result.sources[i].text.empty()) {
      return static_cast<FileId>(i);
    }
  }
  return kNoFile;
}

Json hover_at(Check& check, const std::string& path, std::uint32_t offset, Units units,
              bool markdown) {
  HoverWriter writer(check, path, markdown);
  std::vector<std::string> parts;
  std::optional<Json> range;
  if (std::string facts = writer.facts(offset); !facts.empty()) parts.push_back(std::move(facts));
  if (writer.span()) range = range_of(*check.closely, *writer.span(), units);
  for (const Finding& finding : check.result.findings) {
    const SourceText* source = source_of(check.result, finding.span);
    if (source == nullptr || source->path != path) continue;
    const SourceSpan shown = on_first_line(*source, finding.span);
    const bool is_there = shown.begin <= offset && offset <= shown.end;
    const bool is_of_key = !finding.pointer.empty() && finding.pointer == writer.pointer();
    if (!is_there && !is_of_key) continue;
    parts.push_back(writer.finding(finding));
    if (!range) range = range_of(check.result, shown, units);
  }
  if (parts.empty()) return nullptr;
  Json hover{{"contents",
              {{"kind", markdown ? "markdown" : "plaintext"},
               {"value", join(parts, markdown ? "\n\n---\n\n" : "\n\n")}}}};
  if (range) hover["range"] = *range;
  return hover;
}

}  // namespace gpulint::lsp
