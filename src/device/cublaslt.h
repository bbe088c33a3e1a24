#pragma once

#include "base/result.h"
#include "device/cublaslt_api.h"
#include "device/driver_api.h"
#include "device/gemm.h"

#include <cstddef>
#include <memory>
#include <string>

namespace gpulint::probe {

/// The functions of a library at an absolute path. Its constructors run: `find_cublaslt` says which
/// paths are safe.
Result<CublasltApi> load_cublaslt(const std::string& path);

/// What a product is kept as: the format of the factors; bf16 for fp8, as frameworks ask for it.
NumberFormat library_result(NumberFormat format);
/// The shape that is computed: fp8 products are made of multiples of 16 each way.
GemmShape library_shape(GemmShape shape, NumberFormat format);

/// A product that cuBLASLt chose an algorithm for.
class LibraryProduct {
 public:
  LibraryProduct(const CublasltApi& api, CublasHandle handle, Fp8Sums sums)
      : api_(api), handle_(handle), sums_(sums) {}
  LibraryProduct(const LibraryProduct&) = delete;
  LibraryProduct& operator=(const LibraryProduct&) = delete;
  ~LibraryProduct();
  /// Once, before `launch`.
  Result<void> prepare(const GemmShape& shape, NumberFormat format, std::size_t workspace_bytes);
  Result<void> launch(CudaStream stream, CudaAddress c, CudaAddress a, CudaAddress b,
                      CudaAddress workspace) const;

 private:
  Result<void> describe(const GemmShape& shape, NumberFormat format);
  Result<void> add_layout(CublasObject& layout, int type, std::int64_t rows, std::int64_t columns,
                          std::int64_t batch);

  const CublasltApi& api_;
  CublasHandle handle_;
  Fp8Sums sums_;
  CublasObject desc_ = nullptr;
  CublasObject left_ = nullptr;  // our b: cuBLAS counts by columns
  CublasObject right_ = nullptr;
  CublasObject result_ = nullptr;
  CublasObject preference_ = nullptr;
  CublasHeuristic chosen_;
};

/// cuBLASLt, set up in the current context.
class Cublaslt {
 public:
  static Result<std::unique_ptr<Cublaslt>> start(const CublasltApi& api);
  Cublaslt(const Cublaslt&) = delete;
  Cublaslt& operator=(const Cublaslt&) = delete;
  ~Cublaslt() { api_.destroy(handle_); }
  /// "cuBLASLt 13.1.0"
  std::string name() const;
  /// May not outlive this.
  std::unique_ptr<LibraryProduct> product(Fp8Sums sums = Fp8Sums::exact) const;

 private:
  Cublaslt(const CublasltApi& api, CublasHandle handle) : api_(api), handle_(handle) {}
  CublasltApi api_;
  CublasHandle handle_;
};

}  // namespace gpulint::probe
