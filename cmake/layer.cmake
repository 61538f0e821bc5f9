# The core's targets: an object library for each layer, and the shared and the static library made of them all.

add_library(weft_linked_as_c INTERFACE) # how C++ is compiled that C programs link: the core, and interfaces that stand on it
target_compile_features(weft_linked_as_c INTERFACE cxx_std_20)
target_include_directories(weft_linked_as_c INTERFACE "${PROJECT_SOURCE_DIR}/include")
target_compile_options(weft_linked_as_c INTERFACE
  -fvisibility=hidden
  -fno-plt
  -fno-tree-slp-vectorize # two words through a vector register cost more than two stores
  -fomit-frame-pointer
  -fasynchronous-unwind-tables
  -fno-semantic-interposition
  -ftls-model=initial-exec
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-threadsafe-statics;-fvisibility-inlines-hidden>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Switches end in a jump, which shadow stacks forbid.
  target_compile_options(weft_linked_as_c INTERFACE -fcf-protection=none)
endif()
target_compile_options(weft_linked_as_c INTERFACE -U_GLIBCXX_ASSERTIONS) # it would need the C++ library
target_link_libraries(weft_linked_as_c INTERFACE weft_warnings)

add_library(weft_core_flags INTERFACE) # how the core is compiled
target_include_directories(weft_core_flags INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(weft_core_flags INTERFACE weft_linked_as_c weft_core_definitions)

weft_count_coverage(weft_core_flags)

add_library(weft_core_definitions INTERFACE) # what the core and the tests that include its headers must agree on
target_compile_definitions(weft_core_definitions INTERFACE $<$<BOOL:${WEFT_CHECKED}>:WEFT_CHECKED>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # The inlined switch pushes onto the stack of the function around it.
  target_compile_options(weft_core_definitions INTERFACE -mno-red-zone)
endif()

set_property(GLOBAL PROPERTY weft_layers "")

# weft_layer(NAME SOURCES file...): one layer of the core. A layer of headers alone has no sources.
function(weft_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  if(NOT arg_SOURCES)
    return()
  endif()
  add_library(weft_${name} OBJECT ${arg_SOURCES})
  target_link_libraries(weft_${name} PRIVATE weft_core_flags)
  set_target_properties(weft_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set_property(GLOBAL APPEND PROPERTY weft_layers weft_${name})
  list(TRANSFORM arg_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  set_property(GLOBAL APPEND PROPERTY weft_sources ${arg_SOURCES})
endfunction()

# dlclose leaves a library with this option where it is:
# docs/decisions/0026-libraries-stay-loaded.md.
set(WEFT_STAYS_LOADED LINKER:-z,nodelete)

# For programs that use the library: a frame larger than the guard beneath a stack could jump over
# it (docs/guide/reports.md). clang knows the option on aarch64 since version 18.
set(WEFT_TOUCHES_EACH_PAGE)
foreach(language IN ITEMS C CXX)
  set(is_new $<VERSION_GREATER_EQUAL:$<${language}_COMPILER_VERSION>,18>)
  set(is_clang $<AND:$<COMPILE_LANG_AND_ID:${language},Clang>,${is_new}>)
  set(can $<OR:$<COMPILE_LANG_AND_ID:${language},GNU>,${is_clang}>)
  list(APPEND WEFT_TOUCHES_EACH_PAGE $<${can}:-fstack-clash-protection>)
endforeach()
if(PROJECT_IS_TOP_LEVEL) # our own tests have frames that overflow as they say
  set(WEFT_TOUCHES_EACH_PAGE "$<INSTALL_INTERFACE:${WEFT_TOUCHES_EACH_PAGE}>")
endif()

# counting_objects: what stands in front of functions of the C library, in the shared library with
# checks alone. A program that is linked with -static has no other function behind it, and
# sanitizers have such functions of their own.
macro(weft_count_os_locks)
  set(counting_objects)
  if(NOT WEFT_SANITIZE MATCHES "address|thread")
    if(NOT TARGET weft_os_locks)
      add_library(weft_os_locks OBJECT "${PROJECT_SOURCE_DIR}/src/see/os_locks.cpp")
      target_link_libraries(weft_os_locks PRIVATE weft_core_flags)
      target_compile_definitions(weft_os_locks PRIVATE WEFT_CHECKED)
      set_target_properties(weft_os_locks PROPERTIES POSITION_INDEPENDENT_CODE ON EXCLUDE_FROM_ALL TRUE)
    endif()
    set(counting_objects $<TARGET_OBJECTS:weft_os_locks>)
  endif()
endmacro()

# NAME and NAME_static of these objects: libweft.so and libweft.a, linked as C: see
# docs/decisions/0001-cxx20-core.md.
function(weft_library_pair name objects)
  set(map "${PROJECT_SOURCE_DIR}/src/capi/weft.map")
  set(shared_objects ${objects})
  if(WEFT_CHECKED OR name STREQUAL "weft_checked")
    set(map "${PROJECT_SOURCE_DIR}/src/capi/weft_checked.map")
    weft_count_os_locks()
    list(APPEND shared_objects ${counting_objects})
  endif()
  add_library(${name} SHARED ${ARGN} ${shared_objects})
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${WEFT_SOVERSION} LINK_DEPENDS "${map}")
  target_link_options(${name} PRIVATE "LINKER:--version-script=${map}" LINKER:-z,now LINKER:-z,relro ${WEFT_STAYS_LOADED})
  if(NOT WEFT_SANITIZE) # clang's sanitizers live in the program
    target_link_options(${name} PRIVATE LINKER:--no-undefined)
  endif()

  add_library(${name}_static STATIC ${ARGN} ${objects})
  foreach(library IN ITEMS ${name} ${name}_static)
    add_library(weft::${library} ALIAS ${library})
    set_target_properties(${library} PROPERTIES OUTPUT_NAME weft LINKER_LANGUAGE C)
    target_include_directories(${library} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    # The standard of the C++ headers, for a project that has C++. Without the condition, a project
    # in C alone would be asked for a C++ compiler.
    target_compile_features(${library} INTERFACE $<$<BOOL:$<CXX_COMPILER_ID>>:cxx_std_20>)
    target_compile_options(${library} INTERFACE "${WEFT_TOUCHES_EACH_PAGE}")
    target_link_libraries(${library} PRIVATE Threads::Threads ${CMAKE_DL_LIBS}) # dlopen: in libc itself since glibc 2.34
  endforeach()
  # A plug-in that holds the core itself must stay, too.
  target_link_options(${name}_static INTERFACE
    $<$<IN_LIST:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY$<SEMICOLON>MODULE_LIBRARY>:${WEFT_STAYS_LOADED}>)
endfunction()

# weft and weft_static from all layers; and the same core with checks, weft_checked and
# weft_checked_static, which are only built when they are asked for: docs/guide/checked.md.
function(weft_libraries)
  get_property(layers GLOBAL PROPERTY weft_layers)
  list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  get_property(sources GLOBAL PROPERTY weft_sources)
  if(NOT objects)
    file(CONFIGURE OUTPUT empty.c CONTENT "extern int weft_empty;\n")
    set(objects "${CMAKE_CURRENT_BINARY_DIR}/empty.c")
    set(sources "${objects}")
  endif()
  weft_library_pair(weft "${objects}")

  if(NOT WEFT_CHECKED) # otherwise the layers have the checks already
    add_library(weft_checked_objects OBJECT EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(weft_checked_objects PRIVATE weft_core_flags)
    target_compile_definitions(weft_checked_objects PRIVATE WEFT_CHECKED)
    set_target_properties(weft_checked_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
    set(objects $<TARGET_OBJECTS:weft_checked_objects>)
  endif()
  weft_library_pair(weft_checked "${objects}" EXCLUDE_FROM_ALL)
  set_target_properties(weft_checked weft_checked_static PROPERTIES # their files have the names of the others'
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/with_checks" ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/with_checks")
endfunction()
