# weft_test(KIND NAME SOURCES file... [LINK target...] [C] [TIMEOUT seconds] [ARGS argument...])
#
# An executable and a ctest with the label KIND: unit api model stress fault package lint docs examples. unit, fault and stress
# tests may include headers of src/. An api test sees include/ alone and runs twice: with the static library and with the shared.
# C says that the program is C and must be linked as C; the others are doctest programs (main is there already).

# doctest's main comes from a library, so that a test may also bring its own. The header is copied: when cross-compiling, the
# folder that it lives in must not be on the include path.
if(NOT WEFT_DOCTEST_HEADER)
  find_file(WEFT_DOCTEST_HEADER doctest/doctest.h NO_CMAKE_FIND_ROOT_PATH REQUIRED)
endif()
file(COPY "${WEFT_DOCTEST_HEADER}" DESTINATION "${PROJECT_BINARY_DIR}/doctest/doctest")
add_library(weft_doctest STATIC "${PROJECT_SOURCE_DIR}/tests/doctest_main.cpp")
target_include_directories(weft_doctest SYSTEM PUBLIC "${PROJECT_BINARY_DIR}/doctest")

function(weft_test kind name)
  cmake_parse_arguments(arg "C" "TIMEOUT" "SOURCES;LINK;ARGS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "weft_test(${kind} ${name}): what is ${arg_UNPARSED_ARGUMENTS}?")
  endif()
  if(kind STREQUAL "api")
    weft_test_program(${kind} ${name}_static weft_static)
    weft_test_program(${kind} ${name}_shared weft)
  elseif(kind STREQUAL "model")
    weft_test_program(${kind} ${name} "")
  else()
    weft_test_program(${kind} ${name} weft_static)
  endif()
endfunction()

# Part of weft_test, whose arg_ variables it sees.
macro(weft_test_program kind name library)
  set(target ${kind}_${name})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LINK} ${library} weft_warnings Threads::Threads)
  if(arg_C)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  else()
    target_link_libraries(${target} PRIVATE weft_doctest)
  endif()
  if("${kind}" STREQUAL "model") # the explorer's base/atomic.hpp comes before the core's
    target_include_directories(${target} PRIVATE
      "${PROJECT_SOURCE_DIR}/tests/model/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  elseif("${kind}" MATCHES "^(unit|stress|fault)$")
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${target} PRIVATE weft_core_definitions)
  endif()
  add_test(NAME ${kind}.${name} COMMAND ${target} ${arg_ARGS})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(timeout ${arg_TIMEOUT})
  if(WEFT_SANITIZE OR CMAKE_CROSSCOMPILING) # instrumented and emulated programs take longer
    math(EXPR timeout "4 * ${arg_TIMEOUT}")
  endif()
  set_tests_properties(${kind}.${name} PROPERTIES LABELS ${kind} TIMEOUT ${timeout})
endmacro()
