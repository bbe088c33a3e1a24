#pragma once

// What each adapter method does to the layers it is on, by the names configs give it.

#include "model/tape_options.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpulint {

/// Where a method has its weights.
enum class AdapterPlace : std::uint8_t {
  layers,     // on linear layers, in a form of model::AdapterForm
  tokens,     // tokens in front of the others; the layers are only passed through
  attention,  // attention to a prompt beside the network's own, whose tensors are not described
  norms       // the weights of norms, or biases
};

struct AdapterMethod {
  std::string_view name;
  AdapterPlace place = AdapterPlace::layers;
  model::AdapterForm form = model::AdapterForm::low_rank;
};

/// nullopt for a method nobody described.
std::optional<AdapterMethod> adapter_method(std::string_view name);

}  // namespace gpulint
