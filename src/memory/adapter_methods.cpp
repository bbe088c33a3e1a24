// Read off the forward() of each method in peft 0.21 (tuners/*/layer.py) and of litgpt's adapters.
// A form says what autograd keeps; the count of trained weights it implies is that of two factors
// of the stated rank, which not all methods have. Frozen factors of their own (VeRA, PSOFT) are
// small and left out.

#include "memory/adapter_methods.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

using model::AdapterForm;
constexpr AdapterPlace kLayers = AdapterPlace::layers;

constexpr std::array kMethods{
    AdapterMethod{"lora"},
    AdapterMethod{"qlora"},
    AdapterMethod{"dora", kLayers, AdapterForm::decomposed},
    AdapterMethod{"qdora", kLayers, AdapterForm::decomposed},
    AdapterMethod{"rslora"},
    AdapterMethod{"pissa"},
    AdapterMethod{"olora"},
    AdapterMethod{"lora_plus"},
    AdapterMethod{"adalora"},  // A is scaled by values that are trained, as wide as the rank
    AdapterMethod{"vblora"},   // A and B put together from a bank
    AdapterMethod{"unilora"},  // likewise
    AdapterMethod{"gralora"},  // in blocks
    AdapterMethod{"lily", kLayers, AdapterForm::mixed_factors},
    AdapterMethod{"oft"},       // rotates an fp32 copy of the input, block by block
    AdapterMethod{"randlora"},  // a product as wide as the input is kept in its place
    // Only what is between frozen factors is trained, or a sum of the input is read.
    AdapterMethod{"psoft", kLayers, AdapterForm::projected},
    AdapterMethod{"tinylora", kLayers, AdapterForm::projected},
    AdapterMethod{"miss", kLayers, AdapterForm::projected},
    AdapterMethod{"vera", kLayers, AdapterForm::projected_and_scaled},
    AdapterMethod{"pvera", kLayers, AdapterForm::projected_and_scaled},
    // An update as large as the weight, made from a few values, is a factor of its own.
    AdapterMethod{"fourierft", kLayers, AdapterForm::transformed_update},
    AdapterMethod{"c3a", kLayers, AdapterForm::convolved},
    AdapterMethod{"waveft", kLayers, AdapterForm::written_update},
    AdapterMethod{"loha", kLayers, AdapterForm::written_update},
    AdapterMethod{"lokr", kLayers, AdapterForm::written_update},
    AdapterMethod{"hira", kLayers, AdapterForm::written_update},
    AdapterMethod{"peanut", kLayers, AdapterForm::written_weight},  // reads the weight in fp32
    AdapterMethod{"bat", kLayers, AdapterForm::written_weight},
    AdapterMethod{"shira", kLayers, AdapterForm::changed_weight},
    AdapterMethod{"glora", kLayers, AdapterForm::changed_weight},
    AdapterMethod{"hra", kLayers, AdapterForm::reflected_weight},
    AdapterMethod{"boft", kLayers, AdapterForm::rotated_input},
    AdapterMethod{"ia3", kLayers, AdapterForm::scale},
    AdapterMethod{"adapter_v2", kLayers, AdapterForm::scale_and_shift},
    AdapterMethod{"prompt_tuning", AdapterPlace::tokens},
    AdapterMethod{"prompt", AdapterPlace::tokens},
    AdapterMethod{"p_tuning", AdapterPlace::tokens},
    AdapterMethod{"multitask_prompt_tuning", AdapterPlace::tokens},
    AdapterMethod{"prefix_tuning", AdapterPlace::attention},
    AdapterMethod{"adaption_prompt", AdapterPlace::attention},
    AdapterMethod{"adapter", AdapterPlace::attention},
    AdapterMethod{"llama_adapter", AdapterPlace::attention},
    AdapterMethod{"ln_tuning", AdapterPlace::norms},
    AdapterMethod{"bitfit", AdapterPlace::norms},
};

}  // namespace

std::optional<AdapterMethod> adapter_method(std::string_view name) {
  const auto found = std::find_if(kMethods.begin(), kMethods.end(),
                                  [&](const AdapterMethod& method) { return method.name == name; });
  if (found == kMethods.end()) return std::nullopt;
  return *found;
}

}  // namespace gpulint
