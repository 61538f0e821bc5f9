# weft_test(KIND NAME SOURCES file... [LINK target...] [C] [TIMEOUT seconds] [ARGS argument...])
#
# A program KIND_NAME and a ctest KIND.NAME with the label KIND. unit, fault and stress tests may include headers of src/; the others
# see include/ alone. An api test is compiled once and runs twice, with the static library and with the shared. C says that the
# program is C and must be linked as C; the others are doctest programs (main is there already).

# doctest's main comes from a library, so that a test may also bring its own. The header is copied: when cross-compiling, the
# folder that it lives in must not be on the include path.
if(NOT WEFT_DOCTEST_HEADER)
  find_file(WEFT_DOCTEST_HEADER doctest/doctest.h NO_CMAKE_FIND_ROOT_PATH REQUIRED)
endif()
file(COPY "${WEFT_DOCTEST_HEADER}" DESTINATION "${PROJECT_BINARY_DIR}/doctest/doctest")
add_library(weft_doctest STATIC "${PROJECT_SOURCE_DIR}/tests/doctest_main.cpp")
target_include_directories(weft_doctest SYSTEM PUBLIC "${PROJECT_BINARY_DIR}/doctest")
target_compile_definitions(weft_doctest PUBLIC DOCTEST_CONFIG_SUPER_FAST_ASSERTS) # halves the time that tests take to compile
target_compile_options(weft_doctest PRIVATE ${WEFT_COMPILES_FAST})

# What puts faults into programs that know nothing of them: see its head.
add_library(weft_planned_fault OBJECT "${PROJECT_SOURCE_DIR}/tests/fault/planned_fault.cpp")
target_link_libraries(weft_planned_fault PRIVATE weft_core_flags)

# The libraries are one code: sanitizers see it once.
set(WEFT_TEST_LIBRARIES static shared)
if(WEFT_SANITIZE)
  set(WEFT_TEST_LIBRARIES static)
endif()

function(weft_test kind name)
  cmake_parse_arguments(arg "C" "TIMEOUT" "SOURCES;LINK;ARGS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "weft_test(${kind} ${name}): what is ${arg_UNPARSED_ARGUMENTS}?")
  endif()
  if(kind STREQUAL "api")
    add_library(api_${name} OBJECT ${arg_SOURCES})
    weft_test_settings(api_${name} PUBLIC)
    foreach(library IN LISTS WEFT_TEST_LIBRARIES)
      add_executable(api_${name}_${library})
      target_link_libraries(api_${name}_${library} PRIVATE api_${name} $<IF:$<STREQUAL:${library},static>,weft_static,weft>)
      if(library STREQUAL "static")
        target_link_libraries(api_${name}_${library} PRIVATE weft_planned_fault)
      endif()
      weft_test_run(api_${name}_${library} api.${name}_${library})
    endforeach()
  else()
    add_executable(${kind}_${name} ${arg_SOURCES})
    weft_test_settings(${kind}_${name} PRIVATE)
    target_link_libraries(${kind}_${name} PRIVATE weft_static)
    weft_test_run(${kind}_${name} ${kind}.${name})
  endif()
endfunction()

# Parts of weft_test, whose variables they see: how a test is compiled, and how it is linked and run.
macro(weft_test_settings target scope)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(${target} ${scope} ${arg_LINK} Threads::Threads PRIVATE weft_warnings)
  if(WEFT_CHECKED) # those of the release preset are compiled as programs are
    target_compile_options(${target} PRIVATE ${WEFT_COMPILES_FAST})
  endif()
  # TSan makes a fiber for every stack that is started, an emulator translates: fewer rounds say as much there.
  if(CMAKE_CROSSCOMPILING OR WEFT_SANITIZE STREQUAL "thread")
    target_compile_definitions(${target} PRIVATE IS_SLOW=1)
  else()
    target_compile_definitions(${target} PRIVATE IS_SLOW=0)
  endif()
  if(NOT arg_C)
    target_link_libraries(${target} ${scope} weft_doctest)
  endif()
  if(kind MATCHES "^(unit|stress|fault)$")
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${target} PRIVATE weft_core_definitions)
  endif()
endmacro()

macro(weft_test_run target test)
  set(language CXX)
  if(arg_C)
    set(language C)
  endif()
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language})
  add_test(NAME ${test} COMMAND ${target} ${arg_ARGS})
  set(timeout 120)
  if(arg_TIMEOUT)
    set(timeout ${arg_TIMEOUT})
  endif()
  if(WEFT_SANITIZE OR CMAKE_CROSSCOMPILING) # instrumented and emulated programs take longer
    math(EXPR timeout "4 * ${timeout}")
  endif()
  set_tests_properties(${test} PROPERTIES LABELS ${kind} TIMEOUT ${timeout})
endmacro()

# weft_scheduled(COMMAND): make check-deep runs it under schedules from many seeds (tools/test/schedules.py). It must be short, and not
# wait for others without a call of Weft.
function(weft_scheduled command)
  set_property(GLOBAL APPEND PROPERTY weft_scheduled "${command}")
endfunction()
function(weft_write_scheduled)
  get_property(commands GLOBAL PROPERTY weft_scheduled)
  list(JOIN commands "\n" lines)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/tests/scheduled.txt" CONTENT "${lines}\n")
endfunction()
