#include "model/tensor.h"

#include "base/units.h"

#include <algorithm>
#include <cassert>

namespace gpulint::model {

namespace {

std::size_t wrap(std::int64_t dimension, std::size_t rank) {
  const std::int64_t wrapped =
      dimension < 0 ? dimension + static_cast<std::int64_t>(rank) : dimension;
  assert(wrapped >= 0 && wrapped < static_cast<std::int64_t>(rank));
  return static_cast<std::size_t>(wrapped);
}

}  // namespace

std::int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::fp32:
      return 4;
    case DType::fp16:
    case DType::bf16:
      return 2;
    case DType::int64:
      return 8;
    case DType::boolean:
    case DType::uint8:
      return 1;
  }
  return 0;
}

std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::fp32:
      return "fp32";
    case DType::fp16:
      return "fp16";
    case DType::bf16:
      return "bf16";
    case DType::int64:
      return "int64";
    case DType::boolean:
      return "bool";
    case DType::uint8:
      return "uint8";
  }
  return "";
}

bool is_half(DType dtype) { return dtype == DType::fp16 || dtype == DType::bf16; }
bool is_floating(DType dtype) { return dtype == DType::fp32 || is_half(dtype); }

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_half(a) && !is_floating(b)) return a;
  if (is_half(b) && !is_floating(a)) return b;
  return DType::fp32;
}

Dims::Dims(std::initializer_list<std::int64_t> values)
    : Dims(std::span<const std::int64_t>(values.begin(), values.size())) {}

Dims::Dims(std::span<const std::int64_t> values) {
  const std::size_t count = std::min(values.size(), kMaxRank);
  size_ = static_cast<std::uint8_t>(count);
  std::copy_n(values.begin(), count, values_.begin());
}

bool Dims::push_back(std::int64_t value) {
  if (size_ == kMaxRank) return false;
  values_[size_++] = value;
  return true;
}

void Dims::insert(std::size_t at, std::int64_t value) {
  if (size_ == kMaxRank || at > size_) return;
  for (std::size_t i = size_; i > at; --i) values_[i] = values_[i - 1];
  values_[at] = value;
  ++size_;
}

void Dims::erase(std::size_t at) {
  if (at >= size_) return;
  for (std::size_t i = at; i + 1 < size_; ++i) values_[i] = values_[i + 1];
  values_[--size_] = 0;
}

bool operator==(const Dims& a, const Dims& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::int64_t element_count(const Dims& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count = saturating_multiply(count, size);
  return count;
}

Dims contiguous_strides(const Dims& sizes) {
  Dims strides = sizes;
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride = saturating_multiply(stride, std::max<std::int64_t>(sizes[i], 1));
  }
  return strides;
}

std::string to_string(const Dims& sizes) {
  std::string text = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(sizes[i]);
  }
  return text + "]";
}

std::int64_t Tensor::size(std::int64_t dimension) const {
  const std::int64_t count = static_cast<std::int64_t>(rank());
  const std::int64_t wrapped = dimension < 0 ? dimension + count : dimension;
  if (wrapped < 0 || wrapped >= count) return 1;
  return sizes[static_cast<std::size_t>(wrapped)];
}

std::int64_t Tensor::bytes() const { return saturating_multiply(elements(), size_of(dtype)); }

bool is_contiguous(const Tensor& tensor) {
  std::int64_t expected = 1;
  for (std::size_t i = tensor.rank(); i-- > 0;) {
    if (tensor.sizes[i] == 1) continue;
    if (tensor.strides[i] != expected) return false;
    expected = saturating_multiply(expected, tensor.sizes[i]);
  }
  return true;
}

Dims preserved_strides(const Tensor& like) {
  Dims strides = contiguous_strides(like.sizes);
  if (is_contiguous(like)) return strides;
  const std::size_t rank = like.rank();
  std::array<std::size_t, kMaxRank> order{};
  for (std::size_t i = 0; i < rank; ++i) {
    order[i] = i;
    if (like.strides[i] == 0 && like.sizes[i] > 1) return strides;  // expanded: packed afresh
  }
  std::stable_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(rank),
                   [&](std::size_t a, std::size_t b) { return like.strides[a] > like.strides[b]; });
  std::int64_t stride = 1;
  for (std::size_t i = rank; i-- > 0;) {
    strides[order[i]] = stride;
    stride = saturating_multiply(stride, std::max<std::int64_t>(like.sizes[order[i]], 1));
  }
  return strides;
}

