# How code is compiled for the machine of many CPUs in virtual time (tests/many): the compiler calls
# a function at each access, as for ThreadSanitizer, but the code is that of what ships, which must
# not find that sanitizer (__tsan_init). With
# WEFT_MANY the layers of the core are compiled so, too.
if(NOT WEFT_MANY)
  return()
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "The machine of many CPUs (WEFT_MANY) is for gcc on x86-64, and this is "
    "${CMAKE_CXX_COMPILER_ID} on ${CMAKE_SYSTEM_PROCESSOR}.")
endif()
add_library(many_instrumented INTERFACE)
# Before src: headers there stand in for some of its own.
include_directories(BEFORE "${PROJECT_SOURCE_DIR}/tests/many/include" "${PROJECT_SOURCE_DIR}/tests/many")
target_compile_options(many_instrumented INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:
  -fsanitize=thread;-U__SANITIZE_THREAD__;-Wno-tsan;-DWEFT_HOT_WITHOUT_ASSEMBLY;-D__tsan_init=many_no_tsan_init>)
target_link_libraries(weft_core_flags INTERFACE many_instrumented)
