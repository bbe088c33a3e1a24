#pragma once

// Findings about a file's text: what cannot be read as a document, and what the reader could live
// with but the framework's loader cannot. Internal to this room.

#include "lint/file_linter.h"
#include "source/document.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Named by a person, who then wants a verdict whatever the file looks like.
bool is_insisted_on(const FileTask& task, const LintRequest& request);

/// A text nobody can read as a document: a finding when it is meant as a config, else skipped.
void report_unparsed(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                     const Error& error, std::string_view text);

/// What the reader could live with but the framework's loader cannot.
void report_problems(FileOutcome& outcome, const FileTask& task, const Document& document);

/// What of a script was left out: the rest is judged.
void report_script_limits(FileOutcome& outcome, const FileTask& task,
                          std::vector<std::string> limits);

/// A recorded network that is not, or no longer, the one a run trains.
void report_recording(FileOutcome& outcome, const FileTask& task, SourceSpan span,
                      std::string message);

}  // namespace gpulint
