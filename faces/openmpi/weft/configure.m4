# Weft: how Open MPI's configure finds libweft, and selects this component by --with-threads=weft.
#
#   --with-weft=FOLDER            where Weft is installed, if pkg-config does not find weft.pc
#   --with-weft-libdir=FOLDER     where its library is, if that is neither lib nor lib64 there
#   --enable-weft-choice          wait by Weft's threads interface (libweft-threads): WEFT_THREADS
#                                 chooses the threads when a program starts
#
# The component is written for Open MPI 5.0 and 6.0, whose threads frameworks ask for the same.

AC_DEFUN([MCA_opal_threads_weft_PRIORITY], [40])

AC_DEFUN([MCA_opal_threads_weft_COMPILE_MODE], [
  AC_MSG_CHECKING([for MCA component $2:$3 compile mode])
  $4="static"
  AC_MSG_RESULT([$$4])
])

# $1: 1 if this component was selected.
AC_DEFUN([MCA_opal_threads_weft_POST_CONFIG], [
  AS_IF([test "$1" = "1"], [
    opal_thread_type_found="weft"
    AC_DEFINE_UNQUOTED([MCA_threads_base_include_HEADER],
      ["opal/mca/threads/weft/${opal_weft_headers}_threads.h"], [The threads header of the component])
    AC_DEFINE_UNQUOTED([MCA_threads_mutex_base_include_HEADER],
      ["opal/mca/threads/weft/${opal_weft_headers}_mutex.h"], [The mutex header of the component])
    AC_DEFINE_UNQUOTED([MCA_threads_tsd_base_include_HEADER],
      ["opal/mca/threads/weft/${opal_weft_headers}_tsd.h"], [The header of the component for keys])
    THREAD_CFLAGS="$opal_weft_CPPFLAGS"
    THREAD_CPPFLAGS="$opal_weft_CPPFLAGS"
    THREAD_CXXFLAGS="$opal_weft_CPPFLAGS"
    THREAD_CXXCPPFLAGS="$opal_weft_CPPFLAGS"
    THREAD_LDFLAGS="$opal_weft_LDFLAGS"
    THREAD_LIBS="$opal_weft_LIBS"
    CPPFLAGS="$CPPFLAGS $opal_weft_CPPFLAGS"
    LDFLAGS="$LDFLAGS $opal_weft_LDFLAGS"
    LIBS="$LIBS $opal_weft_LIBS"
  ])
])

AC_DEFUN([_opal_weft_refuse_other_versions], [
  case "$OPAL_MAJOR_VERSION.$OPAL_MINOR_VERSION" in
    5.0|6.0) ;;
    *) AC_MSG_ERROR([The Weft threads component is for Open MPI 5.0 and 6.0, and this is $OPAL_MAJOR_VERSION.$OPAL_MINOR_VERSION. Take a Weft whose faces/openmpi/README.md names this version, or configure with --with-threads=pthreads.]) ;;
  esac
])

# Weft's threads interface, beside libweft and by its flags.
AC_DEFUN([_opal_weft_find_interface], [
  CPPFLAGS="$CPPFLAGS $opal_weft_CPPFLAGS"
  LDFLAGS="$LDFLAGS $opal_weft_LDFLAGS"
  LIBS="$opal_weft_LIBS $LIBS"
  AC_CHECK_HEADER([weft_threads/lock.h],
    [AC_CHECK_LIB([weft-threads], [threads_lock_acquire], [:], [opal_weft_happy=no])], [opal_weft_happy=no])
  AS_IF([test "$opal_weft_happy" = "no"],
    [AC_MSG_ERROR([--enable-weft-choice: the Weft that was found has no libweft-threads. Install it, or configure without.])])
  opal_weft_LIBS="-lweft-threads $opal_weft_LIBS"
  opal_weft_headers=threads_weft_choice
  AC_DEFINE([OPAL_WEFT_CHOICE], [1], [Whether WEFT_THREADS chooses the threads when a program starts])
])

# $1: what to do if the component can be compiled; $2: if not.
AC_DEFUN([MCA_opal_threads_weft_CONFIG], [
  AC_CONFIG_FILES([opal/mca/threads/weft/Makefile])
  AC_ARG_WITH([weft], [AS_HELP_STRING([--with-weft=FOLDER], [where Weft is installed, for --with-threads=weft])])
  AC_ARG_WITH([weft-libdir], [AS_HELP_STRING([--with-weft-libdir=FOLDER], [where libweft is, for --with-threads=weft])])

  AC_ARG_ENABLE([weft-choice], [AS_HELP_STRING([--enable-weft-choice],
    [let WEFT_THREADS choose the threads when a program starts, for --with-threads=weft])])

  opal_weft_happy=no
  opal_weft_headers=threads_weft
  AS_IF([test "$with_threads" = "weft"], [
    _opal_weft_refuse_other_versions
    opal_weft_save_CPPFLAGS="$CPPFLAGS"
    opal_weft_save_LDFLAGS="$LDFLAGS"
    opal_weft_save_LIBS="$LIBS"
    OAC_CHECK_PACKAGE([weft], [opal_weft], [weft/weft.h], [weft], [weft_mutex_lock],
      [opal_weft_happy=yes], [opal_weft_happy=no])
    AS_IF([test "$opal_weft_happy" = "yes" && test "$enable_weft_choice" = "yes"], [_opal_weft_find_interface])
    CPPFLAGS="$opal_weft_save_CPPFLAGS"
    LDFLAGS="$opal_weft_save_LDFLAGS"
    LIBS="$opal_weft_save_LIBS"
    AS_IF([test "$opal_weft_happy" = "no"],
      [AC_MSG_ERROR([--with-threads=weft: no Weft was found. Say where it is installed by --with-weft=FOLDER.])])
  ])
  AC_SUBST([opal_weft_CPPFLAGS])
  AC_SUBST([opal_weft_LDFLAGS])
  AC_SUBST([opal_weft_LIBS])
  AS_IF([test "$opal_weft_happy" = "yes"], [$1], [$2])
])
