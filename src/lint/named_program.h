#pragma once

// The files of a project that the words of a command name. Internal to this room.

#include "launch/launch.h"
#include "lint/file_linter.h"

#include <string>

namespace gpulint {

/// A name alone that a command of a folder with training scripts starts is one of that folder, or
/// of one above it: a file of that name in another folder is another program.
bool lies_among_programs(const LintShared& shared, const std::string& root, std::string_view from);

/// A name as far as it is known: where its beginning is not, its end leads to the file all the
/// same.
std::string known_end(const ShellText& name);

/// A file of the project that a word of a command names, or "".
std::string find_named(const LintShared& shared, const std::string& root, const std::string& from,
                       const ShellText& folder, const ShellText& word);

/// The path by which a command names its program, without the folders in front that nobody knows;
/// "": none, or one of another machine.
std::string plain_path(const Launch& launch);

/// The Python file that a command starts: a script, a module (`python -m a.b`), or what the
/// project's package installs as a command. "": none that is known.
std::string named_program(const LintShared& shared, const std::string& root,
                          const std::string& from, const Launch& launch);

}  // namespace gpulint
