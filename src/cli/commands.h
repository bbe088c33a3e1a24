#pragma once

#include "base/file_reader.h"
#include "base/result.h"
#include "cli/arguments.h"
#include "cli/workspace.h"

namespace gpulint::cli {

/// Exit codes of every command; of two that compete, the larger one counts.
inline constexpr int kClean = 0;
inline constexpr int kFindings = 1;
inline constexpr int kUsage = 2;
inline constexpr int kInternal = 3;
inline constexpr int kNoDevice = 4;  // confirm: no usable GPU

int check(const Arguments& arguments, const FileReader& reader, const Workspace& workspace);
int facts(const Arguments& arguments, const FileReader& reader, const Workspace& workspace);
int diff(const Arguments& arguments, const FileReader& disk, const Workspace& workspace);
int estimate(const Arguments& arguments, const FileReader& reader, const Workspace& workspace);
int fit(const Arguments& arguments, const FileReader& reader, const Workspace& workspace);
int list(const Arguments& arguments, const Workspace& workspace);
int explain(const Arguments& arguments, const Workspace& workspace);
int verify_config(const Arguments& arguments, const FileReader& reader, const Workspace& workspace);
int schema(const Arguments& arguments, const Workspace& workspace);
int completions(const Arguments& arguments, const Workspace& workspace);
int man(const Arguments& arguments, const Workspace& workspace);
int init(const Arguments& arguments, const FileReader& reader, const Workspace& workspace);
int confirm(const Arguments& arguments, const FileReader& reader, const Workspace& workspace);

/// Puts this machine's GPU in the place of `--gpu auto` and asks for its measured figures; nothing
/// is done for other names.
Result<void> name_local_gpu(Arguments& arguments, const FileReader& reader,
                            const Workspace& workspace);

}  // namespace gpulint::cli
