// A cuBLASLt for the tests: it keeps what it is told of layouts, computes small products by columns
// as the real one is defined, and moves the fake driver's clock.

#pragma GCC optimize("O3", "fast-math")

#include "probe/fake_cublaslt.h"

#include "device/cublaslt_api.h"
#include "device/reference.h"

#include <cstring>
#include <dlfcn.h>
#include <span>
#include <vector>

using namespace gpulint::probe;

FakeCublaslt fake_cublaslt;

namespace {

constexpr CublasStatus kInvalidValue = 7;
constexpr double kLargestProduct = 2e8;  // larger ones are not computed

struct Object {
  int type = 0;  // of a layout; of a description the compute type
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t leading = 0;
  std::int64_t batch = 1;
  std::int64_t stride = 0;
  bool transposed = false;
  bool fast = false;
};

int enter(const char* call) {
  ++fake_cublaslt.calls;
  return std::strcmp(call, fake_cublaslt.failing_call) == 0 ? fake_cublaslt.failing_status : 0;
}

CublasStatus make(CublasObject* object, const Object& value) {
  *object = new Object(value);
  ++fake_cublaslt.live_objects;
  return 0;
}
CublasStatus drop(CublasObject object) {
  delete static_cast<Object*>(object);
  --fake_cublaslt.live_objects;
  return 0;
}
Object& at(CublasObject object) { return *static_cast<Object*>(object); }

NumberFormat format_of(int type) {
  switch (type) {
    case kCublasFloat16:
      return NumberFormat::fp16;
    case kCublasBfloat16:
      return NumberFormat::bf16;
    case kCublasFloat8E4m3:
      return NumberFormat::fp8;
    default:
      return NumberFormat::fp32;
  }
}

std::vector<float> floats(const void* data, std::int64_t first, std::int64_t count, int type) {
  const NumberFormat format = format_of(type);
  const std::size_t width = bytes_of_value(format);
  const auto* bytes = static_cast<const std::byte*>(data) + static_cast<std::size_t>(first) * width;
  const auto values = decoded(std::span(bytes, static_cast<std::size_t>(count) * width), format);
  return {values.begin(), values.end()};
}

/// Rounds to the nearest, which is all that tests of magnitudes near 1 need.
void store(void* data, std::int64_t at, float value, int type) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if (type == kCublasFloat32) {
    static_cast<float*>(data)[at] = value;
  } else if (type == kCublasBfloat16) {
    static_cast<std::uint16_t*>(data)[at] = static_cast<std::uint16_t>((bits + 0x8000) >> 16);
  } else {
    const std::uint32_t sign = bits >> 16 & 0x8000;
    const std::uint32_t rounded = (bits & 0x7fffffff) + 0x1000;
    const std::uint32_t shifted = rounded >> 13;
    constexpr std::uint32_t kBias = (127 - 15) << 10;
    static_cast<std::uint16_t*>(data)[at] =
        static_cast<std::uint16_t>(sign | (shifted > kBias ? shifted - kBias : 0));
  }
}

void multiply(const Object& a, const void* a_data, const Object& b, const void* b_data,
              const Object& d, void* d_data) {
  const std::int64_t k = a.rows;  // a is transposed
  for (std::int64_t batch = 0; batch < d.batch; ++batch) {
    const auto left = floats(a_data, batch * a.stride, a.rows * a.columns, a.type);
    const auto right = floats(b_data, batch * b.stride, b.rows * b.columns, b.type);
    for (std::int64_t column = 0; column < d.columns; ++column) {
      for (std::int64_t row = 0; row < d.rows; ++row) {
        const float* x = left.data() + row * k;
        const float* y = right.data() + column * k;
        float sum = 0;
        for (std::int64_t i = 0; i < k; ++i) sum += x[i] * y[i];
        if (fake_cublaslt.wrong_products && row == 1 && column == 2) sum += 1;
        store(d_data, batch * d.stride + column * d.leading + row, sum, d.type);
      }
    }
  }
}

/// Work on the fake device, found as the real library finds the driver: by its soname.
void advance(void* stream, double seconds) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return;
  using Work = void (*)(void*, double);
  if (const auto work = reinterpret_cast<Work>(dlsym(driver, "fake_work"))) work(stream, seconds);
  dlclose(driver);
}

double rate_of(int type, int compute, bool fast) {
  if (type == kCublasFloat8E4m3) return fast ? fake_cublaslt.fast_fp8_rate : fake_cublaslt.fp8_rate;
  if (type != kCublasFloat32) return fake_cublaslt.half_rate;
  return compute == kCublasCompute32FFastTf32 ? fake_cublaslt.tf32_rate : fake_cublaslt.fp32_rate;
}

}  // namespace

