#pragma once

// Sizes of tensors that are made while a network is built and that nothing follows: of parameters,
// masks and positions. What is not certain is unknown.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace gpulint::python {

using Sizes = std::vector<std::int64_t>;

/// What an operation is given beside its tensor; nullopt: not given, or nobody knows.
struct SizeArguments {
  std::function<std::optional<std::int64_t>(std::string_view name)> number;
  std::function<std::optional<Sizes>(std::string_view name)> list;  // numbers, or sizes of a tensor
  std::function<bool(std::string_view name)> is_none;
  std::function<std::optional<bool>(std::string_view name)> truth;
};

/// Whether an operation moves all elements of a tensor and adds none, whatever its sizes.
bool keeps_elements(std::string_view operation);
/// Of `operation` (knowledge/consumers/layers-torch.yaml) on a tensor of these sizes.
std::optional<Sizes> sizes_after(std::string_view operation, Sizes sizes,
                                 const SizeArguments& given);
/// Of `elements` in this shape, of which one size may be -1: what is left.
std::optional<Sizes> reshaped(std::int64_t elements, Sizes shape);
/// Of tensors put beside one another along a dimension.
std::optional<Sizes> concatenated(const std::vector<Sizes>& parts, std::int64_t dimension);

}  // namespace gpulint::python
