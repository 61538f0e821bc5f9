# cmake --install: headers, both libraries, find_package(weft) and pkg-config's weft.pc.
include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
install(DIRECTORY include/weft DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS weft weft_static EXPORT weft_targets)
install(EXPORT weft_targets NAMESPACE weft:: DESTINATION "${package_folder}" FILE weft-targets.cmake)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES docs/man/weft.7 DESTINATION "${CMAKE_INSTALL_MANDIR}/man7")

configure_package_config_file(cmake/weft-config.cmake.in weft-config.cmake INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file(weft-config-version.cmake COMPATIBILITY SameMinorVersion) # until 1.0
install(FILES "${PROJECT_BINARY_DIR}/weft-config.cmake" "${PROJECT_BINARY_DIR}/weft-config-version.cmake"
  DESTINATION "${package_folder}")

# The prefix is found from where weft.pc lies, so that an installed tree may be moved.
file(RELATIVE_PATH weft_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/weft.pc.in weft.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/weft.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
