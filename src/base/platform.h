#pragma once

#include <cstdint>

struct stat;

namespace gpulint {

/// Whether there are NVIDIA drivers for this operating system that a program can load.
#ifdef __linux__
inline constexpr bool kHasNvidiaDrivers = true;
#else
inline constexpr bool kHasNvidiaDrivers = false;
#endif

/// The program runs with rights that its user does not have.
bool runs_elevated();

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
