# The kernels of src/probe/kernels in the program, as zero-ended PTX: building needs no nvcc.
set(kernels ${CMAKE_SOURCE_DIR}/src/probe/kernels)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/embedded/kernels.S CONTENT
".section .rodata
.global gpulint_memory_ptx
.global gpulint_tensor_ptx
gpulint_memory_ptx:
.incbin \"${kernels}/memory.ptx\"
.byte 0
gpulint_tensor_ptx:
.incbin \"${kernels}/tensor.ptx\"
.byte 0
.section .note.GNU-stack,\"\",@progbits
")
set_source_files_properties(${CMAKE_BINARY_DIR}/embedded/kernels.S PROPERTIES
  OBJECT_DEPENDS "${kernels}/memory.ptx;${kernels}/tensor.ptx")
target_sources(gpulint_probe PRIVATE ${CMAKE_BINARY_DIR}/embedded/kernels.S)
