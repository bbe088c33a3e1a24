#pragma once

#include "device/assignment.h"
#include "device/driver.h"
#include "host/library.h"
#include "probe/fake_driver.h"

#include <doctest/doctest.h>

namespace gpulint::probe {

/// The fake driver in its initial state.
inline FakeDriver& fresh_fake() {
  static const Result<Library> library = Library::open(GPULINT_FAKE_DRIVER);
  REQUIRE(library.has_value());
  auto* fake = static_cast<FakeDriver*>(library->symbol("fake_driver"));
  REQUIRE(fake != nullptr);
  return *fake = FakeDriver{};
}

inline Driver load_fake() {
  auto loaded = load_driver({GPULINT_FAKE_DRIVER, GPULINT_FAKE_DRIVER}, {});
  REQUIRE(std::holds_alternative<Driver>(loaded));
  return std::get<Driver>(loaded);
}

/// An assignment whose time is over before anything is timed.
inline Assignment untimed() {
  Assignment assignment;
  assignment.end = std::chrono::steady_clock::now();
  return assignment;
}

}  // namespace gpulint::probe
