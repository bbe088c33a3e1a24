#pragma once

// A model as the config.json of its checkpoint describes it.

#include "test_models.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace gpulint::model {

inline Result<ModelLibrary::Found> described(ModelLibrary& library, std::string_view text) {
  const Result<Document> config = read_json("config.json", std::string(text), 0);
  REQUIRE(config);
  return library.from_config(*config);
}

}  // namespace gpulint::model
