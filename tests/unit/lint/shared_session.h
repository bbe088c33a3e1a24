#pragma once

#include "lint/session.h"
#include "unit/lint/memory_reader.h"

#include <doctest/doctest.h>

#include <utility>

namespace gpulint {

/// One session for all tests of a program, over the files that a test brings: opening it would take
/// longer than most tests.
inline SessionView session_over(const FileReader& files) {
  static const MemoryReader none{MemoryReader::Files{}};
  static const Session session = [] {
    Result<Session> opened = Session::open(none);
    REQUIRE_MESSAGE(opened.has_value(), (opened ? "" : opened.error().to_string()));
    return std::move(*opened);
  }();
  return session.now().over(files);
}

}  // namespace gpulint
