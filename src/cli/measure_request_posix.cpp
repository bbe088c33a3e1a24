#include "base/platform.h"
#include "base/text.h"
#include "cli/measure_request.h"
#include "device/footprint_room.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <unistd.h>

namespace gpulint::cli {
namespace {

/// Longer than any system allows; a name that is cut serves as well.
constexpr std::size_t kLongestHostName = 255;

}  // namespace

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
  request.library.nccl = arguments.nccl;
  request.library.library_path = request.ld_library_path;
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

probe::RankFacts place_in_job() {
  std::array<char, kLongestHostName + 1> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) name.front() = '\0';
  return probe::rank_facts([](const char* variable) { return std::getenv(variable); }, name.data());
}

}  // namespace gpulint::cli
