#include "python/texts.h"

#include <algorithm>
#include <functional>

namespace gpulint::python {
namespace {

constexpr Texts::Id kFree = 0xffffffffU;

}  // namespace

Texts::Texts(const Texts& other)
    : texts_(other.texts_), hashes_(other.hashes_), slots_(other.slots_), letters_(other.letters_) {
  letters_.push_back(std::make_shared<std::deque<std::string>>());
}

std::size_t Texts::slot_of(std::string_view text, std::size_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != kFree && (hashes_[slots_[slot]] != hash || texts_[slots_[slot]] != text)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void Texts::grow() {
  constexpr std::size_t kFirst = 256;
  slots_.assign(slots_.empty() ? kFirst : 2 * slots_.size(), kFree);
  const std::size_t mask = slots_.size() - 1;
  for (Id id = 0; id < texts_.size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = id;
  }
}

Texts::Id Texts::intern(std::string_view text) {
  if (2 * texts_.size() >= slots_.size()) grow();
  const std::size_t hash = std::hash<std::string_view>{}(text);
  Id& found = slots_[slot_of(text, hash)];
  if (found != kFree) return found;
  if (letters_.empty()) letters_.push_back(std::make_shared<std::deque<std::string>>());
  texts_.push_back(letters_.back()->emplace_back(text));
  hashes_.push_back(hash);
  return found = static_cast<Id>(texts_.size() - 1);
}

std::optional<Texts::Id> Texts::find(std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  const Id found = slots_[slot_of(text, std::hash<std::string_view>{}(text))];
  return found == kFree ? std::nullopt : std::optional(found);
}

std::optional<std::string_view> whole_number_width(std::string_view form) {
  constexpr std::size_t kLongest = 3;
  if (!form.ends_with('d') || form.size() > kLongest) return std::nullopt;
  const std::string_view width = form.substr(0, form.size() - 1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::all_of(width.begin(), width.end(), is_digit) ? std::optional(width) : std::nullopt;
}

std::string padded_digits(std::string digits, std::string_view width) {
  const char fill = width.starts_with('0') ? '0' : ' ';
  std::size_t count = 0;
  for (const char c : width) count = count * 10 + static_cast<std::size_t>(c - '0');
  if (digits.size() < count) digits.insert(0, count - digits.size(), fill);
  return digits;
}

}  // namespace gpulint::python
