# cmake --install: headers, both libraries, find_package(weft) and pkg-config's weft.pc: the
# component "core", which needs the targets weft and weft_static. The component "checked", which is
# only installed when it is asked for: the libraries with checks (weft_checked, weft_checked_static)
# in a folder of their own, weft-checked.pc, and what find_package(weft) knows of them.
include(CMakePackageConfigHelpers)

# A .pc file has an empty line run_path=. Once installed, it says what a program needs to find the
# libraries of this folder when it starts.
set(WEFT_RUN_PATH_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/run_path.cmake")
function(weft_note_run_path folder pc_file)
  install(CODE "
    set(weft_folder \"\${CMAKE_INSTALL_PREFIX}/${folder}\")
    set(weft_pc_file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${pc_file}\")
    include(\"${WEFT_RUN_PATH_SCRIPT}\")" ${ARGN})
endfunction()

set(core COMPONENT core)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
set(pc_folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(DIRECTORY include/weft DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" ${core} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS weft weft_static EXPORT weft_targets LIBRARY ${core} ARCHIVE ${core})
install(EXPORT weft_targets NAMESPACE weft:: DESTINATION "${package_folder}" FILE weft-targets.cmake ${core})
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" ${core})
install(FILES docs/man/weft.7 DESTINATION "${CMAKE_INSTALL_MANDIR}/man7" ${core})

configure_package_config_file(cmake/weft-config.cmake.in weft-config.cmake INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file(weft-config-version.cmake COMPATIBILITY SameMinorVersion) # until 1.0
install(FILES "${PROJECT_BINARY_DIR}/weft-config.cmake" "${PROJECT_BINARY_DIR}/weft-config-version.cmake" cmake/tascell.cmake
  DESTINATION "${package_folder}" ${core})

# The prefix is found from where weft.pc lies, so that an installed tree may be moved.
file(RELATIVE_PATH weft_pc_prefix "/${pc_folder}" "/")
configure_file(cmake/weft.pc.in weft.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/weft.pc" DESTINATION "${pc_folder}" ${core})
configure_file(cmake/weft-boost.pc.in weft-boost.pc @ONLY) # headers alone, in a folder that nothing finds unasked
install(FILES "${PROJECT_BINARY_DIR}/weft-boost.pc" DESTINATION "${pc_folder}" ${core})
weft_note_run_path("${CMAKE_INSTALL_LIBDIR}" "${pc_folder}/weft.pc" ${core})

# The names of the files are the same: a program's run path, or LD_LIBRARY_PATH, chooses the library
# or the one with checks.
set(checked COMPONENT checked EXCLUDE_FROM_ALL)
set(weft_checked_folder "${CMAKE_INSTALL_LIBDIR}/weft/checked")
install(TARGETS weft_checked weft_checked_static EXPORT weft_checked_targets
  LIBRARY DESTINATION "${weft_checked_folder}" ${checked} ARCHIVE DESTINATION "${weft_checked_folder}" ${checked})
install(EXPORT weft_checked_targets NAMESPACE weft:: DESTINATION "${package_folder}" FILE weft-checked-targets.cmake ${checked})
configure_file(cmake/weft-checked.pc.in weft-checked.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/weft-checked.pc" DESTINATION "${pc_folder}" ${checked})
