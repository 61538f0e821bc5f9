# weft_test(KIND NAME SOURCES file... [FAMILY name] [LINK target...] [C] [TIMEOUT seconds]
#           [ARGS argument...])
#
# A program KIND_NAME and a ctest KIND.NAME with the label KIND. unit, fault and stress tests may include headers of src/; the others
# see include/ alone. An api test is compiled once and runs twice, with the static library and with the shared. C says that the
# program is C and must be linked as C; the others are doctest programs (main is there already).
#
# Api tests of a FAMILY are linked into one program for each library; each is a process of its own
# all the same. A test that ends its process on purpose stays alone, so that what it reports is its
# own. weft_api_family(NAME) makes the family's programs, once its tests are known.
# weft_api_command(NAME VARIABLE) sets VARIABLE to the words that run an api test with the static
# library, and VARIABLE_labels to the labels of that test. A test of a family has the name of its
# program, such as c_family, as a second label.

# doctest's main comes from a library, so that a test may also bring its own. The header is copied: when cross-compiling, the
# folder that it lives in must not be on the include path.
if(NOT WEFT_DOCTEST_HEADER)
  find_file(WEFT_DOCTEST_HEADER doctest/doctest.h NO_CMAKE_FIND_ROOT_PATH REQUIRED)
endif()
file(COPY "${WEFT_DOCTEST_HEADER}" DESTINATION "${PROJECT_BINARY_DIR}/doctest/doctest")
add_library(weft_doctest STATIC "${PROJECT_SOURCE_DIR}/tests/doctest_main.cpp")
target_include_directories(weft_doctest SYSTEM PUBLIC "${PROJECT_BINARY_DIR}/doctest")
target_compile_definitions(weft_doctest PUBLIC DOCTEST_CONFIG_SUPER_FAST_ASSERTS) # halves the time that tests take to compile
target_compile_options(weft_doctest PRIVATE $<$<CONFIG:Release>:-O0>) # a third of the time to compile, and no test waits for it

if(WEFT_LIBCXX) # the programs alone: the core has no C++ library
  # libc++ 19 has std::stop_token only so
  target_compile_options(weft_doctest PUBLIC -stdlib=libc++ -fexperimental-library)
  target_link_options(weft_doctest PUBLIC -stdlib=libc++)
endif()

# What puts faults into programs that know nothing of them: see its head.
add_library(weft_planned_fault OBJECT "${PROJECT_SOURCE_DIR}/tests/fault/planned_fault.cpp")
target_link_libraries(weft_planned_fault PRIVATE weft_core_flags)

# The libraries are one code: sanitizers see it once, its lines are counted once, and how a library
# is loaded has nothing to do with the processor.
set(WEFT_TEST_LIBRARIES static shared)
if(WEFT_SANITIZE OR WEFT_LIBCXX OR WEFT_COVERAGE OR CMAKE_CROSSCOMPILING)
  set(WEFT_TEST_LIBRARIES static)
endif()

