# Every file src/report/formats/<id>.cpp defines one output format, formats::<id>. Writes the table of report/format.h
# over them: text first, which is the default, then by id.
file(GLOB format_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/report/formats/*.cpp)
set(format_ids "")
foreach(file IN LISTS format_files)
  get_filename_component(id ${file} NAME_WE)
  list(APPEND format_ids ${id})
endforeach()
list(REMOVE_ITEM format_ids text)
list(SORT format_ids)
list(PREPEND format_ids text)

set(FORMAT_DECLARATIONS "")
set(FORMAT_ROWS "")
foreach(id IN LISTS format_ids)
  string(APPEND FORMAT_DECLARATIONS "extern const OutputFormat ${id};\n")
  string(APPEND FORMAT_ROWS "    &formats::${id},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/report/format_table.cpp @ONLY CONTENT
"// Written by cmake/formats.cmake.
#include \"report/format.h\"

namespace gpulint::formats {
@FORMAT_DECLARATIONS@}  // namespace gpulint::formats

namespace gpulint {

std::span<const OutputFormat* const> output_formats() {
  static constexpr const OutputFormat* kFormats[] = {
@FORMAT_ROWS@  };
  return kFormats;
}

}  // namespace gpulint
")
target_sources(gpulint_report PRIVATE ${format_files} ${CMAKE_BINARY_DIR}/report/format_table.cpp)
