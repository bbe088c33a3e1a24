#pragma once

// What stands in a script's text, before anything of it is run. Internal to this room.

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Words in quotes that begin with two dashes: options of a command line.
std::vector<std::string> options_in(std::string_view text);

/// The line by which a script scales its rate, "" where none does:
/// "args.lr = args.lr * args.batch_size * get_world_size() / 512".
std::string_view rate_scaling_in(std::string_view text);

}  // namespace gpulint
