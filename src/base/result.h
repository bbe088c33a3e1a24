#pragma once

// Result<T>: a value or an Error, with the member names of std::expected so that moving to C++23 is
// a rename. tl::expected (Debian libexpected-dev) was considered: a sixth dependency for sixty
// lines.

#include "base/source_span.h"

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace gpulint {

/// What went wrong with the environment or with our own data files (a user's config mistake is a
/// finding). `message`: what was found, what was expected, what to do next; lower case, no full
/// stop. `place` is filled where the text is at hand; `where` alone otherwise.
struct Error {
  std::string message;
  std::string file = {};
  SourceSpan where = {};
  LineColumn place = {0, 0};  // 0:0 = no place known
  bool limit = false;         // a bound on hostile input was reached; nothing is known to be wrong

  /// "file:line:column: message", leaving out what is not known.
  std::string to_string() const;
};

/// Wrapper that selects the error side of a Result.
struct Failure {
  Error error;
};
[[nodiscard]] inline Failure fail(Error error) { return Failure{std::move(error)}; }
[[nodiscard]] inline Failure fail(std::string message) {
  return Failure{Error{std::move(message)}};
}

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}                  // NOLINT
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure.error)) {}  // NOLINT

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  const T& value() const& { return *std::get_if<0>(&state_); }
  T& value() & { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  T* operator->() { return std::get_if<0>(&state_); }

  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Failure failure) : error_(std::move(failure.error)), failed_(true) {}  // NOLINT

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace gpulint
