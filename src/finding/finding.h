#pragma once

#include "base/severity.h"
#include "base/source_span.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpulint {

enum class FixKind : std::uint8_t { safe, unsafe, display };

/// Replaces the bytes of `span` by `text`.
struct Edit {
  SourceSpan span;
  std::string text;
  std::string pointer = {};  // JSON pointer of the value it changes, adds or removes; "" = none
  friend bool operator==(const Edit&, const Edit&) = default;
};

/// A fact and the canonical value a fix gives it; no value = its key is taken out.
struct FactChange {
  std::string fact;
  std::optional<std::string> value;
  friend bool operator==(const FactChange&, const FactChange&) = default;
};

/// `advice` is always there (one sentence, imperative); `edits` only when the change can be written
/// back.
struct Fix {
  FixKind kind = FixKind::display;
  std::string advice;
  std::vector<Edit> edits;
  std::vector<FactChange> changes = {};  // what the edits mean
  std::string refusal = {};              // why there are no edits, where the rule has a change
  friend bool operator==(const Fix&, const Fix&) = default;
};

struct RelatedPlace {
  SourceSpan span;
  std::string message;
  friend bool operator==(const RelatedPlace&, const RelatedPlace&) = default;
};

/// One number behind a verdict, in the order it is printed.
struct NamedNumber {
  std::string name;  // symbol of the expression language: "vram.low"
  double value = 0;  // bytes, seconds, … (base units)
  std::string text;  // as printed: "25.5 GiB"
  bool integral = false;
  friend bool operator==(const NamedNumber&, const NamedNumber&) = default;
};

/// One line that shows how a number came about: "loader buffers = 32 workers x 8 prefetch x 230 MB
/// = 58.9 GB".
using Arithmetic = std::vector<std::string>;

struct Finding {
  std::string rule;
  Severity severity = Severity::warning;
  SourceSpan span;
  std::string pointer;  // JSON pointer of the fact pointed at
  std::string message;
  std::optional<std::string> phase;
  std::vector<RelatedPlace> related;
  std::vector<NamedNumber> numbers;
  Arithmetic arithmetic;
  /// Where the figures of the target GPU are from, "database" or "measured 2026-11-20"; "" where
  /// the rule asked for none.
  std::string hardware;
  std::optional<Fix> fix;
  std::vector<std::string> runs;  // paths of the configs whose run shows it
};

}  // namespace gpulint
