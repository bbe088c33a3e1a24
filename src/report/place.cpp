#include "report/place.h"

namespace gpulint {

const SourceText* source_of(const LintResult& result, SourceSpan span) {
  if (span.file >= result.sources.size()) return nullptr;
  const SourceText& source = result.sources[span.file];
  return source.text.empty() ? nullptr : &source;
}

Place place_of(const LintResult& result, SourceSpan span) {
  if (span.file >= result.sources.size()) return {};
  const SourceText& source = result.sources[span.file];
  if (source.text.empty()) return {source.path, {1, 1}, {1, 1}};
  return {source.path, source.lines.at(source.text, span.begin),
          source.lines.at(source.text, span.end)};
}

}  // namespace gpulint
