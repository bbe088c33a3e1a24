// Products by cuBLASLt, whose matrices count by columns: read so, our row-major a, b and c are
// their transposes, and c = a b^T becomes c' = b'^T a'. That is the one form all precisions have,
// fp8 included.

#include "device/cublaslt.h"

#include "host/library.h"

#include <fmt/format.h>

namespace gpulint::probe {
namespace {

int type_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32:
    case NumberFormat::tf32:
      return kCublasFloat32;
    case NumberFormat::fp16:
      return kCublasFloat16;
    case NumberFormat::bf16:
      return kCublasBfloat16;
    case NumberFormat::fp8:
      return kCublasFloat8E4m3;
  }
  return kCublasFloat32;
}

Result<void> done(CublasStatus status, const char* call) {
  if (status == kCublasSuccess) return {};
  return fail(fmt::format("{} returned {}", call, status));
}

void* pointer(CudaAddress address) { return reinterpret_cast<void*>(address); }

}  // namespace

Result<CublasltApi> load_cublaslt(const std::string& path) {
  const Result<Library> library = Library::open(path);
  if (!library) return fail(library.error());
  SymbolTable table(*library);
  CublasltApi api;
  table.need(api.version, "cublasLtGetVersion");
  table.need(api.create, "cublasLtCreate");
  table.need(api.destroy, "cublasLtDestroy");
  table.need(api.desc_create, "cublasLtMatmulDescCreate");
  table.need(api.desc_destroy, "cublasLtMatmulDescDestroy");
  table.need(api.desc_set, "cublasLtMatmulDescSetAttribute");
  table.need(api.layout_create, "cublasLtMatrixLayoutCreate");
  table.need(api.layout_destroy, "cublasLtMatrixLayoutDestroy");
  table.need(api.layout_set, "cublasLtMatrixLayoutSetAttribute");
  table.need(api.preference_create, "cublasLtMatmulPreferenceCreate");
  table.need(api.preference_destroy, "cublasLtMatmulPreferenceDestroy");
  table.need(api.preference_set, "cublasLtMatmulPreferenceSetAttribute");
  table.need(api.heuristic, "cublasLtMatmulAlgoGetHeuristic");
  table.need(api.matmul, "cublasLtMatmul");
  if (!table.missing().empty()) return fail(fmt::format("{} lacks {}", path, table.missing()));
  return api;
}

NumberFormat library_result(NumberFormat format) {
  if (format == NumberFormat::fp8) return NumberFormat::bf16;
  return format == NumberFormat::tf32 ? NumberFormat::fp32 : format;
}

GemmShape library_shape(GemmShape shape, NumberFormat format) {
  constexpr std::int64_t kMultiple = 16;  // cuBLAS documentation, FP8 data types
  if (format != NumberFormat::fp8) return shape;
  for (std::int64_t* size : {&shape.m, &shape.n, &shape.k}) {
    *size = (*size + kMultiple - 1) / kMultiple * kMultiple;
  }
  return shape;
}

LibraryProduct::~LibraryProduct() {
  if (preference_ != nullptr) api_.preference_destroy(preference_);
  for (CublasObject layout : {left_, right_, result_}) {
    if (layout != nullptr) api_.layout_destroy(layout);
  }
  if (desc_ != nullptr) api_.desc_destroy(desc_);
}

Result<void> LibraryProduct::add_layout(CublasObject& layout, int type, std::int64_t rows,
                                        std::int64_t columns, std::int64_t batch) {
  if (auto made = done(api_.layout_create(&layout, type, static_cast<std::uint64_t>(rows),
                                          static_cast<std::uint64_t>(columns), rows),
                       "cublasLtMatrixLayoutCreate");
      !made) {
    layout = nullptr;
    return made;
  }
  if (batch == 1) return {};
  const auto count = static_cast<std::int32_t>(batch);
  const std::int64_t stride = rows * columns;
  if (auto set = done(api_.layout_set(layout, kCublasLayoutBatchCount, &count, sizeof count),
                      "cublasLtMatrixLayoutSetAttribute");
      !set) {
    return set;
  }
  return done(api_.layout_set(layout, kCublasLayoutStridedBatchOffset, &stride, sizeof stride),
              "cublasLtMatrixLayoutSetAttribute");
}

