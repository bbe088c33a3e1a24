# Cross-compiles to WebAssembly with the clang of a `zig` (zig.cmake; docs/playground.md says why). The system has the C library
# of WASI and no threads, processes or network; exceptions are those of WebAssembly.
set(GPULINT_ZIG_SYSTEM Generic)
set(GPULINT_ZIG_CPU wasm32)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
set(WASI ON)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# `lime1` is what all browsers of the last years have. Zig takes away exceptions and threads: the first come back with the
# library that wasm/runtime.cmake builds, the second as the one thread there is (wasm/include/__external_threading).
get_filename_component(playground ${CMAKE_CURRENT_LIST_DIR}/../../editors/playground ABSOLUTE)
set(flags "-mcpu=lime1+exception_handling -fwasm-exceptions -g0 -ffunction-sections -fdata-sections -fvisibility=hidden")
set(CMAKE_C_FLAGS_INIT "${flags}")
set(CMAKE_CXX_FLAGS_INIT "${flags} -fno-threadsafe-statics -U_LIBCPP_HAS_THREADS -D_LIBCPP_HAS_THREADS=1 \
-D_LIBCPP_HAS_THREAD_API_EXTERNAL=1 -isystem ${playground}/wasm/include")
