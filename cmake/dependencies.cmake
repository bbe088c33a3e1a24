# The five packages through find_package; where one is missing, FetchContent at a pinned commit, or from the sources that
# FETCHCONTENT_SOURCE_DIR_<NAME> names, as scripts/wheels does. Without these the fallback needs a network, and has not been
# run on the machines that test this project.
include(FetchContent)
if(NOT WASI)
  find_package(Threads REQUIRED)
endif()

# What is fetched is linked statically, and neither tested nor installed.
foreach(option YAML_CPP_BUILD_TOOLS YAML_CPP_BUILD_CONTRIB YAML_CPP_BUILD_TESTS YAML_CPP_INSTALL YAML_BUILD_SHARED_LIBS
        FMT_INSTALL FMT_TEST FMT_DOC JSON_BuildTests JSON_Install CLI11_BUILD_TESTS CLI11_BUILD_EXAMPLES CLI11_BUILD_DOCS
        CLI11_INSTALL)
  set(${option} OFF CACHE BOOL "of a fetched library")
endforeach()

# Warnings in the headers of others are theirs (SYSTEM of FetchContent needs CMake 3.25).
function(gpulint_fetched target)
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${folders}")
endfunction()

find_package(yaml-cpp 0.7 QUIET)
add_library(gpulint_yaml_cpp INTERFACE)
if(NOT yaml-cpp_FOUND)
  FetchContent_Declare(yaml-cpp GIT_REPOSITORY https://github.com/jbeder/yaml-cpp.git GIT_TAG f7320141120f720aecc4c32be25586e7da9eb978)  # 0.8.0
  FetchContent_MakeAvailable(yaml-cpp)
  gpulint_fetched(yaml-cpp)
endif()
# Debian's package carries both forms; the static one halves the start-up time.
find_library(GPULINT_YAML_CPP_STATIC libyaml-cpp.a)
if(GPULINT_STATIC AND GPULINT_YAML_CPP_STATIC)
  target_link_libraries(gpulint_yaml_cpp INTERFACE ${GPULINT_YAML_CPP_STATIC})
else()
  target_link_libraries(gpulint_yaml_cpp INTERFACE yaml-cpp)
endif()
find_package(nlohmann_json 3.11 QUIET)
if(NOT nlohmann_json_FOUND)
  FetchContent_Declare(nlohmann_json GIT_REPOSITORY https://github.com/nlohmann/json.git GIT_TAG 9cca280a4d0ccf0c08f47a99aa71d1b0e52f8d03)  # 3.11.3
  FetchContent_MakeAvailable(nlohmann_json)
  gpulint_fetched(nlohmann_json)
endif()
find_package(fmt 9 QUIET)
if(NOT fmt_FOUND)
  FetchContent_Declare(fmt GIT_REPOSITORY https://github.com/fmtlib/fmt.git GIT_TAG a33701196adfad74917046096bf5a2aa0ab0bb50)  # 9.1.0
  FetchContent_MakeAvailable(fmt)
  gpulint_fetched(fmt)
endif()
find_library(GPULINT_FMT_STATIC libfmt.a)
add_library(gpulint_fmt INTERFACE)
if(NOT fmt_FOUND)
  target_link_libraries(gpulint_fmt INTERFACE fmt::fmt)
elseif(GPULINT_FMT_STATIC)
  target_link_libraries(gpulint_fmt INTERFACE ${GPULINT_FMT_STATIC})
elseif(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(gpulint_fmt_static STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_static.cpp)
  target_link_libraries(gpulint_fmt INTERFACE gpulint_fmt_static)
else()
  target_link_libraries(gpulint_fmt INTERFACE fmt::fmt-header-only)
endif()
find_package(CLI11 2.1 QUIET)
if(NOT CLI11_FOUND AND NOT WASI)
  FetchContent_Declare(CLI11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG 291c58789c031208f08f4f261a858b5b7083e8e2)  # 2.3.2
  FetchContent_MakeAvailable(CLI11)
  gpulint_fetched(CLI11)
endif()
if(GPULINT_TESTS)
  find_package(doctest 2.4 QUIET)
  if(NOT doctest_FOUND)
    FetchContent_Declare(doctest GIT_REPOSITORY https://github.com/doctest/doctest.git GIT_TAG ae7a13539fb71f270b87eb2e874fbac80bc8dda2)  # 2.4.11
    FetchContent_MakeAvailable(doctest)
  endif()
endif()
