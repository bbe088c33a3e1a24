// `--gpu auto`.

#include "probe/local_gpu.h"

#include "base/platform.h"
#include "cli/commands.h"

namespace gpulint::cli {

Result<void> name_local_gpu(Arguments& arguments, const FileReader& disk,
                            const SessionView& session) {
  for (std::string& name : arguments.gpus) {
    if (name != "auto") continue;
    if (!kHasNvidiaDrivers) {
      return fail("--gpu auto asks the Linux kernel; name one of gpulint list gpus");
    }
    const auto gpu = probe::identify_local_gpu(disk, session.catalog());
    if (!gpu) return fail(gpu.error());
    name = (*gpu)->id;
    arguments.local_gpu = name;
  }
  return {};
}

}  // namespace gpulint::cli
