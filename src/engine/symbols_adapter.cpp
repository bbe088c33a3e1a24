// adapter.*: what an adapter is put on, held against the layers of the known model.

#include "base/text.h"
#include "engine/symbols.h"
#include "memory/adapters.h"
#include "model/layer_names.h"

#include <algorithm>

namespace gpulint {
namespace {

using Environment = const SubjectEnvironment&;
using expr::Value;

std::vector<std::string> layers_of_model(Environment environment) {
  const model::ModelLibrary::Found* found = environment.run().model();
  if (found == nullptr || !model::has_names_of_code(*found->program, found->entry)) return {};
  return model::layer_names(*found->program);
}

Value adapter_model_layers(Environment environment) {
  const std::vector<std::string> layers = layers_of_model(environment);
  return layers.empty() ? Value() : Value(join(layers, ", "));
}

/// One target may be the head or an embedding, which the programs do not name.
Value adapter_misses_model(Environment environment) {
  constexpr std::size_t kFewest = 2;  // targets, and layers of the model
  const std::optional<std::vector<std::string>> targets = named_targets(environment.facts());
  if (!targets || targets->size() < kFewest) return {};
  const std::vector<std::string> layers = layers_of_model(environment);
  if (layers.size() < kFewest) return {};
  return Value(std::none_of(targets->begin(), targets->end(), [&](const std::string& target) {
    return std::find(layers.begin(), layers.end(), target) != layers.end();
  }));
}

}  // namespace

std::vector<SymbolRow> adapter_symbols() {
  return {
      {"adapter.misses_model",
       boolean_type(),
       "none of the layers the adapter is to be put on is one of the known model",
       {"adapter_targets", "model"},
       adapter_misses_model},
      {"adapter.model_layers",
       text_type(),
       "names of the known model's linear layers",
       {"model"},
       adapter_model_layers},
  };
}

}  // namespace gpulint
