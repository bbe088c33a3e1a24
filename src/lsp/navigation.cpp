#include "lsp/navigation.h"

#include "base/system_path.h"
#include "base/text.h"
#include "lsp/diagnostics.h"
#include "lsp/hover.h"
#include "lsp/python_places.h"
#include "lsp/syntax.h"
#include "plan/fact_table.h"
#include "source/interpolation.h"

#include <algorithm>
#include <array>
#include <set>

namespace gpulint::lsp {
namespace {

/// "override /group@package" of Hydra's defaults list as the group's folder.
std::string_view group_of(std::string_view key) {
  key = trim(key);
  for (const std::string_view word : {"optional ", "override "}) {
    if (key.starts_with(word)) key.remove_prefix(word.size());
  }
  key = key.substr(0, key.find('@'));
  while (key.starts_with('/')) key.remove_prefix(1);
  return key;
}

/// The files that the runs around a document were read from.
class FilesOfRun {
 public:
  FilesOfRun(const LintResult& result, const std::string& path) : path_(path) {
    for (const FileReport& file : result.files) {
      paths_.insert(file.reads.begin(), file.reads.end());
    }
    paths_.erase(path);
  }

  /// The one that a value names, as its run found it; "" = none.
  std::string named_by(std::string_view value, std::string_view key, bool in_defaults) const {
    value = trim(value);
    if (value.empty() || paths_.empty()) return {};
    const bool looks_like_file = value.find_first_of("./") != std::string_view::npos;
    if (!looks_like_file && !in_defaults) return {};
    std::vector<std::string> names{std::string(value)};
    if (in_defaults && !key.empty()) {
      names.push_back(join_path(std::string(group_of(key)), value));
    }
    for (const std::string& name : names) {
      for (const char* ending : {"", ".yaml", ".yml", ".json", ".toml", ".py", "/config.json"}) {
        const std::string found = find(name + ending);
        if (!found.empty()) return found;
      }
    }
    return {};
  }

 private:
  /// Beside the document, else by its end.
  std::string find(const std::string& name) const {
    const std::string beside = normalize_path(join_path(parent_path(path_), name));
    if (paths_.count(beside) != 0) return beside;
    std::string end = normalize_path(name);
    while (end.starts_with("../")) end.erase(0, 3);
    if (!is_absolute(end)) end.insert(0, "/");
    for (const std::string& path : paths_) {
      if (path.ends_with(end)) return path;
    }
    return {};
  }

  const std::string& path_;
  std::set<std::string> paths_;
};

Json location(const std::string& path, const Json& range, const Documents& documents) {
  return {{"uri", documents.uri_of(path)}, {"range", range}};
}

Json start_of_file() { return {{"start", json_of(Position{})}, {"end", json_of(Position{})}}; }

/// The key in front of a value; "" for an item of a list.
std::string_view key_text(const Document& document, NodeId value) {
  const NodeId key = document.node(value).key;
  return key == kNoNode ? std::string_view() : document.scalar(key);
}

bool in_defaults_list(std::string_view pointer) { return pointer.starts_with("/defaults"); }

Result<Document> document_of(const Check& check, const LintResult& result, FileId file) {
  const SourceText& source = result.sources[file];
  return check.view.parsed().read(source.path, source.text, file, check.request.options.limits);
}

/// The statement of the fact of this key that counts, where it stands in another file.
Json winner_of(const LintResult& result, std::string_view pointer, FileId file,
               const Documents& documents, Units units) {
  for (const FileReport& report : result.files) {
    for (const PlanReport& plan : report.plans) {
      if (plan.plan == nullptr) continue;
      for (const FactRow& row : fact_table()) {
        const Provenance* from = provenance_of(plan.plan->facts, row);
        const bool overrules = from != nullptr && from->pointer == pointer && from->span.known() &&
                               from->span.file != file;
        const auto range = overrules ? range_of(result, from->span, units) : std::nullopt;
        if (range) return location(result.sources[from->span.file].path, *range, documents);
      }
    }
  }
  return nullptr;
}

Json location(const CodePlace& place, const Documents& documents) {
  const Json at = json_of(Position{place.line, 0});
  return location(place.path, {{"start", at}, {"end", at}}, documents);
}

/// The calls of the project that take the value.
Json calls_taking(const Check& check, const LintResult& result, const SourceSpan& value,
                  const Documents& documents) {
  Json places = Json::array();
  for (const FileReport& report : result.files) {
    for (const PlanReport& plan : report.plans) {
      if (plan.plan == nullptr) continue;
      for (const CodePath& path : plan.plan->code_paths) {
        const auto place = path.span == value
                               ? stated_place(check.view.files(), check.root, path.taken_at)
                               : std::nullopt;
        if (!place) continue;
        Json found = location(*place, documents);
        const bool is_new = std::find(places.begin(), places.end(), found) == places.end();
        if (is_new) places.push_back(std::move(found));
      }
    }
  }
  return places;
}

}  // namespace

Json definition_at(Check& check, const std::string& path, std::uint32_t offset,
                   const Documents& documents, Units units) {
  const LintResult& result = close_look(check);
  const FileId file = file_of(result, path);
  if (file == kNoFile) return nullptr;
  const auto document = document_of(check, result, file);
  const auto at = document ? node_at(*document, offset) : std::nullopt;
  if (!at) return nullptr;
  const FilesOfRun files(result, path);
  const std::string named = files.named_by(
      document->scalar(at->value), key_text(*document, at->value), in_defaults_list(at->pointer));
  if (!named.empty()) return location(named, start_of_file(), documents);
  if (document->kind(at->node) == NodeKind::alias) {
    const auto range = range_of(result, document->span(document->resolve(at->node)), units);
    return range ? location(path, *range, documents) : Json();
  }
  const Resolved resolved = resolve_reference(*document, at->value);
  if (resolved.state == Resolved::State::value && resolved.node != kNoNode) {
    const auto range = range_of(result, document->span(resolved.node), units);
    if (range) return location(path, *range, documents);
  }
  if (Json winner = winner_of(result, at->pointer, file, documents, units); !winner.is_null()) {
    return winner;
  }
  const auto named_code =
      python_definition(check.view.files(), check.root, path, document->scalar(at->value));
  if (named_code) return location(*named_code, documents);
  Json calls = calls_taking(check, result, document->span(at->value), documents);
  return calls.empty() ? Json() : calls;
}

Json document_links(Check& check, const std::string& path, const Documents& documents,
                    Units units) {
  Json links = Json::array();
  const LintResult& result = close_look(check);
  const FileId file = file_of(result, path);
  if (file == kNoFile) return links;
  const auto document = document_of(check, result, file);
  if (!document) return links;
  const FilesOfRun files(result, path);
  for (NodeId id = 0; id < document->size(); ++id) {
    const Node& node = document->node(id);
    if (node.kind != NodeKind::scalar || node.begin == node.end) continue;
    const std::string named = files.named_by(document->scalar(id), key_text(*document, id),
                                             in_defaults_list(document->pointer(id)));
    const auto range = named.empty() ? std::nullopt : range_of(result, document->span(id), units);
    if (range) links.push_back({{"range", *range}, {"target", documents.uri_of(named)}});
  }
  return links;
}

}  // namespace gpulint::lsp
