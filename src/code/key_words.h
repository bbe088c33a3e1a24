#pragma once

// Which keys Python code can read by name, told by its words: attributes and names that are loaded,
// strings, parameters and fields. Wide on purpose: a key that none of them names is read by nobody
// who reads keys one by one.

#include "python/host.h"

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace gpulint {

struct KeyWords {
  std::unordered_set<std::string> read;      // in lower case
  std::unordered_set<std::string> unpacked;  // words of what stands behind `**`, in lower case
  std::vector<std::string> beginnings;       // of names put together at run time: "use_"
  std::vector<std::string> endings;          // "_lr"

  /// True where the code may read the key.
  bool may_read(std::string_view key) const;
};

/// Adds those of one file.
void add_key_words(const python::Module& module, KeyWords& words);

}  // namespace gpulint
