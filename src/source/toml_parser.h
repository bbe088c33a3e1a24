#pragma once

// Tables of TOML 1.0 as they stand in the file, gathered into one tree.

#include "source/read.h"
#include "source/tree_builder.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// A value, a table or an array, with its place in the text.
struct TomlValue {
  NodeKind kind = NodeKind::scalar;
  Range span;
  std::string decoded;
  Quoting quoting = Quoting::plain;
  struct Entry {
    std::string name;
    Range key;
    TomlValue* value = nullptr;
  };
  std::vector<Entry> entries;     // of a mapping
  std::vector<TomlValue*> items;  // of a sequence
  bool is_table_array = false;    // of [[tables]], which may grow
};

struct TomlRefusal {
  Range place;
  std::string message;
};

struct ParsedToml {
  std::deque<TomlValue> values = {};  // stable addresses
  const TomlValue* root = nullptr;    // the mapping of the whole file, as far as it was read
  std::vector<Range> comments = {};
  std::optional<TomlRefusal> refusal = {};
};

ParsedToml parse_toml(std::string_view text, const ReadLimits& limits);

}  // namespace gpulint
