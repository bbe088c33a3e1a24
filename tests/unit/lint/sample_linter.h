#pragma once

// Lints one sample of a rule file as `gpulint check` would, previews and known models included.

#include "catalog/catalog.h"
#include "lint/lint.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpulint::test {

inline const Catalog& shipped_catalog() {
  static const MemoryReader none{MemoryReader::Files{}};
  static const SessionView session = session_over(none);
  return session.catalog();
}

inline LintResult lint_sample(const RuleSample& sample, const SessionView& session) {
  MemoryReader::Files files;
  files["run/" + sample.file_name] = sample.config;
  for (const auto& [name, text] : sample.siblings) files["run/" + name] = text;
  if (!sample.project.empty()) files["run/.gpulint.yaml"] = sample.project;
  const MemoryReader reader(std::move(files));
  LintRequest request;
  // Siblings are linted along, as in a folder.
  request.paths = {sample.siblings.empty() ? "run/" + sample.file_name : "run"};
  if (!sample.gpu.empty()) request.options.gpu = sample.gpu;
  if (!sample.host.empty()) request.options.host = sample.host;
  request.options.previews = true;
  request.options.jobs = 1;
  return lint(session.over(reader), request);
}

inline LintResult lint_sample(const RuleSample& sample) {
  static const MemoryReader none{MemoryReader::Files{}};
  return lint_sample(sample, session_over(none));
}

/// Lines of the sample's own file at which `rule` speaks, sorted, once each.
inline std::vector<std::uint32_t> lines_of(const LintResult& result, const std::string& rule,
                                           const RuleSample& sample) {
  std::vector<std::uint32_t> lines;
  for (const Finding& finding : result.findings) {
    if (finding.rule != rule) continue;
    const SourceText& source = result.sources.at(finding.span.file);
    if (source.path != "run/" + sample.file_name) continue;
    lines.push_back(source.lines.at(source.text, finding.span.begin).line);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

}  // namespace gpulint::test
