#pragma once

#include "lint/session.h"

#include <memory>
#include <string>
#include <vector>

namespace gpulint::lsp {

/// The names of all known models as their publishers write them, then their ids; read from the
/// files when somebody first asks, and again when the catalog is another one.
class ModelNames {
 public:
  const std::vector<std::string>& of(const SessionView& view);

 private:
  std::shared_ptr<const void> read_from_;
  std::vector<std::string> names_;
};

}  // namespace gpulint::lsp