// The framework's rule: walk both shapes from the back; a run of old dimensions that lie one
// behind the other in memory ("chunk") may be cut into new dimensions freely, and no new dimension
// may span two chunks.
std::optional<Dims> view_strides(const Tensor& tensor, const Dims& sizes) {
  const std::size_t rank = tensor.rank();
  if (rank == 0 || tensor.elements() == 0) return contiguous_strides(sizes);
  Dims strides = sizes;
  std::size_t view = sizes.size();
  std::int64_t chunk_stride = tensor.strides[rank - 1];
  std::int64_t chunk_elements = 1;
  std::int64_t view_elements = 1;
  for (std::size_t d = rank; d-- > 0;) {
    chunk_elements = saturating_multiply(chunk_elements, tensor.sizes[d]);
    const bool chunk_ends =
        d == 0 || (tensor.sizes[d - 1] != 1 &&
                   tensor.strides[d - 1] != saturating_multiply(chunk_elements, chunk_stride));
    if (!chunk_ends) continue;
    while (view > 0 && (view_elements < chunk_elements || sizes[view - 1] == 1)) {
      --view;
      strides[view] = saturating_multiply(view_elements, chunk_stride);
      view_elements = saturating_multiply(view_elements, sizes[view]);
    }
    if (view_elements != chunk_elements) return std::nullopt;
    if (d > 0) {
      chunk_stride = tensor.strides[d - 1];
      chunk_elements = 1;
      view_elements = 1;
    }
  }
  if (view != 0) return std::nullopt;
  return strides;
}

std::optional<Dims> infer_sizes(const Dims& sizes, std::int64_t elements) {
  Dims result = sizes;
  std::int64_t known = 1;
  std::size_t open = kMaxRank;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (open != kMaxRank) return std::nullopt;
      open = i;
    } else {
      known = saturating_multiply(known, sizes[i]);
    }
  }
  if (open == kMaxRank) return known == elements ? std::optional(result) : std::nullopt;
  if (known <= 0 || elements % known != 0) return std::nullopt;
  result[open] = elements / known;
  return result;
}

std::optional<Dims> broadcast(const Dims& a, const Dims& b) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  const std::size_t offset = longer.size() - shorter.size();
  Dims result = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const std::int64_t left = longer[offset + i];
    const std::int64_t right = shorter[i];
    if (left != right && left != 1 && right != 1) return std::nullopt;
    result[offset + i] = left == 1 ? right : left;
  }
  return result;
}

Tensor permuted(const Tensor& tensor, const Dims& order) {
  assert(order.size() == tensor.rank());
  Tensor result = tensor;
  result.leaf_parameter = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t from = wrap(order[i], tensor.rank());
    result.sizes[i] = tensor.sizes[from];
    result.strides[i] = tensor.strides[from];
  }
  return result;
}

Tensor transposed(const Tensor& tensor, std::int64_t a, std::int64_t b) {
  Tensor result = tensor;
  const std::size_t left = wrap(a, tensor.rank());
  const std::size_t right = wrap(b, tensor.rank());
  std::swap(result.sizes[left], result.sizes[right]);
  std::swap(result.strides[left], result.strides[right]);
  result.leaf_parameter = false;
  return result;
}

Tensor narrowed(const Tensor& tensor, std::int64_t dimension, std::int64_t size) {
  Tensor result = tensor;
  result.sizes[wrap(dimension, tensor.rank())] = size;
  result.leaf_parameter = false;
  return result;
}

Tensor unsqueezed(const Tensor& tensor, std::int64_t dimension) {
  Tensor result = tensor;
  const std::size_t at = wrap(dimension, tensor.rank() + 1);
  const std::int64_t stride =
      at < tensor.rank() ? saturating_multiply(tensor.sizes[at], tensor.strides[at]) : 1;
  result.sizes.insert(at, 1);
  result.strides.insert(at, stride);
  result.leaf_parameter = false;
  return result;
}

Tensor expanded(const Tensor& tensor, const Dims& sizes) {
  Tensor result = tensor;
  const std::size_t offset = sizes.size() - tensor.rank();
  result.sizes = sizes;
  result.strides = sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool repeated = i < offset || tensor.sizes[i - offset] != sizes[i];
    result.strides[i] = repeated ? 0 : tensor.strides[i - offset];
  }
  result.leaf_parameter = false;
  return result;
}

}  // namespace gpulint::model
