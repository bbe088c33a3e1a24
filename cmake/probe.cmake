# The fake GPU driver and the planted library that the tests of src/probe load at run time.
# No target links them, as no target links the real driver.
add_library(fake_driver MODULE ${CMAKE_SOURCE_DIR}/tests/probe/fake_driver.cpp
  ${CMAKE_SOURCE_DIR}/tests/probe/fake_device.cpp ${CMAKE_SOURCE_DIR}/tests/probe/fake_memory.cpp
  ${CMAKE_SOURCE_DIR}/tests/probe/fake_kernels.cpp ${CMAKE_SOURCE_DIR}/tests/probe/fake_node.cpp
  ${CMAKE_SOURCE_DIR}/src/device/reference.cpp)
target_link_options(fake_driver PRIVATE -Wl,-soname,libcuda.so.1)  # by it the fake cuBLASLt finds it
add_library(fake_cublaslt MODULE ${CMAKE_SOURCE_DIR}/tests/probe/fake_cublaslt.cpp
  ${CMAKE_SOURCE_DIR}/src/device/reference.cpp)
target_include_directories(fake_cublaslt PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(fake_cublaslt PRIVATE gpulint_warnings ${CMAKE_DL_LIBS})
target_include_directories(fake_driver PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(fake_driver PRIVATE gpulint_warnings)
add_library(fake_nccl MODULE ${CMAKE_SOURCE_DIR}/tests/probe/fake_nccl.cpp)
target_include_directories(fake_nccl PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(fake_nccl PRIVATE gpulint_warnings ${CMAKE_DL_LIBS})
add_library(planted_library MODULE ${CMAKE_SOURCE_DIR}/tests/probe/planted_library.cpp)
target_link_libraries(planted_library PRIVATE gpulint_warnings)

foreach(room host device probe)
  add_dependencies(test_${room} fake_driver fake_cublaslt fake_nccl planted_library)
  target_compile_definitions(test_${room} PRIVATE
    GPULINT_FAKE_DRIVER="$<TARGET_FILE:fake_driver>"
    GPULINT_FAKE_CUBLASLT="$<TARGET_FILE:fake_cublaslt>"
    GPULINT_FAKE_NCCL="$<TARGET_FILE:fake_nccl>"
    GPULINT_PLANTED_LIBRARY="$<TARGET_FILE:planted_library>")
endforeach()

add_test(NAME probe.program COMMAND ${CMAKE_SOURCE_DIR}/tests/probe/run_confirm.sh
  $<TARGET_FILE:gpulint> $<TARGET_FILE:fake_driver> $<TARGET_FILE:planted_library>
  $<TARGET_FILE:fake_cublaslt>)
add_test(NAME probe.links COMMAND ${CMAKE_SOURCE_DIR}/tests/probe/run_links.sh
  $<TARGET_FILE:gpulint> $<TARGET_FILE:fake_driver> $<TARGET_FILE:fake_cublaslt> $<TARGET_FILE:fake_nccl>
  $<TARGET_FILE:planted_library>)
add_test(NAME probe.killed COMMAND ${CMAKE_SOURCE_DIR}/tests/probe/run_killed.sh
  $<TARGET_FILE:gpulint> $<TARGET_FILE:fake_driver>)
add_test(NAME probe.host COMMAND ${CMAKE_SOURCE_DIR}/tests/probe/run_host.sh $<TARGET_FILE:gpulint>)
# It measures the memory of the host, which other tests take.
set_tests_properties(probe.host PROPERTIES RUN_SERIAL TRUE)
add_test(NAME probe.slurm COMMAND ${CMAKE_SOURCE_DIR}/tests/probe/run_slurm.sh
  $<TARGET_FILE:gpulint> $<TARGET_FILE:fake_driver> $<TARGET_FILE:fake_nccl>)
add_test(NAME probe.kernels COMMAND ${CMAKE_SOURCE_DIR}/src/device/kernels/generate.sh --check)
add_test(NAME probe.abi COMMAND ${CMAKE_SOURCE_DIR}/tests/probe/run_abi.sh ${CMAKE_CXX_COMPILER}
  ${CMAKE_SOURCE_DIR})
# The kernels on the host, as the PTX manual defines their instructions. Sanitizers do not follow fibers.
if(NOT GPULINT_SANITIZE)
  file(GLOB emulated CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/probe/emulated/*.cpp)
  add_executable(emulate_kernels ${emulated})
  target_include_directories(emulate_kernels PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(emulate_kernels PRIVATE gpulint_device)
  add_test(NAME probe.emulated COMMAND emulate_kernels)
endif()
set_tests_properties(probe.abi probe.kernels probe.slurm PROPERTIES SKIP_RETURN_CODE 77)

# What a machine with a GPU runs, here on the fake card; and the pages that say where it ran.
find_program(GPULINT_PYTHON python3)
if(GPULINT_PYTHON)
  add_test(NAME hardware.check COMMAND ${GPULINT_PYTHON} ${CMAKE_SOURCE_DIR}/tests/probe/run_hardware.py
    $<TARGET_FILE:gpulint> $<TARGET_FILE:fake_driver> $<TARGET_FILE:fake_cublaslt> $<TARGET_FILE:fake_nccl>)
  add_test(NAME hardware.pages COMMAND ${GPULINT_PYTHON} ${CMAKE_SOURCE_DIR}/bench/hardware/matrix.py --check)
endif()
