#pragma once

// What a Python program of the project takes on its command line, where its own parser (argparse)
// says so for certain.

#include "base/source_span.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

class CodeBase;

struct ProgramOption {
  std::vector<std::string> names;    // as written, dashes and all
  std::string type;                  // "int", "float" or ""
  std::vector<std::string> choices;  // empty: any value
  bool takes_one = true;             // one value, no more and no less
  bool is_required = false;
  SourceSpan place = {};  // in the code
};

struct ProgramOptions {
  bool is_known = false;  // these are all it takes, and it refuses others
  bool may_shorten = true;
  /// It imports modules whose names nobody knows: what any code of the project names, they may add.
  bool may_import_more = false;
  std::vector<ProgramOption> options;

  /// The option that a flag of a command means; nullptr: none.
  const ProgramOption* find(std::string_view flag) const;
};

/// `program`: its path.
ProgramOptions read_program_options(CodeBase& code, const std::string& root,
                                    const std::string& program);

}  // namespace gpulint
