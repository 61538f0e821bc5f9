# cmake --install: libweft-abt in the library folder, find_package(weft COMPONENTS abt) and pkg-config's weft-abt.pc; abt.h in a folder where
# nobody finds it unasked. That folder, weft/argobots in the library folder, is laid out as an installed Argobots is, for builds that want
# a prefix of one, argobots.pc or find_package(argobots): its libabt is libweft-abt.
set(abt_prefix "${CMAKE_INSTALL_LIBDIR}/weft/argobots")

# abt.h as one file, since there are builds that link to that name alone.
file(READ include/abt.h abt_h)
foreach(part IN ITEMS weft_abt/constants.h weft_abt/types.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/abt.h "include/${part}")
  file(READ "include/${part}" text)
  string(REPLACE "#include <${part}>\n" "${text}" abt_h "${abt_h}")
endforeach()
string(REGEX REPLACE "#include <weft_abt/[^\n]*\n" "" abt_h "${abt_h}") # what the parts include of each other
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/abt.h" "${abt_h}")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/abt.h" DESTINATION "${abt_prefix}/include")

install(TARGETS weft_abt weft_abt_static EXPORT weft_abt_targets)
install(EXPORT weft_abt_targets NAMESPACE weft:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/weft" FILE weft-abt-targets.cmake)

# Links to the libraries: a program that is told to look in this folder when it starts finds them under the names that they have inside.
foreach(link IN ITEMS
    libabt.so:libweft-abt.so.${WEFT_SOVERSION} libweft-abt.so.${WEFT_SOVERSION}:libweft-abt.so.${WEFT_SOVERSION}
    libweft.so.${WEFT_SOVERSION}:libweft.so.${WEFT_SOVERSION} libabt.a:libweft-abt.a libweft.a:libweft.a)
  string(REPLACE ":" ";" link "${link}")
  list(GET link 0 name)
  list(GET link 1 target)
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${abt_prefix}/lib\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK \"../../../${target}\" \"\${folder}/${name}\" SYMBOLIC)")
endforeach()

# Versions are those of the interface, in abt.h.
file(STRINGS include/weft_abt/constants.h abt_version REGEX "^#define ABT_VERSION ")
string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" abt_version "${abt_version}")
file(RELATIVE_PATH weft_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(argobots.pc.in argobots.pc @ONLY)
configure_file(weft-abt.pc.in weft-abt.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/argobots.pc" DESTINATION "${abt_prefix}/lib/pkgconfig")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/weft-abt.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
weft_note_run_path("${CMAKE_INSTALL_LIBDIR}" "${CMAKE_INSTALL_LIBDIR}/pkgconfig/weft-abt.pc")
weft_note_run_path("${CMAKE_INSTALL_LIBDIR}" "${abt_prefix}/lib/pkgconfig/argobots.pc")

configure_package_config_file(argobots-config.cmake.in argobots-config.cmake INSTALL_DESTINATION "${abt_prefix}/lib/cmake/argobots"
  PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/argobots-config-version.cmake" VERSION "${abt_version}"
  COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/argobots-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/argobots-config-version.cmake"
  DESTINATION "${abt_prefix}/lib/cmake/argobots")
