#include "edit/baseline.h"

#include "base/text.h"
#include "lint/folders.h"

#include <algorithm>
#include <map>
#include <utility>

namespace gpulint {
namespace {

std::string path_in_baseline(const FileReader& reader, const std::string& folder,
                             const std::string& path) {
  return escape_for_display(relative_path(reader, folder, path));
}

/// The file a finding points into, where it is one of those linted.
const FileReport* report_of(const LintResult& result, const Finding& finding) {
  return finding.span.file < result.files.size() ? &result.files[finding.span.file] : nullptr;
}

class Comparison {
 public:
  Comparison(LintResult& result, const Baseline& baseline, const FileReader& reader,
             const std::string& folder)
      : result_(result), baseline_(baseline), reader_(reader), folder_(folder) {
    for (const FileReport& file : result.files) {
      reports_.emplace(path_in_baseline(reader, folder, file.path), &file);
    }
  }

  BaselineOutcome finish() && {
    std::vector<std::size_t> candidates;  // positions in result.findings
    std::vector<BaselineEntry> found;
    for (std::size_t i = 0; i < result_.findings.size(); ++i) {
      const Finding& finding = result_.findings[i];
      const FileReport* file = report_of(result_, finding);
      if (file != nullptr && contains(file->unignorable, finding.rule)) continue;
      candidates.push_back(i);
      found.push_back(baseline_entry(result_, finding, reader_, folder_));
    }
    const BaselineMatch match =
        match_baseline(baseline_, found, [&](const std::string& path) { return is_gone(path); });
    std::vector<bool> hidden(result_.findings.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (match.entry_of[i]) {
        hidden[candidates[i]] = true;
        ++outcome_.matched;
      } else {
        outcome_.fresh.push_back(found[i]);
      }
      outcome_.renewed.push_back(std::move(found[i]));
    }
    for (std::size_t i = 0; i < baseline_.size(); ++i) {
      if (!match.used[i]) judge_unused(baseline_[i]);
    }
    hide(hidden);
    std::sort(outcome_.renewed.begin(), outcome_.renewed.end());
    return std::move(outcome_);
  }

 private:
  bool is_gone(const std::string& path) const {
    return reader_.kind(join_path(folder_, path)) == FileKind::missing;
  }

  void judge_unused(const BaselineEntry& entry) {
    const auto file = reports_.find(entry.path);
    const bool judged = file != reports_.end() ? file->second->state != FileState::unreadable &&
                                                     !contains(file->second->undecided, entry.rule)
                                               : is_gone(entry.path);
    if (judged) {
      outcome_.stale.push_back(entry);
    } else {
      outcome_.unjudged.push_back(entry);
      outcome_.renewed.push_back(entry);
    }
  }

  void hide(const std::vector<bool>& hidden) {
    std::vector<Finding> kept;
    for (std::size_t i = 0; i < result_.findings.size(); ++i) {
      if (hidden[i]) {
        result_.suppressed.push_back(
            {std::move(result_.findings[i]), SuppressionKind::baseline, "in the baseline", {}});
      } else {
        kept.push_back(std::move(result_.findings[i]));
      }
    }
    result_.findings = std::move(kept);
  }

  LintResult& result_;
  const Baseline& baseline_;
  const FileReader& reader_;
  const std::string& folder_;
  std::map<std::string, const FileReport*> reports_;  // by path as the baseline has it
  BaselineOutcome outcome_;
};

}  // namespace

BaselineEntry baseline_entry(const LintResult& result, const Finding& finding,
                             const FileReader& reader, const std::string& folder) {
  BaselineEntry entry;
  entry.rule = finding.rule;
  entry.pointer = escape_for_display(finding.pointer);
  if (finding.span.file >= result.sources.size()) return entry;
  const SourceText& source = result.sources[finding.span.file];
  entry.path = path_in_baseline(reader, folder, source.path);
  const std::size_t begin = std::min<std::size_t>(finding.span.begin, source.text.size());
  const std::size_t end = std::max<std::size_t>(begin, finding.span.end);
  entry.value = baseline_value(std::string_view(source.text).substr(begin, end - begin));
  return entry;
}

BaselineOutcome apply_baseline(LintResult& result, const Baseline& baseline,
                               const FileReader& reader, const std::string& folder) {
  return Comparison(result, baseline, reader, folder).finish();
}

}  // namespace gpulint
