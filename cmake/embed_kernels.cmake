# The kernels of src/device/kernels in the program: zero-ended PTX, which is in the tree, so that
# building needs no nvcc; and with one, machine code beside it, which a driver need not compile.
set(GPULINT_CUDA AUTO CACHE STRING "machine code of the kernels by nvcc: AUTO (if there is one), ON, OFF")
set_property(CACHE GPULINT_CUDA PROPERTY STRINGS AUTO ON OFF)
set(kernels ${CMAKE_SOURCE_DIR}/src/device/kernels)
set(kernel_names memory tensor fp8 hopper)
# Compute capabilities; what an nvcc does not know is left to the PTX.
set(memory_targets 70 75 80 86 89 90 100 120)
set(tensor_targets 80 86 89 90 100 120)
set(fp8_targets 89 90 100 120)
set(hopper_targets 90a)

set(known_targets "")
if(NOT GPULINT_CUDA STREQUAL OFF)
  find_program(GPULINT_NVCC nvcc HINTS /usr/local/cuda/bin)
  if(GPULINT_NVCC)
    execute_process(COMMAND ${GPULINT_NVCC} --list-gpu-code OUTPUT_VARIABLE known_targets ERROR_QUIET)
  endif()
  if(GPULINT_CUDA STREQUAL ON AND NOT known_targets)
    message(FATAL_ERROR "GPULINT_CUDA=ON needs nvcc; name it with -DGPULINT_NVCC=PATH")
  endif()
endif()

set(kernel_text "#include \"${CMAKE_SOURCE_DIR}/cmake/embed.h\"\nREAD_ONLY\n")
set(kernel_files "")
foreach(name ${kernel_names})
  set(flags "")
  foreach(target ${${name}_targets})
    # sm_90a is listed by few releases that know it: ask for it where sm_90 is known.
    string(REGEX REPLACE "a$" "" plain ${target})
    if(known_targets MATCHES "sm_${plain}[^0-9]")
      list(APPEND flags -gencode arch=compute_${target},code=sm_${target})
    endif()
  endforeach()
  set(fatbin ".quad 0")
  if(flags)
    set(file ${CMAKE_BINARY_DIR}/embedded/${name}.fatbin)
    add_custom_command(OUTPUT ${file}
      COMMAND ${GPULINT_NVCC} -fatbin -O3 --std=c++17 ${flags} -o ${file} ${kernels}/${name}.cu
      DEPENDS ${kernels}/${name}.cu ${kernels}/tile.cuh ${kernels}/ptx.cuh COMMENT "Kernels ${name}" VERBATIM)
    list(APPEND kernel_files ${file})
    set(fatbin ".incbin \"${file}\"")
  endif()
  string(APPEND kernel_text "EXPORTED(gpulint_${name}_ptx)\nEXPORTED(gpulint_${name}_fatbin)\n"
    "SYMBOL(gpulint_${name}_ptx):\n.incbin \"${kernels}/${name}.ptx\"\n.byte 0\n"
    ".balign 8\nSYMBOL(gpulint_${name}_fatbin):\n${fatbin}\n")
  list(APPEND kernel_files ${kernels}/${name}.ptx)
endforeach()
string(APPEND kernel_text "END_OF_FILE\n")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/embedded/kernels.S CONTENT "${kernel_text}")
set_source_files_properties(${CMAKE_BINARY_DIR}/embedded/kernels.S PROPERTIES
  OBJECT_DEPENDS "${kernel_files}")
target_sources(gpulint_device PRIVATE ${CMAKE_BINARY_DIR}/embedded/kernels.S)
