# Cross-compiles with the clang of a `zig`, which brings the headers and libraries of every target. Variables, kept for the
# compiler's checks too:
#   GPULINT_ZIG_TOOLS   folder with zig-cc, zig-c++, zig-ar and zig-ranlib for one target (scripts/wheels writes them)
#   GPULINT_ZIG_SYSTEM  Linux, Darwin or Windows
#   GPULINT_ZIG_CPU     x86_64 or aarch64 (arm64 on macOS)
set(CMAKE_SYSTEM_NAME ${GPULINT_ZIG_SYSTEM})
set(CMAKE_SYSTEM_PROCESSOR ${GPULINT_ZIG_CPU})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GPULINT_ZIG_TOOLS GPULINT_ZIG_SYSTEM GPULINT_ZIG_CPU)

set(CMAKE_C_COMPILER ${GPULINT_ZIG_TOOLS}/zig-cc)
set(CMAKE_CXX_COMPILER ${GPULINT_ZIG_TOOLS}/zig-c++)
set(CMAKE_ASM_COMPILER ${GPULINT_ZIG_TOOLS}/zig-cc)
set(CMAKE_AR ${GPULINT_ZIG_TOOLS}/zig-ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${GPULINT_ZIG_TOOLS}/zig-ranlib CACHE FILEPATH "")
# The target is in the compiler's name; the linker of zig strips, signs and knows no SDK.
set(CMAKE_OSX_SYSROOT "" CACHE STRING "")
set(CMAKE_OSX_ARCHITECTURES "" CACHE STRING "")
set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "")
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)

# Nothing of the machine that builds is linked: packages come by FETCHCONTENT_SOURCE_DIR_… (cmake/dependencies.cmake).
set(CMAKE_FIND_ROOT_PATH ${GPULINT_ZIG_TOOLS})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
