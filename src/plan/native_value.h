#pragma once

#include "source/document.h"

#include <optional>
#include <string>
#include <string_view>

namespace gpulint {

/// What a config's value says before any dialect interprets it.
struct NativeValue {
  enum class State {
    text,       // a scalar; `text` holds it
    structure,  // a mapping or a list
    absent,     // null, empty: the loader's default applies
    unknown,    // stands for something that is not in the file ("auto" is decided by the dialect)
  };
  State state = State::absent;
  NodeId node = kNoNode;  // where the value is written (the target of a reference)
  std::string text = {};  // yes/no/on/off/True written plainly become "true" or "false"
  bool quoted = false;
  std::string reference = {};  // "${data.batch_size}" when the value came through one
};

/// `a-7b` of `$MODELS/a-7b`: which folder is not known, but which model is. nullopt: neither is.
std::optional<std::string> end_of_path(std::string_view text);

/// Reads a value: references followed, placeholders unknown, nulls absent.
NativeValue read_native(const Document& document, NodeId value);

}  // namespace gpulint
