#include "lsp/diagnostics.h"

#include "catalog/catalog.h"
#include "finding/own_rules.h"
#include "report/machine.h"
#include "report/place.h"
#include "source/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace gpulint::lsp {
namespace {

constexpr int kUnnecessary = 1;
/// No line has as many characters: the end of each.
constexpr std::uint32_t kWholeLine = std::numeric_limits<std::uint32_t>::max() - 2;

int severity_number(Severity severity) {
  switch (severity) {
    case Severity::error:
      return 1;
    case Severity::warning:
      return 2;
    case Severity::note:
      return 3;
  }
  return 3;
}

/// Text that does nothing: a key that another one overrides, a suppression that hides nothing.
bool is_unnecessary(const Finding& finding, const Catalog& catalog) {
  if (finding.rule == kUnusedSuppression || finding.rule == kExpiredSuppression) return true;
  const Rule* rule = catalog.rule(finding.rule);
  return rule != nullptr && rule->for_each == "duplicate_keys";
}

class DiagnosticWriter {
 public:
  DiagnosticWriter(const LintResult& result, const Catalog& catalog, const Documents& documents,
                   const DiagnosticStyle& style)
      : result_(result), catalog_(catalog), documents_(documents), style_(style) {}

  Json write(const Finding& finding) const {
    Json diagnostic{{"range", range(finding.span)},
                    {"severity", severity_number(finding.severity)},
                    {"code", finding.rule},
                    {"source", "gpulint"},
                    {"message", message_of(finding)}};
    if (is_unnecessary(finding, catalog_)) diagnostic["tags"] = Json::array({kUnnecessary});
    if (style_.related && !finding.related.empty()) {
      diagnostic["relatedInformation"] = related(finding);
    }
    return diagnostic;
  }

 private:
  Json range(SourceSpan span) const {
    const SourceText* source = source_of(result_, span);
    if (source != nullptr) span = on_first_line(*source, span);
    const Json none{{"start", json_of(Position{})}, {"end", json_of(Position{})}};
    return range_of(result_, span, style_.units).value_or(none);
  }

  Json related(const Finding& finding) const {
    Json places = Json::array();
    for (const RelatedPlace& place : finding.related) {
      if (place.span.file >= result_.sources.size()) continue;
      const std::string uri = documents_.uri_of(result_.sources[place.span.file].path);
      places.push_back({{"location", {{"uri", uri}, {"range", range(place.span)}}},
                        {"message", escape_for_display(place.message)}});
    }
    return places;
  }

  const LintResult& result_;
  const Catalog& catalog_;
  const Documents& documents_;
  const DiagnosticStyle& style_;
};

/// The first line, where a finding is about the whole file.
SourceSpan first_line_of(const SourceText& source, SourceSpan span) {
  span.end = static_cast<std::uint32_t>(source.lines.line(source.text, 1).size());
  return span;
}

/// "12:3: what is wrong", as the further lines of a joined Error have it behind the file's name.
std::optional<Error> read_place(std::string_view line, const std::string& file) {
  Error error{.message = {}, .file = file};
  for (std::uint32_t* number : {&error.place.line, &error.place.column}) {
    const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), *number);
    if (failed != std::errc()) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (!line.starts_with(':')) return std::nullopt;
    line.remove_prefix(1);
  }
  error.message = trim(line);
  return error;
}

/// The mistakes of one file come joined: the first with its place, each other on a line of its own.
std::vector<Error> each_of(const Error& joined) {
  std::vector<Error> errors;
  const std::string head = joined.file + ":";
  for (const std::string_view line : split(joined.message, '\n')) {
    auto further = line.starts_with(head) && !errors.empty()
                       ? read_place(line.substr(head.size()), joined.file)
                       : std::nullopt;
    if (further) {
      errors.push_back(std::move(*further));
    } else if (errors.empty()) {
      errors.push_back(joined);
      errors.back().message = line;
    } else {
      errors.back().message += fmt::format("; {}", line);
    }
  }
  return errors;
}

Json diagnostic_of_one(const Error& error, std::string_view text, Units units) {
  Json range{{"start", json_of(Position{})}, {"end", json_of(Position{})}};
  if (error.place.line != 0) {
    const LineIndex lines(text);
    const std::uint32_t line = error.place.line - 1;
    const std::uint32_t column = std::max(error.place.column, 1U) - 1;
    const TextPlaces places(text, lines, units);
    range = places.range(TextPlaces(text, lines, Units::utf32).offset({line, column}),
                         places.offset({line, kWholeLine}));
  }
  return {{"range", std::move(range)},
          {"severity", severity_number(Severity::error)},
          {"source", "gpulint"},
          {"message", escape_for_display(error.message)}};
}

}  // namespace

SourceSpan on_first_line(const SourceText& source, SourceSpan span) {
  if (span.begin == 0 && span.end == 0) return first_line_of(source, span);
  const std::uint32_t line = source.lines.at(source.text, span.begin).line;
  const std::string_view shown = source.lines.line(source.text, line);
  const auto end = static_cast<std::uint32_t>(shown.data() + shown.size() - source.text.data());
  span.end = std::max(span.begin, std::min(span.end, end));
  return span;
}

std::optional<Json> range_of(const LintResult& result, SourceSpan span, Units units) {
  const SourceText* source = source_of(result, span);
  if (source == nullptr) return std::nullopt;
  return TextPlaces(source->text, source->lines, units).range(span.begin, span.end);
}

std::map<std::string, Json> diagnostics_of(const LintResult& result, const SessionView& view,
                                           const Documents& documents,
                                           const DiagnosticStyle& style) {
  std::map<std::string, Json> by_path;
  for (const FileReport& file : result.files) by_path.emplace(file.path, Json::array());
  const DiagnosticWriter writer(result, view.catalog(), documents, style);
  for (const Finding& finding : result.findings) {
    if (finding.span.file >= result.sources.size()) continue;
    Json& list =
        by_path.emplace(result.sources[finding.span.file].path, Json::array()).first->second;
    list.push_back(writer.write(finding));
  }
  for (const Error& error : result.errors) {
    if (error.file.empty()) continue;
    Json& list = by_path.emplace(error.file, Json::array()).first->second;
    add_diagnostics(list, error, view.files(), style.units);
  }
  return by_path;
}

void add_diagnostics(Json& list, const Error& error, const FileReader& files, Units units) {
  const auto text = files.read(error.file, ReadLimits{}.max_bytes);
  for (const Error& each : each_of(error)) {
    list.push_back(diagnostic_of_one(each, text ? *text : std::string(), units));
  }
}

}  // namespace gpulint::lsp
