#pragma once

// Tensors as the framework sees them: sizes, strides and a storage. Views share their storage, and
// whether a reshape needs a copy follows from the strides, exactly as in the framework, so that
// bytes kept for backward are counted once and only where they exist.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpulint::model {

enum class DType : std::uint8_t { fp32, fp16, bf16, int64, boolean, uint8 };

/// Bytes of one element.
std::int64_t size_of(DType dtype);
std::string_view name_of(DType dtype);
bool is_half(DType dtype);
bool is_floating(DType dtype);
/// Result type of an operation over two floating tensors.
DType promote(DType a, DType b);

/// Ranks met in practice reach 6 (window partitions); more is refused.
inline constexpr std::size_t kMaxRank = 8;

/// A short list of dimensions, sizes or strides.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<std::int64_t> values);
  explicit Dims(std::span<const std::int64_t> values);

  std::size_t size() const { return size_; }
  // A place that the list does not have is never outside it: operators are applied to whatever
  // tensors a project's code makes, a scalar among them.
  std::int64_t operator[](std::size_t i) const { return values_[i % kMaxRank]; }
  std::int64_t& operator[](std::size_t i) { return values_[i % kMaxRank]; }
  const std::int64_t* begin() const { return values_.data(); }
  const std::int64_t* end() const { return values_.data() + size_; }
  std::int64_t back() const { return (*this)[size_ - 1U]; }
  /// False when the list is full.
  bool push_back(std::int64_t value);
  /// Nothing happens where the list is full, or has no such place.
  void insert(std::size_t at, std::int64_t value);
  void erase(std::size_t at);
  friend bool operator==(const Dims& a, const Dims& b);

 private:
  std::array<std::int64_t, kMaxRank> values_{};
  std::uint8_t size_ = 0;
};

/// Product of the sizes; saturates.
std::int64_t element_count(const Dims& sizes);
Dims contiguous_strides(const Dims& sizes);
/// "[8, 64, 112, 112]".
std::string to_string(const Dims& sizes);

using StorageId = std::uint32_t;
inline constexpr StorageId kNoStorage = 0xffffffffU;

struct Tensor {
  Dims sizes;
  Dims strides;
  StorageId storage = kNoStorage;
  DType dtype = DType::fp32;
  bool requires_grad = false;
  bool leaf_parameter = false;  // eligible for the autocast weight cache

  bool known() const { return storage != kNoStorage; }
  std::size_t rank() const { return sizes.size(); }
  /// Size of a dimension counted from the end when negative; 1 outside the rank.
  std::int64_t size(std::int64_t dimension) const;
  std::int64_t elements() const { return element_count(sizes); }
  std::int64_t bytes() const;
};

bool is_contiguous(const Tensor& tensor);
/// Strides of an elementwise result: the order of dimensions in memory survives, gaps do not.
Dims preserved_strides(const Tensor& like);

/// Strides that let `tensor` be seen with `sizes` without a copy, or nullopt.
std::optional<Dims> view_strides(const Tensor& tensor, const Dims& sizes);

/// `sizes` with its one -1 filled in from `elements`; nullopt when they do not match.
std::optional<Dims> infer_sizes(const Dims& sizes, std::int64_t elements);

/// Sizes of two operands broadcast against each other; nullopt when they do not fit.
std::optional<Dims> broadcast(const Dims& a, const Dims& b);

/// Views: no new storage.
Tensor permuted(const Tensor& tensor, const Dims& order);
Tensor transposed(const Tensor& tensor, std::int64_t a, std::int64_t b);
Tensor narrowed(const Tensor& tensor, std::int64_t dimension, std::int64_t size);
Tensor unsqueezed(const Tensor& tensor, std::int64_t dimension);
Tensor expanded(const Tensor& tensor, const Dims& sizes);

}  // namespace gpulint::model
