# The kernels of src/device/kernels in the program: zero-ended PTX, which is in the tree, so that
# building needs no nvcc; and with one, machine code beside it, which a driver need not compile.
set(GPULINT_CUDA AUTO CACHE STRING "machine code of the kernels by nvcc: AUTO (if there is one), ON, OFF")
set_property(CACHE GPULINT_CUDA PROPERTY STRINGS AUTO ON OFF)
set(kernels ${CMAKE_SOURCE_DIR}/src/device/kernels)
file(GLOB kernel_headers CONFIGURE_DEPENDS ${kernels}/*.cuh)
set(kernel_names memory fp32 tensor wide fp8 hopper hopper_tma)
# Compute capabilities; what an nvcc does not know is left to the PTX.
set(memory_targets 70 75 80 86 89 90 100 120)
set(fp32_targets ${memory_targets})
set(tensor_targets 80 86 89 90 100 120)
set(wide_targets 80 86 89 90 100 120)
set(fp8_targets 89 90 100 120)
set(hopper_targets 90a)
set(hopper_tma_targets 90a)

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

# Whether this nvcc makes machine code of a kernel for a target: a release may list an architecture and lack an instruction of it
# (12.0 to 12.3 know sm_89, and no product in fp8). Tried once for each nvcc.
function(gpulint_compiles name target result)
  file(TIMESTAMP ${GPULINT_NVCC} nvcc_date)
  string(MAKE_C_IDENTIFIER "GPULINT_NVCC_${nvcc_date}_${name}_${target}" known)
  if(NOT DEFINED ${known})
    execute_process(COMMAND ${GPULINT_NVCC} -cubin -O1 --std=c++17 -gencode arch=compute_${target},code=sm_${target}
        -o ${CMAKE_BINARY_DIR}/CMakeFiles/kernel_trial.cubin ${kernels}/${name}.cu
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    set(made ON)
    if(NOT failed EQUAL 0)
      set(made OFF)
      message(STATUS "${GPULINT_NVCC} makes no machine code of ${name}.cu for sm_${target}; its PTX is used there")
    endif()
    set(${known} ${made} CACHE INTERNAL "")
  endif()
  set(${result} ${${known}} PARENT_SCOPE)
endfunction()

set(kernel_text "#include \"${CMAKE_SOURCE_DIR}/cmake/embed.h\"\nREAD_ONLY\n")
set(kernel_files "")
foreach(name ${kernel_names})
  set(flags "")
  foreach(target ${${name}_targets})
    # sm_90a is listed by few releases that know it: ask for it where sm_90 is known.
    string(REGEX REPLACE "a$" "" plain ${target})
    if(known_targets MATCHES "sm_${plain}[^0-9]")
      gpulint_compiles(${name} ${target} compiled)
      if(compiled)
        list(APPEND flags -gencode arch=compute_${target},code=sm_${target})
      endif()
    endif()
  endforeach()
  set(fatbin ".quad 0")
  if(flags)
    set(file ${CMAKE_BINARY_DIR}/embedded/${name}.fatbin)
    add_custom_command(OUTPUT ${file}
      COMMAND ${GPULINT_NVCC} -fatbin -O3 --std=c++17 ${flags} -o ${file} ${kernels}/${name}.cu
      DEPENDS ${kernels}/${name}.cu ${kernel_headers} COMMENT "Kernels ${name}" VERBATIM)
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
if(NOT WIN32)  # nothing there starts them
  target_sources(gpulint_device PRIVATE ${CMAKE_BINARY_DIR}/embedded/kernels.S)
endif()
