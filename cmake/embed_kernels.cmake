# The kernels of src/probe/kernels in the program, as zero-ended PTX: building needs no nvcc.
set(kernels ${CMAKE_SOURCE_DIR}/src/probe/kernels)
set(kernel_names memory tensor fp8 hopper)
set(kernel_text ".section .rodata\n")
set(kernel_files "")
foreach(name ${kernel_names})
  string(APPEND kernel_text ".global gpulint_${name}_ptx\n.global gpulint_${name}_fatbin\n"
    "gpulint_${name}_ptx:\n.incbin \"${kernels}/${name}.ptx\"\n.byte 0\n"
    ".balign 8\ngpulint_${name}_fatbin:\n.quad 0\n")
  list(APPEND kernel_files ${kernels}/${name}.ptx)
endforeach()
string(APPEND kernel_text ".section .note.GNU-stack,\"\",@progbits\n")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/embedded/kernels.S CONTENT "${kernel_text}")
set_source_files_properties(${CMAKE_BINARY_DIR}/embedded/kernels.S PROPERTIES
  OBJECT_DEPENDS "${kernel_files}")
target_sources(gpulint_probe PRIVATE ${CMAKE_BINARY_DIR}/embedded/kernels.S)
