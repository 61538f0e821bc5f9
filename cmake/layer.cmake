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
endfunction()

# weft and weft_static from all layers. Both are linked as C: see docs/decisions/0001-cxx20-core.md.
function(weft_libraries)
  get_property(layers GLOBAL PROPERTY weft_layers)
  list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  if(NOT objects)
    file(CONFIGURE OUTPUT empty.c CONTENT "extern int weft_empty;\n")
    set(objects "${CMAKE_CURRENT_BINARY_DIR}/empty.c")
  endif()
  set(map "${PROJECT_SOURCE_DIR}/src/capi/weft.map")

  add_library(weft SHARED ${objects})
  set_target_properties(weft PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS "${map}")
  target_link_options(weft PRIVATE "LINKER:--version-script=${map}" LINKER:-z,now LINKER:-z,relro)
  if(NOT WEFT_SANITIZE) # clang's sanitizers live in the program
    target_link_options(weft PRIVATE LINKER:--no-undefined)
  endif()

  add_library(weft_static STATIC ${objects})
  set_target_properties(weft_static PROPERTIES OUTPUT_NAME weft)

  foreach(library IN ITEMS weft weft_static)
    add_library(weft::${library} ALIAS ${library})
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
    target_include_directories(${library} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${library} PRIVATE Threads::Threads)
  endforeach()
endfunction()
