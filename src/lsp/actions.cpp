#include "lsp/actions.h"

#include "base/text.h"
#include "edit/fix.h"
#include "finding/add_ignore.h"
#include "finding/own_rules.h"
#include "lsp/diagnostics.h"
#include "lsp/hover.h"
#include "report/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gpulint::lsp {
namespace {

constexpr std::string_view kFixAll = "source.fixAll.gpulint";
/// Whoever hides a finding says why; this stands where the reason belongs.
constexpr std::string_view kReason = "say why";

/// Edits by path, as a workspace edit of the kind that the client takes.
Json workspace_edit(const std::map<std::string, Json>& edits, const Documents& documents,
                    const Client& client) {
  if (!client.document_changes) {
    Json changes = Json::object();
    for (const auto& [path, list] : edits) changes[documents.uri_of(path)] = list;
    return {{"changes", std::move(changes)}};
  }
  Json changes = Json::array();
  for (const auto& [path, list] : edits) {
    const OpenDocument* document = documents.find(path);
    const Json version = document == nullptr ? Json() : Json(document->version);
    changes.push_back({{"textDocument", {{"uri", documents.uri_of(path)}, {"version", version}}},
                       {"edits", list}});
  }
  return {{"documentChanges", std::move(changes)}};
}

/// "Set num_workers to 4", from what the edits mean.
std::string title_of(const Fix& fix) {
  std::string title;
  for (const FactChange& change : fix.changes) {
    if (!title.empty()) title += ", ";
    title += change.value ? fmt::format("{} {} to {}", title.empty() ? "Set" : "set", change.fact,
                                        *change.value)
                          : fmt::format("{} {}", title.empty() ? "Remove" : "remove", change.fact);
  }
  if (title.empty()) title = fix.advice;
  if (fix.kind == FixKind::unsafe) title += " (unsafe: can change what is trained)";
  return escape_for_display(title);
}

bool is_wanted(const Json& only, std::string_view kind) {
  if (only.empty()) return kind != kFixAll;
  return std::any_of(only.begin(), only.end(), [&](const Json& each) {
    if (!each.is_string()) return false;
    const std::string& asked = each.get_ref<const std::string&>();
    return asked == kind ||
           (kind.starts_with(asked) && kind.size() > asked.size() && kind[asked.size()] == '.');
  });
}

class ActionWriter {
 public:
  ActionWriter(Check& check, const std::string& path, const Documents& documents,
               const Client& client)
      : check_(check), path_(path), documents_(documents), client_(client) {}

  Json actions() && { return std::move(actions_); }

  void add_fix(const LintResult& proven, const Finding& finding) {
    if (!finding.fix || finding.fix->edits.empty()) return;
    std::map<std::string, Json> edits;
    for (const Edit& edit : finding.fix->edits) {
      const auto range = range_of(proven, edit.span, client_.units);
      if (!range) return;
      Json& list = edits.emplace(proven.sources[edit.span.file].path, Json::array()).first->second;
      list.push_back({{"range", *range}, {"newText", edit.text}});
    }
    Json action{{"title", title_of(*finding.fix)},
                {"kind", "quickfix"},
                {"diagnostics", diagnostics(proven, finding)},
                {"edit", workspace_edit(edits, documents_, client_)}};
    if (finding.fix->kind == FixKind::safe) action["isPreferred"] = true;
    actions_.push_back(std::move(action));
  }

  void add_suppression(const LintResult& result, const Finding& finding) {
    if (judges_suppressions(finding.rule) || is_unignorable(result, finding)) return;
    const SourceText& source = result.sources[finding.span.file];
    const auto document = check_.view.parsed().read(source.path, source.text, finding.span.file,
                                                    check_.request.options.limits);
    if (!document) return;
    const Finding* const one = &finding;
    const IgnoredText ignored = add_ignores(*document, {&one, 1}, kReason);
    if (ignored.written.empty()) return;
    const Json edits = edits_between(source.text, ignored.text, client_.units);
    actions_.push_back({{"title", fmt::format("Ignore {} here", escape_for_display(finding.rule))},
                        {"kind", "quickfix"},
                        {"diagnostics", diagnostics(result, finding)},
                        {"edit", workspace_edit({{source.path, edits}}, documents_, client_)}});
  }

