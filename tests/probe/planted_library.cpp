// A library that somebody left where the loader might look: it tells when it was loaded.
#include <fcntl.h>
#include <unistd.h>

namespace {

__attribute__((constructor)) void leave_a_mark() {
  const int mark = open("planted-library-was-loaded", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (mark >= 0) close(mark);
}

}  // namespace
