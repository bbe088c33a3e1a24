#pragma once

#include "base/file_reader.h"
#include "base/result.h"
#include "cli/arguments.h"
#include "lint/lint.h"
#include "lint/session.h"

namespace gpulint::cli {

/// Exit codes of every command; of two that compete, the larger one counts.
inline constexpr int kClean = 0;
inline constexpr int kFindings = 1;
inline constexpr int kUsage = 2;
inline constexpr int kInternal = 3;
inline constexpr int kNoDevice = 4;  // confirm: no usable GPU

// Those that judge configs may add standard input to the session as a buffer.
int check(const Arguments& arguments, const FileReader& disk, Session& session);
int facts(const Arguments& arguments, Session& session);
int runs(const Arguments& arguments, Session& session);
int diff(const Arguments& arguments, Session& session);
/// What `gpulint diff HEAD PATH` prints, for the texts that `session` holds.
Result<std::string> diff_to_head(const SessionView& session, const LintRequest& request,
                                 const std::string& path);
int estimate(const Arguments& arguments, Session& session);
int fit(const Arguments& arguments, Session& session);
int confirm(const Arguments& arguments, const FileReader& disk, Session& session);
int init(const Arguments& arguments, const FileReader& disk, const SessionView& session);
int list(const Arguments& arguments, const SessionView& session);
int step(const Arguments& arguments, const SessionView& session);
int explain(const Arguments& arguments, const SessionView& session);
int verify_config(const Arguments& arguments, const SessionView& session);
int schema(const Arguments& arguments, const SessionView& session);
int completions(const Arguments& arguments, const SessionView& session);
int man(const Arguments& arguments, const SessionView& session);
/// Serves an editor over standard input and output until it says goodbye.
int lsp(const Arguments& arguments, const FileReader& disk);

/// Checks, and checks again whenever a file changes, until it is interrupted.
int watch(const Arguments& arguments, const FileReader& disk, Session& session);

/// Puts this machine's GPU in the place of `--gpu auto` and asks for its measured figures; nothing
/// is done for other names.
Result<void> name_local_gpu(Arguments& arguments, const FileReader& disk,
                            const SessionView& session);

}  // namespace gpulint::cli
