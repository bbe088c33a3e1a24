# GCC spends most of its time on the templates that sources share: a room of forty sources at once takes
# half the time that four units of ten take, and a gigabyte.
set(GPULINT_UNITY_SIZE 64 CACHE STRING "sources of a room in one translation unit; more take less time in all, fewer less memory")

# Compiles several sources of `target` at once; each core gets its part of a room.
function(gpulint_unity target)
  if(GPULINT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${GPULINT_UNITY_SIZE})
    # A class of one source may hold what only that source knows; included, GCC takes it for a header's.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# gpulint_room(name LINKS rooms... PRIVATE targets...): src/<name>/*.cpp as the static library gpulint_<name>.
# A room without sources is header-only. PRIVATE targets are third-party libraries no other room sees.
function(gpulint_room name)
  cmake_parse_arguments(ROOM "" "" "LINKS;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/embedded_data\\.cpp$")
  if(GPULINT_LEFT_OUT)
    list(FILTER sources EXCLUDE REGEX ${GPULINT_LEFT_OUT})
  endif()
  set(links)
  foreach(link IN LISTS ROOM_LINKS)
    list(APPEND links gpulint_${link})
  endforeach()
  if(sources)
    add_library(gpulint_${name} STATIC ${sources})
    gpulint_unity(gpulint_${name})
    target_include_directories(gpulint_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/src)
    target_link_libraries(gpulint_${name} PUBLIC ${links} PRIVATE ${ROOM_PRIVATE} gpulint_fmt gpulint_warnings)
  else()
    add_library(gpulint_${name} INTERFACE)
    target_include_directories(gpulint_${name} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/src)
    target_link_libraries(gpulint_${name} INTERFACE ${links})
  endif()
endfunction()
