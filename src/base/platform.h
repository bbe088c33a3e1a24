#pragma once

// What systems do differently. Each has a file: platform_posix.cpp, platform_windows.cpp.

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

struct stat;

namespace gpulint {

/// Whether there are NVIDIA drivers for this operating system that `confirm` can load.
#ifdef __linux__
inline constexpr bool kHasNvidiaDrivers = true;
#else
inline constexpr bool kHasNvidiaDrivers = false;
#endif

/// The words behind the program's name, in UTF-8.
std::vector<std::string> command_line(int argc, const char* const* argv);

/// Standard streams carry the bytes they are given, in UTF-8, and a reader that closes a pipe
/// (`| head`) does not kill the program before its exit code.
void prepare_standard_streams();

bool output_is_terminal();

/// The terminal behind standard output understands colors.
bool terminal_has_colors();

/// Characters of a line of the terminal behind standard output; nullopt where there is none.
std::optional<int> terminal_width();

/// fopen of a path in UTF-8.
std::FILE* open_file(const std::string& path, const char* mode);

/// The working directory; "" when it cannot be told.
std::string working_folder();

bool path_exists(const std::string& path);

/// The program runs with rights that its user does not have.
bool runs_elevated();

// The rest is for what only POSIX systems do.

/// A pipe whose ends (reading, writing) no started program inherits; false with the reason in
/// errno.
bool open_pipe(int (&ends)[2]);

/// Asks for this process to be killed when its parent ends, where the system can do that.
void end_with_parent();

/// Programs that this process starts get no rights it does not have, where the system can do that.
void give_up_new_privileges();

/// When a file was last written, in nanoseconds since 1970.
std::int64_t modification_time(const struct stat& status);

}  // namespace gpulint
