#include "python/texts.h"

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

}  // namespace gpulint::python
