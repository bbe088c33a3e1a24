# Data files are parsed at build time by the same strict loader and embedded as one archive through .incbin
# (src/catalog/data_archive.h): a run parses no embedded YAML, and an error in a data file breaks the build.
# A build for another system runs the gpulint_embed of this one; the archive is the same on all of them.
set(GPULINT_EMBED_TOOL "" CACHE FILEPATH "gpulint_embed of the machine that builds; empty = build it")
if(GPULINT_EMBED_TOOL)
  add_executable(gpulint_embed IMPORTED)
  set_target_properties(gpulint_embed PROPERTIES IMPORTED_LOCATION ${GPULINT_EMBED_TOOL})
else()
  add_executable(gpulint_embed tools/embed_data.cpp)
  target_link_libraries(gpulint_embed PRIVATE gpulint_engine gpulint_warnings)
endif()

file(GLOB_RECURSE GPULINT_DATA_FILES CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/rules/*.yaml ${CMAKE_SOURCE_DIR}/hardware_db/*.yaml
     ${CMAKE_SOURCE_DIR}/dialects/*.yaml ${CMAKE_SOURCE_DIR}/knowledge/*.yaml ${CMAKE_SOURCE_DIR}/model_db/*.yaml)
set(archive ${CMAKE_BINARY_DIR}/embedded/data.bin)
add_custom_command(
  OUTPUT ${archive}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/embedded
  COMMAND gpulint_embed ${CMAKE_SOURCE_DIR} ${archive}
  DEPENDS gpulint_embed ${GPULINT_EMBED_TOOL} ${GPULINT_DATA_FILES}
  COMMENT "Checking and embedding data files" VERBATIM)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/embedded/data.S CONTENT
"#include \"${CMAKE_SOURCE_DIR}/cmake/embed.h\"
READ_ONLY
EXPORTED(gpulint_data_begin)
EXPORTED(gpulint_data_end)
.balign 16
SYMBOL(gpulint_data_begin):
.incbin \"${archive}\"
SYMBOL(gpulint_data_end):
END_OF_FILE
")
set_source_files_properties(${CMAKE_BINARY_DIR}/embedded/data.S PROPERTIES OBJECT_DEPENDS ${archive})
add_library(gpulint_data STATIC src/catalog/embedded_data.cpp ${CMAKE_BINARY_DIR}/embedded/data.S)
target_link_libraries(gpulint_data PUBLIC gpulint_catalog PRIVATE gpulint_warnings)
# A session opens with the data of the binary.
target_link_libraries(gpulint_lint PUBLIC gpulint_data)
