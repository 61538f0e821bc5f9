# LLVM's OpenMP beside that of another compiler: the same text compiled by clang, which makes calls of libomp's own interface (gcc's code, which
# libomp serves through a layer, took 10 % longer for a task), and linked with the kernels of this build.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  find_program(WEFT_CLANG NAMES clang++ clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16)
  mark_as_advanced(WEFT_CLANG)
endif()
if(WEFT_CLANG)
  execute_process(COMMAND "${WEFT_CLANG}" -print-file-name=libomp.so OUTPUT_VARIABLE libomp OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND "${WEFT_CLANG}" -print-file-name=include/omp.h OUTPUT_VARIABLE libomp_header OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()

if(IS_ABSOLUTE "${libomp}" AND IS_ABSOLUTE "${libomp_header}")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  separate_arguments(clang_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
  set(libomp_object "${CMAKE_CURRENT_BINARY_DIR}/libomp.o")
  add_custom_command(
    OUTPUT "${libomp_object}"
    COMMAND "${WEFT_CLANG}" ${clang_flags} -std=c++20 -fopenmp -DWEFT_OPENMP_NAME="libomp" "-I${PROJECT_SOURCE_DIR}/bench" -MD
      -MF "${libomp_object}.d" -o "${libomp_object}" -c "${CMAKE_CURRENT_SOURCE_DIR}/openmp.cpp"
    DEPENDS openmp.cpp
    DEPFILE "${libomp_object}.d"
    COMMENT "Building bench/runtimes/openmp.cpp by ${WEFT_CLANG}"
    VERBATIM)
  weft_rival(libomp RUNTIME "${libomp_object}" LINK "${libomp}")
endif()
