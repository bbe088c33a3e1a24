// `gpulint confirm`: the real device against the predictions.

#include "cli/commands.h"
#include "cli/confirm_config.h"
#include "cli/confirm_host.h"
#include "cli/confirm_links.h"
#include "cli/confirm_merge.h"
#include "cli/library_path.h"
#include "cli/measure_request.h"
#include "cli/measured_files.h"
#include "cli/output.h"
#include "disk/atomic_file.h"
#include "memory/device_memory.h"
#include "probe/config_checks.h"
#include "probe/confirmation.h"
#include "probe/fleet.h"
#include "report/confirm_report.h"
#include "report/report.h"

#include <string>
#include <string_view>

namespace gpulint::cli {
namespace {

void judge_device(probe::Confirmation& confirmation, const Catalog& catalog) {
  const auto* device = std::get_if<probe::DeviceReport>(&confirmation.outcome);
  if (device == nullptr) return;
  const Gpu* gpu = catalog.find_gpu(device->name, device->nvml_total);
  if (gpu != nullptr) confirmation.gpu_id = gpu->id;
  const Interval context = outside_allocator({}, gpu).context;
  confirmation.checks = probe::check_device(*device, gpu, BytesRange{context.low, context.high});
}

/// `config`: nullptr for the device alone. Where a config was named and is not `readable`, only
/// whether there is a device is found out.
probe::Confirmation measured(probe::MeasureRequest request, const ConfirmedConfig* config,
                             bool readable, bool find_batch, const Catalog& catalog) {
  request.assignment.identity_only = !readable;
  if (config != nullptr) {
    request.assignment.plan = [&, find_batch](const probe::DeviceReport& device) {
      return plan_of(*config, catalog, device, find_batch);
    };
  }
  probe::Confirmation confirmation;
  confirmation.outcome = probe::measure_device(request);
  if (!readable) return confirmation;
  judge_device(confirmation, catalog);
  if (config != nullptr) judge_config(*config, catalog, confirmation);
  const auto* device = std::get_if<probe::DeviceReport>(&confirmation.outcome);
  if (config == nullptr && device != nullptr && device->footprint) {
    for (probe::Check& check : probe::check_config(*device, {})) {
      confirmation.checks.push_back(std::move(check));
    }
  }
  return confirmation;
}

Result<void> write_report(const std::string& folder, const probe::RankReport& report) {
  if (auto made = disk::make_folder(folder); !made) return made;
  // The reports of a fleet are merged by another user.
  return disk::write_atomically(folder, probe::file_name_of(report),
                                probe::write_rank_report(report, kVersion), disk::kReadableByAll);
}

}  // namespace

int confirm(const Arguments& arguments, const FileReader& disk, Session& session) {
  if (!arguments.merge_folder.empty()) return merge_reports(arguments, disk);
  leave_out_unsafe_entries(linted_folder(disk));
  if (arguments.links) return confirm_links(arguments, disk, session);
  if (arguments.host_probe) {
    return confirm_host(arguments, linted_folder(disk), disk, session);
  }
  const SessionView view = session.now();
  const probe::RankFacts place = place_in_job();
  std::optional<Result<ConfirmedConfig>> config;
  if (!arguments.paths.empty() || !arguments.runs.empty()) {
    config = read_confirmed(arguments, session);
  }
  const bool readable = !config || config->has_value();
  const probe::Confirmation confirmation =
      measured(measure_request(arguments, disk, place), config && readable ? &**config : nullptr,
               readable, arguments.find_batch, view.catalog());
  int code = probe::exit_code_of(confirmation);
  if (!readable && std::holds_alternative<probe::DeviceReport>(confirmation.outcome)) {
    print_error(config->error());  // there is a device, and nothing was tried on it
    return kUsage;
  }
  const bool measured_one = std::holds_alternative<probe::DeviceReport>(confirmation.outcome);
  const bool written =
      write_outputs(arguments, [&](const OutputFormat& format, const ReportOptions&) {
        // Where people read it, the report says so itself.
        if (measured_one && format.syntax != Syntax::plain) print_note(probe::kNotValidated);
        return format.confirm(confirmation);
      });
  if (!written) code = kUsage;
  // No device is the first thing to say; a config that is broken too would be next.
  if (!readable) print_error(config->error());
  if (arguments.save && arguments.report_folder.empty()) {
    save_measured(confirmation, disk, view.catalog());
  }
  if (!arguments.report_folder.empty()) {
    const probe::RankReport report = probe::rank_report(place, confirmation);
    if (auto kept = write_report(arguments.report_folder, report); !kept) {
      print_error(kept.error());
      code = kUsage;
    }
  }
  return code;
}

}  // namespace gpulint::cli
