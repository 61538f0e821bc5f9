# What Weft does not run on is refused here, before anything is compiled. The headers say the same:
# include/weft/detail/platform.h.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(FATAL_ERROR "Weft runs on Linux alone, and this build is for ${CMAKE_SYSTEM_NAME}.")
endif()
math(EXPR weft_bits "8 * 0${CMAKE_SIZEOF_VOID_P}")
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|aarch64|arm64)$" OR NOT weft_bits EQUAL 64)
  message(FATAL_ERROR "Weft runs on x86-64 and aarch64, 64 bits wide, and this build is for ${CMAKE_SYSTEM_PROCESSOR}, ${weft_bits} bits wide.")
endif()
