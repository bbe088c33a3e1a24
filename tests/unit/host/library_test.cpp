#include "host/library.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::probe;

TEST_CASE("absolute library folders outside the linted folder are safe") {
  CHECK_FALSE(unsafe_library_path("", "/home/me/project").has_value());
  CHECK_FALSE(unsafe_library_path("/opt/lib:/usr/lib", "/home/me/project").has_value());
  CHECK_FALSE(unsafe_library_path("/home/me/project2/lib", "/home/me/project").has_value());
  CHECK_FALSE(unsafe_library_path("/home/me/project/lib", "").has_value());
  CHECK_FALSE(unsafe_library_path("/usr/lib", "/").has_value());
}

TEST_CASE("an empty or relative library folder means the working directory") {
  for (const char* path :
       {".", "lib", "/opt/lib:", ":/opt/lib", "/a::/b", "/a;lib", "$ORIGIN/lib"}) {
    CAPTURE(path);
    CHECK(unsafe_library_path(path, "/home/me/project").has_value());
  }
}

TEST_CASE("a library folder inside the linted folder is unsafe however it is written") {
  CHECK(unsafe_library_path("/nowhere/project", "/nowhere/project").has_value());
  CHECK(unsafe_library_path("/nowhere/project/venv/lib", "/nowhere/project").has_value());
  CHECK(unsafe_library_path("/nowhere/x/../project/lib", "/nowhere/project").has_value());
  CHECK(unsafe_library_path("/nowhere//project/lib", "/nowhere/project").has_value());
}

TEST_CASE("a library is opened by its bare name or an absolute path only") {
  CHECK(Library::open("libc.so.6").has_value());
  CHECK(Library::open("./libc.so.6").error().message ==
        "\"./libc.so.6\" is neither a library's bare name nor an absolute path");
  CHECK_FALSE(Library::open("lib/libcuda.so.1").has_value());
  CHECK_FALSE(Library::open("").has_value());
}

TEST_CASE("of a library path what is safe is kept") {
  CHECK(safe_library_path("/opt/lib:", "") == "/opt/lib");
  CHECK(safe_library_path(":/opt/lib::/usr/lib:.", "") == "/opt/lib:/usr/lib");
  CHECK(safe_library_path("/a;lib", "") == "/a");
  CHECK(safe_library_path("/home/me/project/lib:/opt/lib", "/home/me/project") == "/opt/lib");
  CHECK(safe_library_path("", "").empty());
}
