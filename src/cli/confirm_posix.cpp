// `gpulint confirm`: the real device against the predictions.

#include "base/platform.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/confirm_config.h"
#include "cli/confirm_host.h"
#include "cli/confirm_merge.h"
#include "cli/library_path.h"
#include "cli/measured_files.h"
#include "cli/output.h"
#include "device/footprint_room.h"
#include "disk/atomic_file.h"
#include "memory/device_memory.h"
#include "probe/config_checks.h"
#include "probe/confirmation.h"
#include "probe/fleet.h"
#include "report/confirm_report.h"
#include "report/report.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>

namespace gpulint::cli {
namespace {

/// The nearest folder around the working directory that holds a repository or a project file; the
/// working directory itself when there is none.
std::string linted_folder(const FileReader& reader) {
  const std::string working = reader.canonical(".");
  for (std::string folder = working; folder.size() > 1;) {
    if (reader.kind(join_path(folder, ".git")) != FileKind::missing ||
        reader.kind(join_path(folder, kProjectFileName)) != FileKind::missing ||
        reader.kind(join_path(folder, kProjectFileName2)) != FileKind::missing) {
      return folder;
    }
    const std::string parent(parent_path(folder));
    if (parent.size() >= folder.size()) break;
    folder = parent;
  }
  return working;
}

probe::MeasureRequest measure_request(const Arguments& arguments, const FileReader& reader,
                                      const probe::RankFacts& place) {
  probe::MeasureRequest request;
  request.machine = probe::read_machine_facts();
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) request.ld_library_path = path;
  request.linted_folder = linted_folder(reader);
  request.elevated = runs_elevated();
  request.library = {
      .allowed = arguments.use_library, .named = arguments.cublaslt, .python = arguments.python};
  if (const char* folder = std::getenv("VIRTUAL_ENV")) request.library.virtual_env = folder;
  if (const char* folder = std::getenv("CONDA_PREFIX")) request.library.conda_prefix = folder;
  request.assignment.turn = place.local_rank.value_or(0);
  request.assignment.share = arguments.share;
  request.assignment.timed = arguments.timing;
  request.assignment.trials_only = arguments.trials_only;
  request.assignment.newest_products = arguments.newest_products;
  constexpr double kMillisecondsPerSecond = 1000;
  probe::give_time(request,
                   std::chrono::milliseconds(
                       static_cast<std::int64_t>(arguments.deadline * kMillisecondsPerSecond)),
                   std::chrono::seconds(arguments.sustain));
  if (arguments.footprint) {
    request.assignment.plan = [size = *arguments.footprint](const probe::DeviceReport&) {
      return probe::ConfigPlan{.footprint = probe::plain_footprint(size)};
    };
  }
  return request;
}

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

/// Longer than any system allows; a name that is cut serves as well.
constexpr std::size_t kLongestHostName = 255;

probe::RankFacts place_in_job() {
  std::array<char, kLongestHostName + 1> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) name.front() = '\0';
  return probe::rank_facts([](const char* variable) { return std::getenv(variable); }, name.data());
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
