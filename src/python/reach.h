#pragma once

// What of a program was run, and which values that it was given it looked at. What it was not seen
// to do stays open: a node that was neither run nor left out by a decided condition may do
// anything.

#include "base/source_span.h"
#include "python/host.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

namespace gpulint::python {

/// For sets of places.
struct HashOfSpan {
  std::size_t operator()(const SourceSpan& span) const {
    const std::uint64_t place = (std::uint64_t{span.begin} << 32U) | span.end;
    return static_cast<std::size_t>((place + span.file) * 0x9e3779b97f4a7c15U);  // 2^64 / 1.618
  }
};

struct Reach {
  static constexpr std::uint8_t kRan = 1;
  static constexpr std::uint8_t kLeftOut = 2;   // with all below it
  static constexpr std::uint8_t kByConfig = 4;  // it is left out by what the config states
  static bool is_left_out(std::uint8_t mark) { return (mark & (kRan | kLeftOut)) == kLeftOut; }

  std::map<const Module*, std::vector<std::uint8_t>> marks;  // of each node of a module
  std::vector<SourceSpan> looked_at;                         // values of the config
  /// Where values of the config were asked for by name.
  struct Asked {
    SourceSpan value;
    const Module* module = nullptr;
    std::uint32_t at = 0;  // offset
  };
  std::vector<Asked> asked;
  /// Names and strings by which something nobody knows was asked.
  std::unordered_set<std::string> words;
  bool imports_unknown = false;  // a module whose name nobody knows
};

}  // namespace gpulint::python
