# Section 3 of the manual: `cmake --install` makes it of the headers' comments, which takes Python
# alone and half a second.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "No Python: the manual pages of section 3 are not installed")
endif()

# The pages of the C headers in a folder.
function(weft_install_manual headers)
  if(NOT Python3_FOUND OR NOT EXISTS "${weft_SOURCE_DIR}/tools/docs/man.py")
    return()
  endif()
  install(CODE "
    if(IS_ABSOLUTE \"${CMAKE_INSTALL_MANDIR}\")
      set(folder \"\$ENV{DESTDIR}${CMAKE_INSTALL_MANDIR}/man3\")
    else()
      set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man3\")
    endif()
    message(STATUS \"Installing: \${folder}, the pages of ${headers}\")
    execute_process(COMMAND \"${Python3_EXECUTABLE}\" -B \"${weft_SOURCE_DIR}/tools/docs/man.py\" \"\${folder}\" \"${headers}\"
      OUTPUT_VARIABLE pages COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE \"\$ENV{DESTDIR}\" \"\" pages \"\${pages}\")
    string(REGEX MATCHALL \"[^\\n]+\" pages \"\${pages}\")
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \${pages})
  " COMPONENT manual)
endfunction()

weft_install_manual("${PROJECT_SOURCE_DIR}/include/weft")
