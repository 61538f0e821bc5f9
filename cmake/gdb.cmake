# gdb's commands for Weft's threads (tools/gdb). A small loader bears the library's name, so that gdb finds it: in the build folder it leads
# to the sources, installed to share/weft/gdb. weft.pc tells where the script is (gdb_script).
set(weft_gdb_scripts "${CMAKE_INSTALL_DATADIR}/weft/gdb")
set(loader "libweft.so.${PROJECT_VERSION}-gdb.py")

set(weft_gdb_folder "${PROJECT_SOURCE_DIR}/tools/gdb")
set(WEFT_GDB_LOADER "${PROJECT_BINARY_DIR}/${loader}")
configure_file(cmake/gdb-loader.py.in "${WEFT_GDB_LOADER}" @ONLY)

# gdb looks beside the library first. Only if nothing is there it looks into its own folder, which it trusts unasked.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(default_place "${CMAKE_INSTALL_DATADIR}/gdb/auto-load${CMAKE_INSTALL_FULL_LIBDIR}")
else()
  set(default_place "${CMAKE_INSTALL_LIBDIR}")
endif()
set(WEFT_GDB_AUTO_LOAD "" CACHE STRING "Where gdb finds its script for libweft, below the prefix (empty: where gdb looks by itself)")
set(weft_gdb_place "${WEFT_GDB_AUTO_LOAD}")
if(NOT weft_gdb_place)
  set(weft_gdb_place "${default_place}")
endif()

# weft_gdb_loader(FOLDER word...): the loader, installed to this folder.
function(weft_gdb_loader folder)
  file(RELATIVE_PATH weft_gdb_folder "/${folder}" "/${weft_gdb_scripts}")
  configure_file(cmake/gdb-loader.py.in "${PROJECT_BINARY_DIR}/gdb/${folder}/${loader}" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/gdb/${folder}/${loader}" DESTINATION "${folder}" ${ARGN})
endfunction()
weft_gdb_loader("${weft_gdb_place}" COMPONENT core)
weft_gdb_loader("${weft_gdb_place}/weft/checked" COMPONENT checked EXCLUDE_FROM_ALL)
install(DIRECTORY tools/gdb/ DESTINATION "${weft_gdb_scripts}" COMPONENT core FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
