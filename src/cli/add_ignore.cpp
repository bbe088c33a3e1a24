#include "cli/add_ignore.h"

#include "base/text.h"
#include "cli/commands.h"
#include "cli/fix_write.h"
#include "cli/lint_request.h"
#include "cli/output.h"
#include "finding/add_ignore.h"
#include "source/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpulint::cli {
namespace {

/// Findings that may be hidden, by the file they point into.
std::map<FileId, std::vector<const Finding*>> by_file(const LintResult& result) {
  std::map<FileId, std::vector<const Finding*>> files;
  for (const Finding& finding : result.findings) {
    if (finding.span.file >= result.sources.size()) continue;
    if (finding.span.file < result.files.size()) {
      const auto& fixed = result.files[finding.span.file].unignorable;
      if (std::find(fixed.begin(), fixed.end(), finding.rule) != fixed.end()) continue;
    }
    files[finding.span.file].push_back(&finding);
  }
  return files;
}

}  // namespace

int write_ignores(const Arguments& arguments, const SessionView& session,
                  const LintRequest& request, LintResult& result) {
  const std::optional<std::string> input = standard_input_path(arguments);
  int code = kClean;
  std::size_t written = 0;
  std::size_t changed = 0;
  for (const auto& [file, findings] : by_file(result)) {
    const SourceText& source = result.sources[file];
    if (source.path == input) continue;
    const auto document = read_document(source.path, source.text, file, request.options.limits);
    if (!document) continue;  // what cannot be read has no comments
    const IgnoredText ignored = add_ignores(*document, findings, *arguments.review.add_ignore);
    if (ignored.text == source.text) continue;
    const auto stored = write_fixed({.path = source.path,
                                     .before = source.text,
                                     .after = ignored.text,
                                     .follow_symlinks = arguments.follow_symlinks},
                                    arguments.paths);
    if (!stored) {
      print_error(stored.error());
      code = kUsage;
      continue;
    }
    written += ignored.written.size();
    ++changed;
  }
  print_note(fmt::format("suppressed {} in {}",
                         counted(static_cast<std::int64_t>(written), "finding"),
                         counted(static_cast<std::int64_t>(changed), "file")));
  result = lint(session, request);
  return code;
}

}  // namespace gpulint::cli
