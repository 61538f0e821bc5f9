# Run by cmake --install. weft_folder: where libraries were installed to; weft_pc_file: a file with
# an empty line run_path=.
#
# The loader finds the libraries of the folders that ldconfig looks into, and those of the system's
# own prefix. A program that is linked with a library in any other folder must have that folder's
# name in it (a run path): then pkg-config says so with the other words.
find_program(weft_ldconfig ldconfig PATHS /sbin /usr/sbin)
set(weft_searched "")
if(weft_ldconfig)
  execute_process(COMMAND "${weft_ldconfig}" -N -X -v OUTPUT_VARIABLE weft_searched ERROR_QUIET)
endif()
set(weft_is_searched FALSE)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(weft_is_searched TRUE)
endif()
file(REAL_PATH "${weft_folder}" weft_folder)
string(REGEX MATCHALL "(^|\n)/[^:\n]*:" weft_searched "${weft_searched}")
foreach(place IN LISTS weft_searched)
  string(REGEX REPLACE "[\n:]" "" place "${place}")
  file(REAL_PATH "${place}" place)
  if(place STREQUAL weft_folder)
    set(weft_is_searched TRUE)
  endif()
endforeach()
if(NOT weft_is_searched)
  file(READ "${weft_pc_file}" weft_words)
  string(REPLACE "\nrun_path=\n" "\nrun_path=-Wl,-rpath,\${libdir}\n" weft_words "${weft_words}")
  file(WRITE "${weft_pc_file}" "${weft_words}")
endif()