  void add_fix_all() {
    LintRequest request = check_.request;
    request.paths = {path_};
    const FixResult fixed = fix(check_.view, request, {});
    std::map<std::string, Json> edits;
    for (const FixedText& text : fixed.texts) {
      edits.emplace(text.path, edits_between(text.before, text.after, client_.units));
    }
    if (edits.empty()) return;
    actions_.push_back({{"title", "Apply all safe fixes"},
                        {"kind", kFixAll},
                        {"edit", workspace_edit(edits, documents_, client_)}});
  }

 private:
  /// The diagnostics that this finding was published as.
  Json diagnostics(const LintResult& result, const Finding& finding) const {
    Json list = Json::array();
    const SourceText& source = result.sources[finding.span.file];
    const auto published = check_.diagnostics.find(source.path);
    if (published == check_.diagnostics.end()) return list;
    const auto range = range_of(result, on_first_line(source, finding.span), client_.units);
    for (const Json& each : published->second) {
      if (range && each.value("code", "") == finding.rule && each["range"] == *range) {
        list.push_back(each);
      }
    }
    return list;
  }

  static bool is_unignorable(const LintResult& result, const Finding& finding) {
    return std::any_of(result.files.begin(), result.files.end(), [&](const FileReport& file) {
      const bool concerns =
          file.path == result.sources[finding.span.file].path || contains(finding.runs, file.path);
      return concerns && contains(file.unignorable, finding.rule);
    });
  }

  Check& check_;
  const std::string& path_;
  const Documents& documents_;
  const Client& client_;
  Json actions_ = Json::array();
};

/// The findings of a document that a range touches.
std::vector<const Finding*> findings_in(const LintResult& result, const std::string& path,
                                        const Json& range, Units units) {
  std::vector<const Finding*> found;
  const Json* start = member(range, {"start"});
  const Json* end = member(range, {"end"});
  if (start == nullptr || end == nullptr) return found;
  for (const Finding& finding : result.findings) {
    const SourceText* source = source_of(result, finding.span);
    if (source == nullptr || source->path != path) continue;
    const TextPlaces places(source->text, source->lines, units);
    const SourceSpan shown = on_first_line(*source, finding.span);
    const bool touches = shown.begin <= places.offset(position_from(*end)) &&
                         places.offset(position_from(*start)) <= shown.end;
    if (touches) found.push_back(&finding);
  }
  return found;
}

}  // namespace

Json edits_between(std::string_view before, std::string_view after, Units units) {
  if (before == after) return Json::array();
  const auto is_inside = [](std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
  };
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  while (head > 0 && (is_inside(before, head) || is_inside(after, head))) --head;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  while (tail > 0 && is_inside(before, before.size() - tail)) --tail;
  const LineIndex lines(before);
  const TextPlaces places(before, lines, units);
  return Json::array({{{"range", places.range(static_cast<std::uint32_t>(head),
                                              static_cast<std::uint32_t>(before.size() - tail))},
                       {"newText", after.substr(head, after.size() - tail - head)}}});
}

Json code_actions(Check& check, const std::string& path, const Json& params,
                  const Documents& documents, const Client& client) {
  ActionWriter writer(check, path, documents, client);
  const Json& only = items_at(params, {"context", "only"});
  const Json* range = member(params, {"range"});
  if (range != nullptr && is_wanted(only, "quickfix")) {
    if (!findings_in(check.result, path, *range, client.units).empty()) {
      const LintResult& proven = proven_result(check);
      const auto findings = findings_in(proven, path, *range, client.units);
      for (const Finding* finding : findings) writer.add_fix(proven, *finding);
      for (const Finding* finding : findings) writer.add_suppression(proven, *finding);
    }
  }
  if (is_wanted(only, kFixAll)) writer.add_fix_all();
  return std::move(writer).actions();
}

}  // namespace gpulint::lsp
