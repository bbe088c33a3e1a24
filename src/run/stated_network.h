#pragma once

// Networks that a config describes by their geometry: layers, width, heads, vocabulary. A section
// that shows the evidence of a form (knowledge/networks/) is a network of the form's family; what
// no key states is the framework's default, else the family's, else an interval.

#include "catalog/network_form.h"
#include "expr/value.h"
#include "source/document.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// What a word of a config or of a form is as a dimension: a number, true or false, else a word.
expr::Value dimension_in(std::string_view text);

struct StatedNetwork {
  const NetworkForm* form = nullptr;  // borrowed
  std::string pointer;                // JSON pointer of the section
  std::map<std::string, expr::Value> dimensions = {};
  std::vector<std::string> models = {};         // names, where the form reads a name
  std::vector<std::string> tokenizers = {};     // names of tokenizers or of models that have them
  std::vector<const OpenDimension*> open = {};  // that no key states
  std::vector<std::string> missing = {};        // parts of the job that the network is not
};

/// What is known of words beside the forms.
struct NetworkWords {
  std::span<const std::string> beside = {};  // of keys below which another network lies (a teacher)
  std::span<const std::string> ignored = {};  // of keys below which no network lies (a tokenizer)
  /// Is a model called so? Unset: any is, where a form reads a name.
  std::function<bool(std::string_view)> knows = {};
};

/// The network that a config describes: in the shallowest section, of those the first in the file,
/// that shows a form's evidence. A second one is named in `missing`. nullopt: none does.
std::optional<StatedNetwork> stated_network(const Document& document,
                                            std::span<const NetworkForm* const> forms,
                                            const NetworkWords& words = {});

}  // namespace gpulint
