#pragma once

#include "catalog/key_mapping.h"
#include "catalog/on_demand.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace gpulint {

/// Names of keys that a document may have: every name that was added, and now and then another.
class KeyNames {
 public:
  void add(std::uint64_t component_hash) { bits_[word(component_hash)] |= bit(component_hash); }
  void add_all() { bits_.fill(~std::uint64_t{0}); }
  bool may_have(std::uint64_t component_hash) const {
    return (bits_[word(component_hash)] & bit(component_hash)) != 0;
  }

 private:
  static constexpr std::size_t kWords = 64;
  static std::size_t word(std::uint64_t hash) { return (hash >> 6U) % kWords; }
  static std::uint64_t bit(std::uint64_t hash) { return std::uint64_t{1} << (hash % 64); }
  std::array<std::uint64_t, kWords> bits_{};
};

/// The keys of one dialect, in the order of its file. A config states tens of a dialect's hundreds:
/// of an embedded dialect only those are read.
class KeyMappings {
 public:
  KeyMappings() = default;
  KeyMappings(std::vector<KeyMapping> keys);  // NOLINT: the keys stand for themselves
  KeyMappings(std::initializer_list<KeyMapping> keys) : KeyMappings(std::vector(keys)) {}
  /// `bytes` as `store` wrote them; they must outlive this.
  static KeyMappings stored(std::string_view bytes);
  std::string store() const;

  const std::vector<KeyMapping>& all() const { return *all_; }
  /// Whether any of them means the same in whatever section it stands.
  bool has_bare_keys() const { return has_bare_keys_; }
  /// Calls `visit` with every key that a document with these names can state, and with some others.
  void for_each_in(const KeyNames& names,
                   const std::function<void(const KeyMapping&)>& visit) const;

 private:
  OnDemand<std::vector<KeyMapping>> all_;
  std::string_view stored_;  // empty where the keys were parsed
  bool has_bare_keys_ = false;
};

}  // namespace gpulint
