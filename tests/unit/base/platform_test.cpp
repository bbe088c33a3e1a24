#include "base/platform.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpulint {

TEST_CASE("a pipe is not inherited by started programs") {
  int ends[2] = {-1, -1};
  REQUIRE(open_pipe(ends));
  for (const int end : ends) {
    CHECK((fcntl(end, F_GETFD) & FD_CLOEXEC) != 0);
    close(end);
  }
}

TEST_CASE("the time of a file counts nanoseconds since 1970") {
  struct stat status {};
  status.st_mtim.tv_sec = 1'700'000'000;
  status.st_mtim.tv_nsec = 25;
  CHECK(modification_time(status) == 1'700'000'000'000'000'025);
}

TEST_CASE("a test runs with the rights of its user") { CHECK_FALSE(runs_elevated()); }

}  // namespace gpulint