function(weft_test kind name)
  cmake_parse_arguments(arg "C" "FAMILY;TIMEOUT" "SOURCES;LINK;ARGS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "weft_test(${kind} ${name}): what is ${arg_UNPARSED_ARGUMENTS}?")
  endif()
  if(kind STREQUAL "api")
    add_library(api_${name} OBJECT ${arg_SOURCES})
    weft_test_settings(api_${name} PUBLIC)
    set(program ${name})
    set(labels api)
    if(arg_FAMILY)
      set(program ${arg_FAMILY}_family)
      list(APPEND labels ${program})
      set_property(GLOBAL APPEND PROPERTY weft_${program} ${name})
      if(arg_C)
        target_compile_definitions(api_${name} PRIVATE main=api_${name}) # tests/api/family.c calls it
        set(arg_ARGS ${name})
      else()
        set(arg_ARGS "--source-file=*/${name}.cpp")
      endif()
    else()
      weft_api_programs(${name} ${name})
    endif()
    set_property(GLOBAL PROPERTY weft_api_command_${name} $<TARGET_FILE:api_${program}_static> ${arg_ARGS})
    set_property(GLOBAL PROPERTY weft_api_labels_${name} ${labels})
    foreach(library IN LISTS WEFT_TEST_LIBRARIES)
      weft_test_run(api_${program}_${library} api.${name}_${library})
      set_tests_properties(api.${name}_${library} PROPERTIES LABELS "${labels}")
    endforeach()
  else()
    add_executable(${kind}_${name} ${arg_SOURCES})
    weft_test_settings(${kind}_${name} PRIVATE)
    target_link_libraries(${kind}_${name} PRIVATE weft_static)
    weft_test_run(${kind}_${name} ${kind}.${name})
  endif()
endfunction()

# api_NAME_static and api_NAME_shared, made of the objects of these tests.
function(weft_api_programs name)
  list(TRANSFORM ARGN PREPEND api_ OUTPUT_VARIABLE tests)
  foreach(library IN LISTS WEFT_TEST_LIBRARIES)
    add_executable(api_${name}_${library})
    target_link_libraries(api_${name}_${library} PRIVATE ${tests} $<IF:$<STREQUAL:${library},static>,weft_static,weft>)
    if(library STREQUAL "static")
      target_link_libraries(api_${name}_${library} PRIVATE weft_planned_fault)
    endif()
  endforeach()
endfunction()

function(weft_api_family name)
  cmake_parse_arguments(arg "C" "" "" ${ARGN})
  get_property(tests GLOBAL PROPERTY weft_${name}_family)
  weft_api_programs(${name}_family ${tests})
  set(language CXX)
  if(arg_C)
    set(language C)
    list(TRANSFORM tests REPLACE "(.+)" "TEST(\\1)" OUTPUT_VARIABLE listed)
    list(JOIN listed "\n" listed)
    file(CONFIGURE OUTPUT ${name}_family.inc CONTENT "${listed}\n")
  endif()
  foreach(library IN LISTS WEFT_TEST_LIBRARIES)
    set(program api_${name}_family_${library})
    set_target_properties(${program} PROPERTIES LINKER_LANGUAGE ${language})
    if(arg_C)
      target_sources(${program} PRIVATE "${PROJECT_SOURCE_DIR}/tests/api/family.c")
      target_link_libraries(${program} PRIVATE weft_warnings)
      target_compile_definitions(${program} PRIVATE "FAMILY_TESTS=\"${CMAKE_CURRENT_BINARY_DIR}/${name}_family.inc\"")
    endif()
  endforeach()
endfunction()

function(weft_api_command name variable)
  get_property(command GLOBAL PROPERTY weft_api_command_${name})
  get_property(labels GLOBAL PROPERTY weft_api_labels_${name})
  set(${variable} ${command} PARENT_SCOPE)
  set(${variable}_labels ${labels} PARENT_SCOPE)
endfunction()

# Parts of weft_test, whose variables they see: how a test is compiled, and how it is linked and run.
macro(weft_test_settings target scope)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(${target} ${scope} ${arg_LINK} Threads::Threads PRIVATE weft_warnings)
  if(WEFT_CHECKED OR kind STREQUAL "tools") # the others of the release preset are compiled as programs are
    target_compile_options(${target} PRIVATE ${WEFT_COMPILES_FAST})
  endif()
  if(WEFT_SANITIZE MATCHES "address" AND kind STREQUAL "api" AND NOT arg_C)
    target_compile_options(${target} PRIVATE -O0) # two thirds of the time, where C++ takes most of it
  endif()
  # TSan makes a fiber for every stack that is started, an emulator translates: fewer rounds say as much there.
  if(CMAKE_CROSSCOMPILING OR WEFT_SANITIZE STREQUAL "thread")
    target_compile_definitions(${target} PRIVATE IS_SLOW=1)
  else()
    target_compile_definitions(${target} PRIVATE IS_SLOW=0)
  endif()
  if(NOT arg_C)
    target_link_libraries(${target} ${scope} weft_doctest)
    if(kind MATCHES "^(unit|api|stress)$" AND TARGET ${kind}_precompiled AND NOT ${target} STREQUAL ${kind}_precompiled)
      target_precompile_headers(${target} REUSE_FROM ${kind}_precompiled)
    endif()
  endif()
  if(kind MATCHES "^(unit|stress|fault)$")
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${target} PRIVATE weft_core_definitions)
  endif()
endmacro()

# What most C++ tests of the interface include is compiled once for all that are compiled alike:
# half of the time that they take. lint.headers sees to it that each header includes what it needs.
# Stress tests bring a main of their own, which doctest must not be included before.
function(weft_precompile_for kind)
  set(source "${PROJECT_BINARY_DIR}/${kind}_precompiled.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "extern int weft_precompiled;\n")
  add_library(${kind}_precompiled OBJECT EXCLUDE_FROM_ALL "${source}")
  weft_test_settings(${kind}_precompiled PUBLIC)
  target_precompile_headers(${kind}_precompiled PRIVATE ${ARGN} <atomic> <chrono> <functional> <string> <thread> <vector> <weft/weft.hpp>)
endfunction()

macro(weft_test_run target test)
  set(language CXX)
  if(arg_C)
    set(language C)
  endif()
  if(NOT arg_FAMILY)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language})
  endif()
  add_test(NAME ${test} COMMAND ${target} ${arg_ARGS})
  set(timeout 240)
  if(arg_TIMEOUT)
    set(timeout ${arg_TIMEOUT})
  endif()
  if(CMAKE_CROSSCOMPILING) # emulated programs take longer, and so do instrumented ones
    math(EXPR timeout "4 * ${timeout}")
  elseif(WEFT_SANITIZE)
    math(EXPR timeout "2 * ${timeout}")
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

if(NOT WEFT_MODEL_ONLY)
  weft_precompile_for(api <doctest/doctest.h>)
  weft_precompile_for(unit <doctest/doctest.h>)
  weft_precompile_for(stress)
endif()
