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

# What `confirm` measures with. The rest of these rooms (reports, what is judged of them) is the same everywhere.
set(GPULINT_POSIX_ONLY_host byte_pairs control_groups data_files disk_read host_facts host_part host_wire image image_rates
    kernel_files libjpeg libpng library measure_host memory_bandwidth numa python_cost worker_rates)
set(GPULINT_POSIX_ONLY_device batch_search bench card_health child collectives cublaslt device_copy device_objects driver driver_session
    expandable_segments footprint_replay footprint_room gemm_bench host_copy identity kernel_launch kernels library_search measure measure_node
    meeting meeting_folder meeting_port native_segments nccl numa_copies open_card peer_copies pinned_allocation
    step_replay step_timing stop_signals sustain timing timing_session touch trials)
set(GPULINT_POSIX_ONLY_cli confirm_config)

# Takes out of the list `variable` what is another system's: x_posix.cpp and x_windows.cpp do the same for each, and what is
# POSIX-only is not built for Windows at all.
function(gpulint_sources_of_system room variable)
  set(kept ${${variable}})
  if(WIN32)
    list(FILTER kept EXCLUDE REGEX "_posix\\.cpp$")
    foreach(name IN LISTS GPULINT_POSIX_ONLY_${room})
      list(FILTER kept EXCLUDE REGEX "/${name}\\.cpp$")
    endforeach()
    # <windows.h> defines common words as macros.
    set(own ${kept})
    list(FILTER own INCLUDE REGEX "_windows\\.cpp$")
    set_source_files_properties(${own} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_DEFINITIONS NOMINMAX)
  else()
    list(FILTER kept EXCLUDE REGEX "_windows\\.cpp$")
  endif()
  set(${variable} ${kept} PARENT_SCOPE)
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
  gpulint_sources_of_system(${name} sources)
  set(links)
  foreach(link IN LISTS ROOM_LINKS)
    list(APPEND links gpulint_${link})
  endforeach()
  if(sources)
    add_library(gpulint_${name} STATIC ${sources})
    gpulint_unity(gpulint_${name})
    if(name IN_LIST GPULINT_COLD_ROOMS AND CMAKE_BUILD_TYPE STREQUAL Release AND NOT MSVC)
      target_compile_options(gpulint_${name} PRIVATE -Os)
    endif()
    target_include_directories(gpulint_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/src)
    target_link_libraries(gpulint_${name} PUBLIC ${links} PRIVATE ${ROOM_PRIVATE} gpulint_fmt gpulint_warnings)
  else()
    add_library(gpulint_${name} INTERFACE)
    target_include_directories(gpulint_${name} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/src)
    target_link_libraries(gpulint_${name} INTERFACE ${links})
  endif()
endfunction()
