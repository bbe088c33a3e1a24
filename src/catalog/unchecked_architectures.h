#pragma once

// Internal to this room.

#include "catalog/catalog.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint {

/// Architectures for GPUs that are checked before there is a catalog.
class UncheckedArchitectures {
 public:
  /// `data` must outlive it.
  explicit UncheckedArchitectures(const DataFiles& data) : data_(data) {}

  /// nullptr when no file of this id can be read.
  const Architecture* find(std::string_view id);
  /// " (did you mean \"x\"?)" or empty.
  std::string similar(std::string_view id) const;

 private:
  const DataFiles& data_;
  std::map<std::string, std::optional<Architecture>, std::less<>> read_;
};

}  // namespace gpulint
