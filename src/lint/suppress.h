#pragma once

#include "catalog/catalog.h"
#include "finding/suppression.h"
#include "lint/lint.h"
#include "lint/project_files.h"

#include <optional>
#include <span>
#include <vector>

namespace gpulint {

/// The suppressions of one file, and what decides about them.
struct FileSuppressions {
  std::vector<Suppression> list;
  const ProjectFile* project = nullptr;  // governing `.gpulint.yaml`
};

/// Moves what a suppression reaches from `result.findings` to `result.suppressed`, and reports the
/// suppressions that are unused, unknown, expired, forbidden or unreadable. `files` is indexed by
/// FileId. The findings come out unsorted.
void apply_suppressions(LintResult& result, std::span<const FileSuppressions> files,
                        const Catalog& catalog, std::optional<Date> today);

/// True when the project lets no comment and no baseline hide this rule.
bool is_unignorable(const ProjectFile* project, std::string_view rule);

}  // namespace gpulint