extern "C" {
#pragma GCC diagnostic ignored "-Wmissing-declarations"

std::size_t cublasLtGetVersion() { return 130100; }
CublasStatus cublasLtCreate(CublasHandle* handle) {
  const int status = enter("cublasLtCreate");
  if (status != 0) return status;
  *handle = &fake_cublaslt;
  ++fake_cublaslt.live_objects;
  return 0;
}
CublasStatus cublasLtDestroy(CublasHandle) {
  --fake_cublaslt.live_objects;
  return 0;
}
CublasStatus cublasLtMatmulDescCreate(CublasObject* desc, int compute_type, int scale_type) {
  const int status = enter("cublasLtMatmulDescCreate");
  if (status != 0) return status;
  return scale_type == kCublasFloat32 ? make(desc, {.type = compute_type}) : kInvalidValue;
}
CublasStatus cublasLtMatmulDescDestroy(CublasObject desc) { return drop(desc); }
CublasStatus cublasLtMatmulDescSetAttribute(CublasObject desc, int attribute, const void* value,
                                            std::size_t bytes) {
  const int status = enter("cublasLtMatmulDescSetAttribute");
  if (status != 0) return status;
  if (attribute == kCublasDescFastAccumulation && bytes == 1) {
    at(desc).fast = *static_cast<const std::int8_t*>(value) != 0;
    return fake_cublaslt.has_fast_fp8 ? 0 : kInvalidValue;
  }
  std::int32_t operation = 0;
  if (attribute != kCublasDescTransposeA || bytes != sizeof operation) return kInvalidValue;
  std::memcpy(&operation, value, bytes);
  at(desc).transposed = operation == kCublasTranspose;
  return 0;
}
CublasStatus cublasLtMatrixLayoutCreate(CublasObject* layout, int type, std::uint64_t rows,
                                        std::uint64_t columns, std::int64_t leading) {
  const int status = enter("cublasLtMatrixLayoutCreate");
  if (status != 0) return status;
  return make(layout, {.type = type,
                       .rows = static_cast<std::int64_t>(rows),
                       .columns = static_cast<std::int64_t>(columns),
                       .leading = leading});
}
CublasStatus cublasLtMatrixLayoutDestroy(CublasObject layout) { return drop(layout); }
CublasStatus cublasLtMatrixLayoutSetAttribute(CublasObject layout, int attribute, const void* value,
                                              std::size_t bytes) {
  const int status = enter("cublasLtMatrixLayoutSetAttribute");
  if (status != 0) return status;
  if (attribute == kCublasLayoutBatchCount && bytes == 4) {
    std::int32_t count = 0;
    std::memcpy(&count, value, bytes);
    at(layout).batch = count;
    return 0;
  }
  if (attribute != kCublasLayoutStridedBatchOffset || bytes != 8) return kInvalidValue;
  std::memcpy(&at(layout).stride, value, bytes);
  return 0;
}
CublasStatus cublasLtMatmulPreferenceCreate(CublasObject* preference) {
  const int status = enter("cublasLtMatmulPreferenceCreate");
  return status != 0 ? status : make(preference, {});
}
CublasStatus cublasLtMatmulPreferenceDestroy(CublasObject preference) { return drop(preference); }
CublasStatus cublasLtMatmulPreferenceSetAttribute(CublasObject, int attribute, const void*,
                                                  std::size_t bytes) {
  const int status = enter("cublasLtMatmulPreferenceSetAttribute");
  if (status != 0) return status;
  return attribute == kCublasPreferenceWorkspace && bytes == 8 ? 0 : kInvalidValue;
}
CublasStatus cublasLtMatmulAlgoGetHeuristic(CublasHandle, CublasObject desc, CublasObject a,
                                            CublasObject b, CublasObject c, CublasObject d,
                                            CublasObject, int wanted, CublasHeuristic* results,
                                            int* found) {
  const int status = enter("cublasLtMatmulAlgoGetHeuristic");
  if (status != 0) return status;
  const bool fits = at(desc).transposed && c == d && at(a).rows == at(b).rows &&
                    at(d).rows == at(a).columns && at(d).columns == at(b).columns &&
                    at(a).type == at(b).type && wanted == 1;
  if (!fits) return kInvalidValue;
  *found = fake_cublaslt.has_algorithm ? 1 : 0;
  results[0] = {};
  return 0;
}
CublasStatus cublasLtMatmul(CublasHandle, CublasObject desc, const void*, const void* a,
                            CublasObject a_layout, const void* b, CublasObject b_layout,
                            const void*, const void*, CublasObject, void* d, CublasObject d_layout,
                            const CublasAlgorithm*, void*, std::size_t, void* stream) {
  const int status = enter("cublasLtMatmul");
  if (status != 0) return status;
  if (stream == nullptr) return kInvalidValue;
  const Object& left = at(a_layout);
  const Object& out = at(d_layout);
  const double terms = static_cast<double>(out.batch) * static_cast<double>(out.rows) *
                       static_cast<double>(out.columns) * static_cast<double>(left.rows);
  if (terms <= kLargestProduct) multiply(left, a, at(b_layout), b, out, d);
  advance(stream, 2 * terms / rate_of(left.type, at(desc).type, at(desc).fast));
  return 0;
}
}
