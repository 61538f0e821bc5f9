# weft_face_libraries(NAME INCLUDE folder [MAP script] [LIBRARIES library...]): libweft-NAME, shared and static, of what the target
# weft_NAME_objects has compiled, as weft::NAME and weft::NAME_static. The shared one lies beside libweft, stays loaded, and is linked in C,
# as the static one is: neither wants a C++ runtime of its own. INCLUDE: where the headers are installed, which the build takes from the
# folder `include` of the caller. MAP: the script of the symbols that it exports.
function(weft_face_libraries name)
  cmake_parse_arguments(arg "" "INCLUDE;MAP" "LIBRARIES" ${ARGN})
  set(shared weft_${name})
  set(static weft_${name}_static)
  add_library(${shared} SHARED $<TARGET_OBJECTS:weft_${name}_objects>)
  add_library(${static} STATIC $<TARGET_OBJECTS:weft_${name}_objects>)
  set_target_properties(${shared} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${WEFT_SOVERSION} INSTALL_RPATH "$ORIGIN")
  target_link_options(${shared} PRIVATE LINKER:-z,now LINKER:-z,relro ${WEFT_STAYS_LOADED})
  if(NOT WEFT_SANITIZE) # clang's sanitizers live in the program
    target_link_options(${shared} PRIVATE LINKER:--no-undefined)
  endif()
  if(arg_MAP)
    set_target_properties(${shared} PROPERTIES LINK_DEPENDS "${arg_MAP}")
    target_link_options(${shared} PRIVATE "LINKER:--version-script=${arg_MAP}")
    if(NOT WEFT_SANITIZE)
      target_link_options(${shared} PRIVATE LINKER:--no-undefined-version)
    endif()
  endif()
  target_link_libraries(${shared} PUBLIC weft)
  target_link_libraries(${static} PUBLIC weft_static)
  foreach(library IN ITEMS ${shared} ${static})
    string(REPLACE weft_ "" exported ${library})
    set_target_properties(${library} PROPERTIES OUTPUT_NAME weft-${name} EXPORT_NAME ${exported} LINKER_LANGUAGE C)
    target_include_directories(${library} INTERFACE
      $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${arg_INCLUDE}>)
    target_link_libraries(${library} PRIVATE Threads::Threads ${arg_LIBRARIES})
    add_library(weft::${exported} ALIAS ${library})
  endforeach()
endfunction()
