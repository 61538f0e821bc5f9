# cmake --install: libweft-qthread in the library folder, find_package(weft COMPONENTS qthread) and pkg-config's weft-qthread.pc; qthread.h in a
# folder where no build finds it unasked. That folder, weft/qthreads in the library folder, is laid out as an installed Qthreads is, for builds
# that want a prefix of one (--with-qthreads=DIR), qthread.pc or find_package(qthread): its libqthread is libweft-qthread.
set(qthread_prefix "${CMAKE_INSTALL_LIBDIR}/weft/qthreads")

install(DIRECTORY include/ DESTINATION "${qthread_prefix}/include" FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS weft_qthread weft_qthread_static EXPORT weft_qthread_targets)
install(EXPORT weft_qthread_targets NAMESPACE weft:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/weft" FILE weft-qthread-targets.cmake)

# Links to the libraries: a program that is told to look in this folder when it starts finds them under the names that they have inside.
foreach(link IN ITEMS
    libqthread.so:libweft-qthread.so.${WEFT_SOVERSION} libweft-qthread.so.${WEFT_SOVERSION}:libweft-qthread.so.${WEFT_SOVERSION}
    libweft.so.${WEFT_SOVERSION}:libweft.so.${WEFT_SOVERSION} libqthread.a:libweft-qthread.a libweft.a:libweft.a)
  string(REPLACE ":" ";" link "${link}")
  list(GET link 0 name)
  list(GET link 1 target)
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${qthread_prefix}/lib\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK \"../../../${target}\" \"\${folder}/${name}\" SYMBOLIC)")
endforeach()

# Versions are those of the interface, in qthread.h.
file(STRINGS include/qthread/qthread.h qthread_version REGEX "^#define QTHREAD_VERSION ")
string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" qthread_version "${qthread_version}")
file(RELATIVE_PATH weft_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(qthread.pc.in qthread.pc @ONLY)
configure_file(weft-qthread.pc.in weft-qthread.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/qthread.pc" DESTINATION "${qthread_prefix}/lib/pkgconfig")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/weft-qthread.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
weft_note_run_path("${CMAKE_INSTALL_LIBDIR}" "${CMAKE_INSTALL_LIBDIR}/pkgconfig/weft-qthread.pc")
weft_note_run_path("${CMAKE_INSTALL_LIBDIR}" "${qthread_prefix}/lib/pkgconfig/qthread.pc")

configure_package_config_file(qthread-config.cmake.in qthread-config.cmake INSTALL_DESTINATION "${qthread_prefix}/lib/cmake/qthread"
  PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/qthread-config-version.cmake" VERSION "${qthread_version}"
  COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/qthread-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/qthread-config-version.cmake"
  DESTINATION "${qthread_prefix}/lib/cmake/qthread")

# The libtool archive of an installed Qthreads, by which Chapel's compiler (1.18 to 1.2x) finds how to link the library. libweft comes with it.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/libqthread.la"
  "# libqthread.la - a libtool library file\ndlname=''\nlibrary_names='libqthread.so'\nold_library='libqthread.a'\n"
  "inherited_linker_flags=''\ndependency_libs=' -lpthread'\ninstalled=yes\n")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/libqthread.la" DESTINATION "${qthread_prefix}/lib")
