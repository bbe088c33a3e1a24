#include "cli/measured_files.h"

#include "base/text.h"
#include "cli/output.h"
#include "disk/atomic_file.h"
#include "disk/private_folder.h"
#include "probe/local_gpu.h"
#include "probe/measured.h"
#include "probe/measured_use.h"
#include "report/report.h"

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <variant>

namespace gpulint::cli {
namespace {

std::string folder_of_measured() {
  return probe::measured_folder(std::getenv("XDG_CONFIG_HOME"), std::getenv("HOME"));
}

/// UTC, so that it is one day everywhere.
std::chrono::sys_days today_utc() {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

probe::MeasuredSet read_measurements(const Catalog& catalog) {
  const std::string folder = folder_of_measured();
  if (folder.empty()) return {};
  const auto files = disk::read_private_folder(folder, ".json", probe::kMeasuredLimits);
  if (!files) return {.kept = {}, .refused = {folder + " " + files.error().message}};
  return probe::load_measured(*files, catalog, today_utc());
}

void note_refused(const probe::MeasuredSet& set) {
  for (const std::string& refused : set.refused) print_note("measured: " + refused);
}

bool judges_configs(Command command) {
  return command == Command::check || command == Command::facts || command == Command::estimate ||
         command == Command::fit || command == Command::diff || command == Command::confirm;
}

/// `good`: what a check of the figures said.
Result<void> save(const Result<void>& good, const std::string& name, const std::string& text) {
  const std::string folder = folder_of_measured();
  if (folder.empty()) return {};
  if (!good) return fail("not saved: " + good.error().message);
  if (auto made = disk::make_folder(folder); !made) return made;
  auto written = disk::write_atomically(folder, name, text, disk::kOwnerOnly);
  if (written) print_note("saved to " + join_path(folder, name));
  return written;
}

}  // namespace

bool measurements_count() {
  const char* ci = std::getenv("CI");
  return ci == nullptr || std::string_view(ci) != "true";
}

void open_measured(const Arguments& arguments, const FileReader& machine, Session& session) {
  if (!judges_configs(arguments.command)) return;
  if (!measurements_count()) {
    if (arguments.measured) print_note("--measured: ignored under CI=true");
    return;
  }
  const SessionView view = session.now();
  const probe::MeasuredSet set = read_measurements(view.catalog());
  const bool asked = arguments.measured || arguments.local_gpu;
  if (asked) note_refused(set);
  if (!set.kept.empty() || !set.links.empty()) {
    session.set_measured(probe::measured_gpus(set, probe::machine_key(machine, view.catalog())));
  }
  if (arguments.measured && session.now().measured().empty()) {
    print_note("--measured: nothing is kept; gpulint confirm measures this machine");
  }
}

std::string measured_here(const Catalog& catalog) {
  if (!measurements_count()) return "";
  const probe::MeasuredSet set = read_measurements(catalog);
  note_refused(set);
  return probe::measured_text(set);
}

void save_measured(const probe::Confirmation& confirmation, const FileReader& machine,
                   const Catalog& catalog) {
  const auto* device = std::get_if<probe::DeviceReport>(&confirmation.outcome);
  const Gpu* gpu = catalog.gpu(confirmation.gpu_id);
  if (device == nullptr || gpu == nullptr || !measurements_count()) return;
  const auto measured =
      probe::measured_from(*device, probe::pci_device_id(machine, device->pci_bus_id), today_utc());
  if (!measured) return;
  const auto saved =
      save(probe::check_measured(*measured, *gpu, today_utc()), probe::file_name_of(*measured),
           probe::write_measured(*measured, kVersion));
  if (!saved) print_note(saved.error().message);
}

void save_links(const probe::NodeConfirmation& confirmation, const FileReader& machine,
                const Catalog& catalog) {
  const auto* node = std::get_if<probe::NodeReport>(&confirmation.outcome);
  const Gpu* gpu = catalog.gpu(confirmation.gpu_id);
  if (node == nullptr || gpu == nullptr || !measurements_count()) return;
  const auto links = probe::measured_links_from(
      *node, probe::pci_device_id(machine, node->cards.front().device.pci_bus_id), today_utc());
  if (!links) return;
  const auto saved =
      save(probe::check_measured_links(*links, *gpu, today_utc()), probe::file_name_of(*links),
           probe::write_measured_links(*links, kVersion));
  if (!saved) print_note(saved.error().message);
}

}  // namespace gpulint::cli
