#include "host/measure_host.h"

#include "host/byte_pairs.h"
#include "host/disk_read.h"
#include "host/memory_bandwidth.h"

#include <algorithm>
#include <utility>

namespace gpulint::probe {
namespace {

using std::chrono::milliseconds;

/// What a kind of measurement may take where something hangs. Without that all take about eleven
/// seconds together.
constexpr milliseconds kFactsLimit{1500};
constexpr milliseconds kMemoryLimit{6000};
constexpr milliseconds kLockLimit{1500};
constexpr milliseconds kImagesLimit{10'000};
constexpr milliseconds kDiskLimit{6000};
constexpr milliseconds kPythonLimit{5000};
constexpr milliseconds kPairsLimit{3000};

std::vector<HostPart> parts_of(const HostRequest& request, const HostFacts& facts) {
  const int parallel = parallel_workers(facts);
  const ImageWork images{.data_paths = request.data_paths,
                         .side = request.image_side,
                         .workers = worker_counts(parallel, request.loader_workers)};
  const DiskWork disk{
      .paths = request.data_paths, .may_write = request.may_write, .readers = parallel};
  std::vector<HostPart> parts = request.more;
  parts.push_back(
      {"disk", kDiskLimit, [=](const PartWriter& writer) { measure_disk(disk, writer); }});
  parts.push_back(
      {"images", kImagesLimit, [=, why = request.unsafe_libraries](const PartWriter& writer) {
         if (!why.empty()) return writer.missing("images", why);
         measure_images(images, writer);
       }});
  parts.push_back({"memory", kMemoryLimit,
                   [facts](const PartWriter& writer) { measure_memory(facts, writer); }});
  parts.push_back({"page_lock", kLockLimit,
                   [facts](const PartWriter& writer) { measure_page_lock(facts, writer); }});
  parts.push_back({"python", kPythonLimit, [python = request.python](const PartWriter& writer) {
                     measure_python(python.path, python.why, writer);
                   }});
  parts.push_back({"byte_pairs", kPairsLimit, measure_byte_pairs});
  return parts;
}

}  // namespace

HostReport measure_host(const HostRequest& request) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + request.deadline;
  HostReport report;
  run_part({"facts", kFactsLimit,
            [&](const PartWriter& writer) { writer.facts(read_host_facts(request.root)); }},
           report);
  for (HostPart& part : parts_of(request, report.facts.value_or(HostFacts{}))) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left <= milliseconds(0)) {
      report.not_measured.push_back(part.name + ": no time was left");
      continue;
    }
    part.limit = std::min(part.limit, left);
    run_part(part, report);
  }
  return report;
}

}  // namespace gpulint::probe
