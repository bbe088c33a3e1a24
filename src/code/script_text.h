#pragma once

// What stands in a script's text, before anything of it is run. Internal to this room.

#include "code/code_base.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Whether the file can be started, trains and takes a config, by its words and its name.
Script script_of(std::string path, std::string text, const ScriptMarks& marks);

/// A call in it looks for a file of that name by itself.
bool looks_for(std::string_view text, std::string_view name, const ScriptMarks& marks);

/// Words in quotes that begin with two dashes: options of a command line.
std::vector<std::string> options_in(std::string_view text);

/// The line by which a script scales its rate, "" where none does:
/// "args.lr = args.lr * args.batch_size * get_world_size() / 512".
std::string_view rate_scaling_in(std::string_view text);

}  // namespace gpulint
