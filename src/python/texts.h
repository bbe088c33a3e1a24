#pragma once

// Texts of a program, each once, under a number. A copy shares the letters of what it was copied
// from and numbers its own texts from there on.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::python {

class Texts {
 public:
  using Id = std::uint32_t;

  Texts() = default;
  Texts(const Texts& other);
  Texts(Texts&&) noexcept = default;
  Texts& operator=(const Texts&) = delete;
  Texts& operator=(Texts&&) = delete;
  ~Texts() = default;

  Id intern(std::string_view text);
  std::optional<Id> find(std::string_view text) const;
  std::string_view operator[](Id id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  /// Where a text is, or would be.
  std::size_t slot_of(std::string_view text, std::size_t hash) const;
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<std::size_t> hashes_;  // as many
  std::vector<Id> slots_;            // a power of two, at most half of them taken
  /// The letters. Only the last is added to, and by nobody but its maker.
  std::vector<std::shared_ptr<std::deque<std::string>>> letters_;
};

/// The width of a format of whole numbers: "" of "d", "03" of "03d"; nullopt: it is another one.
std::optional<std::string_view> whole_number_width(std::string_view form);

/// "7" in a width of "3" is "  7", in one of "03" it is "007".
std::string padded_digits(std::string digits, std::string_view width);

}  // namespace gpulint::python
