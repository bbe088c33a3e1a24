#include "cli/commands.h"
#include "cli/confirm_merge.h"
#include "cli/output.h"

namespace gpulint::cli {

// What it measures with (the driver's library, processes that may be killed, control groups) is
// Linux's.
int confirm(const Arguments& arguments, const FileReader& disk, Session&) {
  if (!arguments.merge_folder.empty()) return merge_reports(arguments, disk);
  print_error("gpulint confirm needs Linux; here, only --merge compares reports of other machines");
  return kUsage;
}

}  // namespace gpulint::cli
