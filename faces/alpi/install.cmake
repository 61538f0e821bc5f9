# cmake --install: the libraries, find_package(weft COMPONENTS alpi), pkg-config's weft-alpi.pc; alpi.h in a folder where no build finds it unasked.
set(alpi_headers "${CMAKE_INSTALL_LIBDIR}/weft/alpi/include")
install(FILES include/alpi.h DESTINATION "${alpi_headers}")
install(TARGETS weft_alpi weft_alpi_static EXPORT weft_alpi_targets)
install(EXPORT weft_alpi_targets NAMESPACE weft:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/weft" FILE weft-alpi-targets.cmake)

file(RELATIVE_PATH weft_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(weft-alpi.pc.in weft-alpi.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/weft-alpi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
weft_note_run_path("${CMAKE_INSTALL_LIBDIR}" "${CMAKE_INSTALL_LIBDIR}/pkgconfig/weft-alpi.pc")
