# What Weft does not run on, and what cannot compile it, is refused here, before anything is compiled.
# The headers say the same of systems and processors: include/weft/detail/platform.h.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(FATAL_ERROR "Weft runs on Linux alone, and this build is for ${CMAKE_SYSTEM_NAME}.")
endif()
math(EXPR weft_bits "8 * 0${CMAKE_SIZEOF_VOID_P}")
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|aarch64|arm64)$" OR NOT weft_bits EQUAL 64)
  message(FATAL_ERROR "Weft runs on x86-64 and aarch64, 64 bits wide, and this build is for ${CMAKE_SYSTEM_PROCESSOR}, ${weft_bits} bits wide.")
endif()

# The compilers of the sources. Programs in C may use older ones against an installed library.
foreach(compiler IN ITEMS "GNU;g++;12" "Clang;clang++;16")
  list(GET compiler 0 weft_compiler)
  list(GET compiler 1 weft_command_name)
  list(GET compiler 2 weft_least)
  if(CMAKE_CXX_COMPILER_ID STREQUAL weft_compiler AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS weft_least)
    message(FATAL_ERROR "Weft is compiled by ${weft_command_name} ${weft_least} or later, and ${CMAKE_CXX_COMPILER} is version "
      "${CMAKE_CXX_COMPILER_VERSION}: name a newer one by -DCMAKE_C_COMPILER=... and -DCMAKE_CXX_COMPILER=...")
  endif()
endforeach()

# The C library: docs/decisions/0147-musl-is-refused.md.
if(CMAKE_C_COMPILER)
  separate_arguments(weft_words UNIX_COMMAND "${CMAKE_C_COMPILER_ARG1} ${CMAKE_C_FLAGS}")
  execute_process(COMMAND "${CMAKE_C_COMPILER}" ${weft_words} -E -dM -include features.h -x c /dev/null
    OUTPUT_VARIABLE weft_defined ERROR_QUIET RESULT_VARIABLE weft_refused)
  if(weft_refused EQUAL 0 AND NOT weft_defined MATCHES "#define __GLIBC__ ")
    message(FATAL_ERROR "Weft needs the C library of GNU (glibc), and this build is for another one, such as musl.")
  endif()
endif()
