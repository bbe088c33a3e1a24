#include "device/touch.h"

namespace gpulint::probe {
namespace {

/// What the driver hands device memory out by; smaller pages are only used for small allocations.
constexpr std::size_t kPage = std::size_t{2} << 20;
constexpr unsigned int kPattern = 0x5a5a5a5a;

}  // namespace

bool touch(const CudaApi& cuda, Calls& calls, CudaAddress address, std::size_t bytes) {
  for (std::size_t offset = 0; offset + sizeof kPattern <= bytes; offset += kPage) {
    if (!calls.ok(cuda.fill_words(address + offset, kPattern, 1, nullptr), "cuMemsetD32Async")) {
      return false;
    }
  }
  return true;
}

}  // namespace gpulint::probe
