# cmake --install: headers, libraries, find_package(weft COMPONENTS threads), pkg-config's weft-threads.pc and one for each with inlined
# calls. Modules are installed where they are made.
install(DIRECTORY include/weft_threads DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "argobots" EXCLUDE PATTERN "qthreads" EXCLUDE)
foreach(name IN LISTS WEFT_THREADS_INLINED)
  install(DIRECTORY inline/${name} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/weft_threads/inline")
endforeach()

weft_install_manual("${CMAKE_CURRENT_SOURCE_DIR}/include/weft_threads")

install(TARGETS weft_threads weft_threads_static ${inlined_targets} EXPORT weft_threads_targets)
install(EXPORT weft_threads_targets NAMESPACE weft:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/weft" FILE weft-threads-targets.cmake)

file(RELATIVE_PATH weft_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(weft-threads.pc.in weft-threads.pc @ONLY)
set(pc_files "${CMAKE_CURRENT_BINARY_DIR}/weft-threads.pc")
foreach(name IN LISTS WEFT_THREADS_INLINED)
  configure_file(weft-threads-inlined.pc.in weft-threads-${name}.pc @ONLY)
  list(APPEND pc_files "${CMAKE_CURRENT_BINARY_DIR}/weft-threads-${name}.pc")
endforeach()
install(FILES ${pc_files} DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
