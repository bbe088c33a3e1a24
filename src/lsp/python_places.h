#pragma once

// Places in the Python code of a project that a config leads to.

#include "base/file_reader.h"
#include "lsp/positions.h"

#include <optional>
#include <string>
#include <string_view>

namespace gpulint::lsp {

struct CodePlace {
  std::string path;
  std::uint32_t line = 0;  // from 0
};

/// Where `package.module.Name` is defined, in a file below `root`; the packages lie in the folder
/// of the config, in one around it up to `root`, or in its `src`. nullopt for what is not a dotted
/// name and for names of libraries.
std::optional<CodePlace> python_definition(const FileReader& files, const std::string& root,
                                           const std::string& config, std::string_view name);

/// "train.py:33", as a fact's way through the code states it; `root`: what it is relative to.
std::optional<CodePlace> stated_place(const FileReader& files, const std::string& root,
                                      std::string_view place);

}  // namespace gpulint::lsp
