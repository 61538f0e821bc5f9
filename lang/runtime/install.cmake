# libweft-tascell: find_package(weft COMPONENTS tascell) has weft::tascell and
# weft::tascell_static, pkg-config has weft-tascell. The headers are installed with the core's.
install(TARGETS weft_tascell weft_tascell_static EXPORT weft_tascell_targets)
install(EXPORT weft_tascell_targets NAMESPACE weft:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/weft" FILE weft-tascell-targets.cmake)

file(RELATIVE_PATH weft_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(weft-tascell.pc.in weft-tascell.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/weft-tascell.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
weft_note_run_path("${CMAKE_INSTALL_LIBDIR}" "${CMAKE_INSTALL_LIBDIR}/pkgconfig/weft-tascell.pc")
