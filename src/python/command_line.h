#pragma once

// What a program's own parser (argparse) takes on its command line.

#include "python/syntax.h"

#include <string>
#include <vector>

namespace gpulint::python {

struct Module;

/// `parser.add_argument("-b", "--batch-size", type=int, choices=[8, 16])`.
struct CommandOption {
  std::vector<std::string> names;    // as written; none begins with a dash: it takes words alone
  std::string dest;                  // its attribute of what the parser returns
  std::string type;                  // "int", "float", "bool" or ""
  std::vector<std::string> choices;  // texts; empty: any value, or nobody knows
  bool takes_one = true;             // one value, no more and no less
  bool is_required = false;
  bool takes_any_as_true = false;  // bool("False") is true
  bool refuses_default = false;    // `type=int, default=0.5`: as a text it would be refused
  bool keeps_text = false;         // `default=5` without a type: a command's value stays a text
  bool is_on = false;              // where it is not given
  std::string default_text;        // what it is where it is not given, if that is a text
  bool is_switch = false;          // turns something on, and takes no value
  bool turns_off = false;          // `store_false`, whose attribute has its own name
  bool is_plain = true;            // only kept: its action does nothing of its own
  std::string help;
  const Module* module = nullptr;
  SyntaxId node = kNoSyntax;  // its first name
};

struct CommandLine {
  std::vector<CommandOption> options;
  bool is_argparse = true;  // and no parser of a library that converts values by its own rules
  bool is_open = false;  // may take more than these
  bool may_shorten = true;
  bool has_commands = false;  // parsers below it, one for each word
  bool leaves_out = false;    // argument_default=SUPPRESS: what nobody gives has no attribute
  bool may_lack = false;      // some option of it has none
};

}  // namespace gpulint::python
