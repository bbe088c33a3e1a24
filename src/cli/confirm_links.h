#pragma once

#include "base/file_reader.h"
#include "cli/arguments.h"
#include "lint/session.h"

namespace gpulint::cli {

/// `gpulint confirm --links`: every visible card, what joins them, and collectives over the cards
/// of all processes of a job.
int confirm_links(const Arguments& arguments, const FileReader& disk, Session& session);

}  // namespace gpulint::cli
