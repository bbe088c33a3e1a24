#include "cli/confirm_merge.h"

#include "cli/commands.h"
#include "cli/output.h"
#include "probe/fleet.h"
#include "report/confirm_report.h"
#include "report/report.h"

namespace gpulint::cli {

int merge_reports(const Arguments& arguments, const FileReader& reader) {
  const auto fleet = probe::merge_reports(reader, arguments.merge_folder);
  if (!fleet) {
    print_error(fleet.error());
    return kUsage;
  }
  const bool written = write_outputs(
      arguments,
      [&](const OutputFormat& format, const ReportOptions&) { return format.merge(*fleet); });
  return written ? probe::exit_code_of(*fleet) : kUsage;
}

}  // namespace gpulint::cli
