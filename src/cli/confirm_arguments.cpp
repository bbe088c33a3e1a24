#include "cli/confirm_arguments.h"

#include "base/units.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <string>

namespace gpulint::cli {
namespace {

Result<void> read_links(Arguments& arguments, const RawOptions& raw) {
  arguments.links = raw.links;
  arguments.nccl = raw.nccl;
  arguments.meet = raw.meet;
  if (!raw.links) {
    if (raw.nccl.empty() && raw.meet.empty()) return {};
    return fail(fmt::format("{}: add --links; without it one card is measured",
                            raw.meet.empty() ? "--nccl" : "--meet"));
  }
  if (raw.host_probe) return fail("--links: measures cards; leave out --host");
  if (!(raw.report_folder.empty() && raw.merge_folder.empty())) {
    return fail("--links: leave out --report and --merge, which are about one card a process");
  }
  const bool other = raw.find_batch || raw.no_timing || raw.trials_only || raw.sustain > 0 ||
                     !raw.footprint.empty();
  if (other) {
    return fail(
        "--links: leave out --find-batch, --footprint, --no-timing, --sustain and --trials-only");
  }
  if (raw.no_library && !raw.nccl.empty()) return fail("--no-library: leave out --nccl");
  return {};
}

/// What asks for a trial or a size has no rates to sustain, and no config beside it.
Result<void> read_footprint_size(Arguments& arguments, const RawOptions& raw) {
  const bool untimed = raw.trials_only || !arguments.timing;
  if (untimed && raw.sustain > 0) {
    return fail(
        "--sustain: runs what was timed; leave out --find-batch, --footprint, --no-timing and "
        "--trials-only");
  }
  if (raw.footprint.empty()) return {};
  if (!arguments.paths.empty() || !raw.runs.empty()) {
    return fail("--footprint: stands in place of a config's; leave out the config");
  }
  const auto size = parse_bytes(raw.footprint);
  constexpr double kMost = 1e15;
  if (!size || !size->had_unit || !(size->bytes >= 1) || size->bytes > kMost) {
    return fail(fmt::format("--footprint: \"{}\" is not a size, as in 100GiB", raw.footprint));
  }
  arguments.footprint = Bytes::rounded(size->bytes);
  return {};
}

}  // namespace

Result<void> read_confirm(Arguments& arguments, const RawOptions& raw) {
  const std::string& word = raw.single;
  if (!word.empty()) arguments.paths = {word};
  if (word.empty() && raw.runs.empty() && !raw.sets.empty()) {
    return fail("--set: name the config it is for, as in gpulint confirm train.yaml");
  }
  if (!raw.merge_folder.empty() && (!word.empty() || !raw.runs.empty())) {
    return fail("--merge: measures nothing; leave out the config");
  }
  if (!raw.report_folder.empty() && !raw.merge_folder.empty()) {
    return fail("--merge: reads what --report wrote; leave out one of them");
  }
  arguments.report_folder = raw.report_folder;
  arguments.merge_folder = raw.merge_folder;
  // What asks for less than all of it says nothing for the next months.
  arguments.save = !raw.no_save && !raw.no_timing && !raw.find_batch && !raw.trials_only &&
                   !raw.no_wgmma && raw.footprint.empty();
  if (raw.no_library && !(raw.cublaslt.empty() && raw.python.empty())) {
    return fail("--no-library: leave out --cublaslt and --python");
  }
  arguments.use_library = !raw.no_library;
  arguments.cublaslt = raw.cublaslt;
  arguments.python = raw.python;
  arguments.host_probe = raw.host_probe;
  arguments.data_path = raw.data_path;
  if (!raw.host_probe && !(raw.data_path.empty() && raw.gpus.empty())) {
    return fail(fmt::format("{}: add --host; without it this machine's GPU is measured",
                            raw.gpus.empty() ? "--data-path" : "--gpu"));
  }
  if (raw.host_probe && !(raw.report_folder.empty() && raw.merge_folder.empty())) {
    return fail("--host: leave out --report and --merge, which compare GPUs");
  }
  arguments.share = raw.share;
  constexpr double kDeadline = 10;
  constexpr double kSearchDeadline = 60;
  arguments.find_batch = raw.find_batch;
  arguments.deadline = raw.deadline > 0              ? raw.deadline
                       : raw.find_batch || raw.links ? kSearchDeadline
                                                     : kDeadline;
  if (raw.find_batch && arguments.paths.empty() && raw.runs.empty()) {
    return fail("--find-batch: name the config it is for, as in gpulint confirm train.yaml");
  }
  arguments.sustain = raw.sustain;
  arguments.trials_only = raw.trials_only;
  arguments.timing = !raw.no_timing && !raw.find_batch && raw.footprint.empty();
  arguments.newest_products = !raw.no_wgmma;
  if (auto links = read_links(arguments, raw); !links) return links;
  return read_footprint_size(arguments, raw);
}

}  // namespace gpulint::cli