Result<void> LibraryProduct::describe(const GemmShape& shape, NumberFormat format) {
  const int compute = format == NumberFormat::tf32 ? kCublasCompute32FFastTf32 : kCublasCompute32F;
  if (auto made =
          done(api_.desc_create(&desc_, compute, kCublasFloat32), "cublasLtMatmulDescCreate");
      !made) {
    desc_ = nullptr;
    return made;
  }
  if (auto set = done(
          api_.desc_set(desc_, kCublasDescTransposeA, &kCublasTranspose, sizeof kCublasTranspose),
          "cublasLtMatmulDescSetAttribute");
      !set) {
    return set;
  }
  constexpr std::int8_t kFast = 1;
  if (sums_ == Fp8Sums::fast) {
    if (auto set = done(api_.desc_set(desc_, kCublasDescFastAccumulation, &kFast, sizeof kFast),
                        "cublasLtMatmulDescSetAttribute");
        !set) {
      return set;
    }
  }
  const int type = type_of(format);
  if (auto made = add_layout(left_, type, shape.k, shape.n, shape.batch); !made) return made;
  if (auto made = add_layout(right_, type, shape.k, shape.m, shape.batch); !made) return made;
  return add_layout(result_, type_of(library_result(format)), shape.n, shape.m, shape.batch);
}

Result<void> LibraryProduct::prepare(const GemmShape& shape, NumberFormat format,
                                     std::size_t workspace_bytes) {
  if (auto described = describe(shape, format); !described) return described;
  if (auto made = done(api_.preference_create(&preference_), "cublasLtMatmulPreferenceCreate");
      !made) {
    preference_ = nullptr;
    return made;
  }
  const std::uint64_t workspace = workspace_bytes;
  if (auto set = done(api_.preference_set(preference_, kCublasPreferenceWorkspace, &workspace,
                                          sizeof workspace),
                      "cublasLtMatmulPreferenceSetAttribute");
      !set) {
    return set;
  }
  int found = 0;
  if (auto asked = done(api_.heuristic(handle_, desc_, left_, right_, result_, result_, preference_,
                                       1, &chosen_, &found),
                        "cublasLtMatmulAlgoGetHeuristic");
      !asked) {
    return asked;
  }
  if (found < 1 || chosen_.state != kCublasSuccess || chosen_.workspace > workspace_bytes) {
    return fail("cuBLASLt has no algorithm for this product");
  }
  return {};
}

Result<void> LibraryProduct::launch(CudaStream stream, CudaAddress c, CudaAddress a, CudaAddress b,
                                    CudaAddress workspace) const {
  constexpr float kOne = 1;
  constexpr float kNothing = 0;
  return done(api_.matmul(handle_, desc_, &kOne, pointer(b), left_, pointer(a), right_, &kNothing,
                          pointer(c), result_, pointer(c), result_, &chosen_.algorithm,
                          pointer(workspace), chosen_.workspace, stream),
              "cublasLtMatmul");
}

Result<std::unique_ptr<Cublaslt>> Cublaslt::start(const CublasltApi& api) {
  CublasHandle handle = nullptr;
  if (auto made = done(api.create(&handle), "cublasLtCreate"); !made) return fail(made.error());
  return std::unique_ptr<Cublaslt>(new Cublaslt(api, handle));
}

std::string Cublaslt::name() const {
  const std::size_t version = api_.version();
  return fmt::format("cuBLASLt {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::unique_ptr<LibraryProduct> Cublaslt::product(Fp8Sums sums) const {
  return std::make_unique<LibraryProduct>(api_, handle_, sums);
}

}  // namespace gpulint::probe
