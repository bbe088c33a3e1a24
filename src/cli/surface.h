#pragma once

// What a person can type, as plain values: the completions and the man page are written from it.

#include "catalog/catalog.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint::cli {

struct OptionSurface {
  std::string name;  // "--gpu", "-h"; "" for the words of the command itself
  std::string help;
  std::string value;                 // "ID"; "" for a switch
  std::vector<std::string> choices;  // what the value may be, where it is one of a list
  bool names_file = false;           // the value is a path
};

struct CommandSurface {
  std::string name;
  std::string usage;  // "estimate CONFIG"
  std::string purpose;
  std::vector<OptionSurface> options;
};

/// Every command in the order of `gpulint --help`, aliases left out.
std::vector<CommandSurface> command_surface(const Catalog& catalog);

}  // namespace gpulint::cli
