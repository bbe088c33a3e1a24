#pragma once

#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

namespace gpulint::disk {

/// An open file that is closed.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// 0, or the error with which the last bytes were lost.
  int close() {
    const int number = std::exchange(number_, -1);
    return number >= 0 && ::close(number) != 0 ? errno : 0;
  }

 private:
  int number_;
};

/// The next `limit` bytes, fewer at the end of the file; nullopt with the reason in errno.
/// `expected`: bytes that are probably there. A file may grow while it is read, so more are taken.
std::optional<std::string> read_up_to(const Descriptor& file, std::size_t limit,
                                      std::size_t expected = 0);

}  // namespace gpulint::disk
