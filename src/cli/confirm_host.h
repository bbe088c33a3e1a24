#pragma once

#include "base/file_reader.h"
#include "cli/arguments.h"
#include "lint/session.h"

#include <string>

namespace gpulint::cli {

/// `gpulint confirm --host`: this machine without its GPU, and what it says of a config.
/// `linted_folder`: whose files are under review.
int confirm_host(const Arguments& arguments, const std::string& linted_folder,
                 const FileReader& disk, Session& session);

}  // namespace gpulint::cli
