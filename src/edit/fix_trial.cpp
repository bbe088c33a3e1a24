#include "edit/fix_trial.h"

#include "finding/apply.h"

#include <map>
#include <utility>

namespace gpulint {

FixCandidate candidate_from(const LintResult& result, const Finding& finding) {
  FixCandidate fix{finding, path_of_span(result, finding.span), {}, {}};
  if (finding.span.file < result.sources.size()) {
    const SourceText& source = result.sources[finding.span.file];
    fix.place = source.lines.at(source.text, finding.span.begin);
  }
  for (const Edit& edit : finding.fix->edits) {
    fix.edits[path_of_span(result, edit.span)].push_back(edit);
  }
  return fix;
}

void FixTrial::reset() {
  texts_ = FixTexts::above(below_);
  lint_ = lint_over(texts_);
}

LintResult FixTrial::lint_over(const FixTexts& texts) const {
  return gpulint::lint(session_.over(texts), request_);
}

FixTrial::Outcome FixTrial::try_out(const std::vector<FixCandidate>& fixes) const {
  std::map<std::string, std::vector<Edit>> edits;
  for (const FixCandidate& fix : fixes) {
    for (const auto& [path, own] : fix.edits) {
      edits[path].insert(edits[path].end(), own.begin(), own.end());
    }
  }
  Outcome next{{}, texts_, {}};
  FixTexts::Texts before;
  FixTexts::Texts after;
  for (const auto& [path, own] : edits) {
    auto text = texts_.read(path, request_.options.limits.max_bytes);
    if (!text) return {"the file can no longer be read", texts_, {}};
    auto fixed = apply_edits(*text, own.front().span.file, own);
    if (!fixed) return {std::move(fixed).error().message, texts_, {}};
    if (*fixed == *text) return {"it would change nothing", texts_, {}};
    before[path] = std::move(*text);
    next.texts.texts()[path] = *fixed;
    after[path] = std::move(*fixed);
  }
  next.lint = lint_over(next.texts);
  next.failure = failed_proof({before, lint_}, {after, next.lint}, fixes, request_.options.limits);
  return next;
}

std::string FixTrial::attempt(const std::vector<FixCandidate>& fixes) {
  Outcome next = try_out(fixes);
  if (!next.failure.empty()) return std::move(next.failure);
  texts_ = std::move(next.texts);
  lint_ = std::move(next.lint);
  return {};
}

std::string FixTrial::failure_of(const std::vector<FixCandidate>& fixes) const {
  return try_out(fixes).failure;
}

}  // namespace gpulint
