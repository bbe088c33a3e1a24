#include "base/platform.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <csignal>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace gpulint {

#ifdef __linux__

bool runs_elevated() { return getauxval(AT_SECURE) != 0; }

bool open_pipe(int (&ends)[2]) { return pipe2(ends, O_CLOEXEC) == 0; }

void end_with_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

void give_up_new_privileges() { prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

#else

bool runs_elevated() { return issetugid() != 0; }

// A program that another thread starts between the two calls inherits the ends.
bool open_pipe(int (&ends)[2]) {
  if (pipe(ends) != 0) return false;
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
}

void end_with_parent() {}

void give_up_new_privileges() {}

#endif

std::int64_t modification_time(const struct stat& status) {
  constexpr std::int64_t kSecond = 1'000'000'000;
#ifdef __APPLE__
  const timespec& time = status.st_mtimespec;
#else
  const timespec& time = status.st_mtim;
#endif
  return std::int64_t{time.tv_sec} * kSecond + time.tv_nsec;
}

}  // namespace gpulint
