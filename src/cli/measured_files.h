#pragma once

#include "base/file_reader.h"
#include "catalog/catalog.h"
#include "cli/arguments.h"
#include "lint/session.h"
#include "probe/confirmation.h"
#include "probe/node_confirmation.h"

#include <string>

namespace gpulint::cli {

/// What `confirm` keeps for this user is not part of a repository: under CI=true it is neither read
/// nor written, so that one commit gets one verdict everywhere.
bool measurements_count();

/// Tells the session what was measured, for a command that judges configs. What was kept and is
/// refused is named on standard error where the command line asks for measured figures.
void open_measured(const Arguments& arguments, const FileReader& machine, Session& session);

/// What `list gpus` shows. Refused files are named on standard error.
std::string measured_here(const Catalog& catalog);

/// Keeps only what a later reader would accept; says on standard error where, or why not.
void save_measured(const probe::Confirmation& confirmation, const FileReader& machine,
                   const Catalog& catalog);
/// The same of the links between all cards.
void save_links(const probe::NodeConfirmation& confirmation, const FileReader& machine,
                const Catalog& catalog);

}  // namespace gpulint::cli
