#pragma once

// Why a value is unknown: the piece of code on the way to it that nobody could follow first. The
// number of it travels in the unknown value itself, so that noting it costs no memory.

#include "base/source_span.h"
#include "python/syntax.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace gpulint::python {

inline constexpr std::int64_t kNoCause = 0;

/// What is lost of a loop with a round for each sample, or each part of one.
inline constexpr std::string_view kLoopOverInput = "a loop over the input";

/// `decides`: the code is a condition that nobody can decide, and its two sides differ.
struct CauseParts {
  FileId file = kNoFile;
  SyntaxId node = kNoSyntax;
  bool decides = false;
};

constexpr std::int64_t cause_at(FileId file, SyntaxId node, bool decides = false) {
  const std::uint64_t number = (std::uint64_t{file} << 32U) | (std::uint64_t{node} << 1U) |
                               std::uint64_t{decides ? 1U : 0U};
  return static_cast<std::int64_t>(number);
}

constexpr CauseParts parts_of(std::int64_t cause) {
  const auto number = static_cast<std::uint64_t>(cause);
  return {static_cast<FileId>(number >> 32U), static_cast<SyntaxId>((number & 0xffffffffU) >> 1U),
          (number & 1U) != 0};
}

constexpr std::int64_t as_condition(std::int64_t cause) {
  return cause == kNoCause ? kNoCause : cause | 1;
}

/// A cause in words.
struct Gap {
  SourceSpan place = {};
  std::string code = {};  // as it is written there, one line of it
  bool decides = false;
};

}  // namespace gpulint::python
