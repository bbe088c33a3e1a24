# gpulint_cxx: the C++ library for WebAssembly with exceptions. Zig brings its sources and has it built without; what is left out
# here (files, streams on files, threads of its own) a page has no use for.
foreach(source algorithm any bind call_once charconv chrono condition_variable error_category exception functional future hash ios ios.instantiations
        iostream locale memory memory_resource mutex mutex_destructor new_handler new_helpers optional ostream random regex
        ryu/d2fixed ryu/d2s ryu/f2s stdexcept string strstream system_error thread typeinfo valarray variant vector verbose_abort)
  list(APPEND cxx ${GPULINT_ZIG_LIB}/libcxx/src/${source}.cpp)
endforeach()
foreach(source abort_message cxa_aux_runtime cxa_default_handlers cxa_exception cxa_exception_storage cxa_guard cxa_handlers
        cxa_personality cxa_vector cxa_virtual fallback_malloc private_typeinfo stdlib_exception stdlib_new_delete
        stdlib_stdexcept stdlib_typeinfo)
  list(APPEND cxx ${GPULINT_ZIG_LIB}/libcxxabi/src/${source}.cpp)
endforeach()
add_library(gpulint_cxx STATIC ${cxx} ${GPULINT_ZIG_LIB}/libunwind/src/Unwind-wasm.c)
set_target_properties(gpulint_cxx PROPERTIES CXX_STANDARD 23 CXX_EXTENSIONS ON)
target_include_directories(gpulint_cxx PRIVATE ${GPULINT_ZIG_LIB}/libcxx/src ${GPULINT_ZIG_LIB}/libcxx/libc
  ${GPULINT_ZIG_LIB}/libcxxabi/src ${GPULINT_ZIG_LIB}/libcxxabi/include ${GPULINT_ZIG_LIB}/libunwind/include)
target_compile_definitions(gpulint_cxx PRIVATE _LIBCPP_BUILDING_LIBRARY _LIBCXXABI_BUILDING_LIBRARY LIBCXX_BUILDING_LIBCXXABI
  _LIBCXXABI_HAS_NO_THREADS _LIBUNWIND_HAS_NO_THREADS _LIBUNWIND_HIDE_SYMBOLS LIBC_NAMESPACE=__llvm_libc_common_utils
  LIBCXXABI_NON_DEMANGLING_TERMINATE)
target_compile_options(gpulint_cxx PRIVATE -w)
