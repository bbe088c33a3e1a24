#pragma once

// What a program imports first of all that the project, whose package it is, does not have.

#include "base/source_span.h"

#include <string>
#include <vector>

namespace gpulint {

class CodeBase;

struct AbsentImport {
  std::string name;   // dotted, as it is written: "src.models.vit", or ".vit"
  std::string file;   // where a module of that name would lie, without its ending
  std::string lacks;  // the name that `file` does not define; "" = there is no such module
  SourceSpan place;   // in the code
};

/// In the order in which they are met: imports at the top of the program, and of what it imports
/// there, that nothing can meet. Empty where code says by itself from which folders it imports.
std::vector<AbsentImport> find_absent_imports(CodeBase& code, const std::string& root,
                                              const std::string& program);

}  // namespace gpulint
