# libweft-dist: find_package(weft COMPONENTS dist) has weft::dist and weft::dist_static, pkg-config has
# weft-dist. The headers are installed with the core's.
add_library(weft::dist_static ALIAS weft_dist_static)
set_target_properties(weft_dist PROPERTIES EXPORT_NAME dist)
set_target_properties(weft_dist_static PROPERTIES EXPORT_NAME dist_static)
install(TARGETS weft_dist weft_dist_static EXPORT weft_dist_targets)
install(EXPORT weft_dist_targets NAMESPACE weft:: DESTINATION "${package_folder}" FILE weft-dist-targets.cmake)
configure_file(weft-dist.pc.in weft-dist.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/weft-dist.pc" DESTINATION "${pc_folder}")
weft_note_run_path("${CMAKE_INSTALL_LIBDIR}" "${pc_folder}/weft-dist.pc")
