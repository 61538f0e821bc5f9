# weft_tascell_sources(TARGET [STATIC | PLAIN] FILE.tc...): compiles Tascell programs into a target, and links it with
# libweft-tascell; STATIC: with the static one; PLAIN: without, and with the constructs left out. The
# target's include folders, definitions and options hold for them, too; a change of a header that they
# include makes them again.
function(weft_tascell_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PLAIN;STATIC" "" "")
  if(TARGET weft_tascell_builder)
    set(command $<TARGET_FILE:weft_tascell_builder>)
    set(needs weft_tascell_builder)
  else()
    set(command "${WEFT_COMMAND}" tascell)
    set(needs "")
  endif()
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    get_filename_component(name "${source}" NAME_WE)
    set(made "${CMAKE_CURRENT_BINARY_DIR}/${target}.dir/${name}.tc.c")
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${target}.dir")
    set(folders "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    set(depends DEPENDS "${path}" ${needs})
    if(CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
      list(APPEND depends DEPFILE "${made}.d")
    endif()
    add_custom_command(OUTPUT "${made}"
      COMMAND ${CMAKE_COMMAND} -E env "CC=${CMAKE_C_COMPILER}" ${command} "${path}" --emit-c -o "${made}"
        $<$<BOOL:${arg_PLAIN}>:--plain> -MD -MF "${made}.d" -MT "${made}"
        $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-O2>
        "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>" "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      COMMAND_EXPAND_LISTS VERBATIM
      COMMENT "Compiling Tascell program ${source}"
      ${depends})
    target_sources(${target} PRIVATE "${made}")
    # What the preprocessor has been over is no longer known to come from a macro of a system header.
    set_source_files_properties("${made}" PROPERTIES LANGUAGE C)
  endforeach()
  if(arg_STATIC)
    target_link_libraries(${target} PRIVATE weft::tascell_static)
  elseif(NOT arg_PLAIN)
    target_link_libraries(${target} PRIVATE weft::tascell)
  endif()
endfunction()
