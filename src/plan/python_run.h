#pragma once

#include "code/code_base.h"
#include "plan/run_files.h"
#include "source/document.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulint {

/// A Python config with the configs it imports, worked out as one.
struct ImportedConfigs {
  Document document;
  std::vector<std::string> paths;  // of the files that were imported
};

/// nullopt: it imports nothing of its project.
std::optional<ImportedConfigs> read_with_imports(const Document& config, const RunFiles& files,
                                                 CodeBase& code, const std::string& root);

}  // namespace gpulint
