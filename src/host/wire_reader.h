#pragma once

// How one JSON object of the measuring process is read: nothing in it is trusted. One file per part
// of the report reads its own object with this (wire_footprint.cpp).

#include "base/units.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpulint::probe {

using Json = nlohmann::ordered_json;

inline Json to_json(Bytes bytes) { return bytes.count(); }
inline Json to_json(const std::optional<Bytes>& bytes) {
  return bytes ? Json(bytes->count()) : Json();
}

/// Members of one object; `broken` after the first that is missing or of another type.
class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {}

  void read(const char* key, std::string& value) {
    const Json* member = find(key);
    if (member != nullptr && member->is_string()) {
      value = member->get<std::string>();
    } else {
      broken_ = true;
    }
  }
  void read(const char* key, bool& value) {
    const Json* member = find(key);
    if (member != nullptr && member->is_boolean()) {
      value = member->get<bool>();
    } else {
      broken_ = true;
    }
  }
  void read(const char* key, int& value) {
    const std::optional<std::int64_t> number = integer(key);
    constexpr std::int64_t kMost = 1'000'000'000;
    if (number && *number >= 0 && *number <= kMost) {
      value = static_cast<int>(*number);
    } else {
      broken_ = true;
    }
  }
  void read(const char* key, Bytes& value) {
    if (const std::optional<std::int64_t> number = integer(key)) {
      value = Bytes::of(*number);
    } else {
      broken_ = true;
    }
  }
  /// Finite and not negative.
  void read(const char* key, double& value) {
    const Json* member = find(key);
    if (member != nullptr && member->is_number()) value = member->get<double>();
    if (member == nullptr || !member->is_number() || !std::isfinite(value) || value < 0) {
      broken_ = true;
    }
  }
  void read(const char* key, std::vector<std::string>& texts) {
    const Json* member = find(key);
    if (member == nullptr || !member->is_array() || member->size() > kMostTexts) {
      broken_ = true;
      return;
    }
    for (const Json& each : *member) {
      broken_ = broken_ || !each.is_string();
      if (each.is_string()) texts.push_back(each.get<std::string>());
    }
  }
  template <class T>
  void read(const char* key, std::optional<T>& value) {
    const Json* member = find(key);
    if (member != nullptr && member->is_null()) return;
    T present{};
    read(key, present);
    value = present;
  }
  /// A part that a function of its own reads: `read_part(Reader&, T&)`.
  template <class T, class ReadPart>
  void part(const char* key, T& value, ReadPart read_part) {
    const Json* member = find(key);
    if (member == nullptr || !member->is_object()) {
      broken_ = true;
      return;
    }
    Reader reader(*member);
    read_part(reader, value);
    broken_ = broken_ || reader.broken();
  }
  template <class T, class ReadPart>
  void part(const char* key, std::optional<T>& value, ReadPart read_part) {
    const Json* member = find(key);
    if (member != nullptr && member->is_null()) return;
    T present{};
    part(key, present, read_part);
    value = std::move(present);
  }
  /// At most `most` parts.
  template <class T, class ReadPart>
  void parts(const char* key, std::vector<T>& values, std::size_t most, ReadPart read_part) {
    const Json* member = find(key);
    if (member == nullptr || !member->is_array() || member->size() > most) {
      broken_ = true;
      return;
    }
    for (const Json& each : *member) {
      Reader reader(each);
      read_part(reader, values.emplace_back());
      broken_ = broken_ || reader.broken();
    }
  }
  /// What was read makes no sense.
  void refuse() { broken_ = true; }
  bool broken() const { return broken_; }

 private:
  /// Of a list; a report has few.
  static constexpr std::size_t kMostTexts = 64;
  const Json* find(const char* key) const {
    if (!object_.is_object()) return nullptr;
    const auto member = object_.find(key);
    return member == object_.end() ? nullptr : &*member;
  }
  std::optional<std::int64_t> integer(const char* key) const {
    const Json* member = find(key);
    if (member == nullptr || !member->is_number_integer()) return std::nullopt;
    return member->get<std::int64_t>();
  }
  const Json& object_;
  bool broken_ = false;
};

}  // namespace gpulint::probe
