#include "device/timing_session.h"

#include "device/library_search.h"

#include <fmt/format.h>

namespace gpulint::probe {

TimingSession::TimingSession(const CudaApi& cuda, const MachineFacts& machine,
                             const DeviceReport& device, const Assignment& assignment)
    : calls_(cuda, machine),
      bench_(cuda, calls_, device.sm_count),
      library_(open_library(assignment.libraries, device.cuda_version)),
      gemm_(bench_, device, library_.get(), assignment.newest_products) {
  bench_.kernels().leave_out(assignment.broken);
  gemm_.leave_out(assignment.broken);
}

std::unique_ptr<Cublaslt> TimingSession::open_library(const std::vector<std::string>& paths,
                                                      int cuda_version) {
  constexpr int kPerMajor = 1000;  // cuDriverGetVersion: 1000 * major + 10 * minor
  for (const std::string& path : paths) {
    if (library_major(path).value_or(0) > cuda_version / kPerMajor) {
      no_library_ = fmt::format("the driver is too old for {}", path);
      continue;
    }
    const auto api = load_cublaslt(path);
    if (!api) {
      no_library_ = api.error().message;
      continue;
    }
    auto library = Cublaslt::start(*api);
    if (!library) {
      no_library_ = fmt::format("{}: {}", path, library.error().message);
      continue;
    }
    library_name_ = fmt::format("{}, {}", (*library)->name(), path);
    no_library_.clear();
    return std::move(*library);
  }
  return nullptr;
}

std::string TimingSession::why() const {
  const auto& [reason, detail] = calls_.failure();
  // The name of a driver's failure says more than its text; our own findings have only that.
  return reason == Reason::init_failed ? detail : fmt::format("{}: {}", name_of(reason), detail);
}

}  // namespace gpulint::probe
