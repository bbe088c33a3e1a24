#pragma once

// What a Python program of the project takes on its command line, where its own parser (argparse)
// says so for certain.

#include "base/source_span.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

class CodeBase;

namespace python {
struct Module;
}

struct ProgramOption {
  std::vector<std::string> names;    // as written, dashes and all
  std::string dest;                  // its attribute of what the parser returns
  std::string type;                  // "int", "float", "bool" or ""
  std::vector<std::string> choices;  // empty: any value
  bool takes_one = true;             // one value, no more and no less
  bool is_required = false;
  bool takes_any_as_true = false;  // `type=bool`: "False" is true
  bool refuses_default = false;    // `type=int, default=0.5`
  bool keeps_text = false;         // `default=5` without a type: a command's value stays a text
  bool is_switch = false;          // `store_true`
  bool turns_off = false;          // `store_false`, whose attribute has its own name
  bool is_plain = true;            // its action only keeps the value
  std::string default_text;        // "": none, or no text
  std::string help;                // as written in the code
  bool is_stuck = false;           // one of these two, on by default, and nothing turns it off
  SourceSpan place = {};  // in the code
};

struct ProgramOptions {
  bool is_known = false;  // these are all it takes, and it refuses others
  bool may_shorten = true;
  /// It imports modules whose names nobody knows: what any code of the project names, they may add.
  bool may_import_more = false;
  std::vector<ProgramOption> options;
  /// All that any parser was given on the way, whether they are known to be all or not.
  std::vector<ProgramOption> seen;
  /// Where the program reads an option that its parser does not have, for certain: its name.
  struct Lack {
    std::string name;
    SourceSpan place;
  };
  std::vector<Lack> lacks;
  /// Where it calls a function, for certain, with its first argument alone that has to have two:
  /// the entry of `second_arguments`.
  std::vector<Lack> bare_calls;
  std::vector<const python::Module*> modules;  // the program and what it imports

  /// The option that a flag of a command means; nullptr: none.
  const ProgramOption* find(std::string_view flag) const;
  /// The one of `seen` that is called so, whatever parser it is of; nullptr: none, or several.
  const ProgramOption* find_seen(std::string_view name) const;
};

/// `program`: its path.
ProgramOptions read_program_options(CodeBase& code, const std::string& root,
                                    const std::string& program);

}  // namespace gpulint
